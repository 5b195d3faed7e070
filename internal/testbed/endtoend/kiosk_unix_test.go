//go:build unix

package endtoend

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

// sshdSettings returns the settings for sshd that docs/ssh.md recommends, for the account of
// realserver.
func sshdSettings(t *testing.T) string {
	t.Helper()
	_, block, _ := block(t, "ssh.md", "sshd")
	const user = "Match User gopher\n"
	if !strings.HasPrefix(block, user) {
		t.Fatalf("the block of ssh.md begins with %.40q, want %q", block, user)
	}
	return strings.Replace(block, "gopher", "labuser", 1)
}

// openly returns settings that let everything in the environment of a client through to gofer.
func openly(settings string) string {
	return strings.Replace(settings, "AcceptEnv LANG LC_*", "AcceptEnv *", 1)
}

// secrets are words of files of the machine.
func secrets() []string { return []string{"root:x:0:0", "daemon:x:", "BEGIN PRIVATE KEY"} }

// shut checks that v has shown no file of the machine.
func (v *visitor) shut(when string) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	from := max(0, v.searched-100) // a secret may have come in two parts
	v.searched = len(v.written)
	for _, secret := range secrets() {
		if out := v.written[from:]; bytes.Contains(out, []byte(secret)) {
			v.t.Fatalf("%s: it shows a file of the machine:\n%.2000s", when, out)
		}
	}
}

// alive checks that v still has its gofer, which does what it is told: it opens one of
// two pages by turns.
func (v *visitor) alive(when string) {
	v.t.Helper()
	v.keys("\x07\x07") // leaves what is asked
	url, shown := "about:version", "Built with"
	if v.answered == url {
		url, shown = "about:help", "Basics"
	}
	v.answered = url
	v.open(url)
	v.wait(shown)
	v.shut(when)
}

// TestKioskSize: gofer starts at the size of the client's terminal, and follows it.
func TestKioskSize(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, size := range [][2]int{{101, 33}, {40, 12}, {80, 24}} {
		v := k.visit(t, size[0], size[1], "", nil)
		v.wait("gofer is a browser for")
		v.fills(size[0], size[1])
		v.resize(size[0]+7, size[1]+3)
		v.fills(size[0]+7, size[1]+3)
		v.keys("q")
		if err := <-v.left; err != nil {
			t.Errorf("gofer ends with %v", err)
		}
	}
	k.waitGofers(t, 0)
}

// fills waits until the page takes all of a screen of that size: a rule is as wide, the
// keys stand in the last row.
func (v *visitor) fills(width, height int) {
	v.t.Helper()
	v.until(func() bool {
		rows := strings.Split(strings.TrimRight(v.screen(), "\n"), "\n")
		ruled := slices.ContainsFunc(rows, func(row string) bool {
			return strings.HasPrefix(row, "──") && len([]rune(strings.TrimRight(row, " "))) == width
		})
		return ruled && len(rows) == height && strings.TrimSpace(rows[height-1]) != ""
	}, "does not fill "+strconv.Itoa(width)+" by "+strconv.Itoa(height)+":\n"+v.screen())
}

// TestKioskCommands: what a client asks to run, with a terminal or without, runs gofer and
// nothing else, and so does a subsystem.
func TestKioskCommands(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, command := range []string{
		"sh", "/bin/sh -i", "cat /etc/passwd", "gofer dump file:///etc/passwd", "; cat /etc/passwd", "$(cat /etc/passwd)", "`cat /etc/passwd`",
		"-c cat\n/etc/passwd", "gofer --plain", "--restrict=false", "scp -f /etc/passwd", "sftp", "/etc/passwd", "about:history", "",
	} {
		for _, subsystem := range []bool{false, true} {
			if subsystem && command != "sftp" { // sshd has no other
				continue
			}
			session, err := k.connect(t).NewSession()
			fetchtest.NoError(t, err)
			var out bytes.Buffer
			printed, err := session.StdoutPipe()
			fetchtest.NoError(t, err)
			start := session.Start
			if subsystem {
				start = session.RequestSubsystem
			}
			if err := start(command); err != nil {
				t.Fatalf("%q, subsystem %t: %v", command, subsystem, err)
			}
			fetchtest.Must(io.Copy(&out, printed))(t)
			if text := out.String(); !strings.Contains(text, "gofer is a browser for") || slices.ContainsFunc(secrets(), func(s string) bool { return strings.Contains(text, s) }) {
				t.Errorf("%q, subsystem %t: printed\n%.500s", command, subsystem, text)
			}
		}
		if command == "" {
			continue // no command: a shell
		}
		v := k.visit(t, 80, 24, command, nil)
		v.wait("gofer is a browser for")
		v.alive(command)
		_ = v.client.Close()
	}
}

