package document

import (
	"testing"

	"gofer/urlcore"
)

// TestResolve tests the examples of RFC 3986, section 5.4, and references in pages of other schemes.
func TestResolve(t *testing.T) {
	const page = "http://a/b/c/d;p?q"
	for _, tt := range []struct{ base, ref, want string }{
		{page, "g:h", "g:h"},
		{page, "", "http://a/b/c/d;p?q"},
		{page, "g", "http://a/b/c/g"},
		{page, "./g", "http://a/b/c/g"},
		{page, "g/", "http://a/b/c/g/"},
		{page, "/g", "http://a/g"},
		{page, "//g", "http://g/"},
		{page, "?y", "http://a/b/c/d;p?y"},
		{page, "g?y", "http://a/b/c/g?y"},
		{page, "#s", "http://a/b/c/d;p?q#s"},
		{page, "g#s", "http://a/b/c/g#s"},
		{page, "g?y#s", "http://a/b/c/g?y#s"},
		{page, ";x", "http://a/b/c/;x"},
		{page, "g;x", "http://a/b/c/g;x"},
		{page, "g;x?y#s", "http://a/b/c/g;x?y#s"},
		{page, ".", "http://a/b/c/"},
		{page, "./", "http://a/b/c/"},
		{page, "..", "http://a/b/"},
		{page, "../", "http://a/b/"},
		{page, "../g", "http://a/b/g"},
		{page, "../..", "http://a/"},
		{page, "../../", "http://a/"},
		{page, "../../g", "http://a/g"},
		{page, "../../../g", "http://a/g"},
		{page, "../../../../g", "http://a/g"},
		{page, "/./g", "http://a/g"},
		{page, "/../g", "http://a/g"},
		{page, "g.", "http://a/b/c/g."},
		{page, ".g", "http://a/b/c/.g"},
		{page, "g..", "http://a/b/c/g.."},
		{page, "..g", "http://a/b/c/..g"},
		{page, "./../g", "http://a/b/g"},
		{page, "./g/.", "http://a/b/c/g/"},
		{page, "g/./h", "http://a/b/c/g/h"},
		{page, "g/../h", "http://a/b/c/h"},
		{page, "g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{page, "g;x=1/../y", "http://a/b/c/y"},
		{page, "g?y/./x", "http://a/b/c/g?y/./x"},
		{page, "g?y/../x", "http://a/b/c/g?y/../x"},
		{page, "g#s/./x", "http://a/b/c/g#s/./x"},
		{page, "g#s/../x", "http://a/b/c/g#s/../x"},
		{page, "http:g", "http://a/b/c/g"},
		{page, "http:/g", "http://a/g"},
		{page, "https:g", ""},
		{"gemini://h/~a/b?q", "../c%2B%7e", "gemini://h/c%2B~"},
		{"gemini://h/~a/b", "gemini:c", "gemini://h/~a/c"},
		{"ftp://u@h/a/b/c.html", "..", "ftp://u@h/a/"},
		{"ftp://u@h/%2Fa/b.html", "c%2Fd", "ftp://u@h/%2Fa/c%2Fd"},
		{"ftp://u@h/a/b.html", "//k/x", "ftp://k/x"},
		{"file:///a/b/c.html", "../d/./e", "file:///a/d/e"},
		{"gopher://h/ha/b.html", "c.html", "gopher://h/ha/c.html"},
	} {
		base, err := urlcore.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u, fragment := resolve(base, tt.ref); u != nil {
			if got = u.String(); fragment != "" {
				got += "#" + fragment
			}
		}
		if got != tt.want {
			t.Errorf("resolve(%s, %q) = %s, want %s", tt.base, tt.ref, got, tt.want)
		}
	}
}
