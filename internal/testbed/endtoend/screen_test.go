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

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/loopback"
)

// terminal is gofer in a pseudo-terminal of 80 by 24 whose screen an emulator
// draws.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File // the emulator's end
	side   *os.File // the program's end
	done   chan error
	before *term.State // the modes of its line before the program

	mu      sync.Mutex
	emu     *vt.Emulator
	written []byte        // by the program
	drawn   int           // how much of written is on the screen
	changed chan struct{} // closed at the next write
}

// open starts gofer with args; home is its user's.
func open(t *testing.T, home string, world *loopback.World, args ...string) *terminal {
	t.Helper()
	return openCommand(t, command(home, world, "gofer", args...))
}

// openCommand starts cmd, which is a gofer.
func openCommand(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	tm := launch(t, cmd, &pty.Winsize{Rows: 24, Cols: 80})
	tm.emulate(80, 24)
	return tm
}

// command is a command of a user whose home is home.
func command(home string, world *loopback.World, name string, args ...string) *exec.Cmd {
	cmd := goferCommand(context.Background(), name, args...)
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"NNTPSERVER=" + world.NewsServer(), "GORACE=" + gorace,
	}
	return cmd
}

// emulate draws what has been written, and reads and draws from now on.
func (tm *terminal) emulate(width, height int) { tm.emulateAnswering(width, height, tm.tty) }

// emulateAnswering is emulate for a terminal whose answers go elsewhere.
func (tm *terminal) emulateAnswering(width, height int, answers io.Writer) {
	tm.emu = newEmulator(width, height)
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(answers, tm.emu) })
	_, _ = tm.Write(nil)
	copying.Go(func() { _, _ = io.Copy(tm, tm.tty) })
	tm.t.Cleanup(func() {
		_ = tm.cmd.Process.Kill()
		_ = tm.tty.Close()
		_ = tm.emu.InputPipe().(io.Closer).Close() // its Close races with its Read
		copying.Wait()
	})
}

// newEmulator returns an emulator that answers that it knows synchronized output.
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

// Write draws what the program writes. A frame is drawn when it has come whole, as
// terminals with synchronized output do.
func (tm *terminal) Write(p []byte) (int, error) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	tm.written = append(tm.written, p...)
	whole := len(tm.written)
	from := max(0, tm.drawn-len(ansi.SetModeSynchronizedOutput)) // the mark may have come in two parts
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

// change returns a channel that is closed when the program writes something.
func (tm *terminal) change() <-chan struct{} {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if tm.changed == nil {
		tm.changed = make(chan struct{})
	}
	return tm.changed
}

// shows looks at the screen until ok is true, and reports whether it was in time.
func (tm *terminal) shows(ok func() bool) bool {
	limit := time.After(patience)
	for {
		changed := tm.change()
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

// keys types.
func (tm *terminal) keys(s string) {
	tm.t.Helper()
	if _, err := tm.tty.WriteString(s); err != nil {
		tm.t.Fatal(err)
	}
}

// patience is how long a test waits for what must happen before it fails. No machine
// is so loaded that it takes as long.
const patience = time.Minute

// eventually looks at a condition until it is true, and reports whether it was in time.
func eventually(ok func() bool) bool {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// wait waits until every word stands on the screen, and returns the screen.
func (tm *terminal) wait(words ...string) string {
	tm.t.Helper()
	var got string
	var missing []string
	if !tm.shows(func() bool {
		got = tm.screen()
		missing = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(got, w) })
		return len(missing) == 0
	}) {
		tm.t.Fatalf("the screen never had %q:\n%s", missing, got)
	}
	return got
}

// bar types a URL into the bar and goes there.
func (tm *terminal) bar(url string) {
	tm.t.Helper()
	tm.keys("g")
	tm.keys("\x15" + url + "\r")
}

// here waits until the page of a URL is there, with the words, and whole: its title, if it
// has one that its URL does not have, stands at the end of the first line, and the last two have a place in the page, which it has
// none of before its first line, and do not say that more comes.
func (tm *terminal) here(url, title string, words ...string) {
	tm.t.Helper()
	var got string
	if !tm.shows(func() bool {
		got = tm.whole()
		first, _, _ := strings.Cut(got, "\n")
		place := got[max(0, strings.LastIndex(got, "──")):]
		rest, ok := strings.CutPrefix(strings.TrimSpace(first), url)
		rest, _ = strings.CutSuffix(rest, "  UTF-8")
		return ok && strings.TrimSpace(rest) == title && strings.HasPrefix(place, "── ") && !strings.Contains(place, "+ ─") && !strings.Contains(place, "waiting") && !loading(got) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(got, w) })
	}) {
		tm.t.Fatalf("the screen never was that of %s, %q, %q:\n%s", url, title, words, got)
	}
}

