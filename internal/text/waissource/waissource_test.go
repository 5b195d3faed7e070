package waissource

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/urlcore"
)

const example = `(:source
   :version  3
   :ip-address "127.0.0.1"
   :ip-name "vm.example"
   :tcp-port 8212
   :database-name "/srv/w/x"
   :cost 0.00
   :cost-unit :free
   :maintainer "root@vm.example"
   :keyword-list (
                  gopher "a (b" (nested) )
   :description "Server created with WAIS.
The \"files\" are in C:\\x
"
)
`

func TestParse(t *testing.T) {
	at := urlcore.HostPort{Host: "here.example", Port: 2100}
	for _, tt := range []struct {
		text string
		want Source
		url  string
	}{
		{
			example,
			Source{"vm.example", 8212, "/srv/w/x", "root@vm.example", "0.00", "free", "Server created with WAIS.\nThe \"files\" are in C:\\x"},
			"wais://vm.example:8212/%2Fsrv%2Fw%2Fx",
		},
		{`(:source :database-name "x")`, Source{Database: "x"}, "wais://here.example:2100/x"},
		{
			`(:source :ip-name "" :ip-address "192.0.2.1" :tcp-port "210" :database-name x)`,
			Source{Host: "192.0.2.1", Port: 210, Database: "x"},
			"wais://192.0.2.1/x",
		},
		{`(:SOURCE :database-name "x")`, Source{Database: "x"}, "wais://here.example:2100/x"},
		{` ( :source :Database-Name "x" :tcp-port 99999 :ip-name "a b"`, Source{Host: "a b", Database: "x"}, ""},
		{
			`(:source :tcp-port :ip-name "h" :database-name ":x" :description "(:source`,
			Source{Host: "h", Database: ":x", Description: "(:source"},
			"wais://h/%3Ax",
		},
		{`(:source :database-name "x\`, Source{Database: `x\`}, "wais://here.example:2100/x%5C"},
		{`(:source 7 (a (b)) :database-name "x" ) :database-name "y"`, Source{Database: "x"}, "wais://here.example:2100/x"},
		{`(:source)`, Source{}, ""},
		{`(:source :database-name`, Source{}, ""},
		{`text`, Source{}, ""},
		{``, Source{}, ""},
	} {
		got, ok := Parse(tt.text)
		if ok != (tt.want.Database != "") || ok && got != tt.want {
			t.Errorf("Parse(%.60q) = %#v, %v, want %#v", tt.text, got, ok, tt.want)
		}
		if !ok {
			continue
		}
		u := got.URL(at)
		if (u == nil) != (tt.url == "") || u != nil && u.String() != tt.url {
			t.Errorf("URL of the database in %.60q = %v, want %s", tt.text, u, tt.url)
		}
	}
}

func TestLines(t *testing.T) {
	s, _ := Parse(strings.Replace(example, ":free", ":dollars-per-minute", 1))
	var b strings.Builder
	for _, l := range s.Lines(s.URL(urlcore.HostPort{})) {
		b.WriteString(l.Kind.String() + " " + l.Text)
		if l.Link != nil {
			b.WriteString(" -> " + l.Link.String())
		}
		b.WriteString("\n")
	}
	want := "search /srv/w/x -> wais://vm.example:8212/%2Fsrv%2Fw%2Fx\ninfo \ninfo Server created with WAIS.\ninfo The \"files\" are in C:\\x\ninfo \n" +
		"mail Maintainer: root@vm.example -> mailto:root@vm.example\ninfo Cost: 0.00 dollars-per-minute\n"
	fetchtest.Equal(t, b.String(), want)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		example, "(:source :database-name \"x\" :description \"", "(:source ((((", "(:source )))) :a",
		"(:source :a :b :c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := Parse(text)
		if ok == (s.Database == "") {
			t.Errorf("Parse(%q): got the database %q and ok %v, want ok only with a database", text, s.Database, ok)
		}
		if len(s.Database)+len(s.Description) > 2*len(text) {
			t.Errorf("Parse(%q): got %d octets of strings from %d octets of text", text, len(s.Database)+len(s.Description), len(text))
		}
		for _, l := range s.Lines(s.URL(urlcore.HostPort{Host: "h"})) {
			if l.Link == nil {
				continue
			}
			fetchtest.CheckCanonical(t, l.Link, "%q: Parse of the link", text)
		}
	})
}

func TestGrowth(t *testing.T) {
	for _, in := range []memorygrowth.Input{
		{Name: "names", Head: "(:source ", Unit: ":a#"},
		{Name: "names and values", Head: "(:source ", Unit: ":a# b "},
		{Name: "one value again", Head: "(:source ", Unit: ":a b "},
		{Name: "open lists", Head: "(:source :a ", Unit: "("},
		{Name: "closed lists", Head: "(:source :a ", Unit: "()"},
		{Name: "strings", Head: "(:source ", Unit: `""`},
		{Name: "escapes", Head: `(:source :a "`, Unit: `\"`},
		{Name: "description", Head: `(:source :database-name "x" :description "`, Unit: "a\n", Tail: `")`},
	} {
		memorygrowth.Check(t, in, 120, func(text string) { _, _ = Parse(text) })
	}
}