// TestKioskEnvironment: the server takes no variable of a client but those of its locale,
// and with all of them gofer still starts no program and shows no file.
func TestKioskEnvironment(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	hostile := k.hostile()
	for name, value := range hostile {
		session, err := k.connect(t).NewSession()
		fetchtest.NoError(t, err)
		isLocale := strings.HasPrefix(name, "LC_") || name == "LANG"
		if err := session.Setenv(name, value); (err == nil) != isLocale {
			t.Errorf("%s: got %v, want the server to take it: %t", name, err, isLocale)
		}
		_ = session.Close()
	}

	k = openKiosk(t, openly(sshdSettings(t)))
	hostile = k.hostile()
	world := hostWorld(t)
	for _, without := range []string{"", "HOME", "XDG_CONFIG_HOME"} { // these hide the files of the other
		env := map[string]string{}
		for name, value := range hostile {
			if name != without {
				env[name] = value
			}
		}
		v := k.visit(t, 80, 24, "", env)
		v.wait("gofer is a browser")
		for _, url := range []string{"gopher://" + world.Gopher.Addr() + "/1/types", "about:history", "about:bookmarks", "about:drafts", "ftp://" + world.FTP.Addr() + "/", "news:"} {
			v.bar(url)
			v.keys("\x1b[6~oE|V")
		}
		v.alive("with the environment of a client")
		k.gofers(t)
		v.keys("q")
		<-v.left
	}
}

// hostile returns variables that lead to the traps.
func (k *kiosk) hostile() map[string]string {
	trap := filepath.Join(k.traps, "trap")
	env := map[string]string{
		"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LC_GOFER": "$(" + trap + ")", "SSH_ORIGINAL_COMMAND": trap,
		"PATH": k.traps, "HOME": k.traps, "TMPDIR": k.traps, "NETRC": filepath.Join(k.Home, ".netrc"), "MAILCAPS": filepath.Join(k.Home, ".mailcap"),
		"TERMINFO": k.traps, "TERMINFO_DIRS": k.traps, "TMUX": trap + ",1,0", "STY": "1.x", "TERMCAP": "/etc/passwd", "DISPLAY": ":0", "WAYLAND_DISPLAY": "x",
		"GOTRACEBACK": "crash", "USER": "root", "LOGNAME": "root", "ENV": trap, "BASH_ENV": trap, "PS1": "$(" + trap + ")", "PS4": "$(" + trap + ")", "NNTPSERVER": "127.0.0.1:1",
	}
	for _, name := range []string{"EDITOR", "VISUAL", "PAGER", "BROWSER", "SHELL", "LESSOPEN", "MANPAGER", "GIT_EDITOR", "SUDO_EDITOR", "SENDMAIL", "SSH_ASKPASS", "TERMINAL"} {
		env[name] = trap
	}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env["XDG_"+name+"_HOME"] = k.traps
	}
	return env
}

// octets returns what a terminal sends for a key of the table of actions, "" for one that
// it does not send.
func octets(key string) string {
	named := map[string]string{
		"Enter": "\r", "Tab": "\t", "Shift-Tab": "\x1b[Z", "Space": " ", "Esc": "\x1b", "Backspace": "\x7f", "Delete": "\x1b[3~",
		"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Home": "\x1b[H", "End": "\x1b[F", "PgUp": "\x1b[5~", "PgDn": "\x1b[6~",
		"F1": "\x1bOP", "F2": "\x1bOQ", "F5": "\x1b[15~", "F7": "\x1b[18~",
	}
	if text := named[key]; text != "" {
		return text
	}
	if rest, ok := strings.CutPrefix(key, "Alt-"); ok {
		return "\x1b" + octets(rest)
	}
	if rest, ok := strings.CutPrefix(key, "Ctrl-"); ok && len(rest) == 1 {
		return string(rest[0] & 0x1f)
	}
	if len([]rune(key)) == 1 {
		return key
	}
	return ""
}

