//go:build unix

package cli

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/ui"
)

// What TestPasswordConsent combines.
var (
	passwordSources = []string{"typed", "netrc", "password_command", "pinned"}
	serverFaults    = []string{"AUTH refused", "certificate unknown", "certificate changed", "certificate expired", "other name"}
	passwordWays    = []string{"dump", "get", "put", "screen", "--plain"}
)

const secretPassword = "sesame-7"

// TestPasswordConsent logs in to servers without TLS or with a bad certificate. The
// URL names the user, or the server refuses the anonymous login first. The password
// may leave only after consent: y on a terminal, or the flag for the question,
// which does not count for a pinned server. Source pinned is netrc with the
// fingerprint of another certificate pinned.
func TestPasswordConsent(t *testing.T) {
	known, unknown := newAuthority(t), newAuthority(t)
	const here = "127.0.0.1"
	later := time.Now().Add(time.Hour)
	c := consentTest{known: known}
	c.faults = map[string]faultyServer{
		"AUTH refused":        {reason: "clear"},
		"certificate unknown": {reason: "signed", tls: unknown.issue(t, here, later)},
		"certificate changed": {reason: "changed", tls: unknown.issue(t, here, later), pinned: true},
		"certificate expired": {reason: "expired", tls: known.issue(t, here, time.Now().Add(-time.Hour))},
		"other name":          {reason: "192.0.2.1", tls: known.issue(t, "192.0.2.1", later)},
	}
	rows := make(map[consentLogin]string)
	var mu sync.Mutex
	t.Run("table", func(t *testing.T) {
		for _, login := range consentLogins() {
			t.Run(login.String(), func(t *testing.T) {
				t.Parallel()
				row := c.row(t, login)
				mu.Lock()
				defer mu.Unlock()
				rows[login] = row
			})
		}
	})
	t.Log(consentTable(rows))
}

// consentTable lays out the rows of the table.
func consentTable(rows map[consentLogin]string) string {
	var b strings.Builder
	b.WriteString("Did the password leave? Commands: without a flag/with the flag for the other question/with the right flag.\n" +
		"Screen and --plain: after n/after y. -: asked or refused, nothing left; P: it left; !: not as it should be.\n")
	fmt.Fprintf(&b, "%-10s %-17s %-20s", "URL", "password", "server")
	for _, way := range passwordWays {
		fmt.Fprintf(&b, " %-7s", way)
	}
	b.WriteByte('\n')
	for _, login := range consentLogins() {
		fmt.Fprintf(&b, "%-10s %-17s %-20s%s\n", "//"+login.user+"h", login.source, login.fault, rows[login])
	}
	return b.String()
}

// consentLogin is a row of the table.
type consentLogin struct {
	user   string // of the URL, with "@"
	source string // of the password
	fault  string // of the server
}

// consentLogins returns all rows of the table.
func consentLogins() (all []consentLogin) {
	for _, user := range []string{"", "joe@"} {
		for _, source := range passwordSources {
			for _, fault := range serverFaults {
				all = append(all, consentLogin{user, source, fault})
			}
		}
	}
	return all
}

// String names the row's test.
func (l consentLogin) String() string { return l.user + "host, " + l.source + ", " + l.fault }

// faultyServer is a server to which no password goes unasked.
type faultyServer struct {
	tls    *tls.Config
	pinned bool   // another certificate was trusted before
	reason string // a word of the question about it
}

type consentTest struct {
	known  *authority
	faults map[string]faultyServer
}

