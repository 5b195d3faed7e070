package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile/config"
	"gofer/internal/userfile/sessions"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/pictureview"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

var (
	monkeySteps  = flag.Int("monkey.steps", 400, "steps of a round of TestMonkey")
	chanceSeed   = flag.Uint64("seed", 1, "seed of the random choices of TestMonkey and TestRandomPages; 0 selects a new seed for each run")
	monkeyRounds = flag.Int("monkey.rounds", 12, "rounds of TestMonkey")
)

// slowWeb is a Fetcher of pages of all kinds. It delays some of them.
type slowWeb struct {
	web
	about *about.Client
}

func (z *slowWeb) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	select {
	case <-time.After(time.Duration(len(req.URL.String())%4) * 100 * time.Millisecond):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if req.URL.Scheme() == "about" {
		return z.about.Fetch(ctx, req)
	}
	return z.web.Fetch(ctx, req)
}

// newSlowWeb returns a slowWeb whose page /zoo links to all other pages.
func newSlowWeb(t testing.TB, b *bookmarks.Store) *slowWeb {
	w := linkedWeb()
	w.addStall(item('0', "/stalls"))
	w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 60, 40))
	for i, layout := range layouts {
		addHostilePage(w, item('1', fmt.Sprint("/hostile", i)), layout, hostileTexts())
	}
	w.addText(
		item('0', "/long"), "Long",
		strings.Repeat("1. Heading\n\nSome words, gopher://gopher.example.org/0/a and more of them.\n> quoted\n\n", 2000),
	)
	w.addSlowPage(item('1', "/slow"), 300, time.Second, nil)
	w.addSlowPage(item('1', "/cut"), 30, 50*time.Millisecond, &protocols.Error{Reason: protocols.Broken, Op: "read"})
	many := make([]protocols.Line, 5000)
	for i := range many {
		many[i] = link(protocols.Text, "item "+strconv.Itoa(i), item('0', "/item"+strconv.Itoa(i)))
	}
	w.addPage(item('1', "/many"), protocols.LayoutMenu, "Many", many...)
	w.addForm(item('0', "/survey"), &survey{})
	var trusted, known atomic.Bool
	w[item('1', "/confirm")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		if !trusted.Load() {
			return nil, &protocols.Confirm{Question: "Trust it", GiveConsent: func() { trusted.Store(true) }}
		}
		return nil, &protocols.Error{Reason: protocols.Refused, Op: "open"}
	}
	w[file("private")] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		if !known.Load() {
			return nil, &protocols.Login{Server: "ftp.example.org:21", User: "ann", With: func(string, string) { known.Store(true) }}
		}
		return nil, errors.New("a plain error")
	}
	var all []protocols.Line
	for u := range w {
		all = append(all, link(protocols.KindOf(u), u.String(), u))
	}
	slices.SortFunc(all, func(a, b protocols.Line) int { return strings.Compare(a.Text, b.Text) })
	w.addPage(item('1', "/zoo"), protocols.LayoutMenu, "All pages", all...)
	pages := aboutBookmarks(b)
	pages.Visits = func(context.Context, string, int) ([]about.Item, error) {
		return []about.Item{{URL: item('1', "/"), Title: "A hole", At: day, Count: 3}, {URL: file("pub"), At: day}}, nil
	}
	pages.Explain = func(u urlcore.URL) []protocols.Line { return []protocols.Line{info(clean.Short(u.String()))} }
	pages.Now = func() time.Time { return day }
	pages.Keys = func(kind string) (keys []about.Key) {
		for _, k := range Help(kind, new(config.Config)) {
			keys = append(keys, about.Key{Group: k.Section, Keys: k.Keys, Help: k.Help})
		}
		return keys
	}
	return &slowWeb{web: w, about: pages}
}

// addSlowPage adds n links at u, with a pause before each, and err after the last.
func (w web) addSlowPage(u urlcore.URL, n int, pause time.Duration, err error) {
	w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		lines := func(yield func(protocols.Line, error) bool) {
			for i := range n {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					yield(protocols.Line{}, context.Cause(ctx))
					return
				}
				if !yield(link(protocols.Text, fmt.Sprint("slow item ", i), item('0', fmt.Sprint("/slow", i))), nil) {
					return
				}
			}
			if err != nil {
				yield(protocols.Line{}, err)
			}
		}
		return &protocols.Resource{Head: protocols.Head{URL: u, Layout: protocols.LayoutMenu, Title: "Slow", Size: -1}, Lines: lines}, nil
	}
}

// monkey presses random keys on the pages of a slowWeb in a bubble of [synctest]. The same seed gives
// the same steps.
type monkey struct {
	*driver
	rnd  *rand.Rand
	msgs []tea.Msg // messages of commands, ready to be sent

	mu       sync.Mutex
	results  map[int]tea.Msg // messages of commands, not yet collected
	commands int

	loads []*nav.Load
	steps []string
}

