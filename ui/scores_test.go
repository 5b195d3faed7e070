package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gofer/internal/score"
	"gofer/nav"
	"gofer/urlcore"
)

// scoreRules are the score file of a test.
type scoreRules struct {
	file   string
	locked error
}

func (s *scoreRules) File(urlcore.URL) (string, error) { return "/home/me/.score", s.locked }

func (s *scoreRules) Rules(_ urlcore.URL, group string) (*score.Rules, error) {
	return score.Parse("score", group, day, func(string) ([]byte, error) { return []byte(s.file), nil })
}

func (s *scoreRules) Change(_ urlcore.URL, edit func([]byte) []byte) error {
	if s.locked == nil {
		s.file = string(edit([]byte(s.file)))
	}
	return s.locked
}

const someRules = "[g.talk]\nScore: -9999\nFrom: mallory\nScore: 50\nFrom: dave\nScore: -5\nFrom: eve\n"

// TestScoreScreens: killed articles are not there until they are asked for, others
// are marked, and a rule is shown as the lines that are written.
func TestScoreScreens(t *testing.T) {
	for _, size := range sizes {
		w, group := discussion()
		d := drive(t, w, Options{Home: group, Scores: &scoreRules{file: someRules}, News: remember(t, "g.talk: 1-2\n")}, size.width, size.height)
		d.now = func() time.Time { return day }
		b := d.screen()
		d.press("alt+.")
		b += "== all shown\n" + d.screen()
		d.press(";")
		b += "== a rule\n" + d.screen()
		d.press("ctrl+s")
		b += "== its lines\n" + d.screen()
		golden(t, fmt.Sprintf("scores-%dx%d.txt", size.width, size.height), b)
	}
}

// TestKilled: what rules kill is left out, and marked as read; a key shows it.
func TestKilled(t *testing.T) {
	w, group := discussion()
	n := remember(t, "g.talk: 1-2\n")
	d := drive(t, w, Options{Home: group, Scores: &scoreRules{file: someRules}, News: n}, 80, 24)
	d.wantNotShown("Mallory")
	d.wantShown("Re: A menu that is too long")
	d.wantShown("killed by score rules: 1")
	n.want(t, "g.talk: 1-2,7\n")
	d.press("/")
	d.enter("mallory")
	d.press("enter")
	d.wantShown("not found")
	d.press("esc", "alt+.")
	d.wantShown("Mallory")
	d.press("alt+.")
	d.wantNotShown("Mallory")
	d.press("s")
	d.enter("score")
	d.press("enter")
	if got := d.session.Page().Lines.Score(3); got != 50 {
		t.Errorf("the score of the fourth article is %d, want 50", got)
	}
}

// TestMakeRule: a rule for articles like one is written when it has been seen, has
// its effect at once, and is taken back by the undo key, read marks as well.
func TestMakeRule(t *testing.T) {
	w, group := discussion()
	rules := &scoreRules{file: "% mine\n"}
	n := remember(t, "g.talk: 1\n")
	d := drive(t, w, Options{Home: group, Scores: rules, News: n}, 80, 24)
	d.now = func() time.Time { return day }
	d.press("home", "down", ";", "ctrl+s")
	d.wantShown("From: bob@example\\.org")
	d.press("n")
	d.wantShown("no rule was added")
	d.wantURL(group)
	if rules.file != "% mine\n" {
		t.Errorf("the file is %q", rules.file)
	}
	d.press(";", "ctrl+s", "y")
	const want = "% mine\n\n[g.talk]\n  Score: -9999\n  Expires: 13-4-2025\n  From: bob@example\\.org\n"
	if rules.file != want {
		t.Errorf("the file is %q, want %q", rules.file, want)
	}
	d.wantNotShown("Bob")
	d.wantShown("Dave")
	n.want(t, "g.talk: 1-2,8\n")
	if got := d.session.Page().Lines.Len(); got != 6 {
		t.Errorf("%d articles are shown, want 6", got)
	}
	d.press("z")
	d.wantShown("Bob")
	n.want(t, "g.talk: 1\n")
	if rules.file != "% mine\n" {
		t.Errorf("after the undo the file is %q", rules.file)
	}

	d.press("home", "enter", ";", "right", "right", "ctrl+s")
	d.wantShown("References: <1@g\\.talk>")
}

// TestRuleRefused: where the file is not to be changed nothing is asked.
func TestRuleRefused(t *testing.T) {
	w, group := discussion()
	rules := &scoreRules{locked: errors.New("read-only: no rules are written")}
	d := drive(t, w, Options{Home: group, Scores: rules}, 80, 24)
	d.press(";")
	d.wantShown("read-only: no rules are written")
	w, group = discussion()
	d = drive(t, w, Options{Home: group, Scores: &scoreRules{file: "[g.talk]\nScore: x\nFrom: a\nScore: 3\nFrom: eve\n"}}, 80, 24)
	d.wantShown(`score file: score:2:8: "x" is no score`)
	if got := d.session.Page().Lines.Score(5); got != 3 {
		t.Errorf("the score of Eve's article is %d, want 3", got)
	}
	d = drive(t, w, Options{Home: group}, 80, 24)
	d.press(";")
	d.wantShown("no score file is used here")
	if d.session.Page().Lines.Score(0) != 0 || d.session.Page().Order != (nav.Order{}) {
		t.Error("articles have scores without rules")
	}
}