// row runs a row in all ways and returns its cells.
func (c *consentTest) row(t *testing.T, l consentLogin) string {
	fault := c.faults[l.fault]
	pinned := fault.pinned || l.source == "pinned"
	right, other := "--trust", "--plain-password"
	if fault.tls == nil {
		right, other = other, right
	}
	cells := ""
	for _, way := range passwordWays {
		agreements := []string{"", other, right}
		if way == "screen" || way == "--plain" {
			agreements = []string{"n", "y"}
		}
		var cell []string
		for _, agreement := range agreements {
			want := agreement == "y" || agreement == right && !pinned
			a := c.begin(t, l, way, pinned)
			asked := a.run(way, agreement)
			received := a.server.all()
			left := strings.Contains(received, secretPassword)
			mark := "-"
			if left {
				mark = "P"
			}
			for line := range strings.Lines(received) {
				if secret, ok := strings.CutPrefix(line, "PASS "); ok && strings.TrimSpace(secret) != secretPassword && strings.TrimSpace(secret) != "gofer@" {
					t.Errorf("%s %q: sent %q", way, agreement, line)
				}
			}
			if left != want || asked == (agreement == right && !pinned) {
				mark += "!"
				t.Errorf("%s %q: the password has left: %v, want %v; asked: %v\nreceived: %q\ntold: %q", way, agreement, left, want, asked, received, a.told())
			}
			cell = append(cell, mark)
		}
		cells += fmt.Sprintf(" %-7s", strings.Join(cell, "/"))
	}
	return cells
}

// attempt is one run of gofer with a server and a home of its own.
type attempt struct {
	t      *testing.T
	login  consentLogin
	server *ftpServer
	p      *Program
	url    string
	reason string        // see [faultyServer]
	told   func() string // what gofer has written, or shows
}

func (c *consentTest) begin(t *testing.T, l consentLogin, way string, pinned bool) *attempt {
	t.Helper()
	server := startFTPServer(t, &ftpServer{user: "joe", password: secretPassword, tls: c.faults[l.fault].tls})
	home := t.TempDir()
	files := map[string]string{"file": "what is stored\n"}
	switch l.source {
	case "netrc", "pinned":
		files[".netrc"] = "machine 127.0.0.1 login joe password " + secretPassword + "\n"
	case "password_command":
		files[".config/gofer/config.toml"] = `password_command = '''/bin/sh -c "echo ` + secretPassword + `; echo user: joe"'''` + "\n"
	}
	if pinned {
		files[".local/share/gofer/certificates.txt"] = server.addr + " SHA-256 " + strings.Repeat("ab", 32) + " 2024-01-02\n"
	}
	for name, text := range files {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	p := testProgram(home, new(Setup))
	p.Fetchers = func(s Setup) (protocols.Registry, func()) {
		client := &ftp.Client{PlainPasswords: s.Config.PlainPasswords, Dialer: wire.Dialer{TLS: wire.TLS{Pins: s.Pins, Roots: c.known.pool()}}}
		return protocols.Registry{"ftp": client}, func() { _ = client.Close() }
	}
	a := &attempt{t: t, login: l, server: server, p: p, url: "ftp://" + l.user + server.addr + "/file", reason: c.faults[l.fault].reason}
	if pinned && server.tls != nil {
		a.reason = c.faults["certificate changed"].reason
	}
	return a
}

// asks reports whether text holds the question about the server.
func (a *attempt) asks(text string) bool {
	question := strings.Contains(text, "Trust the ") || strings.Contains(text, "Send the password of")
	return question && strings.Contains(text, a.reason)
}

// run runs gofer with an agreement, a flag or a key, and reports whether it asked.
func (a *attempt) run(way, agreement string) (asked bool) {
	a.t.Helper()
	home := a.p.Getenv("HOME")
	var args []string
	switch way {
	case "screen":
		return a.onScreen(agreement)
	case "--plain":
		args = []string{"--plain", "--private", a.url}
	case "dump":
		args = []string{"dump", a.url}
	case "get":
		args = []string{"get", "-o", filepath.Join(home, "saved"), a.url}
	case "put":
		args = []string{"put", "-y", filepath.Join(home, "file"), a.url}
	}
	if strings.HasPrefix(agreement, "--") {
		args = append(args, agreement)
	}
	if way != "--plain" && a.login.source != "typed" {
		var told strings.Builder
		a.p.In, a.p.Out, a.p.Err = strings.NewReader(""), io.Discard, &told
		a.p.Run(a.t.Context(), args)
		a.told = told.String
	} else {
		a.onTerminal(agreement, args)
	}
	return a.asks(a.told())
}

// onTerminal runs gofer on a terminal and types what it asks for. Only the
// agreement y answers yes to a question.
func (a *attempt) onTerminal(agreement string, args []string) {
	a.t.Helper()
	tm := newTerminal(a.t)
	a.p.In, a.p.Out, a.p.Err = tm.tty, io.Discard, tm.tty
	if args[0] == "--plain" {
		a.p.Out = tm.tty
	}
	answer := "n"
	if agreement == "y" {
		answer = "y"
	}
	prompts := map[string]string{
		"User for " + a.server.addr + ": ":            "joe",
		"Password for joe at " + a.server.addr + ": ": secretPassword,
		"Agree? (y/N) ": answer,
		"gofer> ":       "q",
	}
	all, rest := "", ""
	a.told = func() string { return all }
	done := make(chan int, 1)
	go func() { done <- a.p.Run(a.t.Context(), args) }()
	take := func(s string) {
		all, rest = all+s, rest+s
		for prompt, typed := range prompts {
			if _, after, ok := strings.Cut(rest, prompt); ok {
				rest = after
				if _, err := tm.master.WriteString(typed + "\r"); err != nil {
					a.t.Error(err)
				}
			}
		}
	}
	for deadline := time.After(time.Minute); ; {
		select {
		case s := <-tm.out:
			take(s)
		case <-done:
			_, _ = tm.tty.WriteString("the end")
			for !strings.Contains(all, "the end") {
				all += <-tm.out
			}
			return
		case <-deadline:
			a.t.Fatalf("%q does not end: %q", args, all)
		}
	}
}

// onScreen opens the URL on the screen, answers its prompts and leaves.
func (a *attempt) onScreen(answer string) (asked bool) {
	a.t.Helper()
	a.p.Err = io.Discard
	st := a.p.open(nil)
	defer st.close()
	ctx := a.t.Context()
	started := make(chan struct{})
	close(started)
	o := a.p.screenOptions(ctx, st, browseFlags{private: true}, started)
	o.Start = a.url
	s := &screenReader{Model: ui.New(o), answer: answer, asks: a.asks, done: make(map[string]bool)}
	a.told = func() string { return s.shown }
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(new(bytes.Buffer)), tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithWindowSize(100, 30))
	stop := time.AfterFunc(time.Minute, p.Kill)
	defer stop.Stop()
	if _, err := p.Run(); err != nil {
		a.t.Errorf("screen %q: %v; it shows:\n%s", answer, err, s.shown)
	}
	return s.done["question"]
}

