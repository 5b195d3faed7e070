package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/usenet/score"
	"gofer/nav"
	"gofer/urlcore"
)

// scoreRules is a score file in memory.
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

// TestScoreScreens compares screens with a golden file. They show killed and scored articles of a
// group, and a new rule.
func TestScoreScreens(t *testing.T) {
	for _, size := range sizes {
		w, group := discussion()
		d := drive(
			t, w, Options{Home: group, Scores: &scoreRules{file: someRules}, News: newMemoryNews(t, "g.talk: 1-2\n")},
			size.width, size.height,
		)
		d.now = func() time.Time { return day }
		b := d.screen()
		d.press("alt+.")
		b += "== all shown\n" + d.screen()
		d.press(";")
		b += "== a rule\n" + d.screen()
		d.press("ctrl+s")
		b += "== its lines\n" + d.screen()
		checkGolden(t, fmt.Sprintf("scores-%dx%d.txt", size.width, size.height), b)
	}
}

// TestKilled checks that killed articles are hidden and marked as read, and that a key shows them.
func TestKilled(t *testing.T) {
	w, group := discussion()
	n := newMemoryNews(t, "g.talk: 1-2\n")
	d := drive(t, w, Options{Home: group, Scores: &scoreRules{file: someRules}, News: n}, 80, 24)
	d.wantNotShown("Mallory").wantShown("Re: A menu that is too long", "killed by score rules: 1")
	n.check(t, "g.talk: 1-2,7\n")
	d.submit("/", "mallory").wantShown("not found")
	d.press("esc", "alt+.").wantShown("Mallory")
	d.press("alt+.").wantNotShown("Mallory")
	d.submit("s", "score")
	fetchtest.Equal(t, d.Model.tab.Session.Page().Lines.Score(3), 50, "the score of the fourth article")
}

// TestMakeRule checks that gofer shows the lines of a new rule before it writes them, and that the rule
// takes effect at once. One undo must remove the rule and its read marks.
func TestMakeRule(t *testing.T) {
	w, group := discussion()
	rules := &scoreRules{file: "% mine\n"}
	n := newMemoryNews(t, "g.talk: 1\n")
	d := drive(t, w, Options{Home: group, Scores: rules, News: n}, 80, 24)
	d.now = func() time.Time { return day }
	d.press("home", "down", ";", "ctrl+s").wantShown("From: bob@example\\.org")
	d.press("n").wantShown("rule not added").wantURL(group)
	fetchtest.Equal(t, rules.file, "% mine\n", "the file")
	d.press(";", "ctrl+s", "y")
	const want = "% mine\n\n[g.talk]\n  Score: -9999\n  Expires: 13-4-2025\n  From: bob@example\\.org\n"
	fetchtest.Equal(t, rules.file, want, "the file")
	d.wantNotShown("Bob").wantShown("Dave")
	n.check(t, "g.talk: 1-2,8\n")
	if got := d.Model.tab.Session.Page().Lines.Len(); got != 6 {
		t.Errorf("%d articles are shown, want 6", got)
	}
	d.press("z").wantShown("Bob")
	n.check(t, "g.talk: 1\n")
	fetchtest.Equal(t, rules.file, "% mine\n", "after the undo the file")

	d.press("home", "enter", ";", "right", "right", "ctrl+s").wantShown("References: <1@g\\.talk>")
}

