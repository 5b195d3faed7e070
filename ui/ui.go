// Package ui is the interactive program: one screen on which pages are read,
// links followed and URLs typed. Everything that takes time happens in
// commands; Update only changes what is known, View only draws it.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/about"
	"gofer/internal/outside"
	"gofer/internal/picture"
	"gofer/nav"
	"gofer/urlcore"
)

// Opener starts to fetch u; it does not wait for anything.
type Opener func(ctx context.Context, u urlcore.URL) *nav.Load

// Saver saves what u names as a file and returns the file's path and how many
// octets it has. Meanwhile it may call report, from one goroutine at a time,
// with the file's name, the octets so far and their number, or -1 if nobody
// told. It ends when ctx does.
type Saver func(ctx context.Context, u urlcore.URL, report func(name string, done, size int64)) (path string, n int64, err error)

// Selection says which visits are meant: exactly one of its fields is set.
type Selection struct {
	URL  urlcore.URL
	Host string    // of the URL, in any case
	Day  time.Time // the day of the latest visit: any time on it, in the zone meant
	All  bool
}

// Recorder notes a visit to u in the history. When ctx ends, as it does with
// the program, it notes it all the same, without delay.
type Recorder func(ctx context.Context, u urlcore.URL, title string) error

// Completer returns at most limit lines that may be meant by typed, the best first.
// It is called off the event loop; ctx ends when the answer is of no use any more.
type Completer func(ctx context.Context, typed string, limit int) []Completion

// Recaller returns at most limit URLs that were visited, the latest first.
type Recaller func(ctx context.Context, limit int) []string

// Options are what the program is given. Only Open is needed; what a nil field
// would do is not offered to the reader.
type Options struct {
	Open      Opener
	Start     string                                     // what to show first, as typed; "": Home
	Home      urlcore.URL                                // nil: about:home
	Guess     func(typed string) (urlcore.URL, error)    // nil: urlcore.Guess
	Visit     Recorder                                   // notes a page in the history; the error is a notice
	Forget    func(Selection) (notice string, err error) // removes visits from the history
	Bookmarks Bookmarks                                  // nil: none are kept
	Download  Saver                                      // nil: nothing is saved
	Zone      *time.Location                             // of the dates shown; nil: local time
	ASCII     bool                                       // draw what is gofer's own with ASCII only
	ASCIIOnly bool                                       // the terminal does not show UTF-8: pages are ASCII too
	NoColor   bool                                       // no colours, only weight and reverse video
	Theme     string                                     // dark, light, terminal, contrast or colourblind; else by the background
	Colors    Palette                                    // in place of the theme's
	Env       func(string) string                        // what the environment tells of the terminal; nil: nothing
	Mouse     bool                                       // take the mouse away from the terminal
	Complete  Completer                                  // knows what may be meant by what is typed
	Recent    Recaller                                   // knows what was visited before
	Editor    func(path string) []string                 // the program that opens a file in the reader's editor; nil: none can be edited
	Marks     Marks                                      // nil: visited and new links are not marked
	Private   bool                                       // begin in private mode
	Lend      func() (end func())                        // leaves Ctrl-C to a program that has the terminal until end; may be nil
	Graphics  picture.Graphics                           // how pictures are drawn; else with characters
	Charsets  Charsets                                   // nil: none are remembered
	Remote    bool                                       // the terminal is at the end of a line, as over SSH
	Sessions  Sessions                                   // nil: no tabs are kept
	Restore   bool                                       // begin with the tabs of the last session
	Folder    string                                     // where files are saved
	Programs  *outside.Programs                          // open what gofer does not; nil: there are none
}

