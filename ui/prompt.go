package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/edit"
	"gofer/ui/page"
	"gofer/urlcore"
)

// prompt asks for words in the status line, one field after the other, or for
// a yes or no.
type prompt struct {
	title       string        // gofer's words; names in it are quoted by clean.Name
	reason      string        // of a question of yes or no; left out if there is no room
	server      string        // host or host:port of the server that said comes from, or that wants the login; clean
	said        string        // words of the server about all fields, clean
	login       bool          // the rule names the server, or the row of the prompt if there is no rule
	url         urlcore.URL   // what it is asked for, or nil
	reading     clean.Reading // of the texts of a form
	fields      []field
	at          int
	line        edit.Line
	answers     []string
	done        func(answers []string) tea.Cmd
	left        func(answers []string) // on Esc; may be nil
	yes         func() tea.Cmd         // of a question of yes or no
	no          func() tea.Cmd         // may be nil
	destructive bool                   // only y says yes
	short       bool                   // Enter ends it at any field: all are filled in

	changed func(typed string) tea.Cmd // when something else is typed; may be nil
	typed   string                     // the last time
	state   func() string              // what stands at the right of it; may be nil
	err     string                     // what is wrong with what is typed
	list    *list                      // of which one is chosen, or nil
	outline *outliner                  // that fills the list, or nil
	labels  *page.LinkLabels           // of the links on the screen, or nil
	recall  *recalled                  // what was typed before, or nil
	form    *form                      // the fields are a page; or nil
	over    *prompt                    // the form that it asks something for; or nil
	back    int                        // how far back in that the line is
	draft   string                     // what was typed before going back
}

type field struct {
	label, value string
	said         string // the server's words, clean; in a form they stand in the label
	secret       bool
	input        protocols.Input // a line of text, unless it is a form's
	choices      []string        // of a choice, not clean
}

func (p *prompt) begin() *prompt {
	p.answers = make([]string, len(p.fields))
	for i, f := range p.fields {
		p.answers[i] = f.proposal()
	}
	p.open(0)
	return p
}

func (p *prompt) open(i int) {
	p.at = i
	f := &p.fields[i]
	p.line = edit.Line{Secret: f.secret, Lines: f.input == protocols.InputText}
	if f.typed() {
		p.line.Propose(p.answers[i])
		p.line.All = p.line.All && !p.line.Lines
	}
}

// label says what is being asked.
func (p *prompt) label() string { return p.fields[p.at].label }

// newAsk returns the prompt or the form for an Ask in t. Earlier answers are proposed
// again, except secrets.
func (m *Model) newAsk(t *tab, ask *protocols.Ask) *prompt {
	q := nav.ReadAsk(ask, m.charsetOf(t, ask.URL))
	fields, isForm := askFields(q)
	p := &prompt{title: clean.Short(ask.Title), server: clean.Short(ask.Server), said: q.Reading.Short(ask.Said), url: ask.URL, fields: fields, reading: q.Reading}
	if len(p.fields) == 0 {
		p.fields = []field{{label: "Words"}}
	}
	secret := slices.ContainsFunc(p.fields, func(f field) bool { return f.secret })
	var shown []string
	for i := range p.fields {
		shown = append(shown, p.fields[i].proposal())
	}
	if old := m.typed[ask.URL]; sameFields(old, p.fields) {
		for i := range p.fields {
			p.fields[i].value = old[i].value
		}
	}
	p.left = func(answers []string) { m.keepAnswers(p, answers) }
	p.done = func(answers []string) tea.Cmd {
		m.keepAnswers(p, answers)
		if !isForm && strings.TrimSpace(strings.Join(answers, "")) == "" {
			return m.say("nothing was typed, so nothing was sent")
		}
		u, err := q.Answer(shown, answersTo(ask, answers))
		if err != nil {
			return m.askAgain(p, err)
		}
		searchTerms := ""
		if !secret && !isForm {
			searchTerms = strings.Join(answers, " ")
		}
		return m.load(m.tab, u, false, searchTerms)
	}
	if isForm {
		return p.beginForm()
	}
	return p.begin()
}

// askAgain shows p again with its answers, at the field that err refuses.
func (m *Model) askAgain(p *prompt, err error) tea.Cmd {
	m.tab.prompt = p
	if refused, ok := errors.AsType[*nav.AnswerError](err); ok && refused.Field != p.at {
		p.keepTyped()
		p.open(refused.Field)
		p.line.All = false
	}
	if p.form == nil {
		p.title = clean.Short(err.Error())
		return nil
	}
	p.form.detached = false
	return m.say(err.Error())
}

// answersTo is what of the answers is for ask, with the whole paths of files.
func answersTo(ask *protocols.Ask, answers []string) []string {
	answers = slices.Clone(answers[:max(len(ask.Fields), 1)])
	for i, f := range ask.Fields {
		if f.Input == protocols.InputFile {
			answers[i] = userfile.ExpandHome(answers[i])
		}
	}
	return answers
}

// keepAnswers remembers what was typed for a URL, without secrets.
func (m *Model) keepAnswers(p *prompt, answers []string) {
	if p.url == nil || m.private {
		return
	}
	if len(m.typed) >= maxTypedForms {
		clear(m.typed)
	}
	kept := slices.Clone(p.fields)
	for i := range kept {
		if kept[i].value = answers[i]; kept[i].secret {
			kept[i].value = ""
		}
	}
	m.typed[p.url] = kept
}

// maxTypedForms bounds how many forms are remembered.
const maxTypedForms = 256

// maxShownUser is how many cells of a user name are shown above a prompt.
const maxShownUser = 32

