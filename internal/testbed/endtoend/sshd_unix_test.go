//go:build unix

package endtoend

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
)

// kiosk is a machine whose sshd runs gofer for its user.
type kiosk struct {
	*realserver.Server
	config *ssh.ClientConfig
	traps  string // folder of programs that must not be run
	trap   string // short path of one of these programs
	runLog string // file to which a trap writes when the trap is run
}

// trapNames returns the names of programs that gofer or a shell might run.
func trapNames() []string {
	return []string{
		"trap", "sh", "bash", "vi", "vim", "nano", "editor", "emacs", "less", "more", "pager", "tmux", "screen",
		"xdg-open", "open", "see", "run-mailcap",
		"sensible-editor", "sensible-pager", "sensible-browser", "www-browser", "x-www-browser", "lynx", "w3m", "firefox", "sendmail", "mail",
		"telnet", "rlogin", "ssh", "tn3270", "x3270", "infocmp", "tput", "stty", "wl-copy", "xclip", "pbcopy", "cat", "touch", "git", "pass",
	}
}

// openKiosk starts sshd with settings, and adds the traps.
func openKiosk(t *testing.T, settings string) *kiosk {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	fetchtest.NoError(t, err)
	signer := fetchtest.Must(ssh.NewSignerFromKey(private))(t)
	k := &kiosk{Server: realserver.Sshd(t, settings)}
	k.config = &ssh.ClientConfig{
		User: k.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 30 * time.Second,
	}
	fetchtest.NoError(t, buildReleased())
	gofer := fetchtest.Must(exec.LookPath(released))(t)
	program := fetchtest.Must(os.ReadFile(gofer))(t)
	authorized := ssh.MarshalAuthorizedKey(fetchtest.Must(ssh.NewPublicKey(public))(t))
	k.traps, k.trap, k.runLog = filepath.Join(k.Home, "traps"), "/usr/local/bin/trap", filepath.Join(k.Home, "ran")
	secret := "root:x:0:0: is a line of a file of the machine\n"
	files := map[string]string{
		filepath.Join(k.Root, "gofer"): string(program), filepath.Join(k.Home, ".ssh", "authorized_keys"): string(authorized),
		filepath.Join(k.Home, ".ssh", "rc"): "echo rc >>" + k.runLog + "\n", filepath.Join(k.Home, "secret.txt"): secret,
		filepath.Join(k.Home, ".netrc"):   "machine 127.0.0.1 login root:x:0:0: password root:x:0:0:\n",
		filepath.Join(k.Home, ".mailcap"): "*/*; " + k.traps + "/trap %s; test=" + k.traps + "/trap\n",
		filepath.Join(k.traps, "gofer", "config.toml"): "password_command = '" + k.traps + "/trap'\n[mail]\nsendmail = '" + k.traps + "/trap'\n" +
			"[open]\n'*/*' = { command = '" + k.traps + "/trap %s', always = true }\nhttp = { command = '" + k.traps + "/trap %s', always = true }\n",
	}
	const script = "#!/bin/sh\necho \"$0\" \"$@\" >>"
	for _, name := range trapNames() {
		files[filepath.Join(k.traps, name)] = script + k.runLog + "\n"
	}
	files[filepath.Join(k.Root, "trap")] = script + k.runLog + "\n"
	for path, text := range files {
		fetchtest.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755), os.Chmod(path, 0o755)))
	}
	fetchtest.NoError(t, errors.Join(os.WriteFile(k.runLog, nil, 0o666), os.Chmod(k.runLog, 0o666)))
	t.Cleanup(func() {
		if ran := fetchtest.Must(os.ReadFile(k.runLog))(t); len(ran) > 0 {
			t.Errorf("these programs have been run:\n%s", ran)
		}
	})
	return k
}