// to presses key, which moves the cursor, until the status line, the last one,
// holds words; it returns the screen.
func (tm *terminal) to(key, words string) string {
	tm.t.Helper()
	var before string
	tm.shows(func() bool {
		before = tm.whole()
		return !loading(before)
	})
	for range 200 {
		if strings.Contains(lastLine(before), words) {
			return before
		}
		tm.keys(key)
		after := before
		if !tm.shows(func() bool {
			after = tm.whole()
			return link(after) != link(before)
		}) {
			tm.t.Fatalf("the cursor stays before %q:\n%s\nit was\n%s", words, after, before)
		}
		before = after
	}
	tm.t.Fatalf("the cursor never came to %q:\n%s", words, before)
	return ""
}

// whole returns the screen with no frame that has come in part. The frames that the
// program writes before it knows that it may mark their ends are whole when nothing
// more comes.
func (tm *terminal) whole() string {
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

// loading reports whether the status line tells how much has come, "266 B 0 s".
func loading(screen string) bool {
	return strings.HasSuffix(strings.TrimSpace(lastLine(screen)), " s")
}

// link is the URL in the status line.
func link(screen string) string {
	url, _, _ := strings.Cut(strings.TrimSpace(lastLine(screen)), " ")
	return url
}

func lastLine(screen string) string {
	return screen[strings.LastIndexByte(strings.TrimRight(screen, "\n"), '\n')+1:]
}

// settled waits until the screen, but for its last line's hints, is want.
func (tm *terminal) settled(want string) {
	tm.t.Helper()
	if !tm.shows(func() bool { return tm.screen() == want }) {
		tm.t.Fatalf("back: the screen is\n%s\nwant\n%s", tm.screen(), want)
	}
}

// quit leaves the program.
func (tm *terminal) quit() {
	tm.t.Helper()
	tm.keys("q")
	tm.ended(0)
}

// ended waits until the program has ended with the exit code.
func (tm *terminal) ended(code int) {
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

// output returns what the program has written.
func (tm *terminal) output() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return string(tm.written)
}

// TestScreen walks through all protocols in a terminal and comes back, loses
// its server, and finds bookmarks and history again when it is started anew.
func TestScreen(t *testing.T) {
	t.Parallel()
	world := fetchtest.Started(loopback.StartWorld())(t)
	faults(world.Gopher)
	home := t.TempDir()
	hole, archive, news := "gopher://"+world.Gopher.Addr(), "ftp://"+world.FTP.Addr(), "nntp://"+world.NNTP.Addr()

	tm := open(t, home, world, hole+"/1")
	tm.here(hole+"/1", "")
	tm.wait("Welcome. This is a Gopher hole", "The tour: start here")

	t.Log("Gopher: a menu, a menu in it, a text")
	tm.keys("\x1b[6~")
	tm.wait(" telnet://")
	start := tm.to("j", "/1/hard")
	tm.bar(hole + "/1/library")
	tm.here(hole+"/1/library", "", "Histories")
	library := tm.to("j", "/1/library/urls")
	tm.keys("\r")
	tm.here(hole+"/1/library/urls", "How URLs work: RFC 1738 by example", "The general form")
	urls := tm.to("j", "/library/urls/gopher.txt")
	tm.keys("\r")
	tm.here(hole+"/0/library/urls/gopher.txt", "", "GOPHER: URLS")
	tm.keys("\x7f")
	tm.settled(urls)
	tm.keys("\x1b[D")
	tm.settled(library)
	tm.keys("h")
	tm.settled(start)

	t.Log("FTP: the root, two directories, a file")
	tm.bar(archive + "/;type=d")
	tm.here(archive+"/;type=d", "", "README")
	root := tm.to("j", "/pub;type=d")
	tm.keys("\r")
	tm.here(archive+"/pub;type=d", "", "names")
	pub := tm.to("j", "/pub/names;type=d")
	tm.keys("l")
	tm.here(archive+"/pub/names;type=d", "", "leading blank.txt")
	names := tm.to("j", "m%C3%B6we.txt")
	tm.keys("\x1b[C")
	tm.here(archive+"/pub/names/m%C3%B6we.txt", "")
	tm.keys("\x7f")
	tm.settled(names)
	tm.keys("\x7f")
	tm.settled(pub)
	tm.keys("\x7f")
	tm.settled(root)
	tm.keys("\x7f")
	tm.settled(start)

	t.Log("news: the groups, a group, an article")
	tm.bar("news:*")
	tm.here("news:*", "Newsgroups of "+world.NewsServer())
	groups := tm.to("j", "news:gofer.help")
	tm.keys("\r")
	tm.here("news:gofer.help", "Questions about gofer and its protocols, and answers")
	group := tm.to("j", "news:a-save-1@demo.example.invalid")
	tm.keys("\r")
	tm.here("news:a-save-1@demo.example.invalid", "Re: Saving exactly what the server has")
	tm.wait("Newsgroups: gofer.help")
	tm.keys("\x7f")
	tm.settled(group)
	tm.keys("\x7f")
	tm.settled(groups)
	tm.keys("\x7f")
	tm.settled(start)

	t.Log("bookmarks")
	tm.bar(news + "/gofer.test/1")
	tm.here(news+"/gofer.test/1", "A plain article")
	tm.keys("a")
	tm.wait("Title: ")
	tm.keys("\r")
	tm.wait("bookmarked")
	tm.keys("\x7f")
	tm.settled(start)
	tm.bar("ftp://gofer:gofer@" + world.FTP.Addr() + "/README")
	tm.wait(`Send the password of "gofer" to ` + world.FTP.Addr() + " in the clear? (y/N)")
	tm.keys("y")
	tm.here("ftp://gofer@"+world.FTP.Addr()+"/README", "")
	tm.keys("a")
	tm.wait("Title: ")
	tm.keys("\r")
	tm.wait("bookmarked")
	tm.keys("\x7f")
	tm.settled(start)

	t.Log("a URL that is none, and a page that never comes")
	tm.bar("gopher://h:99999/1")
	tm.wait("65535")
	tm.keys("\x1b")
	tm.settled(start)
	tm.bar(hole + "/0/test/silent")
	tm.wait("Esc stops")
	tm.keys("\x1b")
	tm.wait("Hard cases: odd selectors", "stopped")

	t.Log("a connection breaks; the server dies under a load")
	tm.bar(hole + "/1/test/breaks")
	tm.here(hole+"/1/test/breaks", "")
	tm.keys("\x1b[F")
	tm.wait("connection reset") // by peer: on the next line
	tm.keys("\x7f")
	tm.settled(start)
	tm.bar(hole + "/1/test/stalls")
	tm.wait("Here it still goes well.", "+")
	if err := world.Gopher.Close(); err != nil {
		t.Error(err)
	}
	tm.here(hole+"/1/test/stalls", "") // a menu may end with its connection
	tm.bar(hole + "/0/tour/1-moving.txt")
	tm.wait("refused")
	tm.bar(archive + "/pub;type=d")
	tm.here(archive+"/pub;type=d", "", "names")
	tm.quit()

	t.Log("the next day")
	tm = open(t, home, world)
	tm.wait("Take the tour", "A plain article")
	tm.keys("B")
	tm.here("about:bookmarks", "", "They are kept in")
	tm.to("j", "ftp://gofer@"+world.FTP.Addr()+"/README")
	tm.to("k", news+"/gofer.test/1")
	tm.keys("\r")
	tm.here(news+"/gofer.test/1", "A plain article")
	tm.keys("H")
	tm.here("about:history", "")
	tm.wait("gopher.txt", "möwe.txt", "gofer.help")
	tm.quit()

	if err := checkFiles(filepath.Join(home, ".config"), "gofer/.bookmarks.txt.lock", "gofer/bookmarks.txt"); err != nil {
		t.Error(err)
	}
	err := fs.WalkDir(os.DirFS(home), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if path != ".newsrc" && !strings.HasPrefix(path, ".cache/gofer/") && !strings.HasPrefix(path, ".config/gofer/") && !strings.HasPrefix(path, ".local/share/gofer/") && !strings.HasPrefix(path, ".local/state/gofer/") {
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
