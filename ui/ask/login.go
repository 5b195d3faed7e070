package ask

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// NewLogin returns a prompt for a user and a password for u. It calls retry after
// login.With.
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

// maxShownUser bounds the cells of a user name above the line.
const maxShownUser = 32