// connect logs in.
func (k *kiosk) connect(t *testing.T) *ssh.Client {
	t.Helper()
	c := fetchtest.Must(ssh.Dial("tcp", k.Addr, k.config))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// visitor is a session of a client. An emulator draws the screen.
type visitor struct {
	terminal
	client     *ssh.Client
	session    *ssh.Session
	sessionEnd chan error // receives the result of the session

	searched int    // octets of output that were searched for secrets
	lastPage string // page opened by the last checkAlive
}

// visit logs in with a terminal of the size. It sends the variables in env and runs command, or a
// shell if command is "".
func (k *kiosk) visit(t *testing.T, width, height int, command string, env map[string]string) *visitor {
	t.Helper()
	v := &visitor{terminal: terminal{t: t, emu: newEmulator(width, height)}, client: k.connect(t), sessionEnd: make(chan error, 1)}
	v.session = fetchtest.Must(v.client.NewSession())(t)
	for name, value := range env {
		if err := v.session.Setenv(name, value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	fetchtest.NoError(t, v.session.RequestPty("xterm-256color", height, width, ssh.TerminalModes{}))
	in := fetchtest.Must(v.session.StdinPipe())(t)
	v.session.Stdout, v.session.Stderr = &v.terminal, &v.terminal
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(in, v.emu) })
	start := v.session.Shell
	if command != "" {
		start = func() error { return v.session.Start(command) }
	}
	fetchtest.NoError(t, start())
	go func() { v.sessionEnd <- v.session.Wait() }()
	t.Cleanup(func() {
		_ = v.client.Close()
		_ = v.emu.InputPipe().(io.Closer).Close()
		copying.Wait()
	})
	return v
}

// typeKeys types s.
func (v *visitor) typeKeys(s string) {
	v.t.Helper()
	if _, err := io.WriteString(v.emu.InputPipe(), s); err != nil { // the emulator copies all input to the session
		v.t.Fatal(err)
	}
}

// openURL opens a URL through the URL bar.
func (v *visitor) openURL(url string) {
	v.t.Helper()
	v.typeKeys("g\x15" + url + "\r")
}

// pasteURL pastes a URL into the URL bar and opens it. This is faster than typing.
func (v *visitor) pasteURL(url string) {
	v.t.Helper()
	v.typeKeys("g\x15\x1b[200~" + url + "\x1b[201~\r")
}

// resize changes the size of the terminal.
func (v *visitor) resize(width, height int) {
	v.t.Helper()
	v.mu.Lock()
	v.emu.Resize(width, height)
	v.mu.Unlock()
	if err := v.session.WindowChange(height, width); err != nil {
		v.t.Fatal(err)
	}
}

// goferProcesses returns the process IDs of running gofers. It fails the test if another program
// runs.
func (k *kiosk) goferProcesses(t *testing.T) (ids []int) {
	t.Helper()
	for id, argv := range fetchtest.Must(k.Processes())(t) {
		name, _, _ := strings.Cut(argv[0], ":") // sshd adds a state to the name of the process
		switch filepath.Base(name) {
		case "gofer":
			ids = append(ids, id)
		case "sshd", "cat": // cat waits in process 1
		case "sh":
			if argv[1] != "-c" || argv[2] != "/usr/local/bin/gofer --restrict" && !isInitScript(argv[2]) {
				t.Errorf("a shell runs: %q", argv)
			}
		default:
			t.Errorf("another program runs: %q", argv)
		}
	}
	return ids
}

// isInitScript reports whether script is the script of process 1 of package realserver.
func isInitScript(script string) bool { return strings.HasPrefix(script, "# Process 1 ") }

// waitGoferCount waits until the number of running gofers is count.
func (k *kiosk) waitGoferCount(t *testing.T, count int) []int {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		ids := k.goferProcesses(t)
		if len(ids) == count {
			return ids
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d gofers run, want %d", len(ids), count)
		}
	}
}

// readStatus returns a field of /proc/ID/status, for example "RssAnon" or "State".
func readStatus(id int, field string) (string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/status")
	_, rest, ok := strings.Cut(string(data), field+":")
	if err == nil && !ok {
		err = fmt.Errorf("process %d has no %s", id, field)
	}
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value), err
}
