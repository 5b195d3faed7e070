package urlbatch

import (
	"encoding/json"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestRunBadLines(t *testing.T) {
	in := strings.Join([]string{
		`{"input":"news:a.b"}`, ``, `nonsense`, `{"input":1}`, "{\"input\":\"\xff\"}", `{"dialect":"1492","input":"x"}`,
		`{"context":"native"}`, `{"context":"native","native":{"scheme":"mailto","address_hex":"zz"}}`,
		`{"input":"` + strings.Repeat("a", MaxLine) + `"}`, `{"input":"news:c.d"}`,
	}, "\n")
	var out strings.Builder
	fetchtest.NoError(t, Run(strings.NewReader(in), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 9 {
		t.Fatalf("got %d answers, want 9", len(lines))
	}
	for i, l := range lines {
		var a Answer
		fetchtest.NoError(t, json.Unmarshal([]byte(l), &a))
		if good := i == 0 || i == 8; a.OK != good || !good && a.Error != "bad-request" {
			t.Errorf("answer %d is %s, want success: %v", i, l, good)
		}
	}
}

func TestLongLine(t *testing.T) {
	in := `{"input":"gopher://h/0` + strings.Repeat("a", 2<<20) + `"}`
	var out strings.Builder
	fetchtest.NoError(t, Run(strings.NewReader(in), &out))
	if !strings.HasPrefix(out.String(), `{"ok":true,`) {
		t.Errorf("the answer to a long line is %.80s, want a URL", out.String())
	}
}
