//go:build unix

package endtoend

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// withPrograms starts gofer where programs are the only ones of their names,
// with settings.
func withPrograms(t *testing.T, world *loopback.World, settings string, programs map[string]string, args ...string) (tm *terminal, home string) {
	t.Helper()
	home = t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(home, name)
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		fetchtest.NoError(t, os.WriteFile(name, []byte(text), mode))
	}
	for name, script := range programs {
		write("bin/"+name, "#!/bin/sh\n"+script, 0o700)
	}
	if settings != "" {
		write(".config/gofer/config.toml", settings, 0o600)
	}
	cmd := command(home, world, "gofer", args...)
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			cmd.Env[i] = "PATH=" + filepath.Join(home, "bin") + ":" + path
		}
	}
	cmd.Env = append(cmd.Env, "SECRET=do not tell", "TMPDIR="+home, "SHELL=/bin/sh")
	tm = launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 400}) // paths of temporary folders fit
	tm.emulate(400, 24)
	return tm, home
}

// leftFiles are the folders for other programs that are still there.
func leftFiles(t *testing.T, home string) []string {
	t.Helper()
	return fetchtest.Must(filepath.Glob(filepath.Join(home, "gofer-*")))(t)
}

// waitBroken waits until every word stands on the screen, if need be in several rows.
func (tm *terminal) waitBroken(words ...string) {
	tm.t.Helper()
	joined := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for _, w := range words {
		tm.until(func() bool { return strings.Contains(joined(tm.screen()), joined(w)) }, "does not show "+w)
	}
}

// menuWith serves a menu with one more line.
func menuWith(world *loopback.World, line string) {
	world.Gopher.Handle("/test/menu", func(c net.Conn, _ string) {
		_, _ = c.Write([]byte("iA menu\t\t\t\r\n" + line + "\r\n.\r\n"))
	})
}

// A program has the terminal in cooked mode, the page is back afterwards, and
// Ctrl-C and Ctrl-\ are the program's meanwhile.
func TestHandoff(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	menuWith(world, "hA login\tURL:rlogin://jim@example.org/\texample.org\t70")
	const ssh = `trap 'echo "caught it"' INT QUIT
echo "ssh: $*, secret: $SECRET"; stty -a | grep -q ' icanon' && echo cooked
while :; do read x || continue; echo "read $x"; [ "$x" = end ] && break; done
printf '\033[?1003h\033[31m'; stty raw -echo; exit 3
`
	tm, _ := withPrograms(t, world, "", map[string]string{"ssh": ssh}, "gopher://"+world.Gopher.Addr()+"/1/test/menu")
	tm.wait("A login")
	tm.here("gopher://"+world.Gopher.Addr()+"/1/test/menu", "")
	menu := tm.to("j", "rlogin://jim@example.org/")
	tm.keys("\r")
	tm.wait("ssh -l jim -- example.org", "in the terminal", `Run "ssh"? (y/N)`)
	tm.keys("y")
	tm.wait("ssh: -l jim -- example.org, secret:", "cooked")
	if strings.Contains(tm.screen(), "do not tell") {
		t.Error("the program is told the whole environment")
	}
	tm.keys("\x03")
	tm.wait("caught it")
	tm.keys("\x1c")
	tm.keys("q\r")
	tm.wait("read q")
	tm.keys("end\r")
	tm.wait("[ssh: exit status 3. Press Enter.]")
	tm.keys("\r")
	tm.settled(menu)
	tm.ordered()
	tm.quit()
	tm.restored()
}

// A signal to gofer ends the program that has the terminal, too.
func TestHandoffSignal(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	menuWith(world, "hA login\tURL:rlogin://example.org/\texample.org\t70")
	tm, home := withPrograms(t, world, "", map[string]string{"ssh": "trap 'echo ended >end; exit' TERM; echo running; while :; do sleep 0.01; done\n"},
		"gopher://"+world.Gopher.Addr()+"/1/test/menu")
	tm.wait("A login")
	tm.keys("\r")
	tm.wait(`Run "ssh"?`)
	tm.keys("y")
	tm.wait("running")
	fetchtest.NoError(t, tm.cmd.Process.Signal(syscall.SIGTERM))
	tm.ended(5)
	tm.restored()
	if _, err := os.Stat(filepath.Join(home, "end")); err != nil {
		t.Error(err)
	}
}

