package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
)

// TestQuestions checks that screens of all sizes show the end of a question, which names the keys.
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

// TestQuestionWaitsForPrompt checks that letters typed into a prompt do not answer a question that
// arrives meanwhile.
func TestQuestionWaitsForPrompt(t *testing.T) {
	for _, key := range []string{"/", "&"} {
		for name, question := range map[string]func(yes func()) error{
			"confirm": func(yes func()) error { return &protocols.Confirm{Question: "Trust it", GiveConsent: yes} },
			"handoff": func(func()) error { return &protocols.Handoff{URL: item('8', "/late"), Argv: []string{"telnet"}} },
			"ask": func(func()) error {
				return &protocols.Ask{URL: item('7', "/late"), Title: "Search", Fields: []protocols.Field{{}}}
			},
			"login": func(func()) error { return &protocols.Login{Server: "h.example:70", With: func(string, string) {}} },
		} {
			w, yes := library(), false
			d := drive(t, w, Options{}, 80, 24)
			w.addFailure(item('1', "/"), question(func() { yes = true }))
			answer := d.reloadTab(d.tab)
			d.press(key).typeText("mone").run(answer).typeText("y")
			if line, ok := d.tab.Prompt.(*ask.Line); !ok || line.Typed() != "money" || yes {
				t.Errorf("%s, %s: the letters did not go into the prompt, or answered the question", key, name)
			}
			d.press("enter")
			if d.tab.Prompt == nil || yes {
				t.Errorf("%s, %s: no question was open after the prompt, or it was answered", key, name)
			}
		}
	}
}

// TestQuestionAboutLongPage checks that the screen says that octets follow which do not fit on it, and that they can be read
// while the question is open.
func TestQuestionAboutLongPage(t *testing.T) {
	w, u := library(), item('0', "/flush")
	w.addFailure(u, &protocols.Confirm{
		URL: u, Question: "Port 6379 usually belongs to Redis. Send this anyway", Reason: "These octets would go to h:6379:",
		Details: []string{strings.Repeat("a", 1900) + ` FLUSHALL\r\n`}, Consent: protocols.ConsentPort, GiveConsent: func() {},
	})
	for _, size := range [][2]int{{40, 12}, {80, 24}, {40, 7}} {
		d := drive(t, w, Options{Start: u.String()}, size[0], size[1])
		if size[1] > 7 {
			fetchtest.Equal(t, strings.Count(d.screen(), "PgDn more"), 1, "times that the key is shown")
		}
		d.wantNotShown("FLUSHALL")
		for range 400 {
			d.press("down")
			if strings.Contains(d.screen(), "FLUSHALL") {
				break
			}
		}
		d.wantShown("FLUSHALL", "(y/N)").press("end", "down", "down", "pgdown").wantNotShown("PgDn more").wantShown("Ask again")
	}
}

// TestPortQuestion checks that the question about a port is shown once, with the octets that gofer
// would send.
func TestPortQuestion(t *testing.T) {
	const question = "Port 6379 usually belongs to Redis. Send this anyway?"
	w, u, agreed := library(), item('0', "/flush"), false
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		return nil, &protocols.Confirm{
			URL: u, Question: strings.TrimSuffix(question, "?"), Reason: "These octets would go to h:6379:", Details: []string{`FLUSH\x1bALL\r\n`},
			Consent: protocols.ConsentPort, GiveConsent: func() { agreed = true },
		}
	}
	for _, size := range [][2]int{{80, 24}, {132, 43}, {40, 12}} {
		d := drive(t, w, Options{Start: u.String()}, size[0], size[1])
		d.wantShown("Nothing was sent", "These octets would go to h:6379:", `FLUSH\x1bALL\r\n`)
		if n := strings.Count(strings.Join(strings.Fields(d.screen()), " "), question); n != 1 {
			t.Errorf("%v: the question is shown %d times, want once:\n%s", size, n, d.screen())
		}
		d.wantNotShown("press r").press("r", "a").wantShown("anyway? (y/N)", "Ask again").press("n").wantShown("Ask again (press r)")
		fetchtest.Equal(t, agreed, false, "agreed")
		d.press("r").wantShown("anyway? (y/N)").press("esc").wantNotShown("(y/N)")
	}
}
