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

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/ui"
)

// Values that TestPasswordConsent combines.
var (
	passwordSources = []string{"typed", "netrc", "password_command", "pinned"}
	serverFaults    = []string{"AUTH refused", "certificate unknown", "certificate changed", "certificate expired", "other name"}
	passwordModes   = []string{"dump", "get", "put", "screen", "--plain"}
)

const secretPassword = "sesame-7"

// TestPasswordConsent logs in to servers without TLS or with a bad certificate, and checks that the
// password is sent only after consent: y on a terminal, or the flag for the question. For a pinned
// server the flag is not enough. Either the URL names the user, or the server first refuses the anonymous
// login. The source "pinned" is netrc together with a pin for another certificate.
func TestPasswordConsent(t *testing.T) {
	known, unknown := newAuthority(t), newAuthority(t)
	const here = "127.0.0.1"
	later := time.Now().Add(time.Hour)
	test := consentTest{known: known}
	test.faults = map[string]faultyServer{
		"AUTH refused":        {reason: "clear"},
		"certificate unknown": {reason: "signed", tls: unknown.issue(t, here, later)},
		"certificate changed": {reason: "changed", tls: unknown.issue(t, here, later), pinned: true},
		"certificate expired": {reason: "expired", tls: known.issue(t, here, time.Now().Add(-time.Hour))},
		"other name":          {reason: "192.0.2.1", tls: known.issue(t, "192.0.2.1", later)},
	}
	rows := make(map[loginCase]string)
	var mu sync.Mutex
	t.Run("table", func(t *testing.T) {
		for _, login := range loginCases() {
			t.Run(login.String(), func(t *testing.T) {
				t.Parallel()
				row := test.testRow(t, login)
				mu.Lock()
				defer mu.Unlock()
				rows[login] = row
			})
		}
	})
	t.Log(consentTable(rows))
}

// consentTable returns the results as a table.
func consentTable(rows map[loginCase]string) string {
	var b strings.Builder
	b.WriteString("Was the password sent? Commands: without a flag/with the flag for the other question/with the right flag.\n" +
		"Screen and --plain: after n/after y. -: not sent; P: sent; !: wrong.\n")
	fmt.Fprintf(&b, "%-10s %-17s %-20s", "URL", "password", "server")
	for _, mode := range passwordModes {
		fmt.Fprintf(&b, " %-7s", mode)
	}
	b.WriteByte('\n')
	for _, login := range loginCases() {
		fmt.Fprintf(&b, "%-10s %-17s %-20s%s\n", "//"+login.user+"h", login.source, login.fault, rows[login])
	}
	return b.String()
}

// loginCase is a row of the table.
type loginCase struct {
	user   string // in the URL, with "@"
	source string // of the password, from passwordSources
	fault  string // of the server, from serverFaults
}

// loginCases returns all combinations.
func loginCases() (all []loginCase) {
	for _, user := range []string{"", "joe@"} {
		for _, source := range passwordSources {
			for _, fault := range serverFaults {
				all = append(all, loginCase{user, source, fault})
			}
		}
	}
	return all
}

// String returns the name of the subtest.
func (l loginCase) String() string { return l.user + "host, " + l.source + ", " + l.fault }

// faultyServer describes a server to which a password may be sent only after a question.
type faultyServer struct {
	tls    *tls.Config
	pinned bool   // whether another certificate is pinned
	reason string // a word of the question
}

type consentTest struct {
	known  *authority
	faults map[string]faultyServer
}

// testRow tests l in all modes and returns the cells of its row.
func (c *consentTest) testRow(t *testing.T, l loginCase) string {
	fault := c.faults[l.fault]
	pinned := fault.pinned || l.source == "pinned"
	right, other := "--trust", "--plain-password"
	if fault.tls == nil {
		right, other = other, right
	}
	cells := ""
	for _, mode := range passwordModes {
		agreements := []string{"", other, right}
		if mode == "screen" || mode == "--plain" {
			agreements = []string{"n", "y"}
		}
		var cell []string
		for _, agreement := range agreements {
			want := agreement == "y" || agreement == right && !pinned
			a := c.newAttempt(t, l, mode, pinned)
			asked := a.run(mode, agreement)
			received := a.server.all()
			sent := strings.Contains(received, secretPassword)
			mark := "-"
			if sent {
				mark = "P"
			}
			for line := range strings.Lines(received) {
				if secret, ok := strings.CutPrefix(line, "PASS "); ok && strings.TrimSpace(secret) != secretPassword &&
					strings.TrimSpace(secret) != "gofer@" {
					t.Errorf("%s with the answer %q sent %q, want no other password", mode, agreement, line)
				}
			}
			if sent != want || asked == (agreement == right && !pinned) {
				mark += "!"
				t.Errorf(
					"%s with the answer %q: password sent: %v, want %v; asked: %v\nreceived: %q\noutput: %q", mode,
					agreement, sent, want, asked, received, a.output(),
				)
			}
			cell = append(cell, mark)
		}
		cells += fmt.Sprintf(" %-7s", strings.Join(cell, "/"))
	}
	return cells
}

