package urlcore

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"gopher://Gopher.Example.org:70", "gopher://gopher.example.org/1"},
		{"ftp://ftp.example.org/a b;type=D", "ftp://ftp.example.org/a%20b;type=d"},
		{"URL:news:comp.lang.c++", "news:comp.lang.c++"},
		{"nntp://n.example.org/a.b/007", "nntp://n.example.org/a.b/7"},
	} {
		u, err := Parse(tt.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		if got := u.String(); got != tt.want {
			t.Errorf("Parse(%q) = %q, want %q", tt.in, got, tt.want)
		}
		if v, err := Parse(u.String()); err != nil || v != u {
			t.Errorf("Parse(%q) = %#v, %v, want %#v", u.String(), v, err, u)
		}
	}
}
