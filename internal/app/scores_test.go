package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/score"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestScoreFile checks that rules are added to the file, that rules for the demo stay in memory, and
// that the file is not changed if changeErr is set.
func TestScoreFile(t *testing.T) {
	group := urlcore.News{Group: "a.b"}
	path := filepath.Join(t.TempDir(), "score")
	demo := false
	f := &scoreFile{path: path, isDemo: func(urlcore.URL) bool { return demo }}
	scoreOf := func() int {
		t.Helper()
		rules, err := f.Rules(group, "a.b")
		if err != nil {
			t.Error(err)
		}
		return rules.Score(&protocols.ArticleNote{Subject: "gofer"})
	}
	fetchtest.Equal(t, scoreOf(), 0, "without a file")
	const rule = "[a.*]\n  Score: 5\n  Subject: gofer\n"
	add := func(file []byte) []byte { return score.Add(file, rule) }
	fetchtest.NoError(t, f.Change(group, add))
	if got, _ := os.ReadFile(path); string(got) != rule || scoreOf() != 5 {
		t.Errorf("after Change, the file is %q, the score %d; want %q, 5", got, scoreOf(), rule)
	}
	demo = true
	if err := f.Change(group, add); err != nil || scoreOf() != 5 {
		t.Errorf("Change in the demo = %v, then the score is %d; want nil, 5", err, scoreOf())
	}
	demo = false
	f.changeErr = errors.New("read-only")
	fetchtest.ErrorIs(t, f.Change(group, add), f.changeErr, "a locked file")
	if got, _ := os.ReadFile(path); string(got) != rule {
		t.Errorf("after a refused Change, the file is %q, want %q", got, rule)
	}
}
