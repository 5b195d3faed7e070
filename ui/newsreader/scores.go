package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// Scores stores the rules for the scores of articles. Its methods may be called from any goroutine.
type Scores interface {
	// File returns the name of the rule file for the server of a URL. The error is the reason why
	// rules cannot be added to it.
	File(u urlcore.URL) (name string, err error)
	// Rules returns the rules for a group. If it returns an error, it also returns the rules that
	// can be used.
	Rules(u urlcore.URL, group string) (*score.Rules, error)
	// Change replaces the content of the rule file for the server of u by the result of edit.
	Change(u urlcore.URL, edit func(file []byte) []byte) error
}

// scorer scores the articles of a page while it loads, outside the event loop.
type scorer struct {
	scores Scores
	server urlcore.URL
	group  string
	rules  *score.Rules
	loaded bool
	err    error // reason why some rules are not used; nil after a notice has shown the reason
}

// newScorer returns a scorer for the articles of p. It returns nil if p does not list the articles
// of a group, or if the program has no score rules.
func (m *Model) newScorer(p *nav.Page) *scorer {
	if m.opts.Scores == nil || p.Layout != protocols.LayoutArticles || urlcore.NewsGroup(p.URL).Group == "" {
		return nil
	}
	return &scorer{scores: m.opts.Scores, server: p.URL, group: urlcore.NewsGroup(p.URL).Group}
}

func (s *scorer) add(lines *nav.Lines) {
	if s == nil || lines.Len() == 0 {
		return
	}
	if !s.loaded {
		s.rules, s.err = s.scores.Rules(s.server, s.group)
		s.loaded = true
	}
	if !s.rules.IsEmpty() {
		lines.SetScores(lines.Scores(s.score))
	}
}

func (s *scorer) score(note protocols.Note) int {
	if a, ok := note.(*protocols.ArticleNote); ok {
		return s.rules.Score(a)
	}
	return 0
}

// notifySkipped shows a notice about the rules that are not used, but only once.
func (m *Model) notifySkipped(s *scorer) tea.Cmd {
	if s == nil || s.err == nil {
		return nil
	}
	first, _, more := strings.Cut(s.err.Error(), "\n")
	s.err = nil
	if more {
		first += " (and more)"
	}
	return m.notify("score file: " + first)
}

// markKilled marks as read the articles on the page of t that rules have killed, because the user does
// not open them.
func (m *Model) markKilled(t *tab) tea.Cmd {
	p, u := t.Session.Page(), &t.unread
	if p == nil || u.page != p || p.Layout != protocols.LayoutArticles || p.IsLoading() || p.Hidden == 0 || m.private {
		return nil
	}
	name := urlcore.NewsGroup(p.URL).Group
	g, _ := u.files[serverOf(p.URL)].Group(name)
	var killed []*protocols.ArticleNote
	all := p.Lines.InArrivalOrder()
	for i := range all.Len() {
		if all.Score(i) > nav.KillScore {
			continue
		}
		if note, ok := all.WithoutLink(i).Note.(*protocols.ArticleNote); ok && note.Number > 0 && !g.Read.Has(note.Number) {
			killed = append(killed, note)
		}
	}
	if len(killed) == 0 {
		return nil
	}
	return m.mark(newsMarks{
		server: p.URL, read: true, groups: map[string]newsrc.Numbers{name: numbersOf(name, killed...)[name]},
		text: fmt.Sprintf("killed and marked as read: %d", len(killed)), killed: true,
	})
}

// Choices of the form for a rule.
const (
	ruleKill = "kill"
	ruleDown = "score -100"
	ruleUp   = "score 100"
)

// makeRule asks for a rule for articles like the one on the screen or under the cursor.
func (m *Model) makeRule() tea.Cmd {
	list, note := m.tab.currentArticle()
	switch {
	case m.opts.Scores == nil:
		return m.notify("no score file is used")
	case note == nil || urlcore.NewsGroup(list.URL).Group == "":
		return m.notify("select an article in its group to make a rule")
	}
	file, err := m.opts.Scores.File(list.URL)
	if err != nil {
		return m.notify(err.Error())
	}
	scopes := []string{score.ByAuthor, score.BySubject, score.ByThread}
	group := urlcore.NewsGroup(list.URL).Group
	groups := []string{group}
	if i := strings.LastIndexByte(group, '.'); i > 0 {
		groups = append(groups, group[:i]+".*")
	}
	t := m.tab
	form := ask.NewForm(ask.Head{Title: "Score rule"}, "Preview",
		ask.Field{Label: "Articles with the same", Input: protocols.InputChoice, Choices: scopes},
		ask.Field{Label: "Do", Input: protocols.InputChoice, Choices: []string{ruleKill, ruleDown, ruleUp}},
		ask.Field{Label: "In the groups", Input: protocols.InputChoice, Choices: append(groups, "*")},
		ask.Field{Label: "Days until it expires (0: never)", Value: "30"})
	form.Finish = func(answers []string) tea.Cmd {
		days, err := strconv.Atoi(strings.TrimSpace(answers[3]))
		if err != nil || days < 0 || days > 36500 {
			t.Prompt = form
			return m.notify("the days must be a number from 0 to 36500")
		}
		r := score.NewRule{By: answers[0], Groups: answers[2], Days: days, Now: m.now()}
		r.Score = map[string]int{ruleKill: nav.KillScore, ruleDown: -100, ruleUp: 100}[answers[1]]
		reading := list.ReadingOf(note)
		lines, err := r.Lines(note, mimeheader.Text(reading, note.Subject), mimeheader.Text(reading, note.From))
		if err != nil {
			t.Prompt = form
			return m.notify(err.Error())
		}
		return m.askRule(list, ruleChange{server: list.URL, lines: lines}, file)
	}
	return t.Ask(form)
}