func newMonkey(t *testing.T, seed uint64) *monkey {
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := newBookmarks(t, "")
	z := newSlowWeb(t, b)
	k := &monkey{rnd: rnd, results: make(map[int]tea.Msg)}
	o := addCompletions((&fakeHistory{visited: map[string]bool{item('0', "/about.txt").String(): true}, fresh: []uint64{1}}).options())
	o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
		l := nav.Open(ctx, z, req, nav.Preview(), nav.Shown(show), nav.Decode(pictureview.Decode), nav.Limit(1<<20))
		k.loads = append(k.loads, l)
		return l
	}
	o.Zone, o.Home, o.Bookmarks, o.Config.Downloads.Folder = time.UTC, item('1', "/zoo"), b, t.TempDir()
	o.Charsets = &charsetStore{all: map[string]string{}}
	o.Sessions = sessions.Open(filepath.Join(o.Config.Downloads.Folder, "sessions"))
	o.Config.ASCII, o.NoColor = rnd.IntN(3) == 0, rnd.IntN(4) == 0
	o.Forget = func(Selection) (string, error) { return "forgotten", nil }
	o.Downloads = &download.Manager{Fetcher: z, Folder: o.Config.Downloads.Folder}
	k.driver = &driver{Model: New(o), t: t}
	k.memory.Limit = 200_000
	return k
}

// run runs cmd until it returns or blocks. If cmd returns a batch, run then runs the commands of the
// batch one after the other.
func (k *monkey) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	k.commands++
	id := k.commands
	go func() {
		msg := cmd()
		k.mu.Lock()
		k.results[id] = msg
		k.mu.Unlock()
	}()
	synctest.Wait()
	k.mu.Lock()
	batch, ok := k.results[id].(tea.BatchMsg)
	if ok {
		delete(k.results, id)
	}
	k.mu.Unlock()
	for _, c := range batch {
		k.run(c)
	}
}

// collectMsgs moves the messages of commands to k.msgs, in the order of the commands.
func (k *monkey) collectMsgs() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(k.results)) {
		switch msg := k.results[id].(type) {
		case nil, tea.QuitMsg:
		default:
			k.msgs = append(k.msgs, msg)
		}
	}
	clear(k.results)
}

func (k *monkey) send(what string, msg tea.Msg) {
	k.steps = append(k.steps, what)
	_, cmd := k.Update(msg)
	k.check()
	k.run(cmd)
}

// step sends one random message, or lets some time pass.
func (k *monkey) step() {
	k.collectMsgs()
	switch n := k.rnd.IntN(100); {
	case n < 35 && len(k.msgs) > 0:
		i := k.rnd.IntN(len(k.msgs))
		msg := k.msgs[i]
		k.msgs = slices.Delete(k.msgs, i, i+1)
		k.send(fmt.Sprintf("%T", msg), msg)
	case n < 40:
		k.steps = append(k.steps, "time")
		time.Sleep(time.Duration(k.rnd.IntN(2000)) * time.Millisecond)
		synctest.Wait()
	case n < 44:
		w, h := 1+k.rnd.IntN(220), 1+k.rnd.IntN(60)
		if k.rnd.IntN(3) == 0 {
			w, h = 80, 24
		}
		k.send(fmt.Sprintf("%dx%d", w, h), tea.WindowSizeMsg{Width: w, Height: h})
	case n < 47:
		mouse := tea.Mouse{
			X: k.rnd.IntN(max(k.width, 1)), Y: k.rnd.IntN(max(k.height, 1)),
			Button: []tea.MouseButton{tea.MouseLeft, tea.MouseMiddle}[k.rnd.IntN(2)],
		}
		k.send(fmt.Sprintf("click %d,%d %v", mouse.X, mouse.Y, mouse.Button), tea.MouseClickMsg(mouse))
	case n < 48:
		k.send("wheel", tea.MouseWheelMsg(tea.Mouse{Button: []tea.MouseButton{tea.MouseWheelDown, tea.MouseWheelUp}[k.rnd.IntN(2)]}))
	case n < 50:
		texts := append(hostileTexts(), "gopher://gopher.example.org/1/zoo", "gopher://gopher.example.org/1/slow", "ftp://ftp.example.org/pub")
		text := texts[k.rnd.IntN(len(texts))]
		k.send(fmt.Sprintf("paste %.20q", text), tea.PasteMsg{Content: text})
	case n < 51:
		k.send("background", tea.BackgroundColorMsg{Color: ansi.BasicColor(k.rnd.IntN(16))})
	case n < 52:
		p := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII}[k.rnd.IntN(4)]
		k.send(p.String(), tea.ColorProfileMsg{Profile: p})
	case n < 53:
		k.send("graphemes", tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeSet})
	case n < 62:
		key := string([]rune("abcdefghijklmnopqrstuvwxyz 0123456789&/\\.*[(~世é")[k.rnd.IntN(47)])
		k.key(key)
	default:
		keys := slices.Sorted(maps.Keys(k.keys.tables[k.context()]))
		if k.rnd.IntN(4) == 0 {
			keys = []string{"enter", "down", "up", "tab", "pgdown", "esc", "left"}
		}
		k.key(keys[k.rnd.IntN(len(keys))])
	}
}