// newLogin asks for a user and a password for u, with which retry is called.
func newLogin(login *protocols.Login, u urlcore.URL, retry func() tea.Cmd) *prompt {
	title := "login"
	if login.User != "" {
		user, _ := cell.Cells{}.Middle(clean.Short(login.User), maxShownUser, "...")
		title = "password for " + clean.Name(user)
	}
	if login.Failed {
		title = "login failed, " + title
	}
	if login.Note != "" {
		title += " (" + clean.Short(login.Note) + ")"
	}
	p := &prompt{title: title, server: clean.Short(login.Server), said: clean.Short(login.Text), login: true, url: u, fields: []field{
		{label: "User", value: login.User},
		{label: "Password", secret: true},
	}}
	p.done = func(answers []string) tea.Cmd {
		login.With(answers[0], answers[1])
		return retry()
	}
	p.begin()
	if login.User != "" {
		p.open(1) // the user is known; shift+tab leads back to it
	}
	return p
}

// newQuestion asks for a yes, which y says and, unless it is destructive,
// Enter too.
func newQuestion(title string, destructive bool, yes func() tea.Cmd) *prompt {
	return &prompt{title: title, fields: []field{{label: title}}, yes: yes, destructive: destructive}
}

// newConfirm asks for a yes, after which retry is called.
func newConfirm(confirm *protocols.Confirm, retry func() tea.Cmd) *prompt {
	return newQuestion(clean.Text(confirm.Question)+"?", true, func() tea.Cmd {
		confirm.Yes()
		return retry()
	})
}

func (t *tab) yes() tea.Cmd {
	yes := t.prompt.yes
	t.prompt = nil
	return yes()
}

// yesByDefault is yes to a question that is not destructive, else no.
func (t *tab) yesByDefault() tea.Cmd {
	if t.prompt.destructive {
		return t.no()
	}
	return t.yes()
}

func (t *tab) no() tea.Cmd {
	no := t.prompt.no
	t.prompt = nil
	if no == nil {
		return nil
	}
	return no()
}

// turnTo keeps what was typed and goes to field i, if there is one.
func (p *prompt) turnTo(i int) bool {
	p.keepTyped()
	if i < 0 || i >= len(p.fields) {
		return false
	}
	p.open(i)
	return true
}

// nextField goes to the next field; a file, which is the only one, is chosen.
func (m *Model) nextField() tea.Cmd {
	if p := m.tab.prompt; p.fields[p.at].input == protocols.InputFile {
		return m.chooseFile(p.line.String())
	}
	m.tab.prompt.turnTo(m.tab.prompt.at + 1)
	return nil
}

func (t *tab) previousField() tea.Cmd { t.prompt.turnTo(t.prompt.at - 1); return nil }

// promptPage goes through the list by as much as there is on the screen, or
// through the page that is searched.
func (m *Model) promptPage(n int) tea.Cmd {
	switch {
	case m.tab.prompt.list != nil:
		m.tab.prompt.list.move(n * max(m.regions().listRows, 2))
	case m.tab.prompt.recall != nil:
		m.tab.pager.PageBy(n * max(1, m.tab.pager.Height-1))
	}
	return nil
}

// promptStep goes to the next choice or field, or to what was typed after what the
// line has; to the one before, when n is negative.
func (t *tab) promptStep(n int) tea.Cmd {
	p := t.prompt
	switch {
	case p.list != nil:
		p.list.move(n)
		return nil
	case p.recall == nil:
		p.turnTo(p.at + n)
		return nil
	}
	if p.back == 0 {
		p.draft = p.line.String()
	}
	if typed, ok := p.recall.at(p.back - n); ok {
		p.back -= n
		p.line.Set(typed)
	} else if p.back-n == 0 {
		p.back = 0
		p.line.Set(p.draft)
	}
	return nil
}

// ask shows a prompt.
func (t *tab) ask(p *prompt) tea.Cmd {
	p.typed = p.line.String()
	t.prompt = p
	return nil
}

// askLine asks for one line; a blank one is no answer.
func (t *tab) askLine(title, label, value string, done func(line string) tea.Cmd) tea.Cmd {
	p := &prompt{title: title, fields: []field{{label: label, value: value}}}
	p.done = func(answers []string) tea.Cmd {
		if strings.TrimSpace(answers[0]) == "" {
			return nil
		}
		return done(answers[0])
	}
	return t.ask(p.begin())
}

// promptTyped tells the prompt when what is typed has changed.
func (t *tab) promptTyped() tea.Cmd {
	p := t.prompt
	if p == nil || p.changed == nil || p.line.String() == p.typed {
		return nil
	}
	p.typed = p.line.String()
	return p.changed(p.typed)
}

// fail shows err, if it is one, beside what is typed.
func (p *prompt) fail(cmd tea.Cmd, err error) tea.Cmd {
	p.err = ""
	if err != nil {
		p.err = clean.Short(err.Error())
	}
	return cmd
}

// recalled is what was typed before, the latest first.
type recalled []string

// maxRecalled bounds how much of what was typed is kept.
const maxRecalled = 200

// add makes s the latest.
func (r *recalled) add(s string) {
	if s == "" {
		return
	}
	older := slices.DeleteFunc(*r, func(old string) bool { return old == s })
	*r = slices.Insert(older[:min(len(older), maxRecalled-1)], 0, s)
}

// at is the n-th, counted from 1.
func (r recalled) at(n int) (string, bool) {
	if n < 1 || n > len(r) {
		return "", false
	}
	return r[n-1], true
}

// enterField goes to the next field, or ends the prompt, one that is filled in
// at once.
func (t *tab) enterField() tea.Cmd {
	p := t.prompt
	if p.short {
		p.answers[p.at] = p.line.String()
	} else if p.turnTo(p.at + 1) {
		return nil
	}
	t.prompt = nil
	return p.done(p.answers)
}