// screenReader reads the screen after each message and types what it asks for.
type screenReader struct {
	*ui.Model
	answer string
	asks   func(text string) bool
	shown  string
	done   map[string]bool // the prompts that were answered
}

// Update implements [tea.Model].
func (s *screenReader) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.Model.Update(msg)
	s.shown = ansi.Strip(s.View().Content)
	return s, tea.Batch(cmd, s.react())
}

// react types an answer to the prompt on the screen, once for each.
func (s *screenReader) react() tea.Cmd {
	for _, p := range []struct {
		name, typed string
		shown       bool
	}{
		{"question", s.answer, s.asks(s.shown) && strings.Contains(s.shown, "(y/N)")},
		{"User", "joe\r", strings.Contains(s.shown, "User: ")},
		{"Password", secretPassword + "\r", strings.Contains(s.shown, "Password: ")},
		{"page", "", strings.Contains(s.shown, "told in confidence")},
	} {
		if !p.shown || s.done[p.name] {
			continue
		}
		s.done[p.name] = true
		return s.typing(p.typed, p.name == "page" || p.name == "question" && p.typed == "n")
	}
	return nil
}

// typing returns a command that types text, and then perhaps leaves.
func (s *screenReader) typing(text string, leave bool) tea.Cmd {
	var all []tea.Cmd
	for _, r := range text {
		key := tea.KeyPressMsg{Code: r, Text: string(r)}
		if r == '\r' {
			key = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		all = append(all, func() tea.Msg { return key })
	}
	if leave {
		all = append(all, tea.Quit)
	}
	return tea.Sequence(all...)
}
