package endtoend

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
)

// terminal is gofer in a pseudo-terminal, with an emulator that draws the screen.
type terminal struct {
	t           *testing.T
	cmd         *exec.Cmd
	tty         *os.File // the emulator's side of the pseudo-terminal
	programTTY  *os.File // gofer's side of the pseudo-terminal
	done        chan error
	modesBefore *term.State // modes before the program was started

	mu      sync.Mutex
	emu     *vt.Emulator
	written []byte        // output of the program
	drawn   int           // number of octets in written that the emulator has drawn
	changed chan struct{} // closed at the next output; may be nil
}

// startGofer starts gofer with args and the home directory home.
func startGofer(t *testing.T, home string, world *demo.World, args ...string) *terminal {
	t.Helper()
	return startCommand(t, newCommand(home, world, "gofer", args...))
}

// startCommand starts cmd, which runs gofer.
func startCommand(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	return tm
}

// newCommand returns a command of a user with the home directory home.
func newCommand(home string, world *demo.World, name string, args ...string) *exec.Cmd {
	cmd := goferCommand(context.Background(), name, args...)
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"NNTPSERVER=" + world.NewsServer(), "GORACE=" + gorace,
	}
	return cmd
}

// emulate draws the output so far, and starts to read and draw the rest.
func (tm *terminal) emulate(width, height int) { tm.emulateAnswering(width, height, tm.tty) }

// emulateAnswering is like emulate, but the terminal sends its answers to the writer answers.
func (tm *terminal) emulateAnswering(width, height int, answers io.Writer) {
	tm.emu = newEmulator(width, height)
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(answers, tm.emu) })
	_, _ = tm.Write(nil)
	copying.Go(func() { _, _ = io.Copy(tm, tm.tty) })
	tm.t.Cleanup(func() {
		_ = tm.cmd.Process.Kill()
		_ = tm.tty.Close()
		_ = tm.emu.InputPipe().(io.Closer).Close() // Close of the emulator would race with its Read
		copying.Wait()
	})
}

// newEmulator returns an emulator that reports support for synchronized output.
func newEmulator(width, height int) *vt.Emulator {
	emu := vt.NewEmulator(width, height)
	emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(params ansi.Params) bool {
		mode, _, _ := params.Param(0, 0)
		known := ansi.DECMode(mode) == ansi.ModeSynchronizedOutput
		if known {
			_, _ = io.WriteString(emu.InputPipe(), ansi.ReportMode(ansi.ModeSynchronizedOutput, ansi.ModeReset))
		}
		return known
	})
	return emu
}

// Write draws output of the program. Like a terminal with synchronized output, it draws only complete
// frames.
func (tm *terminal) Write(p []byte) (int, error) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	tm.written = append(tm.written, p...)
	whole := len(tm.written)
	from := max(0, tm.drawn-len(ansi.SetModeSynchronizedOutput)) // the sequence may arrive in two parts
	begin := bytes.LastIndex(tm.written[from:], []byte(ansi.SetModeSynchronizedOutput))
	if begin > bytes.LastIndex(tm.written[from:], []byte(ansi.ResetModeSynchronizedOutput)) {
		whole = max(tm.drawn, from+begin)
	}
	_, err := tm.emu.Write(tm.written[tm.drawn:whole])
	tm.drawn = whole
	if tm.changed != nil {
		close(tm.changed)
		tm.changed = nil
	}
	return len(p), err
}

func (tm *terminal) screen() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.emu.String()
}

// nextWrite returns a channel that is closed at the next output of the program.
func (tm *terminal) nextWrite() <-chan struct{} {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if tm.changed == nil {
		tm.changed = make(chan struct{})
	}
	return tm.changed
}

// waitFor calls ok after each output until ok returns true. It returns false after the time
// limit.
func (tm *terminal) waitFor(ok func() bool) bool {
	limit := time.After(patience)
	for {
		changed := tm.nextWrite()
		if ok() {
			return true
		}
		select {
		case <-changed:
		case <-limit:
			return false
		}
	}
}

// typeKeys types s.
func (tm *terminal) typeKeys(s string) {
	tm.t.Helper()
	if _, err := tm.tty.WriteString(s); err != nil {
		tm.t.Fatal(err)
	}
}

