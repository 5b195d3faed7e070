package urlcore

import (
	"errors"
	"testing"
)

func TestResolve(t *testing.T) {
	for _, tt := range []struct {
		dialect         Dialect
		base, ref, want string
	}{
		{RFC1738, "ftp://h/a/b", "c?/../d", "ftp://h/a/d"},
		{RFC1738, "http://h/a/b", "c?/../d", "http://h/a/c?/../d"},
		{RFC1738, "http://h/a/b", "?", "http://h/a/?"},
		{RFC1738, "https://h:444/a/b?q", "../c?d", "https://h:444/c?d"},
		{RFC1738, "https://h/a/b?q", "//i:443", "https://i/"},
		{RFC1738, "gemini://h/a/b?q", "../c?d", "gemini://h/c?d"},
		{RFC1738, "https://h/a", "https:b", "!bad-path"},
		{RFC1738, "http://h/a//b", "..", "http://h/a"},
		{RFC1738, "x://u@h:1", "a", "x://u@h:1/a"},
		{RFC1738, "x://h/a?b/c", "d", "x://h/d"},
		{RFC1738, "file:///a/b", "../c;d", "file:///c%3Bd"},
		{RFC1738, "http://h/", "//[::1]:80/a", "http://[::1]/a"},
		{RFC1738, "http://h/", "//a~b/", "!illegal-char"},
		{RFC1738, "gopher://h/1/a", "?q", "!not-hierarchical"},
		{RFC1738, "mailto:a@b", "//h/", "!not-hierarchical"},
		{RFC1738, "news:a.b", "", "news:a.b"},
		{RFC1738, "http://h/", "a%zz", "!bad-escape"},
		{RFC1738, "http://h/", "URL:http://i/", "http://i/"},
		{Draft199310, "gopher://h/1/a/b", "../c", "gopher://h/1/c"},
		{Draft199310, "http://h/", "\u00e9", "http://h/%E9"},
		{Draft199310, "http://h/", "\u0153", "!illegal-char"},
		{Draft199403, "ftp://h/a/b", "c/", "ftp://h/a/c;type=d"},
		{Draft199403, "ftp://h/a/b", "URL:ftp://i/c;type=AN", "ftp://i/c;type=a"},
	} {
		base, err := Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parser{Dialect: tt.dialect}.Resolve(base, tt.ref)
		got := ""
		if e, ok := errors.AsType[*Error](err); ok {
			got = "!" + string(e.Category)
		} else {
			got = r.URL.String()
		}
		if got != tt.want {
			t.Errorf("%v: Resolve(%s, %q) = %q, want %q", tt.dialect, tt.base, tt.ref, got, tt.want)
		}
	}
}
