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
	"gofer/internal/testbed/realserver"
	"gofer/ui"
)

// sshdSettings returns the settings of sshd that docs/ssh.md recommends, changed for the account of
// package realserver.
func sshdSettings(t *testing.T) string {
	t.Helper()
	_, block, _ := splitAtCodeBlock(t, "ssh.md", "sshd")
	const user = "Match User gopher\n"
	if !strings.HasPrefix(block, user) {
		t.Fatalf("the block of ssh.md begins with %.40q, want %q", block, user)
	}
	return strings.Replace(block, "gopher", "labuser", 1)
}

// acceptAllEnv changes the settings of sshd, so that gofer gets all environment variables of a client.
func acceptAllEnv(settings string) string {
	return strings.Replace(settings, "AcceptEnv LANG LC_*", "AcceptEnv *", 1)
}

// secrets returns texts that appear in files of the machine.
func secrets() []string { return []string{"root:x:0:0", "daemon:x:", "BEGIN PRIVATE KEY"} }

// checkNoSecrets checks that the visitor has seen no file of the machine.
func (v *visitor) checkNoSecrets(when string) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	from := max(0, v.searched-100) // a secret may arrive in two parts
	v.searched = len(v.written)
	for _, secret := range secrets() {
		if out := v.written[from:]; bytes.Contains(out, []byte(secret)) {
			v.t.Fatalf("%s: gofer shows a file of the machine:\n%.2000s", when, out)
		}
	}
}

// checkAlive checks that gofer still answers. It opens one of two pages in turn.
func (v *visitor) checkAlive(when string) {
	v.t.Helper()
	v.typeKeys("\x07\x07") // cancels prompts
	url, shown := "about:version", "Built with"
	if v.lastPage == url {
		url, shown = "about:help", "Basics"
	}
	v.lastPage = url
	v.pasteURL(url)
	v.wait(shown)
	v.checkNoSecrets(when)
}

// TestKioskSize checks that gofer uses the size of the client's terminal, also after a change.
func TestKioskSize(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, size := range [][2]int{{101, 33}, {40, 12}, {80, 24}} {
		v := k.visit(t, size[0], size[1], "", nil)
		v.wait("gofer is a browser for")
		v.waitFilled(size[0], size[1])
		v.resize(size[0]+7, size[1]+3)
		v.waitFilled(size[0]+7, size[1]+3)
		v.typeKeys("q")
		if err := <-v.sessionEnd; err != nil {
			t.Errorf("gofer ends with %v", err)
		}
	}
	k.waitGoferCount(t, 0)
}

// TestKioskStranger logs in without a password, with the settings of docs/ssh.md as they are.
func TestKioskStranger(t *testing.T) {
	t.Parallel()
	_, settings, _ := splitAtCodeBlock(t, "ssh.md", "sshd")
	k := openKiosk(t, settings)
	k.config.User, k.config.Auth = realserver.Stranger, nil
	k.visit(t, 80, 24, "", nil).wait("gofer is a browser for")
}

// waitFilled waits until the page fills a screen of the size. It expects a horizontal rule as wide as
// the screen, and the keys in the last row.
func (v *visitor) waitFilled(width, height int) {
	v.t.Helper()
	v.waitUntil(func() bool {
		rows := strings.Split(strings.TrimRight(v.screen(), "\n"), "\n")
		ruled := slices.ContainsFunc(rows, func(row string) bool {
			return strings.HasPrefix(row, "──") && len([]rune(strings.TrimRight(row, " "))) == width
		})
		return ruled && len(rows) == height && strings.TrimSpace(rows[height-1]) != ""
	}, "does not fill "+strconv.Itoa(width)+" by "+strconv.Itoa(height)+":\n"+v.screen())
}