// answer types s into a prompt that a server has opened. gofer takes no keys there until the user has had the time to read it.
func (tm *terminal) answer(s string) {
	tm.t.Helper()
	time.Sleep(600 * time.Millisecond)
	tm.typeKeys(s)
}

// patience is the time limit for everything that a test waits for. It is long enough for a busy
// machine.
const patience = time.Minute

// eventually calls ok until ok returns true. It returns false after the time limit.
func eventually(ok func() bool) bool {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// waitUntil waits until done returns true. After the time limit it fails the test with a message that
// consists of "gofer" and fault.
func (tm *terminal) waitUntil(done func() bool, fault string) {
	tm.t.Helper()
	if !eventually(done) {
		out := tm.output()
		tm.t.Fatalf("gofer %s; its output ends in %q", fault, out[max(0, len(out)-200):])
	}
}

// wait waits until the screen contains all words, and returns the screen.
func (tm *terminal) wait(words ...string) string {
	tm.t.Helper()
	var got string
	var missing []string
	if !tm.waitFor(func() bool {
		got = tm.screen()
		missing = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(got, w) })
		return len(missing) == 0
	}) {
		tm.t.Fatalf("the screen never had %q:\n%s", missing, got)
	}
	return got
}

// openURL opens a URL through the URL bar.
func (tm *terminal) openURL(url string) {
	tm.t.Helper()
	tm.typeKeys("g")
	tm.typeKeys("\x15" + url + "\r")
}

// waitPage waits until the page of url is loaded and contains the words. The first row must consist of
// the URL and the title. If the URL contains the title, the row does not show the title, and the
// parameter title must be "". The last two rows must show a position in the page and no load. They
// must not show the keys of the URL bar, where a typed URL looks like a page without a title.
func (tm *terminal) waitPage(url, title string, words ...string) {
	tm.t.Helper()
	var got string
	if !tm.waitFor(func() bool {
		got = tm.waitForFrame()
		first, _, _ := strings.Cut(got, "\n")
		place := got[max(0, strings.LastIndex(got, "──")):]
		rest, ok := strings.CutPrefix(strings.TrimSpace(first), url)
		rest, _ = strings.CutSuffix(rest, "  UTF-8")
		loaded := !strings.Contains(place, "+ ─") && !strings.Contains(place, "waiting") &&
			!strings.Contains(place, "Esc cancel") && !isLoading(got)
		return ok && loaded && strings.TrimSpace(rest) == title && strings.HasPrefix(place, "── ") &&
			!slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(got, w) })
	}) {
		tm.t.Fatalf("gofer did not show the URL %s, the title %q and the words %q:\n%s", url, title, words, got)
	}
}

// moveTo types key until the status line contains words. The key must move the cursor. moveTo returns
// the screen.
func (tm *terminal) moveTo(key, words string) string {
	tm.t.Helper()
	var before string
	tm.waitFor(func() bool {
		before = tm.waitForFrame()
		return !isLoading(before)
	})
	for range 200 {
		if strings.Contains(lastLine(before), words) {
			return before
		}
		tm.typeKeys(key)
		after := before
		if !tm.waitFor(func() bool {
			after = tm.waitForFrame()
			return statusURL(after) != statusURL(before)
		}) {
			tm.t.Fatalf("the cursor stays before %q:\n%s\nit was\n%s", words, after, before)
		}
		before = after
	}
	tm.t.Fatalf("the cursor never came to %q:\n%s", words, before)
	return ""
}

// waitForFrame waits for a complete frame and returns the screen. While the program does not use
// synchronized output, a frame counts as complete when no more output follows.
func (tm *terminal) waitForFrame() string {
	for before := tm.screen(); ; {
		tm.mu.Lock()
		marked := bytes.Contains(tm.written, []byte(ansi.ResetModeSynchronizedOutput))
		tm.mu.Unlock()
		if marked {
			return tm.screen()
		}
		time.Sleep(20 * time.Millisecond)
		after := tm.screen()
		if after == before {
			return after
		}
		before = after
	}
}

// isLoading reports whether the status line shows the progress of a load, for example "266 B 0
// s".
func isLoading(screen string) bool {
	return strings.HasSuffix(strings.TrimSpace(lastLine(screen)), " s")
}

