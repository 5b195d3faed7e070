// Package opener finds programs for documents and URLs that gofer cannot open. It looks in the
// user's settings, in mailcap (RFC 1524) and for the system's opener. It starts only the tests of
// mailcap.
//
// A [protocols.Handoff] names the program. A page shows the exact command and asks once for each
// kind of document, because a link must not run an unseen command. No shell interprets the names of
// files and URLs in the command. The program gets no secrets from the environment ([program.Env]).
package opener

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"gofer/protocols"
	"gofer/urlcore"
)

// Rule is a command of the user's settings for a media type ("image/png"), for all media
// types of a kind ("image/*") or for a scheme ("https").
type Rule struct {
	Command  string `toml:"command"`  // split by [program.Words]; %s means the file or URL, which is appended if there is no %s
	Terminal bool   `toml:"terminal"` // run the program in the terminal, not in a window
	Always   bool   `toml:"always"`   // run the program without asking the user
}

// Programs is a Fetcher for the schemes that other programs open. It is safe for concurrent use.
type Programs struct {
	Rules    map[string]Rule
	Getenv   func(string) string
	System   string                       // the operating system, "" for the current one
	LookPath func(string) (string, error) // finds a program; nil means [exec.LookPath]
	Offline  bool                         // open only file: URLs
	// ListenAddr returns the address at which the demo's server for addr listens on this machine, or
	// "". The address addr is the "host:port" of a URL. The result ours reports whether addr has
	// the demo's host. ListenAddr may be nil.
	ListenAddr func(addr string) (listening string, ours bool)

	once    sync.Once
	entries []entry // the entries of mailcap
}

func (p *Programs) system() string { return cmp.Or(p.System, runtime.GOOS) }

func (p *Programs) hasProgram(name string) bool {
	look := p.LookPath
	if look == nil {
		look = exec.LookPath
	}
	_, err := look(name)
	return err == nil
}

// Fetch returns the *[protocols.Handoff] of u, or an *[protocols.Error].
func (p *Programs) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	h, err := p.HandoffForURL(req.URL)
	if err != nil {
		return nil, err
	}
	return nil, h
}

// State implements [protocols.Stater].
func (p *Programs) State(u urlcore.URL) string {
	h, err := p.HandoffForURL(u)
	if err != nil {
		return "no program found"
	}
	return "the program " + filepath.Base(h.Argv[0])
}

// Plan returns an error, because gofer itself sends nothing.
func (p *Programs) Plan(u urlcore.URL) ([]protocols.Step, error) {
	return nil, errors.New("gofer leaves " + u.Scheme() + ": URLs to another program")
}

// HandoffForURL returns the program that opens the URL u instead of gofer.
func (p *Programs) HandoffForURL(u urlcore.URL) (*protocols.Handoff, error) {
	return p.HandoffForLink(u, "")
}

// HandoffForLink returns the program that opens a link with the URL u and a fragment, which may be "",
// instead of gofer.
func (p *Programs) HandoffForLink(u urlcore.URL, fragment string) (*protocols.Handoff, error) {
	op, original := "open "+urlcore.Redact(u).String(), u
	if p.Offline && u.Scheme() != "file" {
		return nil, &protocols.Error{Reason: protocols.Offline, Op: op, Err: protocols.ErrNoPrograms}
	}
	u, err := p.reachableURL(u)
	if err != nil {
		return nil, err
	}
	h, err := p.handoff(u, fragment, op)
	if err == nil {
		h.URL = original
	}
	return h, err
}

// reachableURL returns u with the address that other programs must connect to.
func (p *Programs) reachableURL(u urlcore.URL) (urlcore.URL, error) {
	m, hasAt := u.(interface {
		At(host string, port uint16) urlcore.URL
	})
	addr, ok := urlcore.Addr(u)
	if !ok || !hasAt || p.ListenAddr == nil {
		return u, nil
	}
	listening, ours := p.ListenAddr(addr)
	switch {
	case !ours:
		return u, nil
	case listening == "":
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "connect to " + addr}
	}
	at, err := netip.ParseAddrPort(listening)
	return m.At(at.Addr().String(), at.Port()), err
}

