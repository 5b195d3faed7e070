package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/protocols"
	"gofer/ui/cell"
)

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
	}{
		{"saved /tmp/a (3 kB)", 19},
		{"saved /home/somebody/Downloads/a/b/annual-report.pdf (3 kB)", 38},
		{"not saved: open /home/somebody/Downloads/x: no space left on device", 60},
		{"not saved: open /home/somebody/Downloads/x: no space left", 38},
		{"not saved: the server of it is not one that I know of", 30},
		{"incomplete: the time limit of 60 s with no data has passed", 26},
		{"not removed: the server said 550 Couldn't delete file-0000.txt: operation not permitted", 78},
	} {
		got, n := cell.Cells{}.Shorten(tt.text, tt.width, "…")
		if n > tt.width || n != (cell.Cells{}).Width(got) {
			t.Errorf("%q in %d cells: %q, of %d", tt.text, tt.width, got, n)
		}
		for _, word := range []string{"saved", "(3 kB)", "not", "no space left", "not permitted"} {
			if strings.Contains(tt.text, word) && !strings.Contains(got, word) {
				t.Errorf("%q in %d cells lacks %q: %q", tt.text, tt.width, word, got)
			}
		}
		for _, word := range strings.Fields(got) {
			if !strings.Contains(" "+tt.text+" ", " "+word+" ") && !strings.Contains(word, "…") {
				t.Errorf("%q in %d cells: %q is no word of it: %q", tt.text, tt.width, word, got)
			}
		}
		if tt.width >= len(tt.text) && got != tt.text {
			t.Errorf("got %q, want %q", got, tt.text)
		}
	}
}

// TestQuestions: whatever a question is about, the keys that answer it are on
// the screen, and so is what would be done.
func TestQuestions(t *testing.T) {
	path := "/home/somebody/" + strings.Repeat("Downloads/", 9) + "annual-report.pdf"
	for width := 20; width <= 132; width++ {
		for _, height := range []int{4, 12, 24} {
			for _, title := range []string{"Overwrite " + path, "Trust the certificate of gopher.a-rather-long-name.example.org:7070", "Leave"} {
				d := drive(t, library(), Options{}, width, height)
				d.Model.prompt = newQuestion(title+"?", true, func(*Model) tea.Cmd { return nil })
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
	d.prompt = newLogin(&protocols.Login{
		Server: "ftp.example.org:21", User: strings.Repeat("longname", 8), Failed: true, Text: "530 Login incorrect.",
	}, item('1', "/"), nil)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24}).wantShown("530 Login incorrect.", "login failed")
}
