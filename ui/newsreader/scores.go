package newsreader

import (
	"errors"
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
	"gofer/ui/cell"
	"gofer/ui/room"
	"gofer/ui/viewer"
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

// Scorer scores the articles of a page while it loads, outside the event loop.
type Scorer struct {
	scores Scores
	server urlcore.URL
	group  string
	rules  *score.Rules
	loaded bool
	err    error // reason why some rules are not used; nil after a notice has shown the reason
}

// NewScorer returns a scorer for the articles of p. It returns nil if p does not list the articles
// of a group, or if the program has no score rules.
func (r *Reader) NewScorer(p *nav.Page) *Scorer {
	if r.Stores().Scores == nil || p.Layout != protocols.LayoutArticles || urlcore.NewsGroup(p.URL).Group == "" {
		return nil
	}
	return &Scorer{scores: r.Stores().Scores, server: p.URL, group: urlcore.NewsGroup(p.URL).Group}
}

// Add sets the scores of lines.
func (s *Scorer) Add(lines *nav.Lines) {
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

func (s *Scorer) score(note protocols.Note) int {
	if a, ok := note.(*protocols.ArticleNote); ok {
		return s.rules.Score(a)
	}
	return 0
}

// NotifySkipped shows a notice about the rules that are not used, but only once.
func (r *Reader) NotifySkipped(s *Scorer) tea.Cmd {
	if s == nil || s.err == nil {
		return nil
	}
	first, _, more := strings.Cut(s.err.Error(), "\n")
	s.err = nil
	if more {
		first += " (and more)"
	}
	return r.notify("score file: " + first)
}

// MarkKilled marks as read the articles on the page of t that rules have killed, because the user does
// not open them.
func (r *Reader) MarkKilled(t *viewer.Viewer) tea.Cmd {
	p, u := t.Session.Page(), &r.stateOf(t).unread
	if p == nil || u.page != p || p.Layout != protocols.LayoutArticles || p.IsLoading() || p.Hidden == 0 || r.program.Private() {
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
	text := fmt.Sprintf("killed and marked as read: %d", len(killed))
	if rule := r.newRule; rule != nil && rule.text != "" && rule.list == p {
		text = fmt.Sprintf("%s, marked as read: %d", rule.text, len(killed))
		rule.text = ""
	}
	return r.mark(newsMarks{
		server: p.URL, read: true, groups: map[string]newsrc.Numbers{name: numbersOf(name, killed...)[name]},
		text: text, killed: true, rule: r.newRule,
	})
}

// Choices of the form for a rule.
const (
	ruleKill = "kill"
	ruleDown = "score -100"
	ruleUp   = "score 100"
)

// watchScore is the score of the articles that the user watches.
const watchScore = 100

// ruleDays is the proposed number of days until a rule expires.
const ruleDays = 30

// ruleArticle returns the article on the screen or under the cursor for a new rule, its list, and the name of the file of
// rules. If there is none, the error is the reason.
func (r *Reader) ruleArticle() (list *nav.Page, note *protocols.ArticleNote, file string, err error) {
	list, note = r.currentArticle(r.tab())
	switch {
	case r.Stores().Scores == nil:
		return nil, nil, "", errors.New("no score file is used")
	case note == nil || urlcore.NewsGroup(list.URL).Group == "":
		return nil, nil, "", errors.New("select an article in its group to make a rule")
	}
	if err := score.CheckGroup(urlcore.NewsGroup(list.URL).Group); err != nil {
		return nil, nil, "", err
	}
	file, err = r.Stores().Scores.File(list.URL)
	return list, note, file, err
}

// Kill asks whether to kill the thread or the author of the article on the screen or under the cursor.
func (r *Reader) Kill() tea.Cmd { return r.makeQuickRule("kill", " killed: ", nav.KillScore) }

// Watch asks whether to score the thread or the author of the article on the screen or under the cursor up.
func (r *Reader) Watch() tea.Cmd { return r.makeQuickRule("watch", " watched: ", watchScore) }

// makeQuickRule asks whether a new rule is for the thread or for the author. The rule is for the group of the list.
// The parameter done says in the notice what was done, and action is the action whose key chooses the thread.
func (r *Reader) makeQuickRule(action, done string, points int) tea.Cmd {
	list, note, _, err := r.ruleArticle()
	if err != nil {
		return r.notify(err.Error())
	}
	group, reading := urlcore.NewsGroup(list.URL).Group, list.ReadingOf(note)
	subject, author := mimeheader.Text(reading, note.Subject), mimeheader.Text(reading, note.From)
	base, _ := protocols.BaseSubject(subject)
	var choices []ask.Choice
	for _, c := range []ask.Choice{{Text: score.ByThread, About: base}, {Text: score.ByAuthor, About: author}} {
		c.Do = func() tea.Cmd {
			rule := score.NewRule{By: c.Text, Groups: group, Score: points, Days: ruleDays, Now: r.program.Now(), Thread: threadOf(list, note)}
			lines, err := rule.Lines(note, subject, author)
			if err != nil {
				return r.notify(err.Error())
			}
			return r.addRule(list, note, lines, c.Text+done+cell.OneName(c.About))
		}
		choices = append(choices, c)
	}
	title := fmt.Sprintf("%s%s in %s for %d days", strings.ToUpper(action[:1]), action[1:], clean.Name(group), ruleDays)
	prompt := ask.NewChoose(ask.Head{Title: title}, "Articles of the", ask.NewList(choices, true, 0))
	prompt.Again = r.program.KeyOf(action)
	return r.tab().Ask(prompt)
}

// MakeRule asks for a rule for articles like the one on the screen or under the cursor.
func (r *Reader) MakeRule() tea.Cmd {
	list, note, file, err := r.ruleArticle()
	if err != nil {
		return r.notify(err.Error())
	}
	scopes := []string{score.ByAuthor, score.BySubject, score.ByThread}
	group := urlcore.NewsGroup(list.URL).Group
	groups := []string{group}
	if i := strings.LastIndexByte(group, '.'); i > 0 {
		groups = append(groups, group[:i]+".*")
	}
	t := r.tab()
	form := ask.NewForm(ask.Head{Title: "Score rule"}, "Preview",
		ask.Field{Label: "Articles with the same", Input: protocols.InputChoice, Choices: scopes},
		ask.Field{Label: "Do", Input: protocols.InputChoice, Choices: []string{ruleKill, ruleDown, ruleUp}},
		ask.Field{Label: "In the groups", Input: protocols.InputChoice, Choices: append(groups, "*")},
		ask.Field{Label: "Days until it expires (0: never)", Value: strconv.Itoa(ruleDays)})
	form.Finish = func(answers []string) tea.Cmd {
		days, err := strconv.Atoi(strings.TrimSpace(answers[3]))
		if err != nil || days < 0 || days > 36500 {
			t.Prompt = form
			return r.notify("the days must be a number from 0 to 36500")
		}
		rule := score.NewRule{By: answers[0], Groups: answers[2], Days: days, Now: r.program.Now(), Thread: threadOf(list, note)}
		rule.Score = map[string]int{ruleKill: nav.KillScore, ruleDown: -watchScore, ruleUp: watchScore}[answers[1]]
		reading := list.ReadingOf(note)
		lines, err := rule.Lines(note, mimeheader.Text(reading, note.Subject), mimeheader.Text(reading, note.From))
		if err != nil {
			t.Prompt = form
			return r.notify(err.Error())
		}
		return r.askRule(list, note, lines, "rule added: "+answers[1]+" by "+answers[0], file)
	}
	return t.Ask(form)
}

// askRule shows the lines of a rule and asks whether to add them. The parameter added is the notice of an added rule.
func (r *Reader) askRule(list *nav.Page, note *protocols.ArticleNote, lines, added, file string) tea.Cmd {
	question := "Add this rule to " + clean.Name(file)
	r.tab().ShowError(list.URL, &protocols.Confirm{
		Question: question, Reason: "These lines are added at the end of the file:",
		Details: strings.Split(strings.TrimSuffix(lines, "\n"), "\n"),
	})
	t := r.tab()
	leave := func() {
		t.Session.GoBack() // leaves the page with the lines
		t.Show()
	}
	q := ask.NewQuestion(question+"?", true, func() tea.Cmd {
		leave()
		return r.addRule(list, note, lines, added)
	})
	q.No = func() tea.Cmd {
		leave()
		return r.notify("rule not added")
	}
	return t.Ask(q)
}

// ruleList returns the list of articles that a new rule applies to: the group on the screen, or the
// group from which the article on the screen was opened. ruleList returns nil if there is no such
// group, or if its articles have no scores.
func (r *Reader) ruleList() *nav.Page {
	p := r.tab().Session.Page()
	if r.tab().IsArticle() {
		p, _, _ = r.tab().Session.ArticleList()
	}
	if p == nil || r.NewScorer(p) == nil {
		return nil
	}
	return p
}

// addedRule is a rule that was added to a score file. Only the functions passed to [room.Program.Change] use its
// marks.
type addedRule struct {
	killed newsMarks // reverts the marks of the articles that the rule has killed; empty if there are none
	list   *nav.Page // list of the article for which the rule was made
	number uint64    // number of this article
	text   string    // notice of the rule, "" after a notice about the killed articles has repeated it
}

// addMarks makes the undo of the rule set the marks in the parameter reverse. It returns false if the rule has marks.
func (a *addedRule) addMarks(reverse newsMarks) bool {
	if len(a.killed.groups) > 0 {
		return false
	}
	a.killed = reverse
	return true
}

// addRule adds the lines of a rule to the score file in the background, and updates the scores of the articles in the
// list. The rule was made for the article of note. The parameter text is the notice.
func (r *Reader) addRule(list *nav.Page, note *protocols.ArticleNote, lines, text string) tea.Cmd {
	t, stores, server := r.tab(), r.Stores(), list.URL
	rule := &addedRule{list: list, number: note.Number, text: text}
	return r.program.Change(func() (undo *room.Undo, next func() tea.Cmd) {
		err := stores.Scores.Change(server, func(file []byte) []byte { return score.Add(file, lines) })
		if err != nil {
			return nil, r.noticeResult("score file not written: " + err.Error())
		}
		undo = &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) { return r.removeRule(stores, server, lines, rule) }}
		return undo, func() tea.Cmd {
			r.newRule = rule
			return r.rescore(t, list, text+r.undoHint(), func() tea.Cmd { return r.MarkKilled(t) })
		}
	})
}

// removeRule removes the lines of a rule from the score file, and reverts the marks of the articles that the rule has
// killed. It runs outside of the event loop. The function next updates the scores of the articles on the screen.
func (r *Reader) removeRule(stores Stores, server urlcore.URL, lines string, rule *addedRule) (next func() tea.Cmd, err error) {
	found := false
	err = stores.Scores.Change(server, func(file []byte) []byte {
		without := score.Remove(file, lines)
		found = len(without) < len(file)
		return without
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("score file not written: %w", err)
	case !found:
		return nil, room.ErrChangedSince
	}
	if len(rule.killed.groups) > 0 {
		_, err = rule.killed.set(stores.News)
	}
	killed := rule.killed
	return func() tea.Cmd {
		if r.newRule == rule {
			r.newRule = nil
		}
		show := func() tea.Cmd {
			r.selectArticle(server, rule.number)
			return r.showMarks(killed)
		}
		if list := r.ruleList(); list != nil {
			return r.rescore(r.tab(), list, "", show)
		}
		return show()
	}, err
}

// selectArticle puts the cursor on an article of a group if the group is on the screen.
func (r *Reader) selectArticle(group urlcore.URL, number uint64) {
	p, v := r.tab().Session.Page(), &r.tab().Pager
	if p == nil || p.URL != group {
		return
	}
	for i := range p.Lines.Len() {
		if note, ok := p.Lines.WithoutLink(i).Note.(*protocols.ArticleNote); ok && note.Number == number {
			p.Cursor = i
			v.MoveOutOfFolds()
			v.Center(p.Cursor)
			return
		}
	}
}

// rescore updates the scores of the articles in a list in the background, and then calls next. If the list is not
// complete, its articles get their scores when the group is loaded again. The parameter text is the notice, or "".
func (r *Reader) rescore(t *viewer.Viewer, list *nav.Page, text string, next func() tea.Cmd) tea.Cmd {
	all, s := list.Lines.InArrivalOrder(), r.NewScorer(list)
	later := func() tea.Cmd {
		if text != "" {
			text += ": it applies when the group is loaded again"
		}
		return r.announce(text, next)
	}
	if list.IsLoading() || list.Dropped || s == nil {
		return later()
	}
	return r.program.HoldKeys(r.program.RunInBackground(func() func() tea.Cmd {
		s.rules, _ = s.scores.Rules(s.server, s.group)
		scores := all.Scores(s.score)
		return func() tea.Cmd {
			if list.Dropped {
				return later()
			}
			return r.showScores(t, list, scores, text, next)
		}
	}))
}

// showScores gives the articles of a list their new scores, and then calls next.
func (r *Reader) showScores(t *viewer.Viewer, list *nav.Page, scores nav.Scores, text string, next func() tea.Cmd) tea.Cmd {
	oldHidden, leaveIfKilled := list.Hidden, r.leaveIfKilled(t, list)
	list.SetScores(scores)
	if list.Hidden != oldHidden && text != "" {
		text += fmt.Sprintf(", killed: %d", list.Hidden)
	}
	if list == r.tab().Session.Page() {
		r.tab().ShowRearranged(list)
	}
	if t.Session.Page() == list {
		r.ShowUnread(t, true)
	}
	return tea.Batch(r.announce(text, func() tea.Cmd { return tea.Batch(next(), leaveIfKilled()) }), r.tab().Scan())
}
