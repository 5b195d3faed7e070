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

// TestRules asks what the lines of testdata/rules.jsonl ask. Each is a question
// with the rule it is about, and what must be in the answer: "want" has keys of
// it, and with a dot keys in one of its keys. Other keys do not matter.
func TestRules(t *testing.T) {
	data := fetchtest.Must(os.ReadFile("testdata/rules.jsonl"))(t)
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) < 1000 {
		t.Errorf("only %d questions", len(lines))
	}
	for _, line := range lines {
		var r struct {
			Rule string
			Want map[string]json.RawMessage
			urlbatch.Question
		}
		fetchtest.NoError(t, json.Unmarshal(line, &r), "%s", line)
		answer := fetchtest.Must(json.Marshal(urlbatch.Ask(r.Question)))(t)
		if len(r.Want) == 0 {
			t.Errorf("%s: nothing is wanted", line)
		}
		for key, want := range r.Want {
			if got := at(t, answer, key); !reflect.DeepEqual(got, decode(t, want)) {
				t.Errorf("%s: %s\n%s is %v in %s", r.Rule, line, key, got, answer)
			}
		}
	}
}

// missing is what a key leads to that is not there.
type missing struct{}

// at is the value of a key of object; a dot leads into the value.
func at(t *testing.T, object []byte, key string) any {
	t.Helper()
	outer, inner, deep := strings.Cut(key, ".")
	var m map[string]json.RawMessage
	if json.Unmarshal(object, &m) != nil || m[outer] == nil {
		return missing{}
	}
	if deep {
		return at(t, m[outer], inner)
	}
	return decode(t, m[outer])
}

// decode reads JSON, with numbers as they are written.
func decode(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	fetchtest.NoError(t, d.Decode(&v))
	return v
}