// TestKioskCommands checks that only gofer runs, whatever command or subsystem a client asks for, with
// or without a terminal.
func TestKioskCommands(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, command := range []string{
		"sh", "/bin/sh -i", "cat /etc/passwd", "gofer dump file:///etc/passwd", "; cat /etc/passwd", "$(cat /etc/passwd)", "`cat /etc/passwd`",
		"-c cat\n/etc/passwd", "gofer --plain", "--restrict=false", "scp -f /etc/passwd", "sftp", "/etc/passwd", "about:history", "",
	} {
		for _, subsystem := range []bool{false, true} {
			if subsystem && command != "sftp" { // sshd has no other subsystem
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
			if text := out.String(); !strings.Contains(text, "gofer is a browser for") ||
				slices.ContainsFunc(secrets(), func(s string) bool { return strings.Contains(text, s) }) {
				t.Errorf("%q, subsystem %t: printed\n%.500s", command, subsystem, text)
			}
		}
		if command == "" {
			continue // visit would ask for a shell
		}
		v := k.visit(t, 80, 24, command, nil)
		v.wait("gofer is a browser for")
		v.checkAlive(command)
		_ = v.client.Close()
	}
}

// TestKioskEnvironment checks that the server accepts only the locale variables of a client. It
// also checks that gofer starts no programs and shows no files if all variables are accepted.
func TestKioskEnvironment(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	hostile := k.hostileEnv()
	for name, value := range hostile {
		session, err := k.connect(t).NewSession()
		fetchtest.NoError(t, err)
		isLocale := strings.HasPrefix(name, "LC_") || name == "LANG"
		if err := session.Setenv(name, value); (err == nil) != isLocale {
			t.Errorf("%s: got %v, want the server to take it: %t", name, err, isLocale)
		}
		_ = session.Close()
	}

	k = openKiosk(t, acceptAllEnv(sshdSettings(t)))
	hostile = k.hostileEnv()
	world := startWorld(t)
	for _, without := range []string{"", "HOME", "XDG_CONFIG_HOME"} { // without XDG_CONFIG_HOME, gofer reads the files in $HOME
		env := map[string]string{}
		for name, value := range hostile {
			if name != without {
				env[name] = value
			}
		}
		v := k.visit(t, 80, 24, "", env)
		v.wait("gofer is a browser")
		for _, url := range []string{
			"gopher://" + world.Gopher.Addr() + "/1/types", "about:history", "about:bookmarks", "about:drafts",
			"ftp://" + world.FTP.Addr() + "/", "news:",
		} {
			v.openURL(url)
			v.typeKeys("\x1b[6~oE|V")
		}
		v.checkAlive("with the environment of a client")
		k.goferProcesses(t)
		v.typeKeys("q")
		<-v.sessionEnd
	}
}

// hostileEnv returns environment variables that name the traps.
func (k *kiosk) hostileEnv() map[string]string {
	trap := filepath.Join(k.traps, "trap")
	env := map[string]string{
		"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LC_GOFER": "$(" + trap + ")", "SSH_ORIGINAL_COMMAND": trap,
		"PATH": k.traps, "HOME": k.traps, "TMPDIR": k.traps, "NETRC": filepath.Join(k.Home, ".netrc"),
		"MAILCAPS": filepath.Join(k.Home, ".mailcap"),
		"TERMINFO": k.traps, "TERMINFO_DIRS": k.traps, "TMUX": trap + ",1,0", "STY": "1.x", "TERMCAP": "/etc/passwd",
		"DISPLAY": ":0", "WAYLAND_DISPLAY": "x",
		"GOTRACEBACK": "crash", "USER": "root", "LOGNAME": "root", "ENV": trap, "BASH_ENV": trap,
		"PS1": "$(" + trap + ")", "PS4": "$(" + trap + ")", "NNTPSERVER": "127.0.0.1:1",
	}
	for _, name := range []string{
		"EDITOR", "VISUAL", "PAGER", "BROWSER", "SHELL", "LESSOPEN", "MANPAGER", "GIT_EDITOR", "SUDO_EDITOR",
		"SENDMAIL", "SSH_ASKPASS", "TERMINAL",
	} {
		env[name] = trap
	}
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env["XDG_"+name+"_HOME"] = k.traps
	}
	return env
}

