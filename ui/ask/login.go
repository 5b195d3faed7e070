package ask

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// NewLogin asks for a user and a password for u, with which retry is called.
func NewLogin(login *protocols.Login, u urlcore.URL, retry func() tea.Cmd) *Line {
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
	l := NewLine(Head{Title: title, Server: clean.Short(login.Server), Said: clean.Short(login.Text), NamesServer: true, URL: u},
		Field{Label: "User", Value: login.User},
		Field{Label: "Password", Secret: true})
	l.Finish = func(answers []string) tea.Cmd {
		login.With(answers[0], answers[1])
		return retry()
	}
	if login.User != "" {
		l.open(1) // the user is known; shift+tab leads back to it
	}
	return l
}

// maxShownUser is how many cells of a user name are shown above the line.
const maxShownUser = 32