// ruleChange is a rule to add to a score file, or to remove from it.
type ruleChange struct {
	server urlcore.URL
	lines  string
	remove bool
}

// askRule shows the lines of a rule and asks whether to add them.
func (m *Model) askRule(list *nav.Page, c ruleChange, file string) tea.Cmd {
	question := "Add this rule to " + clean.Name(file)
	m.tab.ShowError(list.URL, &protocols.Confirm{
		Question: question, Reason: "These lines are added at the end of the file:",
		Details: strings.Split(strings.TrimSuffix(c.lines, "\n"), "\n"),
	})
	t := m.tab
	leave := func() {
		t.Session.GoBack() // leaves the page with the lines
		t.Show()
	}
	q := ask.NewQuestion(question+"?", true, func() tea.Cmd {
		leave()
		return m.changeRule(list, c, nil)
	})
	q.No = func() tea.Cmd {
		leave()
		return m.notify("rule not added")
	}
	return t.Ask(q)
}

// ruleList returns the list of articles that a new rule applies to: the group on the screen, or the
// group from which the article on the screen was opened. ruleList returns nil if there is no such
// group, or if its articles have no scores.
func (m *Model) ruleList() *nav.Page {
	p := m.tab.Session.Page()
	if m.tab.IsArticle() {
		p, _, _ = m.tab.Session.ArticleList()
	}
	if p == nil || m.newScorer(p) == nil {
		return nil
	}
	return p
}

// changeRule changes the score file in the background and updates the scores of the articles in the
// list. It then sets the marks, unless the parameter marks is nil.
func (m *Model) changeRule(list *nav.Page, c ruleChange, marks *newsMarks) tea.Cmd {
	t, all, whole, s := m.tab, list.Lines.InArrivalOrder(), !list.IsLoading() && !list.Dropped, m.newScorer(list)
	return m.writeInBackground(func() resultFunc {
		err := s.scores.Change(c.server, func(file []byte) []byte {
			if c.remove {
				return score.Remove(file, c.lines)
			}
			return score.Add(file, c.lines)
		})
		if err != nil {
			return m.noticeResult("score file not written: " + err.Error())
		}
		var scores nav.Scores
		if whole {
			s.rules, _ = s.scores.Rules(s.server, s.group)
			scores = all.Scores(s.score)
		}
		return func() tea.Cmd { return m.finishRuleChange(t, list, c, marks, scores) }
	})
}

// finishRuleChange gives the articles of a page their new scores. If the page was not complete,
// scores is nil, and the rule applies when the group is loaded again.
func (m *Model) finishRuleChange(t *tab, p *nav.Page, c ruleChange, marks *newsMarks, scores nav.Scores) tea.Cmd {
	text := fmt.Sprintf("rule added (%s to undo)", m.keys.keyOf("undo"))
	marked := tea.Cmd(nil)
	if c.remove {
		text = "rule removed"
	} else {
		c.remove = true
		m.addUndoStep(undoStep{rule: &c})
	}
	if marks != nil {
		marked = m.mark(*marks)
	}
	if scores == nil || p.Dropped {
		return tea.Batch(marked, m.notify(text+": it applies when the group is loaded again"))
	}
	oldHidden := p.Hidden
	p.SetScores(scores)
	if p.Hidden != oldHidden {
		text += fmt.Sprintf(", killed: %d", p.Hidden)
	}
	if p == m.tab.Session.Page() {
		m.tab.ShowRearranged(p)
	}
	if t.Session.Page() == p {
		m.showUnread(t, true)
	}
	if marks == nil {
		marked = m.markKilled(t)
	}
	return tea.Batch(marked, m.notify(text), m.tab.Scan())
}
