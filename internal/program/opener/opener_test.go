package opener

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// newMachine returns the Programs of a machine. The parameter installed has the names of its
// programs, and env its variables.
func newMachine(installed string, env ...string) *Programs {
	return &Programs{
		System: "linux",
		Getenv: func(name string) string {
			for _, v := range env {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		},
		LookPath: func(name string) (string, error) {
			if slices.Contains(strings.Fields(installed), name) {
				return "/usr/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		},
	}
}

var parse = fetchtest.Parse

func TestURL(t *testing.T) {
	const all = "ssh c3270 x3270 xdg-open"
	ruled := newMachine(all, "DISPLAY=:0")
	ruled.Rules = map[string]Rule{
		"http": {Command: "firefox --new-tab"}, "https": {Command: "lynx -dump '%s' x", Terminal: true, Always: true},
	}
	mac, windows := newMachine(""), newMachine("")
	mac.System, windows.System = "darwin", "windows"
	offline, demo := newMachine(all), newMachine(all)
	offline.Offline = true
	demo.ListenAddr = func(addr string) (string, bool) {
		host, port, _ := strings.Cut(addr, ":")
		return map[string]string{"23": "127.0.0.1:40023", "80": "127.0.0.1:40080"}[port], host == "demo.gofer.test"
	}
	for _, tt := range []struct {
		programs *Programs
		url      string
		want     string // the arguments joined by "|", with "+" in front if the program has a window
		fails    string
	}{
		{newMachine(all), "rlogin://example.org/", "ssh|--|example.org", ""},
		{newMachine(all), "rlogin://jim:pw@example.org:22/", "ssh|-l|jim|-p|22|--|example.org", ""},
		{newMachine(all), "rlogin://-oProxyCommand=x@example.org/", "", "characters with a special meaning"},
		{newMachine(all), "rlogin://a%60id%60@example.org/", "", "characters with a special meaning"},
		{newMachine(all), "rlogin://a%3Ab@example.org/", "", "characters with a special meaning"},
		{newMachine(all), "rlogin://" + strings.Repeat("a", 33) + "@example.org/", "", "characters with a special meaning"},
		{newMachine(all), "tn3270://a%20b@example.org/", "", "characters with a special meaning"},
		{newMachine(all), "rlogin://[::1]/", "ssh|--|::1", ""},
		{newMachine(""), "rlogin://example.org/", "", "ssh is not installed: install openssh-client"},
		{newMachine(all), "tn3270://example.org/", "c3270|example.org", ""},
		{newMachine("x3270", "DISPLAY=:0"), "tn3270://example.org:2323/", "+x3270|example.org:2323", ""},
		{newMachine("x3270"), "tn3270://[2001:db8::1]:24/", "", "install c3270 or x3270"},
		{newMachine("c3270"), "tn3270://[2001:db8::1]:24/", "c3270|[2001:db8::1]:24", ""},
		{newMachine(all, "DISPLAY=:0"), "https://example.org/a?b=c&d", "+xdg-open|https://example.org/a?b=c&d", ""},
		{newMachine(all), "mailto:jim@example.org", "xdg-open|mailto:jim@example.org", ""},
		{newMachine(""), "http://example.org/", "", "xdg-open is not installed: install xdg-utils"},
		{mac, "http://example.org/", "+open|http://example.org/", ""},
		{windows, "http://example.org/", "+rundll32|url.dll,FileProtocolHandler|http://example.org/", ""},
		{newMachine(all), "ftp://jim:pw@example.org/;type=d", "", "it has a password"},
		{demo, "tn3270://demo.gofer.test/", "c3270|127.0.0.1:40023", ""},
		{demo, "telnet://jo%40e@demo.gofer.test/", "xdg-open|telnet://jo%40e@127.0.0.1:40023/", ""},
		{demo, "http://demo.gofer.test/a@b//c?d=e/f", "xdg-open|http://127.0.0.1:40080/a@b//c?d=e/f", ""},
		{demo, "http://demo.gofer.test:81/", "", "connect to demo.gofer.test:81: connection refused"},
		{demo, "http://example.org/", "xdg-open|http://example.org/", ""},
		{demo, "mailto:jim@example.org", "xdg-open|mailto:jim@example.org", ""},
		{offline, "http://example.org/", "", "open http://example.org/: programs that use the network are not started offline"},
		{offline, "mailto:jim@example.org", "", "open mailto:jim@example.org: programs that use the network are not started offline"},
		{offline, "file:///tmp/", "xdg-open|file:///tmp/", ""},
		{ruled, "http://example.org/", "+firefox|--new-tab|http://example.org/", ""},
		{ruled, "https://example.org/", "lynx|-dump|https://example.org/|x", ""},
	} {
		h, err := tt.programs.HandoffForURL(parse(t, tt.url))
		got := ""
		if err == nil {
			got = strings.Join(h.Argv, "|")
			fetchtest.Equal(t, h.URL.String(), tt.url, "URL")
			if h.Window {
				got = "+" + got
			}
			fetchtest.Equal(t, h.Always, strings.HasPrefix(got, "lynx"), "%s: Always", tt.url)
		}
		if _, ok := errors.AsType[*protocols.Error](err); got != tt.want || (tt.fails != "") != ok ||
			err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("HandoffForURL(%s) = %q, %v; want %q, error %q", tt.url, got, err, tt.want, tt.fails)
		}
	}
	var handoff *protocols.Handoff
	if _, err := newMachine(all).Fetch(t.Context(), protocols.Request{URL: parse(t, "rlogin://h/")}); !errors.As(err, &handoff) {
		t.Errorf("Fetch returned the error %v, want a *Handoff", err)
	}
}

func TestMailcap(t *testing.T) {
	const file = `# a comment
image/*; feh %s; test=test -n "$NEVER_SET_BY_ANYBODY"
image/png; display -title \%s:%t %s
image/gif; x'%s'y "%s"
text/html; lynx -dump -assume_charset=%{charset} %s; copiousoutput; \
  nametemplate=%s.html
text/plain; less '%s'; needsterminal
text/x-script; cat %s | less; needsterminal
text/x-half; foo\;bar "%s
audio; mpg123 -
video/mp4; ; edit=x %s
multipart/mixed; show %F
application/pdf; test -r %s && zathura '%s'; test=false
application/pdf; evince %s
`
	for _, tt := range []struct {
		media, want, file string
	}{
		{"image/png", "display|-title|%s:image/png|/t/a b.x", "/t/a b.x"},
		{"IMAGE/GIF", "x/t/a b.xy|/t/a b.x", "/t/a b.x"},
		{"text/html; charset=koi8-r", `/bin/sh|-c|lynx -dump -assume_charset="${1}" "${2}"|sh|koi8-r|/t/a b.x.html`, "/t/a b.x.html"},
		{"text/plain", "less|/t/a b.x", "/t/a b.x"},
		{"text/x-script", `/bin/sh|-c|cat "${1}" | less|sh|/t/a b.x`, "/t/a b.x"},
		{"audio/mpeg", "mpg123|-", "/t/a b.x"},
		{"video/mp4", "xdg-open|/t/a b.x", "/t/a b.x"},
		{"multipart/mixed", "xdg-open|/t/a b.x", "/t/a b.x"},
		{"application/pdf", "evince|/t/a b.x", "/t/a b.x"},
		{"", "xdg-open|/t/a b.x", "/t/a b.x"},
	} {
		name := filepath.Join(t.TempDir(), "mailcap")
		fetchtest.NoError(t, os.WriteFile(name, []byte(file), 0o600))
		p := newMachine("xdg-open", "MAILCAPS=/nowhere:"+name)
		c, err := p.CommandForFile(t.Context(), parse(t, "ftp://h/a"), "/t/a b.x", tt.media)
		if err != nil {
			t.Errorf("CommandForFile for %q: %v", tt.media, err)
			continue
		}
		if got := strings.Join(c.Argv, "|"); got != tt.want || c.File != tt.file {
			t.Errorf("CommandForFile for %q = %s with the file %s; want %s, %s", tt.media, got, c.File, tt.want, tt.file)
		}
		if c.Stdin != (tt.media == "audio/mpeg") || c.Pager != strings.HasPrefix(tt.media, "text/html") {
			t.Errorf("CommandForFile for %q: got Stdin %v, Pager %v", tt.media, c.Stdin, c.Pager)
		}
	}
}

// TestMailcapQuoting checks that any value reaches the program unchanged, even through a shell.
func TestMailcapQuoting(t *testing.T) {
	const evil = `/t/$(touch x);"'` + "`id`" + ` -rf *\n`
	for _, command := range []string{
		`printf %%s %s`, `printf %%s '%s'`, `printf %%s "%s"`, `printf %%s %s | cat`, `printf %%s '%s' | cat`,
		`printf %%s "%s" | cat`,
	} {
		command = strings.ReplaceAll(command, "%%s", `\%s`)
		argv, _ := values{file: evil}.expand(command)
		if _, err := exec.LookPath(argv[0]); err != nil {
			t.Skip(err)
		}
		fetchtest.ReturnsText(t, evil, "%s is run as %q", command, argv)(exec.Command(argv[0], argv[1:]...).CombinedOutput())
	}
}

// TestMailcapHostile checks that values from a server cannot become an option. They must not become
// shell syntax either, not even in a mailcap command that itself starts a shell.
func TestMailcapHostile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mailcap")
	fetchtest.NoError(t, os.WriteFile(name, []byte("text/*; show -c %{charset} -t %t %s\n"), 0o600))
	for _, tt := range []struct{ media, want string }{
		{"text/plain; charset=utf-8", "show|-c|utf-8|-t|text/plain|/t/x"},
		{`text/plain; charset="-o/home/x"`, "show|-c||-t|text/plain|/t/x"},
		{`text/plain; charset="a$(id)"`, "show|-c||-t|text/plain|/t/x"},
		{"text/`id`", "xdg-open|/t/x"},
		{"-x/y", "xdg-open|/t/x"},
		{"text/a b", "xdg-open|/t/x"},
	} {
		p := newMachine("xdg-open", "MAILCAPS="+name)
		c := fetchtest.Must(p.CommandForFile(t.Context(), parse(t, "ftp://h/a"), "/t/x", tt.media))(t)
		fetchtest.Equal(t, strings.Join(c.Argv, "|"), tt.want, "%s", tt.media)
	}
}

func TestFileRules(t *testing.T) {
	p := newMachine("xdg-open", "DISPLAY=:0")
	p.Rules = map[string]Rule{"image/png": {Command: "feh"}, "text/*": {Command: "vim -R -- %s", Terminal: true, Always: true}}
	p.Getenv = func(string) string { return "" }
	for media, want := range map[string]string{"image/png": "feh|/t/x", "text/plain; charset=utf-8": "vim|-R|--|/t/x"} {
		c, err := p.CommandForFile(t.Context(), parse(t, "ftp://h/a"), "/t/x", media)
		if err != nil || strings.Join(c.Argv, "|") != want || c.Window == c.Always {
			t.Errorf("CommandForFile for %q = %+v, %v; want %s", media, c, err, want)
		}
	}
}