// TestQuickRules checks the keys that kill or watch a thread or an author. The rule has an expiry and takes effect at once,
// also on the articles of the thread without references. One undo removes it with its read marks.
func TestQuickRules(t *testing.T) {
	for name, tt := range map[string]struct {
		keys   []string
		rule   string // the first lines
		shown  int    // articles
		scores []int  // of the shown articles
		read   string
		notice []string
	}{
		"kill a thread":   {[]string{"]", "]"}, "  Score:: -9999\n  Expires: 13-4-2025\n", 3, []int{0, 0, 0}, "g.talk: 1-5\n", []string{"thread killed: Which", "read: 4 (z to undo)"}},
		"kill an author":  {[]string{"]", "a", "enter"}, "  Score: -9999\n  Expires: 13-4-2025\n", 6, nil, "g.talk: 1-2,8\n", []string{"author killed: ", "read: 2 (z to undo)"}},
		"watch a thread":  {[]string{"[", "enter"}, "  Score:: 100\n  Expires: 13-4-2025\n", 8, []int{100, 100, 100, 100, 100, 0, 0, 0}, "g.talk: 1\n", []string{"thread watched: Which"}},
		"watch an author": {[]string{"[", "down", "enter"}, "  Score: 100\n  Expires: 13-4-2025\n", 8, []int{0, 100, 0, 0, 0, 0, 0, 100}, "g.talk: 1\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, group := discussion()
			rules, n := &scoreRules{}, newMemoryNews(t, "g.talk: 1\n")
			d := drive(t, w, Options{Home: group, Scores: rules, News: n}, 80, 24)
			d.now = func() time.Time { return day }
			d.press("home", "down")
			cursor := d.Model.tab.Session.Page().Cursor
			d.press(tt.keys...)
			if tt.notice != nil {
				d.wantShown(tt.notice...)
			}
			if want := "[g.talk]\n" + tt.rule; !strings.HasPrefix(rules.file, want) {
				t.Errorf("got the file\n%s, want it to begin with\n%s", rules.file, want)
			}
			lines := &d.Model.tab.Session.Page().Lines
			fetchtest.Equal(t, lines.Len(), tt.shown, "articles")
			for i, want := range tt.scores {
				fetchtest.Equal(t, lines.Score(i), want, "the score of article %d", i)
			}
			n.check(t, tt.read)
			d.press("z").wantShown("undone: ")
			fetchtest.Equal(t, rules.file, "", "after the undo the file")
			fetchtest.Equal(t, d.Model.tab.Session.Page().Lines.Len(), 8, "articles after the undo")
			fetchtest.Equal(t, d.Model.tab.Session.Page().Cursor, cursor, "the line of the cursor after the undo")
		})
	}
	w, group := discussion()
	d := drive(t, w, Options{Home: group, Scores: &scoreRules{}}, 80, 24)
	d.press("]", "esc").wantURL(group)
	d.press("]").typeText("]").wantNotShown("Articles of the")
}

// TestKillInArticle checks that a rule that kills the article on the screen goes on to the next unread one, with both
// notices, and that it stays in an article that it does not kill.
func TestKillInArticle(t *testing.T) {
	for name, tt := range map[string]struct {
		marks string
		keys  []string // in article 2 of the thread 1-5
		want  int      // article
		shown []string
	}{
		"thread":            {"1", []string{"]", "]"}, 6, []string{"thread killed: Which", "Words of article 6"}},
		"author":            {"1", []string{"]", "a", "enter"}, 3, []string{"author killed: Bob", "Words of article 3"}},
		"last unread":       {"1,6-8", []string{"]", "]"}, 2, []string{"thread killed: Which", "; no more unread articles"}},
		"unread before it":  {"2-8", []string{"]", "a", "enter"}, 1, []string{"Words of article 1"}},
		"watched":           {"1", []string{"[", "enter"}, 2, []string{"thread watched: Which"}},
		"without any marks": {"", []string{"]", "]"}, 6, []string{"Words of article 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, group := discussion()
			o := Options{Home: group, Scores: &scoreRules{}}
			if tt.marks != "" {
				o.News = newMemoryNews(t, "g.talk: "+tt.marks+"\n")
			}
			d := drive(t, w, o, 120, 24)
			d.press("home", "down", "enter").wantShown("Words of article 2")
			d.press(tt.keys...).wantURL(articleURL(group, tt.want)).wantShown(tt.shown...)
		})
	}
}

// TestRuleRefused checks that gofer does not ask for a rule if the score file cannot be changed. It also
// checks that gofer reports an invalid rule of the file and uses the other rules.
func TestRuleRefused(t *testing.T) {
	w, group := discussion()
	rules := &scoreRules{locked: errors.New("read-only: no rules are written")}
	d := drive(t, w, Options{Home: group, Scores: rules}, 80, 24)
	d.press(";").wantShown("read-only: no rules are written")
	w, group = discussion()
	d = drive(t, w, Options{Home: group, Scores: &scoreRules{file: "[g.talk]\nScore: x\nFrom: a\nScore: 3\nFrom: eve\n"}}, 80, 24)
	d.wantShown(`score file: score:2:8: "x" is not a score`)
	fetchtest.Equal(t, d.Model.tab.Session.Page().Lines.Score(5), 3, "the score of Eve's article")
	d = drive(t, w, Options{Home: group}, 80, 24)
	d.press(";").wantShown("no score file is used")
	if d.Model.tab.Session.Page().Lines.Score(0) != 0 || d.Model.tab.Session.Page().Order != (nav.Order{}) {
		t.Error("articles have scores without rules")
	}
}