// attempt is one run of gofer with its own server and home directory.
type attempt struct {
	t      *testing.T
	login  loginCase
	server *ftpServer
	p      *Program
	url    string
	reason string        // see [faultyServer]
	output func() string // the output of gofer, or the screen of gofer
}

func (c *consentTest) newAttempt(t *testing.T, l loginCase, mode string, pinned bool) *attempt {
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
	p := testProgram(home, new(app.Setup))
	p.Schemes = func(s app.Setup) (protocols.Registry, func()) {
		client := &ftp.Client{PlainPasswords: s.Config.PlainPasswords, Dialer: wire.Dialer{TLS: wire.TLS{Pins: s.Pins, Roots: c.known.pool()}}}
		return protocols.Registry{"ftp": client}, func() { _ = client.Close() }
	}
	a := &attempt{t: t, login: l, server: server, p: p, url: "ftp://" + l.user + server.addr + "/file", reason: c.faults[l.fault].reason}
	if pinned && server.tls != nil {
		a.reason = c.faults["certificate changed"].reason
	}
	return a
}

// hasQuestion reports whether text contains the question about the server.
func (a *attempt) hasQuestion(text string) bool {
	question := strings.Contains(text, "Trust the ") || strings.Contains(text, "Send the password of")
	return question && strings.Contains(text, a.reason)
}

// run runs gofer with agreement, which is a flag, a key or "". It reports whether gofer asked the question
// about the server.
func (a *attempt) run(mode, agreement string) (asked bool) {
	a.t.Helper()
	home := a.p.Getenv("HOME")
	var args []string
	switch mode {
	case "screen":
		return a.runOnScreen(agreement)
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
	if mode != "--plain" && a.login.source != "typed" {
		var stderr strings.Builder
		a.p.In, a.p.Out, a.p.Err = strings.NewReader(""), io.Discard, &stderr
		a.p.Run(a.t.Context(), args)
		a.output = stderr.String
	} else {
		a.runOnTerminal(agreement, args)
	}
	return a.hasQuestion(a.output())
}

// runOnTerminal runs gofer on a terminal and answers its prompts. It answers questions with no, unless
// agreement is "y".
func (a *attempt) runOnTerminal(agreement string, args []string) {
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
	a.output = func() string { return all }
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
			a.t.Fatalf("gofer %q did not end after its output %q", args, all)
		}
	}
}

// runOnScreen opens the URL on the screen, answers the prompts and quits. It reports whether gofer asked
// the question about the server.
func (a *attempt) runOnScreen(answer string) (asked bool) {
	a.t.Helper()
	a.p.Err = io.Discard
	st := a.p.openState(nil)
	defer st.Close()
	ctx := a.t.Context()
	started := make(chan struct{})
	close(started)
	o := st.ScreenOptions(ctx, a.p.screen(browseFlags{private: true}, started))
	o.Start = a.url
	s := &screenReader{Model: ui.New(o), answer: answer, hasQuestion: a.hasQuestion, done: make(map[string]bool)}
	a.output = func() string { return s.shown }
	p := tea.NewProgram(
		s, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(new(bytes.Buffer)), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithWindowSize(100, 30),
	)
	stop := time.AfterFunc(time.Minute, p.Kill)
	defer stop.Stop()
	if _, err := p.Run(); err != nil {
		a.t.Errorf("the screen with the answer %q failed: %v; it shows:\n%s", answer, err, s.shown)
	}
	return s.done["question"]
}

// screenReader is a Model that answers the prompts on its screen.
type screenReader struct {
	*ui.Model
	answer      string
	hasQuestion func(text string) bool
	shown       string
	done        map[string]bool // the answered prompts
}

// Update implements [tea.Model].
func (s *screenReader) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := s.Model.Update(msg)
	s.shown = ansi.Strip(s.View().Content)
	return s, tea.Batch(cmd, s.answerPrompt())
}

// answerPrompt answers the prompt on the screen, each prompt once.
func (s *screenReader) answerPrompt() tea.Cmd {
	for _, p := range []struct {
		name, typed string
		shown       bool
	}{
		{"question", s.answer, s.hasQuestion(s.shown) && strings.Contains(s.shown, "(y/N)")},
		{"User", "joe\r", strings.Contains(s.shown, "User: ")},
		{"Password", secretPassword + "\r", strings.Contains(s.shown, "Password: ")},
		{"page", "", strings.Contains(s.shown, "private text")},
	} {
		if !p.shown || s.done[p.name] {
			continue
		}
		s.done[p.name] = true
		return s.typeKeys(p.typed, p.name == "page" || p.name == "question" && p.typed == "n")
	}
	return nil
}

// typeKeys returns a command that types text when the user has had the time to read the prompt. If the parameter leave is true, the command then quits.
func (s *screenReader) typeKeys(text string, leave bool) tea.Cmd {
	all := []tea.Cmd{tea.Tick(600*time.Millisecond, func(time.Time) tea.Msg { return nil })}
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
