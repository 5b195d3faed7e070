//go:build unix

package endtoend

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// startWithPrograms starts gofer with settings. It writes programs into a folder, which comes first in
// PATH. The keys of programs are names, and the values are scripts.
func startWithPrograms(
	t *testing.T, world *demo.World, settings string, programs map[string]string, args ...string,
) (tm *terminal, home string) {
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
	cmd := newCommand(home, world, "gofer", args...)
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			cmd.Env[i] = "PATH=" + filepath.Join(home, "bin") + ":" + path
		}
	}
	cmd.Env = append(cmd.Env, "SECRET=do not tell", "TMPDIR="+home, "SHELL=/bin/sh")
	tm = launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 400}) // wide enough for paths of temporary folders
	tm.emulate(400, 24)
	return tm, home
}

// findTempFolders returns the existing temporary folders that gofer has made for other programs.
func findTempFolders(t *testing.T, home string) []string {
	t.Helper()
	return fetchtest.Must(filepath.Glob(filepath.Join(home, "gofer-*")))(t)
}

// waitWrapped waits until the screen contains all words. Line breaks within words are ignored.
func (tm *terminal) waitWrapped(words ...string) {
	tm.t.Helper()
	removeSpace := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for _, w := range words {
		tm.waitUntil(func() bool { return strings.Contains(removeSpace(tm.screen()), removeSpace(w)) }, "does not show "+w)
	}
}

// serveMenuLine serves a menu that ends with the given line.
func serveMenuLine(world *demo.World, line string) {
	world.Gopher.Handle("/test/menu", func(c net.Conn, _ string) {
		_, _ = c.Write([]byte("iA menu\t\t\t\r\n" + line + "\r\n.\r\n"))
	})
}

// TestHandoff checks that a program gets the terminal in cooked mode, and gets Ctrl-C and Ctrl-\.
// Afterwards gofer must show the page again.
func TestHandoff(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	serveMenuLine(world, "hA login\tURL:rlogin://jim@example.org/\texample.org\t70")
	const ssh = `trap 'echo "caught it"' INT QUIT
echo "ssh: $*, secret: $SECRET"; stty -a | grep -q ' icanon' && echo cooked
while :; do read x || continue; echo "read $x"; [ "$x" = end ] && break; done
printf '\033[?1003h\033[31m'; stty raw -echo; exit 3
`
	tm, _ := startWithPrograms(t, world, "", map[string]string{"ssh": ssh}, "gopher://"+world.Gopher.Addr()+"/1/test/menu")
	tm.wait("A login")
	tm.waitPage("gopher://"+world.Gopher.Addr()+"/1/test/menu", "")
	menu := tm.moveTo("j", "rlogin://jim@example.org/")
	tm.typeKeys("\r")
	tm.wait("ssh -l jim -- example.org", "in the terminal", `Run "ssh"? (y/N)`)
	tm.answer("y")
	tm.wait("ssh: -l jim -- example.org, secret:", "cooked")
	if strings.Contains(tm.screen(), "do not tell") {
		t.Error("the program got the variable SECRET of gofer's environment")
	}
	tm.typeKeys("\x03")
	tm.wait("caught it")
	tm.typeKeys("\x1c")
	tm.typeKeys("q\r")
	tm.wait("read q")
	tm.typeKeys("end\r")
	tm.wait("[ssh: exit status 3. Press Enter.]")
	tm.typeKeys("\r")
	tm.waitScreen(menu)
	tm.checkModesReset()
	tm.quit()
	tm.checkRestored()
}