// TestKioskKeys types every key of the table of actions, and names each action in the
// palette, over a text and a directory, with answers that lead to the traps.
func TestKioskKeys(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, openly(sshdSettings(t)))
	world := hostWorld(t)
	pages := [][2]string{ // and what they show; that of the one tells that gofer has left the other
		{"gopher://" + world.Gopher.Addr() + "/0/library/urls/gopher.txt", "GOPHER: URLS"},
		{"ftp://" + world.FTP.Addr() + "/pub/;type=d", "names"},
	}
	v := k.visit(t, 80, 24, "", k.hostile())
	v.wait("gofer is a browser for")
	typed := 0
	for i, key := range ui.Keys(nil) {
		if strings.HasPrefix(key.Name, "quit") || strings.HasPrefix(key.Name, "stop or quit") || strings.HasPrefix(key.Name, "close") {
			continue
		}
		inputs := []string{":" + key.Name + "\r"}
		for _, label := range key.Keys {
			if label != "q" && !strings.HasPrefix(label, "Ctrl-C") {
				inputs = append(inputs, octets(label))
			}
		}
		for _, page := range pages {
			v.reach(page[0], page[1])
			for _, input := range inputs {
				v.keys(input + "\x15" + k.trap + "\ry\r\x07\x07")
				typed++
			}
			v.shut(key.Name)
		}
		if i%10 == 0 {
			v.alive(key.Name)
			k.gofers(t)
		}
	}
	v.alive("in the end")
	if typed < 300 {
		t.Errorf("only %d keys were typed", typed)
	}
	for _, id := range k.gofers(t) {
		if state, err := status(id, "State"); err != nil || strings.HasPrefix(state, "T") {
			t.Errorf("its state is %s, %v", state, err)
		}
	}
	v.keys("q")
	<-v.left
	k.waitGofers(t, 0)
}

// reach opens a page that shows words, again if a prompt that an answer has opened
// meanwhile takes the URL.
func (v *visitor) reach(url, words string) {
	v.t.Helper()
	var asked time.Time
	if !eventually(func() bool {
		if time.Since(asked) > time.Second {
			asked = time.Now()
			v.keys("\x07\x07")
			v.open(url)
		}
		return strings.Contains(v.screen(), words)
	}) {
		v.t.Fatalf("%s is never shown:\n%s", url, v.screen())
	}
}

// TestKioskURLs: no URL, and nothing else in the URL bar, opens a file or a program.
func TestKioskURLs(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	file := filepath.Join(k.Home, "secret.txt")
	v := k.visit(t, 100, 30, "", nil)
	v.wait("gofer is a browser for")
	for _, url := range []string{
		"file://" + file, "file:" + file, "file://localhost" + file, "FILE://" + file, "file:///", "file:///etc/passwd", "/etc/passwd", "./secret.txt", "secret.txt", "~/secret.txt", "../home/secret.txt",
		"about:attachment/1/a?file:///etc/passwd", "about:archive?file:///etc/passwd", "about:entry/1/a?file:///etc/passwd", "about:message/1/?file:///etc/passwd",
		"about:join/passwd?file:///etc/passwd", "about:explain?file:///etc/passwd", "about:compose/mail?file:///etc/passwd", "about:compose/post?news:gofer.help",
		"about:history", "about:downloads", "about:drafts", "about:new", "about:bookmarks/../../etc/passwd",
		"mailto:root@localhost", "mailserver:root@localhost/x", "mailto:root@localhost?attach=/etc/passwd", "rlogin://root@localhost/", "tn3270://localhost/",
		"afs://localhost/etc/passwd", "nfs://localhost/etc/passwd", "afs:/etc/passwd", "nfs:/etc/passwd", "x500:c=us", "z39.50r://localhost/x?1", "z39.50s://localhost/x", "whois++://localhost/x",
		"form:file:///etc/passwd?%7B%7D", "view-source:file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "exec:/bin/sh", "lynxexec:sh", "lynxprog:sh", "shell:sh", "cid:x", "mid:x@y",
		"!sh", "|sh", "$(sh)", "`sh`", "; sh", "-e sh", "--restrict=false", "telnet://localhost:1/", "telnet:-x", "telnet://-x/", "finger:///etc/passwd", "gopher:///etc/passwd", "ftp:///etc/passwd",
	} {
		v.bar(url)
		v.keys("\r\ry\x07\x07")
		v.alive(url)
		k.gofers(t)
	}
	v.keys("q")
	<-v.left
}