// keySequence returns the octets that a terminal sends for a key in the notation of the table of
// actions, or "" if there are none.
func keySequence(key string) string {
	named := map[string]string{
		"Enter": "\r", "Tab": "\t", "Shift-Tab": "\x1b[Z", "Space": " ", "Esc": "\x1b", "Backspace": "\x7f", "Delete": "\x1b[3~",
		"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Home": "\x1b[H", "End": "\x1b[F",
		"PgUp": "\x1b[5~", "PgDn": "\x1b[6~",
		"F1": "\x1bOP", "F2": "\x1bOQ", "F5": "\x1b[15~", "F7": "\x1b[18~",
	}
	if text := named[key]; text != "" {
		return text
	}
	if rest, ok := strings.CutPrefix(key, "Alt-"); ok {
		return "\x1b" + keySequence(rest)
	}
	if rest, ok := strings.CutPrefix(key, "Ctrl-"); ok && len(rest) == 1 {
		return string(rest[0] & 0x1f)
	}
	if len([]rune(key)) == 1 {
		return key
	}
	return ""
}

// TestKioskKeys types every key of the table of actions on a text and on a directory. It also runs each
// action from the palette. It answers prompts with the names of traps.
func TestKioskKeys(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, acceptAllEnv(sshdSettings(t)))
	world := startWorld(t)
	pages := [][2]string{ // URLs, and a text that only this page contains
		{"gopher://" + world.Gopher.Addr() + "/0/library/urls/gopher.txt", "GOPHER: URLS"},
		{"ftp://" + world.FTP.Addr() + "/pub/;type=d", "names"},
	}
	v := k.visit(t, 80, 24, "", k.hostileEnv())
	v.wait("gofer is a browser for")
	typed := 0
	for i, key := range ui.Keys(nil) {
		if strings.HasPrefix(key.Name, "quit") || strings.HasPrefix(key.Name, "stop or quit") || strings.HasPrefix(key.Name, "close") {
			continue
		}
		inputs := []string{":" + key.Name + "\r"}
		for _, label := range key.Keys {
			if label != "q" && !strings.HasPrefix(label, "Ctrl-C") {
				inputs = append(inputs, keySequence(label))
			}
		}
		for _, page := range pages {
			v.openPage(page[0], page[1])
			for _, input := range inputs {
				v.typeKeys(input + "\x15" + k.trap + "\ry\r\x07\x07")
				typed++
			}
			v.checkNoSecrets(key.Name)
		}
		if i%10 == 0 {
			v.checkAlive(key.Name)
			k.goferProcesses(t)
		}
	}
	v.checkAlive("in the end")
	if typed < 300 {
		t.Errorf("%d inputs were typed, want at least 300", typed)
	}
	for _, id := range k.goferProcesses(t) {
		if state, err := readStatus(id, "State"); err != nil || strings.HasPrefix(state, "T") {
			t.Errorf("process %d of gofer: got the state %s, %v, want another one than stopped", id, state, err)
		}
	}
	v.typeKeys("q")
	<-v.sessionEnd
	k.waitGoferCount(t, 0)
}

// openPage opens a page and waits for words. If a prompt gets the keys, openPage types the URL again.
func (v *visitor) openPage(url, words string) {
	v.t.Helper()
	var asked time.Time
	if !eventually(func() bool {
		if time.Since(asked) > time.Second {
			asked = time.Now()
			v.typeKeys("\x07\x07")
			v.pasteURL(url)
		}
		return strings.Contains(v.screen(), words)
	}) {
		v.t.Fatalf("%s is never shown:\n%s", url, v.screen())
	}
}