func TestOpenOutside(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	const settings = "[open]\n\"text/*\" = { command = \"viewer -- '%s'\", terminal = true }\n" +
		"\"image/*\".command = \"window\"\nftp.command = \"other\"\n"
	programs := map[string]string{
		"viewer": `echo "viewer: $2"; cat "$2" | head -n 3; echo "Enter?"; read x; printf '\033[H\033[2J'` + "\n",
		"window": `echo "$1" >"$HOME/window"; cmp "$1" "$1"` + "\n",
	}
	tm, home := startWithPrograms(t, world, settings, programs, "gopher://"+world.Gopher.Addr()+"/1/tour")
	tm.wait("What gofer will not do")
	tm.waitPage("gopher://"+world.Gopher.Addr()+"/1/tour", "")
	menu := tm.moveTo("j", "/0/tour/6-not.txt")

	t.Log("no, then yes, then without a question")
	tm.typeKeys("o")
	tm.waitWrapped("viewer -- ", "/6-not.txt", "in the terminal", `Run "viewer"? (y/N)`)
	tm.answer("n")
	tm.waitScreen(menu)
	tm.typeKeys("o")
	tm.wait(`Run "viewer"? (y/N)`)
	tm.answer("y")
	tm.wait("viewer: "+home, "6. WHAT GOFER WILL NOT DO")
	if len(findTempFolders(t, home)) == 0 {
		t.Error("got no temporary file for the viewer")
	}
	tm.typeKeys("\r")
	tm.waitScreen(menu)
	tm.typeKeys("o")
	tm.wait("viewer: "+home, "6. WHAT GOFER WILL NOT DO", "Enter?")
	tm.typeKeys("\r")
	tm.waitScreen(menu)

	t.Log("a window of its own")
	tm.openURL("gopher://" + world.Gopher.Addr() + "/1/types")
	tm.waitPage("gopher://"+world.Gopher.Addr()+"/1/types", "", "One of every item type")
	tm.moveTo("j", "/art/gopher.png")
	tm.typeKeys("o")
	tm.waitWrapped("window ", "/gopher.png", "in a new window", `Run "window"? (y/N)`)
	tm.answer("y")
	tm.waitUntil(func() bool {
		name, err := os.ReadFile(filepath.Join(home, "window"))
		return err == nil && strings.HasSuffix(strings.TrimSpace(string(name)), "/gopher.png")
	}, "does not start the program")

	t.Log("a URL, and a program that is not there")
	tm.openURL("ftp://" + world.FTP.Addr() + "/;type=d")
	tm.waitPage("ftp://"+world.FTP.Addr()+"/;type=d", "", "README")
	tm.moveTo("j", "/pub;type=d")
	tm.typeKeys("o")
	tm.wait("other 'ftp://"+world.FTP.Addr()+"/pub;type=d'", `Run "other"? (y/N)`)
	tm.answer("y")
	tm.wait("executable file not found")
	tm.quit()
	tm.checkRestored()
	if left := findTempFolders(t, home); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	world := startWorld(t)
	tm, home := startWithPrograms(t, world, "", nil, "gopher://"+world.Gopher.Addr()+"/1/types")
	tm.wait("One of every item type")
	tm.waitPage("gopher://"+world.Gopher.Addr()+"/1/types", "", "One of every item type")
	menu := tm.waitForFrame()

	t.Log("text")
	tm.typeKeys("|")
	tm.wait("Command:")
	tm.typeKeys("grep -c . ; exit 7\r")
	tm.wait("25\n", "[grep -c . ; exit 7: exit status 7. Press Enter.]")
	tm.typeKeys("\r")
	tm.waitScreen(menu)
	tm.typeKeys("|")
	tm.wait("Command:")
	tm.typeKeys("\x15true\r") // does not read its input
	tm.wait("[true has ended. Press Enter.]")
	tm.typeKeys("\r")
	tm.waitScreen(menu)

	t.Log("octets")
	tm.moveTo("j", "/9/types/octets.bin")
	octets := tm.waitForFrame()
	tm.typeKeys("\x1b|")
	tm.wait("Pipe the document")
	tm.typeKeys("\x15cksum; echo \"$SECRET\"\r")
	tm.wait("1024\n", "do not tell", "Press Enter.]")
	tm.typeKeys("\r")
	tm.waitScreen(octets)

	t.Log("to a file")
	tm.typeKeys("S")
	tm.wait("Save as:")
	tm.typeKeys("\x15~/page.txt\r")
	tm.wait("saved page.txt (in ~)")
	want := fetchtest.Must(newCommand(home, world, "gofer", "dump", "gopher://"+world.Gopher.Addr()+"/1/types").Output())(t)
	check := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(home, "page.txt")); string(got) != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	check(string(want))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(home, "page.txt"), []byte("mine"), 0o600))
	tm.typeKeys("S")
	tm.wait("Save as:")
	tm.typeKeys("\x15~/page.txt\r")
	tm.wait(`Overwrite "~/page.txt"? (y/N)`)
	tm.answer("n")
	tm.waitScreen(octets)
	check("mine")
	tm.typeKeys("S")
	tm.wait("Save as:")
	tm.typeKeys("\x15~/page.txt\r")
	tm.wait("Overwrite")
	tm.answer("y")
	tm.wait("saved page.txt (in ~)")
	check(string(want))
	tm.quit()
	tm.checkRestored()
	if left := findTempFolders(t, home); len(left) > 0 {
		t.Errorf("these are left: %q", left)
	}
}
