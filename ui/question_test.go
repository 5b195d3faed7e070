package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/ask"
)

// TestQuestions: whatever a question is about, the keys that answer it are on
// the screen, and so is what would be done.
func TestQuestions(t *testing.T) {
	path := "/home/somebody/" + strings.Repeat("Downloads/", 9) + "annual-report.pdf"
	for width := 20; width <= 132; width++ {
		for _, height := range []int{4, 12, 24} {
			for _, title := range []string{"Overwrite " + path, "Trust the certificate of gopher.a-rather-long-name.example.org:7070", "Leave"} {
				d := drive(t, library(), Options{}, width, height)
				d.Model.tab.Prompt = ask.NewQuestion(title+"?", true, func() tea.Cmd { return nil })
				d.send(tea.WindowSizeMsg{Width: width, Height: height})
				words, _, _ := strings.Cut(title, " ")
				d.wantShown("(y/N)")
				if width >= 32 {
					d.wantShown(words)
				}
			}
		}
	}
}

// TestLoginReason: a long name of a user leaves the reason on the screen.
func TestLoginReason(t *testing.T) {
	d := drive(t, library(), Options{}, 80, 24)
	d.Model.tab.Prompt = ask.NewLogin(&protocols.Login{
		Server: "ftp.example.org:21", User: strings.Repeat("longname", 8), Failed: true, Text: "530 Login incorrect.",
	}, item('1', "/"), nil)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24}).wantShown("530 Login incorrect.", "login failed")
}