// TestKioskURLs checks that no URL or other text in the URL bar opens a file or starts a program.
func TestKioskURLs(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	file := filepath.Join(k.Home, "secret.txt")
	v := k.visit(t, 100, 30, "", nil)
	v.wait("gofer is a browser for")
	for _, url := range []string{
		"file://" + file, "file:" + file, "file://localhost" + file, "FILE://" + file, "file:///", "file:///etc/passwd",
		"/etc/passwd", "./secret.txt", "secret.txt", "~/secret.txt", "../home/secret.txt",
		"about:attachment/1/a?file:///etc/passwd", "about:archive?file:///etc/passwd",
		"about:entry/1/a?file:///etc/passwd", "about:message/1/?file:///etc/passwd",
		"about:join/passwd?file:///etc/passwd", "about:explain?file:///etc/passwd",
		"about:compose/mail?file:///etc/passwd", "about:compose/post?news:gofer.help",
		"about:history", "about:downloads", "about:drafts", "about:new", "about:bookmarks/../../etc/passwd",
		"mailto:root@localhost", "mailserver:root@localhost/x", "mailto:root@localhost?attach=/etc/passwd",
		"rlogin://root@localhost/", "tn3270://localhost/",
		"afs://localhost/etc/passwd", "nfs://localhost/etc/passwd", "afs:/etc/passwd", "nfs:/etc/passwd", "x500:c=us",
		"z39.50r://localhost/x?1", "z39.50s://localhost/x", "whois++://localhost/x",
		"form:file:///etc/passwd?%7B%7D", "view-source:file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x",
		"exec:/bin/sh", "lynxexec:sh", "lynxprog:sh", "shell:sh", "cid:x", "mid:x@y",
		"!sh", "|sh", "$(sh)", "`sh`", "; sh", "-e sh", "--restrict=false", "telnet://localhost:1/", "telnet:-x",
		"telnet://-x/", "finger:///etc/passwd", "gopher:///etc/passwd", "ftp:///etc/passwd",
	} {
		v.openURL(url)
		v.typeKeys("\r\ry\x07\x07")
		v.checkAlive(url)
		k.goferProcesses(t)
	}
	v.typeKeys("q")
	<-v.sessionEnd
}

// TestKioskSessions checks that a telnet session offers no shell. Gofer must end when the client
// disconnects.
func TestKioskSessions(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := startWorld(t)
	v := k.visit(t, 80, 24, "", k.localeEnv())
	v.wait("gofer is a browser for")
	v.openURL("telnet://" + world.Telnet.Addr() + "/")
	v.wait("Open a telnet session with")
	time.Sleep(600 * time.Millisecond) // the visitor reads the question, see terminal.answer
	v.typeKeys("y")
	v.wait("Welcome to the telnet session")
	for _, keys := range []string{"\x1a", "\x1c", "\x03", "\x04", "~.", "\r~^Z", "\x1d!sh\r", "\x1dz\r", "\x1dz", "\x1d!", "\x1b!"} {
		v.typeKeys(keys)
		k.goferProcesses(t)
	}
	v.checkNoSecrets("in a telnet session")
	id := k.waitGoferCount(t, 1)[0]
	if state, err := readStatus(id, "State"); err != nil || strings.HasPrefix(state, "T") {
		t.Errorf("process %d of gofer: got the state %s, %v, want another one than stopped", id, state, err)
	}
	_ = v.client.Close()
	k.waitGoferCount(t, 0)
}

// localeEnv returns the variables that docs/ssh.md allows a client to send.
func (k *kiosk) localeEnv() map[string]string { return map[string]string{"LANG": "C.UTF-8"} }

// TestKioskSignals checks that no signal and no suspend key of a client leads to a shell.
func TestKioskSignals(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	for _, sig := range []ssh.Signal{
		ssh.SIGABRT, ssh.SIGALRM, ssh.SIGFPE, ssh.SIGHUP, ssh.SIGILL, ssh.SIGINT, ssh.SIGKILL, ssh.SIGPIPE, ssh.SIGQUIT,
		ssh.SIGSEGV, ssh.SIGTERM, ssh.SIGUSR1, ssh.SIGUSR2,
		"TSTP", "STOP", "TTIN", "TTOU", "CONT", "WINCH",
	} {
		v := k.visit(t, 80, 24, "", nil)
		v.typeKeys("\x1a\x1a") // before gofer reads the terminal
		v.wait("gofer is a browser for")
		fetchtest.NoError(t, v.session.Signal(sig))
		v.typeKeys("\x1a\x1a")
		select {
		case <-v.sessionEnd: // the session may end, but no other program may run
		default:
			v.checkAlive(string(sig))
			if out := v.output(); strings.Contains(out, "goroutine ") {
				t.Errorf("%s: gofer printed its goroutines:\n%s", sig, out)
			}
		}
		k.goferProcesses(t)
		_ = v.client.Close()
		k.waitGoferCount(t, 0)
	}
}

// TestKioskForwarding checks that sshd forwards nothing, that a connection has only one session, and that
// sshd does not run ~/.ssh/rc.
func TestKioskForwarding(t *testing.T) {
	t.Parallel()
	k := openKiosk(t, sshdSettings(t))
	world := startWorld(t)
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