// TestKioskSessions: a telnet session has no way out to a shell, and ends with the
// connection.
func TestKioskSessions(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := hostWorld(t)
	v := k.visit(t, 80, 24, "", k.locale())
	v.wait("gofer is a browser for")
	v.bar("telnet://" + world.Telnet.Addr() + "/")
	v.wait("Open a telnet session with")
	v.keys("y")
	v.wait("Welcome to the telnet session")
	for _, keys := range []string{"\x1a", "\x1c", "\x03", "\x04", "~.", "\r~^Z", "\x1d!sh\r", "\x1dz\r", "\x1dz", "\x1d!", "\x1b!"} {
		v.keys(keys)
		k.gofers(t)
	}
	v.shut("in a telnet session")
	id := k.waitGofers(t, 1)[0]
	if state, err := status(id, "State"); err != nil || strings.HasPrefix(state, "T") {
		t.Errorf("its state is %s, %v", state, err)
	}
	_ = v.client.Close()
	k.waitGofers(t, 0)
}

// locale returns the variables that docs/ssh.md lets a client send.
func (k *kiosk) locale() map[string]string { return map[string]string{"LANG": "C.UTF-8"} }

// TestKioskSignals: no signal that a client sends, no key for one and no request beside the
// terminal leads to a shell.
func TestKioskSignals(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, sig := range []ssh.Signal{
		ssh.SIGABRT, ssh.SIGALRM, ssh.SIGFPE, ssh.SIGHUP, ssh.SIGILL, ssh.SIGINT, ssh.SIGKILL, ssh.SIGPIPE, ssh.SIGQUIT, ssh.SIGSEGV, ssh.SIGTERM, ssh.SIGUSR1, ssh.SIGUSR2,
		"TSTP", "STOP", "TTIN", "TTOU", "CONT", "WINCH",
	} {
		v := k.visit(t, 80, 24, "", nil)
		v.keys("\x1a\x1a") // before gofer has the terminal
		v.wait("gofer is a browser for")
		fetchtest.NoError(t, v.session.Signal(sig))
		v.keys("\x1a\x1a")
		select {
		case <-v.left: // it ends, and nothing else goes on
		default:
			v.alive(string(sig))
			if out := v.output(); strings.Contains(out, "goroutine ") {
				t.Errorf("%s: gofer is ended by it", sig)
			}
		}
		k.gofers(t)
		_ = v.client.Close()
		k.waitGofers(t, 0)
	}
}

// TestKioskForwarding: nothing is forwarded, and a file of the user's own runs nothing.
func TestKioskForwarding(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := hostWorld(t)
	v := k.visit(t, 80, 24, "", nil)
	v.wait("gofer is a browser for")
	if c, err := v.client.Dial("tcp", world.Gopher.Addr()); err == nil {
		_ = c.Close()
		t.Error("TCP is forwarded")
	}
	if _, err := v.client.Dial("unix", "/run/nothing"); err == nil || !strings.Contains(k.Log(), "refused streamlocal port forward") {
		t.Errorf("a socket of the machine: got %v, want a refusal", err)
	}
	if l, err := v.client.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close()
		t.Error("the machine listens for a client")
	}
	if l, err := v.client.ListenUnix(filepath.Join(k.Home, "socket")); err == nil {
		_ = l.Close()
		t.Error("the machine listens at a socket for a client")
	}
	if _, _, err := v.client.OpenChannel("tun@openssh.com", ssh.Marshal(struct{ Mode, Unit uint32 }{1, 0x7fffffff})); err == nil {
		t.Error("a tunnel is opened")
	}
	if _, err := v.client.NewSession(); err == nil {
		t.Error("a connection has a second session")
	}
	session, err := k.connect(t).NewSession()
	fetchtest.NoError(t, err)
	x11 := ssh.Marshal(struct {
		Single           bool
		Protocol, Cookie string
		Screen           uint32
	}{false, "MIT-MAGIC-COOKIE-1", strings.Repeat("0", 32), 0})
	for request, payload := range map[string][]byte{"x11-req": x11, "auth-agent-req@openssh.com": nil} {
		if ok, err := session.SendRequest(request, true, payload); ok || err != nil {
			t.Errorf("%s: got %t, %v, want a refusal", request, ok, err)
		}
	}
}