// Model is the program's state, the only [tea.Model]. Its parts are plain
// structs.
type Model struct {
	*tab // the one on the screen

	opts   Options
	ctx    context.Context // of all loads and downloads
	begun  tea.Cmd         // the load of the first page, if it has begun before Init
	now    func() time.Time
	after  func(time.Duration, tea.Msg) tea.Cmd
	keys   [contexts]map[string]action
	tabs   []*tab
	peek   peek
	bar    bar
	saves  *downloads
	writes sync.WaitGroup           // to the history and the bookmarks; tabs let go
	typed  map[urlcore.URL][]string // answers given to an Ask, to propose again
	opened map[string]bool          // the URLs of pages opened, canonical and without passwords

	styles        styles
	background    background
	showsProgress bool // the terminal has a progress bar
	glyphs        glyphs
	look          picture.Look // of pictures
	width         int
	height        int
	notice        string
	noticeOf      urlcore.URL // what the notice is about, or nil
	noticeID      int
	historyError  string // the last one shown
	ticking       bool
	barLines      []string    // lines of the URL bar that were opened, the latest first
	queries       int         // questions for completions so far
	closed        []closedTab // the one closed last at the end
	memory        nav.Memory  // of all tabs, closed ones too
	pressed       string      // the key that is being handled
	private       bool        // nothing is recorded or marked
	terminal      lender
	graphics      graphics
	charsets      map[string]string // by server; nil: not looked up yet
	patterns      recalled          // what was searched for
	worthSaving   bool              // a page has come that is not gofer's own
	saving        bool              // a saveMsg is under way
	saveError     string
	tty           *os.File        // nil: the keyboard is no terminal
	temp          *temporary      // files for other programs
	allowed       map[string]bool // programs and kinds of documents to which the reader has said yes
	lastCommand   string          // that was typed to pipe something to

	drawn bool // view is up to date
	view  tea.View
}

// New returns a program that has shown nothing yet.
func New(o Options) *Model {
	if o.Guess == nil {
		o.Guess = urlcore.Guess
	}
	if o.Home == nil {
		o.Home = about.Page("home")
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	t := newTab()
	m := &Model{
		tab: t, tabs: []*tab{t}, peek: newPeek(), opts: o, ctx: context.Background(), now: time.Now, after: later,
		keys: keyTables(), saves: new(downloads),
		graphics: graphics{use: o.Graphics},
		typed:    make(map[urlcore.URL][]string),
		glyphs:   newGlyphs(o.ASCII || o.ASCIIOnly),
		opened:   make(map[string]bool), private: o.Private,
		temp: newTemporary(), allowed: make(map[string]bool),
	}
	m.restyle(backgroundOf(m.env("COLORFGBG")))
	m.showsProgress = knowsProgress(m.env)
	m.memory.Use(&t.session)
	return m
}

// Run shows the program on the terminal until the reader leaves it, ctx ends
// or the terminal is closed. When it returns, no load and no download is left.
func Run(ctx context.Context, o Options) error {
	in, err := openKeyboard()
	if err != nil {
		return err
	}
	if err := waitForeground(ctx, in); err != nil {
		return err
	}
	m := New(o)
	m.tty = in
	return m.run(ctx, in, os.Stdout, func() tea.WindowSizeMsg { return sizeOf(os.Stdout) })
}

func (m *Model) run(ctx context.Context, in io.Reader, w io.Writer, size func() tea.WindowSizeMsg, opts ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := func() { cancel(errNoTerminal) }
	if f, ok := in.(*os.File); ok {
		in = &keyboard{f, gone}
	}
	out := &output{w: w, gone: gone, pace: pace{asks: true, remote: m.opts.Remote}}
	resized, stop := notifySize()
	defer stop()
	m.ctx, m.terminal = ctx, lender{in: in, out: out, size: size, lend: m.opts.Lend}
	m.begun = m.first() // the server answers while the terminal is made ready
	// Without a profile Bubble Tea would run tmux to ask it for one.
	profile := colorprofile.Env(os.Environ())
	if profile == colorprofile.NoTTY {
		m.glyphs.cursor, out.asks = ">", false
	}
	m.graphics.put = out.replace
	first, frames := size(), &frames{out: out}
	opts = append([]tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithFilter(frames.filter), tea.WithFPS(120),
		tea.WithInput(in), tea.WithOutput(out), tea.WithWindowSize(first.Width, first.Height),
		tea.WithColorProfile(profile),
	}, opts...)
	p := tea.NewProgram(m, opts...)
	frames.drive(p)
	var watching sync.WaitGroup
	watching.Go(func() { watchSize(ctx, resized, size, p.Send) })
	context.AfterFunc(ctx, p.Quit) // WithContext would close the input while it is read
	_, err := p.Run()
	for _, t := range append(m.tabs, m.peek.tab) {
		if id := t.pictureView.drawn.image; id > 0 {
			_, _ = io.WriteString(out, picture.KittyDelete(id, m.graphics.use))
		}
	}
	kept := m.endSession(err == nil && ctx.Err() == nil) // at once: the system may end it soon
	out.wait(closeTime)
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		err = context.Cause(ctx)
	}
	cancel(nil)
	watching.Wait()
	m.closeSessions()
	m.peek.session.Close()
	m.saves.close()
	m.temp.remove()
	m.writes.Wait()
	if kept != nil && m.saveError == "" {
		err = errors.Join(err, fmt.Errorf("keep the tabs for the next time: %w", kept))
	}
	return err
}