func (p *Programs) handoff(u urlcore.URL, fragment, op string) (*protocols.Handoff, error) {
	t, session := u.(urlcore.Telnet)
	if !session && urlcore.Redact(u) != u {
		return nil, failure(protocols.BadURL, "hand the URL to another program", "it has a password, which other users of this machine could see")
	}
	text := protocols.LinkText(u, fragment)
	if urlcore.IsStandardInput(u) { // the other program reads its temporary file
		text = urlcore.Reference(u, fragment)
	}
	if r, ok := p.Rules[u.Scheme()]; ok {
		return r.handoff(u, text, op)
	}
	login := map[string]func(urlcore.Telnet) ([]string, error){"rlogin": p.sshArgv, "tn3270": p.tn3270Argv}[u.Scheme()]
	if !session || login == nil {
		return p.systemOpener(u, text, op)
	}
	if err := checkLogin(t); err != nil {
		return nil, err
	}
	argv, err := login(t)
	if err != nil {
		return nil, err
	}
	return &protocols.Handoff{URL: u, Argv: argv, Window: argv[0] == "x3270"}, nil
}

// handoff returns the program of the rule, to open target, which is a file or a URL.
func (r Rule) handoff(u urlcore.URL, target, op string) (*protocols.Handoff, error) {
	argv, err := expandCommand(r.Command, target)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: err}
	}
	return &protocols.Handoff{URL: u, Argv: argv, Window: !r.Terminal, Always: r.Always}, nil
}

// safeHost and safeUser match names that are safe as arguments. Such a name does not look like an
// option. It has no characters with a special meaning, such as "L:" and "@" in a host for c3270. A
// host may be an address.
var (
	safeHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`) })
	safeUser = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}$`) })
)

func checkLogin(t urlcore.Telnet) error {
	part := "user"
	switch _, err := netip.ParseAddr(t.Host); {
	case err != nil && !safeHost().MatchString(t.Host):
		part = "host"
	case t.User == "" || safeUser().MatchString(t.User):
		return nil
	}
	return failure(protocols.BadURL, "hand the "+part+" to another program", "it has characters with a special meaning to the program")
}

// sshArgv returns the ssh command for an rlogin URL. It does not use rlogin, which sends passwords in
// the clear.
func (p *Programs) sshArgv(t urlcore.Telnet) ([]string, error) {
	if !p.hasProgram("ssh") {
		return nil, missingProgram("open "+urlcore.Redact(t).String(), "ssh", "install openssh-client or set [open] for "+t.Scheme())
	}
	argv := []string{"ssh"}
	if t.User != "" {
		argv = append(argv, "-l", t.User)
	}
	if t.Port != 0 {
		argv = append(argv, "-p", strconv.Itoa(int(t.Port)))
	}
	return append(argv, "--", t.Host), nil
}

func (p *Programs) tn3270Argv(t urlcore.Telnet) ([]string, error) {
	host := t.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if t.Port != 0 {
		host += ":" + strconv.Itoa(int(t.Port))
	}
	for _, name := range []string{"c3270", "x3270"} {
		if p.hasProgram(name) && (name != "x3270" || p.hasDisplay()) {
			return []string{name, host}, nil
		}
	}
	return nil, missingProgram("open "+urlcore.Redact(t).String(), "c3270", "install c3270 or x3270 or set [open] for "+t.Scheme())
}

func (p *Programs) hasDisplay() bool {
	switch p.system() {
	case "darwin", "windows":
		return true
	}
	return p.Getenv("DISPLAY") != "" || p.Getenv("WAYLAND_DISPLAY") != ""
}

// systemOpener returns the system's own program for opening target, which is a file or a URL.
func (p *Programs) systemOpener(u urlcore.URL, target, op string) (*protocols.Handoff, error) {
	h := &protocols.Handoff{URL: u, Argv: []string{"xdg-open", target}, Window: p.hasDisplay()}
	switch p.system() {
	case "darwin":
		h.Argv[0] = "open"
	case "windows":
		h.Argv = []string{"rundll32", "url.dll,FileProtocolHandler", target}
	default:
		if !p.hasProgram("xdg-open") {
			return nil, missingProgram(op, "xdg-open", "install xdg-utils or set [open]")
		}
	}
	return h, nil
}

func missingProgram(op, program, remedy string) error {
	return &protocols.Error{Reason: protocols.Unsupported, Op: op, Err: fmt.Errorf("%s is %w: %s", program, protocols.ErrNotInstalled, remedy)}
}

func failure(reason protocols.Reason, op, text string) error {
	return &protocols.Error{Reason: reason, Op: op, Err: errors.New(text)}
}
