package urlcore

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDescriptions compares all descriptions of URLs with testdata/descriptions.txt. The file has a
// paragraph for each URL.
func TestDescriptions(t *testing.T) {
	data, err := os.ReadFile("testdata/descriptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		text, _, _ := strings.Cut(want, "\n")
		u, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := describe(u); got != want {
			t.Errorf("the description is\n%s\nwant\n%s", got, want)
		}
	}
}

func describe(u URL) string {
	var b strings.Builder
	b.WriteString(u.String())
	line := func(name string, value any) {
		if v, ok := value.(URL); ok {
			if canonical, err := Parse(v.String()); canonical != v {
				value = fmt.Sprintf("%#v is not canonical (%v)", v, err)
			}
		}
		fmt.Fprintf(&b, "\n  %s: %v", name, value)
	}
	if k, ok := u.(interface{ Kind() string }); ok {
		line("kind", k.Kind())
	}
	if f, ok := u.(interface{ FileName() string }); ok {
		line("file name", fmt.Sprintf("%q", f.FileName()))
	}
	if addr, ok := Addr(u); ok {
		line("address", addr)
	}
	if w := WarningsOf(u).Names(); len(w) > 0 {
		line("warnings", w)
	}
	if up, ok := Up(u); ok {
		line("up", up)
	}
	if s, ok := u.(interface{ ByTLS() (URL, bool) }); ok {
		if tls, ok := s.ByTLS(); ok {
			line("by TLS", tls)
		}
	}
	if d, ok := u.(FTP); ok {
		child, _ := d.Child("x y")
		line("child", child)
	}
	if g, ok := u.(Gopher); ok {
		line("attributes", g.Attributes())
		if all, ok := g.MenuAttributes(); ok {
			line("attributes of all", all)
		}
	}
	if a, ok := u.(interface{ Alternatives() []Alternative }); ok {
		for _, other := range a.Alternatives() {
			line("else", other.Text+" "+other.URL.String())
		}
	}
	for _, p := range Parts(u) {
		if p.Name != "delimiter" && p.Name != "scheme" && p.Name != "host" {
			line("part", fmt.Sprintf("%s %q (%s): %s", p.Name, p.Text, strings.TrimPrefix(p.Rule, "RFC 1738, section "), p.Meaning))
		}
	}
	return b.String()
}
