package urlcore_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"gofer/internal/cli/urlbatch"
	"gofer/internal/testbed/fetchtest"
)

// TestRules asks the questions in testdata/rules.jsonl. Each line has a question, the rule that it
// tests, and under "want" the keys that the answer must have. The key "a.b" means the key b in the
// object under the key a. Other keys of the answer are ignored.
func TestRules(t *testing.T) {
	data := fetchtest.Must(os.ReadFile("testdata/rules.jsonl"))(t)
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) < 1000 {
		t.Errorf("got %d questions, want 1000 or more", len(lines))
	}
	for _, line := range lines {
		var r struct {
			Rule string
			Want map[string]json.RawMessage
			urlbatch.Question
		}
		fetchtest.NoError(t, json.Unmarshal(line, &r), "%s", line)
		answer := fetchtest.Must(json.Marshal(urlbatch.AnswerQuestion(r.Question)))(t)
		if len(r.Want) == 0 {
			t.Errorf("%s: the question has no key \"want\"", line)
		}
		for key, want := range r.Want {
			if got := valueAt(t, answer, key); !reflect.DeepEqual(got, decodeJSON(t, want)) {
				t.Errorf("%s: %s\n%s is %v in %s, want %s", r.Rule, line, key, got, answer, want)
			}
		}
	}
}

// missing is the value of a key that does not exist.
type missing struct{}

// valueAt returns the value of the key in a JSON object. The key "a.b" means the key b in the
// object under the key a.
func valueAt(t *testing.T, object []byte, key string) any {
	t.Helper()
	outer, inner, deep := strings.Cut(key, ".")
	var m map[string]json.RawMessage
	if json.Unmarshal(object, &m) != nil || m[outer] == nil {
		return missing{}
	}
	if deep {
		return valueAt(t, m[outer], inner)
	}
	return decodeJSON(t, m[outer])
}

// decodeJSON parses JSON. Numbers are unchanged.
func decodeJSON(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	fetchtest.NoError(t, d.Decode(&v))
	return v
}
