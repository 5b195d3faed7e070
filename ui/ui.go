package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/internal/program/job"
	"gofer/nav"
	"gofer/ui/aids"
	"gofer/ui/ask"
	"gofer/ui/bookmarking"
	"gofer/ui/cell"
	"gofer/ui/outside"
	"gofer/ui/pictureview"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Model is the program's state, the only [tea.Model]. Its parts are plain
// structs.
type Model struct {
	opts    Options
	ctx     context.Context // of all loads and downloads
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	keys    *keymap
	pressed string // the key that is being handled
	// firstKey waits for a second one, see [Model.key]; or nil.
	firstKey *tea.KeyPressMsg
	opening  *nav.Load // of the first page, begun before the model was made; nil when a tab has it
	begun    tea.Cmd   // waits for the first page, if its load has begun before Init

	// Pages.
	tab      *tab // the one on the screen
	tabs     []*tab
	closed   []closedTab // the one closed last at the end
	memory   nav.Memory  // of all tabs, closed ones too
	peek     peek
	unloaded []*tab          // of the tabs that were opened together, see loadTabs
	opened   map[string]bool // the URLs of pages opened, canonical and without passwords

	// What is typed.
	bar        *ask.Bar                    // the URL that is typed, or nil
	promptHelp *ask.Help                   // the keys of the open prompt, or nil
	barLines   ask.Recalled                // lines of the URL bar that were opened
	host       viewer.Host                 // of all tabs
	patterns   ask.Recalled                // what was searched for
	typed      map[urlcore.URL][]ask.Field // of an Ask as they were filled in, to propose again
	held       *heldKeys                   // for a prompt that will come; or nil

	// What is kept.
	private      bool            // nothing is recorded or marked
	saver        tabSaver        // of the tabs
	writes       sync.WaitGroup  // to the history and the bookmarks; tabs let go
	historyError string          // the last one shown
	undoRule     *ruleChange     // takes the last score rule back; or nil
	undoMarks    *newsMarks      // takes the last marks of articles back; or nil
	sending      map[string]bool // servers with a call of SendPosts under way
	newsChanged  bool            // since the unread articles of groups were counted last

	downloads *transfer.Downloads
	changes   *transfer.Changes
	outside   *outside.Programs
	bookmarks *bookmarking.Bookmarks
	aids      *aids.Aids

	// The terminal.
	mouse         bool // it is taken away from the terminal
	hyperlinks    cell.Hyperlinks
	terminal      *term.Terminal
	panics        *term.Panics
	graphics      pictureview.Graphics
	showsProgress bool // it has a progress bar
	width, height int

	// The screen.
	background cell.Background
	preview    string // the theme that is shown before it is chosen, or ""
	fewColors  bool   // the terminal has 16
	overLine   bool   // the terminal is remote or slow
	styles     cell.Styles
	glyphs     cell.Glyphs
	look       picture.Look // of pictures
	notice     string
	noticeOf   urlcore.URL // what the notice is about, or nil
	typedURL   urlcore.URL // set by openTyped, first and follow while they call visit; or nil
	isOffer    bool        // the notice names a key as the hints do, which it leaves on the screen
	noticeID   int
	ticking    bool // a tickMsg is under way
	awaiting   bool // the first page, before anything is drawn
	noColorYet bool // the first frame waits for the color of the background
	drawn      bool // view is up to date
	view       tea.View
}

// New returns a program that has shown nothing yet.
func New(o Options) *Model {
	o.setDefaults()
	km, _ := newKeymap(o.Restricted, o.Preset, o.Keys)
	m := &Model{
		opts: o, ctx: context.Background(), now: time.Now, after: later, keys: km,
		opened: make(map[string]bool), sending: make(map[string]bool),
		typed: make(map[urlcore.URL][]ask.Field), private: o.Private, mouse: o.Mouse,
		panics: new(term.Panics), terminal: new(term.Terminal),
		graphics: pictureview.NewGraphics(o.Graphics),
	}
	km.onNews = func() bool { return m.tab.isNews() || m.tab.onUnsent() }
	m.addFeatures()
	m.host = viewer.Host{Say: m.say, Follow: m.followFocused, KeyOf: km.keyOf, Patterns: &m.patterns}
	t := newTab(&m.host)
	m.tab, m.tabs, m.peek = t, []*tab{t}, newPeek(&m.host)
	t.Pager.WrapHost = make(map[string]bool)
	m.restyle(cell.BackgroundOf(m.env))
	m.showsProgress = term.KnowsProgress(m.env)
	m.hyperlinks = cell.NewHyperlinks(o.Hyperlinks, o.ASCIIOnly, o.Remote, m.env)
	m.memory.Use(&t.Session)
	m.orderArticles(t)
	return m
}