// Init asks what the terminal looks like and opens the first page.
func (m *Model) Init() tea.Cmd {
	begun := m.begun
	if begun == nil {
		begun = m.first()
	}
	return tea.Batch(tea.RequestBackgroundColor, begun, m.lastOffer)
}

func (m *Model) first() tea.Cmd {
	if m.opts.Restore {
		return m.firstRestored()
	}
	if m.opts.Start == "" {
		return m.visit(m.opts.Home)
	}
	u, err := m.opts.Guess(strings.TrimSpace(m.opts.Start))
	if err != nil {
		m.bar.open(m.opts.Start)
		return m.goTyped()
	}
	return m.visit(u)
}

// Update takes a message to where it belongs.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.peekAt(false), m.drawPicture(m.tab), m.drawPicture(m.peek.tab), m.lookUp())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) { // these know themselves whether the screen changes
	case linesMsg:
		return m.lines(msg)
	case findMsg:
		return m.scanOn(msg)
	case linkSearchMsg:
		return m.seekOn(msg)
	case markedMsg:
		return m.marked(msg)
	case saveMsg:
		return m.saveTabs()
	}
	m.drawn = false
	cmd := m.dispatch(msg)
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseMsg, answerMsg:
		cmd = tea.Batch(cmd, m.saveLater())
	}
	return cmd
}

func (m *Model) dispatch(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return tea.Batch(m.paste(msg.Content), m.typedOn())
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if msg.IsDark() {
			m.restyle(darkBackground)
		} else {
			m.restyle(lightBackground)
		}
		m.look.Background = msg.Color
	case tea.ColorProfileMsg:
		m.look.Colors = m.colorsOf(msg.Profile)
	case peekMsg:
		return m.loadPeek(msg)
	case drawnMsg:
		return m.drew(msg)
	case uv.CellSizeEvent, uv.KittyGraphicsEvent:
		m.graphics.answered(msg)
	case tea.ModeReportMsg:
		m.modeReport(msg)
	case answerMsg:
		return m.answer(msg)
	case sessionMsg:
		return m.sessionEnded(msg)
	case outsideMsg:
		return m.outside(msg)
	case pipeMsg:
		return m.pipe(msg)
	case textSavedMsg:
		return m.textSaved(msg)
	case programMsg:
		return m.programEnded(msg)
	case tickMsg:
		return m.tickOn()
	case downloadedMsg:
		return m.downloaded(msg)
	case visitedMsg:
		return m.visited(msg)
	case bookmarkMsg:
		return m.askBookmark(msg)
	case bookmarkedMsg:
		return m.bookmarked(msg)
	case charsetsMsg:
		return m.charsetsKnown(msg)
	case charsetSavedMsg:
		return m.charsetSaved(msg)
	case forgottenMsg:
		return m.forgotten(msg)
	case completionsMsg:
		m.completed(msg)
	case recentMsg:
		m.showRecent(msg)
	case newMsg:
		return m.markNew(msg)
	case savedMsg:
		return m.tabsSaved(msg)
	case offerMsg:
		return m.offer(msg)
	case restoreMsg:
		return m.restored(msg)
	case quietMsg:
		m.quiet(msg)
	}
	return nil
}

// modeReport learns that the renderer measures by grapheme clusters now. ASCII
// stands for characters one by one, whatever the renderer does.
func (m *Model) modeReport(msg tea.ModeReportMsg) {
	if m.opts.ASCIIOnly {
		return
	}
	if msg.Mode == ansi.ModeUnicodeCore && (msg.Value.IsSet() || msg.Value.IsReset() || msg.Value.IsPermanentlySet()) {
		for _, t := range append(m.tabs, m.peek.tab) {
			t.pager.cells.method = ansi.GraphemeWidth
			t.pager.invalidate()
		}
	}
}
