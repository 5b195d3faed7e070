package urlcore

import (
	"slices"
	"testing"
)

func TestZ3950(t *testing.T) {
	for _, tt := range []struct{ input, want string }{
		{"z39.50s://h.example", "z39.50s://h.example/"},
		{"z39.50s://h.example:210/", "z39.50s://h.example/"},
		{"Z39.50S://H.example:2100/Books", "z39.50s://h.example:2100/Books"},
		{"z39.50://h.example/a+b", "z39.50://h.example/a+b"},
		{"z39.50s://h.example/a%2Bb+%63", "z39.50s://h.example/a%2Bb+c"},
		{"z39.50s://h.example;rs=sutrs", "z39.50s://h.example/;rs=sutrs"},
		{"z39.50r://h.example/a?d%2f1;esn=F;rs=usmarc+sutrs", "z39.50r://h.example/a?d%2F1;esn=F;rs=usmarc+sutrs"},
		{"z39.50r://h.example/a?b/c:d", "z39.50r://h.example/a?b%2Fc%3Ad"}, // strict: reserved
		{"z39.50s://h.example/a;RS=xml;esn=B", "z39.50s://h.example/a;esn=B;rs=xml"},
		{"z39.50r://h.example/a?", "z39.50r://h.example/a?"},
		{"z39.50r://h.example/a?%00%ff", "z39.50r://h.example/a?%00%FF"},
		{"z39.50s://h.example/a;search=title=moby%20dick&author=x%3b%26;record=3", "z39.50s://h.example/a;search=title=moby%20dick&author=x%3B%26;record=3"},
		{"z39.50s://h.example/a;search=caf\u00e9", "z39.50s://h.example/a;search=caf%C3%A9"},
		{"z39.50s://h.example/a;scan=title=", "z39.50s://h.example/a;scan=title="},
		{"z39.50:a", "z39.50:a"},
		{"z39.50r://h.example/a", "!bad-path"},
		{"z39.50r://h.example/?1", "!bad-path"},
		{"z39.50s://h.example?1", "!bad-path"},
		{"z39.50s://u@h.example/a", "!userinfo-not-allowed"},
		{"z39.50s:///a", "!bad-host"},
		{"z39.50s://h.example/a;x=1", "!bad-path"},
		{"z39.50s://h.example/a;esn", "!bad-path"},
		{"z39.50s://h.example/a;esn=F;esn=B", "!bad-path"},
		{"z39.50s://h.example/a;search=x;scan=y", "!bad-path"},
		{"z39.50s://h.example/a?1;search=x", "!bad-path"},
		{"z39.50s://h.example/a;record=1", "!bad-path"},
		{"z39.50s://h.example/a;search=x;record=0", "!bad-path"},
		{"z39.50s://h.example/a;search=a%0D%0Ab", "!illegal-octet"},
	} {
		got := ""
		u, err := Parse(tt.input)
		if e, ok := err.(*Error); ok {
			got = "!" + string(e.Category)
		} else {
			got = u.String()
			if again, err := Canon(u); err != nil || again != u {
				t.Errorf("Canon(%q): got %v, %v", got, again, err)
			}
			if again, err := Parse(got); err != nil || again != u {
				t.Errorf("Parse(%q): got %#v, %v, want %#v", got, again, err, u)
			}
			text := ""
			for _, p := range Parts(u) {
				text += p.Text
			}
			if text != got {
				t.Errorf("Parts(%q): got %q", got, text)
			}
		}
		if got != tt.want {
			t.Errorf("Parse(%q): got %q, want %q", tt.input, got, tt.want)
		}
	}
}

func TestZ3950Methods(t *testing.T) {
	for _, tt := range []struct{ input, up, name, kind string }{
		{"z39.50s://h/", "", "", "search"},
		{"z39.50s://h/a;rs=xml", "", "a", "menu"},
		{"z39.50r://h/a+b?c/d", "z39.50s://h/a+b", "d", "text"},
		{"z39.50s://h/a;search=", "z39.50s://h/a", "a", "search"},
		{"z39.50s://h/a;search=title=&author=", "z39.50s://h/a", "a", "search"},
		{"z39.50s://h/a;search=title=&author=x", "z39.50s://h/a", "a", "menu"},
		{"z39.50s://h/a;search=x;record=2", "z39.50s://h/a;search=x", "record-2", "text"},
		{"z39.50s://h/a;scan=x", "z39.50s://h/a", "a", "menu"},
		{"z39.50s://h/a;scan=title=", "z39.50s://h/a", "a", "menu"},
		{"z39.50s://h/a;scan=", "z39.50s://h/a", "a", "search"},
	} {
		u, err := Parse(tt.input)
		if err != nil {
			t.Fatal(err)
		}
		z := u.(Z3950)
		up := ""
		if parent, ok := z.Up(); ok {
			up = parent.String()
		}
		if up != tt.up || z.FileName() != tt.name || z.Kind() != tt.kind {
			t.Errorf("%s: got %q, %q, %q; want %q, %q, %q", tt.input, up, z.FileName(), z.Kind(), tt.up, tt.name, tt.kind)
		}
	}
	names := []string{"a+b"}
	if got := (Z3950{}).Session(names...).DatabaseNames(); !slices.Equal(got, names) || names[0] != "a+b" {
		t.Errorf("Session: got the databases %q and the argument %q, want a+b", got, names)
	}
}