// openStart begins to load the page that the program starts with, so that the server answers
// while the model is made. It returns nil if that page is not a URL of the command line.
func (o *Options) openStart(ctx context.Context) *nav.Load {
	if o.Restore || o.Start == "" || o.Guess == nil {
		return nil
	}
	u, err := o.Guess(strings.TrimSpace(o.Start))
	if err != nil {
		return nil
	}
	l := o.open(ctx, &tab{typedURL: u}, u)
	runtime.Gosched() // the load runs until it waits for the server: no other processor may be idle
	return l
}

// Run shows the program on the terminal until the reader leaves it, ctx ends
// or the terminal is closed. When it returns, no load and no download is left.
func Run(ctx context.Context, o Options) error {
	in, err := term.OpenKeyboard()
	if err != nil {
		return err
	}
	if err := job.WaitForeground(ctx, in); err != nil {
		return err
	}
	opening := o.openStart(ctx)
	m := New(o)
	m.opening = opening
	m.graphics.Measure = func() tea.Msg { return term.CellSize(os.Stdout) }
	return m.run(ctx, in, os.Stdout, func() tea.WindowSizeMsg { return term.SizeOf(os.Stdout) })
}

func (m *Model) run(ctx context.Context, in io.Reader, w io.Writer, size func() tea.WindowSizeMsg, opts ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.ctx = ctx
	m.terminal = term.New(term.Options{Input: in, Output: w, Size: size, Remote: m.opts.Remote, Lend: m.opts.Lend, Panics: m.panics, Cancel: cancel})
	m.begun = m.first() // the server answers while the terminal is made ready
	m.restyle(m.background)
	m.graphics.Put, m.awaiting = m.terminal.Replace, true
	p := m.terminal.NewProgram(ctx, m, m.awaitsFirstFrame, opts...)
	setReset := m.opts.SetReset
	if setReset == nil {
		setReset = func(func()) {}
	}
	setReset(m.terminal.Reset)
	_, err := p.Run()
	for _, t := range m.allTabs() {
		if raw := t.PictureView.Replace(&m.graphics, pictureview.Drawing{}); raw != "" {
			m.terminal.WriteLast(raw)
		}
	}
	var kept error
	m.panics.Do(func() { // at once: the system may end it soon
		kept = m.endSession(err == nil && ctx.Err() == nil && m.panics.Caught() == nil)
	})
	m.terminal.Flush()
	setReset(nil)
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		err = context.Cause(ctx)
	}
	if p := m.panics.Caught(); p != nil {
		err = m.crashed(p)
	}
	cancel(nil)
	m.terminal.Close()
	m.shutDown()
	err = m.changes.Unstored(err)
	if kept != nil && m.saver.err == "" {
		err = errors.Join(err, fmt.Errorf("keep the tabs for the next time: %w", kept))
	}
	return err
}

// shutDown stops what was begun for the screen and waits for it.
func (m *Model) shutDown() {
	m.panics.Do(m.closeSessions)
	m.peek.tab.Session.Close()
	if m.opts.Downloads != nil {
		m.opts.Downloads.Close()
	}
	m.outside.RemoveFiles()
	m.writes.Wait()
}

// Init asks what the terminal looks like and opens the first page.
func (m *Model) Init() tea.Cmd {
	begun := m.begun
	if begun == nil {
		begun = m.first()
	}
	return tea.Batch(m.requestBackground(), begun, m.lastOffer, m.after(firstFrameTime, firstFrameMsg{}))
}

// requestBackground asks the terminal for the color of its background. On a slow line the first
// frame waits for the answer: drawn before it in other colors, the screen would be sent twice.
func (m *Model) requestBackground() tea.Cmd {
	if !m.opts.Remote || m.opts.NoColor {
		return tea.RequestBackgroundColor
	}
	m.noColorYet = true
	request := func() tea.Msg {
		m.terminal.Request(m.ctx, ansi.RequestBackgroundColor)
		return nil
	}
	return tea.Batch(request, m.after(backgroundTime, backgroundLateMsg{}))
}

