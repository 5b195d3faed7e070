package urlbatch

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRun asks arbitrary questions. It checks that each line gets one answer of one line in JSON, and that a
// canonical URL is its own canonical URL.
func FuzzRun(f *testing.F) {
	f.Add(`{"input":"gopher://h/1/a%20b"}` + "\n" + `{"input":"../b","context":"partial","base":"ftp://h/a/"}`)
	f.Add(`{"context":"native","native":{"scheme":"gopher","host":"h","port":70,"type_hex":"31","selector_hex":"2f61"}}`)
	f.Add(`{"input":"see <URL:news:a.b> and http://h/.","context":"text"}` + "\n\n[]\nnull\n{")
	f.Add(`{"input":"ftp://h/%2Fa;type=d","mode":"strict","dialect":"1993-07"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := Run(strings.NewReader(text), &out); err != nil {
			t.Fatalf("Run(%q): %v", text, err)
		}
		lines := 0
		for line := range bytes.Lines(out.Bytes()) {
			lines++
			var answer map[string]any
			if err := json.Unmarshal(line, &answer); err != nil {
				t.Fatalf("the answer %q to %q: %v", line, text, err)
			}
			canonical, ok := answer["canonical"].(string)
			if !ok {
				continue
			}
			if again := AnswerQuestion(Question{Input: canonical}); again.Canonical != canonical {
				t.Errorf("the canonical URL %q is answered with %+v", canonical, again)
			}
		}
	})
}
