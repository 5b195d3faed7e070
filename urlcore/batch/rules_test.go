package batch

import (
	"encoding/json"
	"strings"
	"testing"
)

// rule is one question and what its answer must hold: each want is a key, "=",
// and a JSON value, or "!" and the category of the error.
type rule struct {
	question string
	want     []string
}

// testRules asks the questions. Keys of parts and native are reached with a
// dot.
func testRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		var q Question
		if err := json.Unmarshal([]byte(r.question), &q); err != nil {
			t.Fatalf("%s: %v", r.question, err)
		}
		b, err := json.Marshal(Ask(q))
		if err != nil {
			t.Fatal(err)
		}
		var a map[string]json.RawMessage
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		for _, want := range r.want {
			if category, ok := strings.CutPrefix(want, "!"); ok {
				if string(a["error"]) != `"`+category+`"` {
					t.Errorf("%s:\n got %s\nwant the error %s", r.question, b, category)
				}
				continue
			}
			key, value, _ := strings.Cut(want, "=")
			got := a[key]
			if outer, inner, ok := strings.Cut(key, "."); ok {
				var m map[string]json.RawMessage
				if err := json.Unmarshal(a[outer], &m); err != nil {
					t.Errorf("%s: no %s in %s", r.question, outer, b)
					continue
				}
				got = m[inner]
			}
			if string(got) != value {
				t.Errorf("%s:\n %s = %s, want %s (%s)", r.question, key, got, value, b)
			}
		}
	}
}

// TestHTTPS wants https to go by the rules of http.
func TestHTTPS(t *testing.T) {
	testRules(t, []rule{
		{`{"input":"https://H.Example.org","mode":"strict"}`, []string{
			`canonical="https://h.example.org/"`, `parts={"host":"h.example.org","path":"/","port":443,"query":null,"scheme":"https"}`,
			`native={"kind":"http-object","scheme":"https","host":"h.example.org","port":443,"path":"/"}`, `warnings=[]`,
		}},
		{`{"input":"https://h:80/"}`, []string{`canonical="https://h:80/"`, `parts.port=80`, `warnings=["nondefault-port","reserved-port"]`}},
		{`{"input":"https://h:443/a?b+c%2Bd","mode":"strict"}`, []string{`canonical="https://h/a?b+c%2Bd"`, `parts.query="b+c%2Bd"`}},
		{`{"input":"https://h/a?b/c"}`, []string{`canonical="https://h/a?b/c"`, `canonical_lenient=true`}},
		{`{"input":"https://h/a?b/c","mode":"strict"}`, []string{`!reserved-char`}},
		{`{"input":"https://h?q","mode":"strict"}`, []string{`!bad-host`}},
		{`{"input":"https://h?q"}`, []string{`canonical="https://h/?q"`}},
		{`{"input":"https://h?q","mode":"strict","dialect":"1993-07"}`, []string{`canonical="https://h/?q"`}},
		{`{"input":"https://@h/"}`, []string{`!userinfo-not-allowed`}},
		{`{"input":"https:/a"}`, []string{`!bad-path`}},
		{`{"input":"https://h/#f"}`, []string{`canonical="https://h/"`, `parts.fragment="f"`}},
		{`{"input":"../x?y","context":"partial","base":"https://h:443/a/b/c?d/e"}`, []string{`canonical="https://h/a/x?y"`}},
		{`{"input":"/x","context":"partial","base":"https://h:8443/a/"}`, []string{`canonical="https://h:8443/x"`}},
		{`{"input":"See https://h.example.org/a, and <https://h.example.org/\nb>.","context":"text"}`, []string{
			`urls=[{"canonical":"https://h.example.org/a"},{"canonical":"https://h.example.org/b"}]`,
		}},
		{`{"input":"See https://h.example.org/a.","context":"text","mode":"strict"}`, []string{`urls=[]`}},
		{`{"context":"native","native":{"kind":"http-object","scheme":"https","host":"h","port":443,"path":"/a","query":"b"}}`, []string{
			`canonical="https://h/a?b"`, `roundtrip=true`,
		}},
		{`{"context":"native","native":{"kind":"gopher-menu","scheme":"gopher","gtype":"h","selector_hex":"55524c3a68747470733a2f2f782f","host":"h","port":70}}`, []string{
			`canonical="https://x/"`, `roundtrip=false`,
		}},
	})
}