// backgroundTime is how long the first frame waits for the color of the background.
const backgroundTime = 200 * time.Millisecond

// backgroundLateMsg says that the first frame has waited for the background long enough.
type backgroundLateMsg struct{}

func (backgroundLateMsg) apply(m *Model) tea.Cmd {
	m.noColorYet = false
	return nil
}

// awaitsFirstFrame reports whether nothing is to be drawn yet.
func (m *Model) awaitsFirstFrame() bool { return m.awaiting || m.noColorYet }

func (m *Model) first() tea.Cmd {
	if m.opts.Restore {
		return m.firstRestored()
	}
	if m.opts.Start == "" {
		return m.visit(m.opts.Home)
	}
	u, err := m.opts.Guess(strings.TrimSpace(m.opts.Start))
	if err != nil {
		m.bar = ask.NewBar(m.places(), m.opts.Start)
		return m.answer("go")
	}
	m.typedURL = u
	cmd := m.visit(u)
	m.typedURL = nil
	if m.opts.Notice != "" {
		cmd = tea.Batch(cmd, m.say(m.opts.Notice))
	}
	return cmd
}

// firstFrameTime is how long the first frame waits for the first page: one that is
// near is there at once, and what would be drawn before is drawn twice.
const firstFrameTime = 30 * time.Millisecond

// firstFrameMsg says that the first frame has waited long enough.
type firstFrameMsg struct{}

func (firstFrameMsg) apply(m *Model) tea.Cmd {
	m.awaiting = false
	return nil
}

// Update takes a message to where it belongs, and begins what the screen then lacks.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	m.tab.ShowWaiting()
	m.peek.tab.ShowWaiting()
	m.awaiting = m.awaiting && m.tab.Session.Loading() != nil && m.tab.Pager.Total() == 0 && m.openPrompt() == nil // a page may come in a moment
	return m, tea.Batch(cmd, m.followCursor(), m.drawPicture(m.tab), m.drawPicture(m.peek.tab), m.laySixel(), m.lookUp(), m.loadTabs())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(background); !ok {
		m.drawn = false
	}
	if m.hold(msg) {
		return nil
	}
	switch msg := msg.(type) {
	case result:
		return msg.apply(m)
	case viewer.ScanMsg:
		changed, cmd := msg.Viewer.Slice(msg.Viewer == &m.focusedTab().Viewer)
		m.drawn = m.drawn && !changed
		return cmd
	case tea.KeyPressMsg:
		return m.handled(m.key(msg))
	case tea.MouseMsg:
		return m.handled(tea.Batch(m.endFirstKey(), m.mouseMsg(msg)))
	case tea.PasteMsg:
		return tea.Batch(m.endFirstKey(), m.paste(msg.Content))
	}
	return m.terminalMsg(msg)
}

// handled is for a key or the mouse: the pane follows the cursor from now on, and the
// tabs are saved.
func (m *Model) handled(cmd tea.Cmd) tea.Cmd {
	m.peek.follow(m.tab)
	return tea.Batch(cmd, m.saveLater())
}

func (m *Model) mouseMsg(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	}
	return nil
}

// terminalMsg takes in what the terminal tells of itself.
func (m *Model) terminalMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.graphics.AskAgain()
	case tea.BackgroundColorMsg:
		m.noColorYet = false
		if msg.IsDark() {
			m.restyle(cell.DarkBackground)
		} else {
			m.restyle(cell.LightBackground)
		}
		m.look.Background = msg.Color
	case tea.ColorProfileMsg:
		m.look.Colors = m.colorsOf(msg.Profile)
		m.fewColors = msg.Profile == colorprofile.ANSI
		m.restyle(m.background)
	case uv.CellSizeEvent, uv.KittyGraphicsEvent, uv.PrimaryDeviceAttributesEvent, uv.UnknownCsiEvent, tea.TerminalVersionMsg:
		m.graphics.Answered(msg)
	case tea.ModeReportMsg:
		m.modeReport(msg)
	}
	return nil
}

// env is a variable of the environment that tells of the terminal.
func (m *Model) env(name string) string {
	if m.opts.Env == nil {
		return ""
	}
	return m.opts.Env(name)
}
