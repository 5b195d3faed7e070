package ask

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// Question asks for yes or no, and may offer a third answer. On a screen of any size it shows its title and the keys that
// answer it.
type Question struct {
	Title       string      // with its question mark; names in it are quoted by clean.Name
	Reason      string      // follows the title if there is room
	URL         urlcore.URL // subject of the question, or nil
	Destructive bool        // Enter does not mean yes, only y does
	Yes, No     func() tea.Cmd
	Expected    bool           // the user knows that it comes, and may have typed the answer before
	Pause       func() tea.Cmd // a third answer, the key p: to pause what the question is about; or nil
	outcome
}

// NewQuestion returns a question that calls the function yes after the answer y. Unless the
// question is destructive, Enter also means yes.
func NewQuestion(title string, destructive bool, yes func() tea.Cmd) *Question {
	return &Question{Title: title, Destructive: destructive, Yes: yes}
}

// NewConfirm returns the question of confirm. If the answer is yes, retry is called after
// confirm.GiveConsent.
func NewConfirm(confirm *protocols.Confirm, retry func() tea.Cmd) *Question {
	return NewQuestion(clean.Text(confirm.Question)+"?", true, func() tea.Cmd {
		confirm.GiveConsent()
		return retry()
	})
}

func (q *Question) KeyContext() string { return "question" }

func (q *Question) Subject() urlcore.URL { return q.URL }

// Key answers the question. The action "yes" means yes, "leave" means yes unless the question is
// destructive, "pause" means to pause if the question offers it, and any other action, such as "no", means no.
func (q *Question) Key(action string, _ *Screen) tea.Cmd {
	answer := q.No
	switch action {
	case "yes":
		answer = q.Yes
	case "leave":
		if !q.Destructive {
			answer = q.Yes
		}
	case "pause":
		if answer = q.Pause; answer == nil {
			return nil
		}
	case "no":
	}
	q.end(answer)
	return nil
}

// Drop means no. The question is not shown any more.
func (q *Question) Drop() tea.Cmd {
	if q.No == nil {
		return nil
	}
	return q.No()
}

// Insert does nothing.
func (q *Question) Insert(string, *Screen) tea.Cmd { return nil }

func (q *Question) Draw(s *Screen) Drawing {
	rows, last := q.Rows(s), 0
	draw := func(w *cell.RowWriter, row string) int {
		w.PadTo(cell.Margin(w.Width))
		w.Put(s.Styles.Bold, row)
		return min(w.Col, w.Width-1)
	}
	var d Drawing
	if d.Width = q.boxWidth(s); d.Width > 0 {
		last = len(rows)
		d.Rule = q.drawRule(s)
		d.Cursor = func() (x, y int) { return min(1+s.Cells.Width(rows[last-1]), d.Width-1), last - 1 }
		d.Status = q.drawHints(s)
	} else {
		last = len(rows) - 1
		d.Status = func(w *cell.RowWriter) int { return draw(w, rows[last]) }
	}
	for _, row := range rows[:last] {
		d.Last = append(d.Last, func(w *cell.RowWriter) { draw(w, row) })
	}
	return d
}

// drawRule returns a function that draws the border above the question, which says whether the page goes on below.
func (q *Question) drawRule(s *Screen) func(w *cell.RowWriter) {
	return func(w *cell.RowWriter) {
		more := ""
		if s.More != "" {
			more = " " + s.More + " "
		}
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, max(0, w.Width-s.Cells.Width(more)-1)))
		w.Put("", more)
		w.Put(s.Styles.Dim, strings.Repeat(s.Glyphs.Rule, max(0, w.Width-w.Col)))
	}
}

// drawHints returns a function that draws the keys of the answers in the status line.
func (q *Question) drawHints(s *Screen) func(w *cell.RowWriter) int {
	return func(w *cell.RowWriter) int {
		w.PadTo(cell.Margin(w.Width))
		if s.Notice(w) {
			return -1
		}
		hint, pause := s.Keys.Hint, ""
		if q.Pause != nil {
			pause = hint("question", "pause", "p", "pause")
		}
		s.drawHints(w, hint("question", "yes", "y", "yes"), hint("question", "no", "n", "no"), pause, hint("page", "help", "F1", "help"))
		return -1
	}
}

// keysText returns the keys of the answers, with the key of the answer that Enter gives in upper case.
func (q *Question) keysText(s *Screen) string {
	yes, no := s.Keys.KeyIn("question", "yes", "y"), "N"
	if !q.Destructive { // Enter means yes
		if no = "n"; yes == "y" {
			yes = "Y"
		}
	}
	keys := " (" + yes + "/" + no
	if key := s.Keys.KeyIn("question", "pause", "p"); q.Pause != nil && key != "" {
		keys += ", " + key + " pauses"
	}
	return keys + ")"
}

// boxWidth returns the width of the question in a box over the page, or 0 on a small screen.
func (q *Question) boxWidth(s *Screen) int {
	return s.boxWidth(s.Cells.Width(q.Title+" "+q.Reason+q.keysText(s)) + 2)
}

// Rows returns the rows of the question. Without a box, the last one is the status line.
func (q *Question) Rows(s *Screen) []string {
	c, width, least := s.Cells, s.Width-2*cell.Margin(s.Width), 1
	if box := q.boxWidth(s); box > 0 {
		width = box - 2
	} else if s.Ruled {
		least = 2
	}
	keys := q.keysText(s)
	if q.Reason != "" {
		if rows := c.QuestionRows(q.Title+" "+q.Reason, keys, width, least, s.Height/2, s.Glyphs.Cut); rows != nil {
			return rows
		}
	}
	rows := c.QuestionRows(q.Title, keys, width, least, max(s.Height-1, 1), s.Glyphs.Cut) // leaves a row for the URL
	if rows == nil {
		text, _ := c.Shorten(q.Title, width-c.Width(keys), s.Glyphs.Cut)
		rows = c.NameRows(text+keys, width)
	}
	return rows
}

// NewLogin returns a prompt for a user and a password for u. After the answers it calls login.With
// and then retry.
func NewLogin(login *protocols.Login, u urlcore.URL, retry func() tea.Cmd) *Line {
	title, user, note := "login", "", clean.Short(login.Note)
	if login.User != "" {
		user, _ = cell.Cells{}.ShortenMiddle(clean.Short(login.User), maxShownUser, "...")
		title = "password for " + clean.Name(user)
	}
	if login.Secret != "" {
		title = strings.ToLower(login.Secret)
	}
	switch {
	case login.Failed && user != "": // the title is short enough for small screens
		title, note = "login failed", strings.TrimSuffix(clean.Name(user)+"; "+note, "; ")
	case login.Failed:
		title = "login failed, " + title
	}
	l := NewLine(Head{Title: title, Note: note, Server: clean.Short(login.Server), ServerText: clean.Short(login.Text), NamesServer: true, URL: u},
		Field{Label: "User", Value: login.User},
		Field{Label: cmp.Or(login.Secret, "Password"), Secret: true})
	l.Finish = func(answers []string) tea.Cmd {
		login.With(answers[0], answers[1])
		return retry()
	}
	if login.User != "" {
		l.open(1) // the user name is known; shift+tab leads back to its field
	}
	return l
}

// maxShownUser bounds the cells of a user name above the line.
const maxShownUser = 32