// statusURL returns the URL in the status line.
func statusURL(screen string) string {
	url, _, _ := strings.Cut(strings.TrimSpace(lastLine(screen)), " ")
	return url
}

func lastLine(screen string) string {
	return screen[strings.LastIndexByte(strings.TrimRight(screen, "\n"), '\n')+1:]
}

// waitScreen waits until the screen is want.
func (tm *terminal) waitScreen(want string) {
	tm.t.Helper()
	if !tm.waitFor(func() bool { return tm.screen() == want }) {
		tm.t.Fatalf("the screen is\n%s\nwant\n%s", tm.screen(), want)
	}
}

// quit types the key that ends the program, and waits for the exit.
func (tm *terminal) quit() {
	tm.t.Helper()
	tm.typeKeys("q")
	tm.waitExit(0)
}

// waitExit waits until the program exits, and checks the exit code.
func (tm *terminal) waitExit(code int) {
	tm.t.Helper()
	select {
	case err := <-tm.done:
		if got := tm.cmd.ProcessState.ExitCode(); got != code {
			tm.t.Errorf("gofer ended with %v, want the exit code %d; its output is %q", err, code, tm.output())
		}
	case <-time.After(patience):
		tm.t.Fatal("gofer does not end")
	}
}

// output returns all output of the program.
func (tm *terminal) output() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return string(tm.written)
}

