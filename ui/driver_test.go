package ui

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/pictureview"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkGolden compares got with the file testdata/name.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fetchtest.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want := fetchtest.Must(os.ReadFile(path))(t)
	if got != string(want) {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", path, got, want)
	}
}

// formatScreen returns the text of a screen. It adds "<<" to rows that have a background or reverse
// video.
func formatScreen(v tea.View) string {
	var b strings.Builder
	for line := range strings.Lines(v.Content + "\n") {
		text := strings.TrimRight(ansi.Strip(strings.TrimSuffix(line, "\n")), " ")
		b.WriteString(text)
		if strings.Contains(line, "48;5;") || strings.Contains(line, ";7m") || strings.Contains(line, "[7m") {
			b.WriteString(" <<")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// web is a Fetcher in memory. It maps each URL to the function that fetches it.
// widthKey is the key of the width for which a page is shown, in the context of its fetch.
type widthKey struct{}

type web map[urlcore.URL]func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)

func (w web) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if f, ok := w[req.URL]; ok {
		return f(ctx, req)
	}
	return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch " + req.URL.String(), Code: 550, Text: "No such \x1b[31mfile"}
}

func item(typ byte, selector string) urlcore.URL {
	return urlcore.Gopher{HostPort: urlcore.HostPort{Host: "gopher.example.org"}, Type: typ, Selector: selector}
}

// addPage adds a page of lines at u.
func (w web) addPage(u urlcore.URL, layout protocols.Layout, title string, lines ...protocols.Line) {
	w.addStream(u, layout, title, func(yield func(protocols.Line, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	})
}

func (w web) addStream(u urlcore.URL, layout protocols.Layout, title string, seq iter.Seq2[protocols.Line, error]) {
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		head := protocols.Head{URL: u, Layout: layout, Title: title, Size: -1}
		return &protocols.Resource{Head: head, Lines: seq, Closer: io.NopCloser(nil)}, nil
	}
}

// addText adds a text document at u.
func (w web) addText(u urlcore.URL, title, body string) {
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		head := protocols.Head{URL: u, Media: "text/plain", Title: title, Size: int64(len(body))}
		return &protocols.Resource{Head: head, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
	}
}

// addBody adds a document without a title at u.
func (w web) addBody(u urlcore.URL, media, body string) {
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		head := protocols.Head{URL: u, Media: media, Size: -1}
		return &protocols.Resource{Head: head, Body: strings.NewReader(body), Closer: io.NopCloser(nil)}, nil
	}
}

// addFailure makes the fetch of u return err.
func (w web) addFailure(u urlcore.URL, err error) {
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) { return nil, err }
}

// addStall makes the fetch of u wait until it is canceled.
func (w web) addStall(u urlcore.URL) {
	w[u] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		protocols.ProgressFrom(ctx).Enter(protocols.Waiting, "gopher.example.org:70", 30*time.Second)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
}

// driver runs the commands of a Model one after the other, without a program.
type driver struct {
	*Model
	t         testing.TB
	otherMsgs []tea.Msg // messages not passed to Update, such as tea.QuitMsg

	terminals    *terminals      // measure the rows in checkView; may be nil
	checked      map[string]bool // rows that checkView has accepted
	checkedWidth int             // screen width of the accepted rows
}

// wideWidth is a screen width at which the path of a temporary file fits into a row on all machines.
const wideWidth = 500

func drive(t testing.TB, w web, o Options, width, height int) *driver {
	t.Helper()
	o.Open = func(ctx context.Context, req protocols.Request, show nav.Show) *nav.Load {
		return nav.Open(context.WithValue(ctx, widthKey{}, show.Width), w, req, nav.CollectText(1<<10), nav.KeepSource(), nav.Shown(show), nav.Decode(pictureview.Decode))
	}
	o.Zone = time.UTC
	if o.Home == nil {
		o.Home = item('1', "/")
	}
	if o.Downloads == nil {
		o.Downloads = &download.Manager{Fetcher: w, Folder: t.TempDir()}
	}
	t.Cleanup(o.Downloads.Close)
	d := &driver{Model: New(o), t: t}
	t.Cleanup(d.outside.RemoveFiles)
	d.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	d.run(d.openFirst(room.How{}))
	t.Cleanup(d.closeSessions)
	t.Cleanup(d.peek.tab.Session.Close)
	return d
}

// Most methods of the driver return the driver, so that a test can chain keys and checks.

// visit opens u in the tab on the screen.
func (d *driver) visit(u urlcore.URL) tea.Cmd { return d.Model.visit(room.Target{URL: u}, room.How{}) }

func (d *driver) send(msg tea.Msg) *driver { return d.run(d.sendWithoutRun(msg)) }

func (d *driver) run(cmd tea.Cmd) *driver {
	if cmd == nil {
		return d
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tickMsg, endNoticeMsg, sessionMsg:
		d.otherMsgs = append(d.otherMsgs, msg)
	case linesMsg, viewer.ScanMsg, markedMsg, result, uv.CellSizeEvent:
		d.send(msg)
	default:
		d.otherMsgs = append(d.otherMsgs, msg)
	}
	return d
}

// press sends keys by name.
func (d *driver) press(keys ...string) *driver {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyPress(k))
	}
	return d
}

// typeText types text, letter by letter.
func (d *driver) typeText(text string) *driver {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return d
}

// submit presses key, types text into the prompt that opens, and presses Enter.
func (d *driver) submit(key, text string) *driver {
	d.t.Helper()
	return d.press(key).typeText(text).press("enter")
}

func keyPress(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok {
			mod |= m.mod
			name = rest
		}
	}
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"space": tea.KeySpace, "delete": tea.KeyDelete, "insert": tea.KeyInsert, "f5": tea.KeyF5, "f1": tea.KeyF1,
	}
	if c, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: c, Mod: mod}
	}
	k := tea.KeyPressMsg{Code: []rune(name)[0], Mod: mod}
	if mod == 0 {
		k.Text = name
	}
	return k
}

func (d *driver) url() string {
	if p := d.Model.tab.Session.Page(); p != nil {
		return p.URL.String()
	}
	return ""
}

func (d *driver) screen() string { return formatScreen(d.View()) }

func (d *driver) wantURL(want urlcore.URL) *driver {
	d.t.Helper()
	if got := d.url(); got != want.String() {
		d.t.Errorf("page: got %s, want %s", got, want)
	}
	return d
}

func (d *driver) wantShown(texts ...string) *driver {
	d.t.Helper()
	for _, want := range texts {
		if got := d.screen(); !strings.Contains(got, want) {
			d.t.Errorf("the screen has no %q:\n%s", want, got)
		}
	}
	return d
}

func (d *driver) wantNotShown(texts ...string) *driver {
	d.t.Helper()
	for _, want := range texts {
		if got := d.screen(); strings.Contains(got, want) {
			d.t.Errorf("the screen has %q:\n%s", want, got)
		}
	}
	return d
}

var errFull = errors.New("no space left on device")

func linesOf(lines ...protocols.Line) (l nav.Lines) {
	l.Append(lines...)
	return l
}