func TestOpenOutside(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	const settings = "[open]\n\"text/*\" = { command = \"viewer -- '%s'\", terminal = true }\n\"image/*\".command = \"window\"\nftp.command = \"other\"\n"
	programs := map[string]string{
		"viewer": `echo "viewer: $2"; cat "$2" | head -n 3; echo "Enter?"; read x; printf '\033[H\033[2J'` + "\n",
		"window": `echo "$1" >"$HOME/window"; cmp "$1" "$1"` + "\n",
	}
	tm, home := withPrograms(t, world, settings, programs, "gopher://"+world.Gopher.Addr()+"/1/tour")
	tm.wait("What gofer will not do")
	tm.here("gopher://"+world.Gopher.Addr()+"/1/tour", "")
	menu := tm.to("j", "/0/tour/6-not.txt")

	t.Log("no, then yes, then without a question")
	tm.keys("o")
	tm.waitBroken("viewer -- ", "/6-not.txt", "in the terminal", `Run "viewer"? (y/N)`)
	tm.keys("n")
	tm.settled(menu)
	tm.keys("o")
	tm.wait(`Run "viewer"? (y/N)`)
	tm.keys("y")
	tm.wait("viewer: "+home, "6. WHAT GOFER WILL NOT DO")
	if len(leftFiles(t, home)) == 0 {
		t.Error("there is no file")
	}
	tm.keys("\r")
	tm.settled(menu)
	tm.keys("o")
	tm.wait("viewer: "+home, "6. WHAT GOFER WILL NOT DO", "Enter?")
	tm.keys("\r")
	tm.settled(menu)

	t.Log("a window of its own")
	tm.bar("gopher://" + world.Gopher.Addr() + "/1/types")
	tm.here("gopher://"+world.Gopher.Addr()+"/1/types", "", "One of every item type")
	tm.to("j", "/art/gopher.png")
	tm.keys("o")
	tm.waitBroken("window ", "/gopher.png", "in a window of its own", `Run "window"? (y/N)`)
	tm.keys("y")
	tm.until(func() bool {
		name, err := os.ReadFile(filepath.Join(home, "window"))
		return err == nil && strings.HasSuffix(strings.TrimSpace(string(name)), "/gopher.png")
	}, "does not start the program")

	t.Log("a URL, and a program that is not there")
	tm.bar("ftp://" + world.FTP.Addr() + "/;type=d")
	tm.here("ftp://"+world.FTP.Addr()+"/;type=d", "", "README")
	tm.to("j", "/pub;type=d")
	tm.keys("o")
	tm.wait("other 'ftp://"+world.FTP.Addr()+"/pub;type=d'", `Run "other"? (y/N)`)
	tm.keys("y")
	tm.wait("executable file not found")
	tm.quit()
	tm.restored()
	if left := leftFiles(t, home); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	world := hostWorld(t)
	tm, home := withPrograms(t, world, "", nil, "gopher://"+world.Gopher.Addr()+"/1/types")
	tm.wait("One of every item type")
	tm.here("gopher://"+world.Gopher.Addr()+"/1/types", "", "One of every item type")
	menu := tm.whole()

	t.Log("text")
	tm.keys("|")
	tm.wait("Command:")
	tm.keys("grep -c . ; exit 7\r")
	tm.wait("25\n", "[grep -c . ; exit 7: exit status 7. Press Enter.]")
	tm.keys("\r")
	tm.settled(menu)
	tm.keys("|")
	tm.wait("Command:")
	tm.keys("\x15true\r") // reads nothing
	tm.wait("[true has ended. Press Enter.]")
	tm.keys("\r")
	tm.settled(menu)

	t.Log("octets")
	tm.to("j", "/9/types/octets.bin")
	octets := tm.whole()
	tm.keys("\x1b|")
	tm.wait("Pipe the document")
	tm.keys("\x15cksum; echo \"$SECRET\"\r")
	tm.wait("1024\n", "do not tell", "Press Enter.]")
	tm.keys("\r")
	tm.settled(octets)

	t.Log("to a file")
	tm.keys("S")
	tm.wait("Save as:")
	tm.keys("\x15~/page.txt\r")
	tm.wait("saved " + home + "/page.txt")
	want := fetchtest.Must(command(home, world, "gofer", "dump", "gopher://"+world.Gopher.Addr()+"/1/types").Output())(t)
	check := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(home, "page.txt")); string(got) != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	check(string(want))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, "page.txt"), []byte("mine"), 0o600))
	tm.keys("S")
	tm.wait("Save as:")
	tm.keys("\x15~/page.txt\r")
	tm.wait(`Overwrite "` + home + `/page.txt"? (y/N)`)
	tm.keys("n")
	tm.settled(octets)
	check("mine")
	tm.keys("S")
	tm.wait("Save as:")
	tm.keys("\x15~/page.txt\r")
	tm.wait("Overwrite")
	tm.keys("y")
	tm.wait("saved " + home + "/page.txt")
	check(string(want))
	tm.quit()
	tm.restored()
	if left := leftFiles(t, home); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}