// TestScreen visits pages of all protocols, goes back, and stops the server during a load. It checks
// that the next start shows the bookmarks and the history.
func TestScreen(t *testing.T) {
	t.Parallel()
	world := fetchtest.CloseAtEnd(demo.StartWorld())(t)
	addFaults(world.Gopher)
	home := t.TempDir()
	hole, archive, news := "gopher://"+world.Gopher.Addr(), "ftp://"+world.FTP.Addr(), "nntp://"+world.NNTP.Addr()

	tm := startGofer(t, home, world, hole+"/1")
	tm.waitPage(hole+"/1", "")
	tm.wait("Welcome. This is a Gopher hole", "The tour: start here")

	t.Log("Gopher: a menu, a menu in it, a text")
	tm.typeKeys("\x1b[6~")
	tm.wait(" telnet://")
	start := tm.moveTo("j", "/1/hard")
	tm.openURL(hole + "/1/library")
	tm.waitPage(hole+"/1/library", "", "Histories")
	library := tm.moveTo("j", "/1/library/urls")
	tm.typeKeys("\r")
	tm.waitPage(hole+"/1/library/urls", "How URLs work: RFC 1738 by example", "The general form")
	urls := tm.moveTo("j", "/library/urls/gopher.txt")
	tm.typeKeys("\r")
	tm.waitPage(hole+"/0/library/urls/gopher.txt", "", "GOPHER: URLS")
	tm.typeKeys("\x7f")
	tm.waitScreen(urls)
	tm.typeKeys("\x1b[D")
	tm.waitScreen(library)
	tm.typeKeys("h")
	tm.waitScreen(start)

	t.Log("FTP: the root, two directories, a file")
	tm.openURL(archive + "/;type=d")
	tm.waitPage(archive+"/;type=d", "", "README")
	root := tm.moveTo("j", "/pub;type=d")
	tm.typeKeys("\r")
	tm.waitPage(archive+"/pub;type=d", "", "names")
	pub := tm.moveTo("j", "/pub/names;type=d")
	tm.typeKeys("l")
	tm.waitPage(archive+"/pub/names;type=d", "", "leading blank.txt")
	names := tm.moveTo("j", "m%C3%B6we.txt")
	tm.typeKeys("\x1b[C")
	tm.waitPage(archive+"/pub/names/m%C3%B6we.txt", "")
	tm.typeKeys("\x7f")
	tm.waitScreen(names)
	tm.typeKeys("\x7f")
	tm.waitScreen(pub)
	tm.typeKeys("\x7f")
	tm.waitScreen(root)
	tm.typeKeys("\x7f")
	tm.waitScreen(start)

	t.Log("news: the groups, a group, an article")
	tm.openURL("news:*")
	tm.waitPage("news:*", "Newsgroups of "+world.NewsServer())
	groups := tm.moveTo("j", "news:gofer.help")
	tm.typeKeys("\r")
	tm.waitPage("news:gofer.help", "Questions about gofer and its protocols, and answers")
	group := tm.moveTo("j", "news:a-save-1@demo.example.invalid")
	tm.typeKeys("\r")
	tm.waitPage("news:a-save-1@demo.example.invalid", "Re: Saving exactly what the server has")
	tm.wait("Newsgroups: gofer.help")
	tm.typeKeys("\x7f")
	tm.waitScreen(group)
	tm.typeKeys("\x7f")
	tm.waitScreen(groups)
	tm.typeKeys("\x7f")
	tm.waitScreen(start)

	t.Log("bookmarks")
	tm.openURL(news + "/gofer.test/1")
	tm.waitPage(news+"/gofer.test/1", "A plain article")
	tm.typeKeys("a")
	tm.wait("Title   [")
	tm.typeKeys("\r")
	tm.wait("bookmarked")
	tm.typeKeys("\x7f")
	tm.waitScreen(start)
	tm.openURL("ftp://gofer:gofer@" + world.FTP.Addr() + "/README")
	tm.wait(`Send the password of "gofer" to ` + world.FTP.Addr() + " in the clear? (y/N)")
	tm.answer("y")
	tm.waitPage("ftp://gofer@"+world.FTP.Addr()+"/README", "", "gofer demonstration archive")
	tm.typeKeys("a")
	tm.wait("Title   [")
	tm.typeKeys("\r")
	tm.wait("bookmarked")
	tm.typeKeys("\x7f")
	tm.waitScreen(start)

	t.Log("a URL that is none, and a page that never comes")
	tm.openURL("gopher://h:99999/1")
	tm.wait("65535")
	tm.typeKeys("\x1b")
	tm.waitScreen(start)
	tm.openURL(hole + "/0/test/silent")
	tm.wait("Esc stops")
	tm.typeKeys("\x1b")
	tm.wait("Hard cases: odd selectors", "stopped")

	t.Log("a connection breaks; the server dies under a load")
	tm.openURL(hole + "/1/test/breaks")
	tm.waitPage(hole+"/1/test/breaks", "")
	tm.typeKeys("\x1b[F")
	tm.wait("connection reset") // "by peer" is on the next line
	tm.typeKeys("\x7f")
	tm.waitScreen(start)
	tm.openURL(hole + "/1/test/stalls")
	tm.wait("Here it still goes well.", "+")
	if err := world.Gopher.Close(); err != nil {
		t.Error(err)
	}
	tm.waitPage(hole+"/1/test/stalls", "") // no error, because a menu may end without a final dot
	tm.openURL(hole + "/0/tour/1-moving.txt")
	tm.wait("refused")
	tm.openURL(archive + "/pub;type=d")
	tm.waitPage(archive+"/pub;type=d", "", "names")
	tm.quit()

	t.Log("the next day")
	tm = startGofer(t, home, world)
	tm.wait("Take the tour", "A plain article")
	tm.typeKeys("B")
	tm.waitPage("about:bookmarks", "", "They are kept in")
	tm.moveTo("j", "ftp://gofer@"+world.FTP.Addr()+"/README")
	tm.moveTo("k", news+"/gofer.test/1")
	tm.typeKeys("\r")
	tm.waitPage(news+"/gofer.test/1", "A plain article")
	tm.typeKeys("H")
	tm.waitPage("about:history", "")
	tm.wait("gopher.txt", "möwe.txt", "gofer.help")
	tm.quit()

	if err := checkFiles(filepath.Join(home, ".config"), "gofer/.bookmarks.txt.lock", "gofer/bookmarks.txt"); err != nil {
		t.Error(err)
	}
	err := fs.WalkDir(os.DirFS(home), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if path != ".newsrc" && !strings.HasPrefix(path, ".cache/gofer/") && !strings.HasPrefix(path, ".config/gofer/") &&
			!strings.HasPrefix(path, ".local/share/gofer/") && !strings.HasPrefix(path, ".local/state/gofer/") {
			t.Errorf("a file outside the XDG folders: %s", path)
		}
		data, err := os.ReadFile(filepath.Join(home, path))
		if strings.Contains(string(data), "gofer:gofer@") {
			t.Errorf("there is a password in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
