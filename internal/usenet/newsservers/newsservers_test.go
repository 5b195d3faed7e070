package newsservers

import "testing"

func TestNames(t *testing.T) {
	names := Names{"work": "nntps://news.example.org", "home": "[::1]:1119", "plain": "news.example.net", "bad": "a b", "x y": "h"}
	for name, want := range map[string]bool{"work": true, "home": true, "plain": true, "bad": false, "x y": false, "": false} {
		if err := names.Check(name); (err == nil) != want {
			t.Errorf("Check(%q) = %v; want valid: %v", name, err, want)
		}
	}
	for _, tt := range []struct{ typed, want string }{
		{"work comp.lang.go", "nntps://news.example.org/comp.lang.go"},
		{" work   comp.lang.go ", "nntps://news.example.org/comp.lang.go"},
		{"work comp.lang.go/12", "nntps://news.example.org/comp.lang.go/12"},
		{"work <a/b@c>", "snews://news.example.org/a/b@c"},
		{"work *", "snews://news.example.org/*"},
		{"home a.b/7", "nntp://[::1]:1119/a.b/7"},
		{"plain lab.кофе", "nntp://news.example.net/lab.%D0%BA%D0%BE%D1%84%D0%B5"},
		{"plain a b", "error"},
		{"work", ""},
		{"bad a.b", ""},
		{"other a.b", ""},
		{"comp.lang.go", ""},
	} {
		u, ok, err := names.Expand(tt.typed)
		got := ""
		if err != nil {
			got = "error"
		} else if ok {
			got = u.String()
		}
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Expand(%q): got %q, %v, %v, want %q", tt.typed, got, ok, err, tt.want)
		}
	}
	if u, ok := names.Server("work"); !ok || u.String() != "snews://news.example.org/*" {
		t.Errorf("Server(work) = %v, %v; want the URL of all its groups", u, ok)
	}
}