func (k *monkey) key(name string) {
	if p, ok := k.driver.Model.tab.Prompt.(*ask.Line); name == "enter" && ok && p.Label() == "Save as" &&
		!strings.HasPrefix(p.Typed(), k.opts.Config.Downloads.Folder) {
		name = "esc"
	}
	if rest, digit := strings.CutPrefix(name, "alt+"); digit && len(rest) == 1 {
		k.send(name, tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModAlt})
		return
	}
	k.send(name, keyPress(name))
}

// check checks the invariants of the Model.
func (k *monkey) check() {
	k.t.Helper()
	checkView(k.t.(*testing.T), k.driver, k.width, k.height)
	live := map[*nav.Load]string{}
	for i, t := range k.tabs {
		k.checkTab(fmt.Sprint("tab ", i+1), t)
		if l := t.Session.Loading(); l != nil {
			live[l] = "tab"
		}
	}
	if l := k.peek.tab.Session.Loading(); l != nil {
		live[l] = "peek"
		if !k.peek.open {
			k.t.Fatal("the closed pane loads a page")
		}
	}
	if !slices.Contains(k.tabs, k.tab) {
		k.t.Fatal("the tab on the screen is not one of the tabs")
	}
	synctest.Wait()
	running := 0
	k.loads = slices.DeleteFunc(k.loads, func(l *nav.Load) bool {
		select {
		case <-l.Done():
			return true
		default:
			running++
			return false
		}
	})
	_, saves := k.downloads.Active()
	if running > len(live)+saves {
		for _, l := range k.loads {
			if live[l] == "" {
				k.t.Errorf("the load of %s is still running without a tab", l.URL)
			}
		}
		k.t.Fatalf("%d loads are running, but only %d tabs and %d downloads need one", running, len(live), saves)
	}
	k.collectMsgs()
	scans := slices.ContainsFunc(k.msgs, func(msg tea.Msg) bool {
		scan, ok := msg.(viewer.ScanMsg)
		return ok && scan.Viewer == &k.tab.Viewer
	})
	if len(live) > 0 || saves > 0 || k.ticking || scans {
		return // the status line shows counts of the last tick or portion
	}
	was := k.View().Content
	k.drawn = false
	for _, t := range append(k.tabs, k.peek.tab) {
		t.Pager.Invalidate()
	}
	if is := k.View().Content; is != was {
		k.t.Fatalf("the screen is outdated: got\n%s\nwant\n%s", ansi.Strip(was), ansi.Strip(is))
	}
}

func (k *monkey) checkTab(name string, t *tab) {
	k.t.Helper()
	p := t.Session.Page()
	if p == nil {
		return
	}
	n := p.Lines.Len()
	whole := errors.Is(p.Err, io.EOF) && !p.Dropped && p.Content == nil
	switch {
	case p.Cursor < 0 || p.Top < 0 || p.TopRow < 0 || p.Left < 0 || p.Link < 0:
		k.t.Fatalf("%s: got a negative place: cursor %d, link %d, top %d, row %d, left %d", name, p.Cursor, p.Link, p.Top, p.TopRow, p.Left)
	case whole && (p.Cursor >= max(n, 1) || p.Top > max(n, t.Pager.Total())):
		k.t.Fatalf("%s of %d lines: got a place after its end: cursor %d, top %d", name, n, p.Cursor, p.Top)
	}
}

// finish ends the session and closes everything that the program has opened.
func (k *monkey) finish(cancel context.CancelFunc) {
	_ = k.endSession(true)
	cancel()
	k.closeSessions()
	k.peek.tab.Session.Close()
	k.opts.Downloads.Close()
	k.outside.RemoveFiles()
	k.writes.Wait()
	time.Sleep(time.Hour) // lets all timers expire
}

// chooseSeed returns [chanceSeed], or the current time if it is 0.
func chooseSeed() uint64 {
	if *chanceSeed == 0 {
		return uint64(time.Now().UnixNano())
	}
	return *chanceSeed
}

// TestMonkey presses random keys on all kinds of pages.
func TestMonkey(t *testing.T) {
	seed := chooseSeed()
	t.Chdir(t.TempDir())
	for round := range *monkeyRounds {
		t.Run(fmt.Sprint(seed+uint64(round)), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newMonkey(t, seed+uint64(round))
				ctx, cancel := context.WithCancel(t.Context())
				k.ctx = ctx
				defer k.finish(cancel)
				defer func() {
					if v := recover(); v != nil {
						k.logSteps()
						panic(v)
					}
					if t.Failed() {
						k.logSteps()
					}
				}()
				k.send("80x24", tea.WindowSizeMsg{Width: 80, Height: 24})
				k.run(k.Init())
				for range *monkeySteps {
					k.step()
				}
			})
		})
	}
}

// logSteps logs the last steps.
func (k *monkey) logSteps() {
	k.t.Logf("after %d steps, the last ones\n%s", len(k.steps), strings.Join(k.steps[max(0, len(k.steps)-60):], ", "))
}
