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
	"gofer/ui/inbox"
	"gofer/ui/newsreader"
	"gofer/ui/offline"
	"gofer/ui/outside"
	"gofer/ui/page"
	"gofer/ui/pictureview"
	"gofer/ui/room"
	"gofer/ui/term"
	"gofer/ui/transfer"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// Model is the state of the program and its only [tea.Model]. Its parts are plain structs.
type Model struct {
	opts        Options
	ctx         context.Context // context of all loads and downloads
	now         func() time.Time
	after       func(time.Duration, tea.Msg) tea.Cmd
	keys        *keymap
	pressedKey  string // the key that is handled now
	previousKey string // the key before pressedKey
	erasingKey  erasingKey
	// firstKey is the key that waits for its second press, see [Model.pressKey]; or nil.
	firstKey  *tea.KeyPressMsg
	firstLoad *nav.Load // load that began before New, or nil; the first visit takes it over
	firstCmd  tea.Cmd   // result of openFirst if run has called it before Init, or nil

	// Pages.
	tab          *tab // the tab on the screen
	tabs         []*tab
	closedTabs   []closedTab // the tab closed last is at the end
	memory       nav.Memory  // memory of all tabs, also of closed ones
	peek         peek
	pair         pair            // two tabs shown together, or none
	unloadedTabs []*tab          // tabs that were opened together and wait for loadTabs
	openedURLs   map[string]bool // URLs of opened pages, canonical and without passwords
	// standardInput is the URL of the file with the standard input, or nil. It is stored, because
	// [urlcore.IsStandardInput] is also true for URLs of the same form in pages.
	standardInput urlcore.URL

	// Input.
	bar         *ask.Bar                    // the open URL bar, or nil
	promptHelp  *ask.Help                   // the help over the open prompt, or nil
	barLines    ask.InputHistory            // lines typed in the URL bar
	host        viewer.Host                 // functions that all viewers call
	patterns    ask.InputHistory            // search patterns
	lastAnswers map[urlcore.URL][]ask.Field // last answers to the [protocols.Ask] of each URL, which are proposed again
	trial       *serverTrial                // the attempt to reach a server before it is stored, or nil
	typeahead   typeahead                   // keys that wait
	shown       shownPrompt

	// The user's data.
	private      bool           // nothing is recorded or marked
	saver        tabSaver       // state of saving the tabs
	writes       sync.WaitGroup // goroutines that must end before the program: see writeInBackground and forgetTab
	undos        room.UndoStack // changes that the user can undo
	lastChange   chan struct{}  // see writeInOrder
	lastVisit    chan struct{}  // see writeInOrder
	historyError string         // the error of the history that was shown last

	downloads *transfer.Downloads
	changes   *transfer.Changes
	outside   *outside.Programs
	bookmarks *bookmarking.Bookmarks
	aids      *aids.Aids
	news      *newsreader.Reader
	inbox     *inbox.Inbox
	offline   *offline.Offline

	// The terminal.
	detaches      bool // the downloads go on after the end of the program
	mouse         bool // mouse events go to the program, not to the terminal
	links         cell.LinkFilter
	client        term.Client
	seekingClient bool      // findClient is running
	lastKeyTime   time.Time // time of the last key
	terminal      *term.Terminal
	panics        *term.Panics
	graphics      pictureview.Graphics
	notifier      term.Notifier
	version       term.Version
	showsProgress bool // the terminal has a progress bar
	width, height int

	// The screen.
	background    cell.Background
	preview       string // theme shown as a preview while the user chooses a theme, or ""
	fewColors     bool   // the terminal has 16 colors
	slowLine      bool   // the terminal is remote or slow
	styles        cell.Styles
	glyphs        cell.Glyphs
	look          picture.BlockOptions // settings for pictures
	notice        string
	noticeURL     urlcore.URL // URL that follows the notice, or nil
	sharesRow     bool        // the notice leaves room for a hint
	offer         string      // the last notice of offerLater
	noticeID      int
	copied        string        // the text that copyURL copied last, unless it was a lasting URL
	lastCopy      chan struct{} // see writeInOrder
	ticking       bool          // a tickMsg is pending
	awaitingPage  bool          // nothing is drawn until lines of the first page arrive or firstFrameTime is over
	awaitingColor bool          // the first frame waits for the color of the background
	drawn         bool          // view is current
	view          tea.View
}

// New returns a Model that has not shown anything.
func New(o Options) *Model {
	o.setDefaults()
	km := configuredKeymap(&o.Config)
	m := &Model{
		opts: o, ctx: context.Background(), now: time.Now, after: sendAfter, keys: km,
		openedURLs:  make(map[string]bool),
		lastAnswers: make(map[urlcore.URL][]ask.Field), private: o.Private, mouse: o.Config.Mouse,
		panics: new(term.Panics), terminal: new(term.Terminal),
	}
	m.graphics = pictureview.NewGraphics(picture.GraphicsOf(o.Config.Images, o.env), &m.version)
	m.notifier = term.Notifier{Env: m.env, Version: &m.version}
	km.pageContext = m.pageContext
	m.addFeatures()
	m.host = viewer.Host{Notify: m.notify, Follow: m.followFocused, KeyOf: m.pageKey, Patterns: &m.patterns}
	t := newTab(&m.host)
	m.tab, m.tabs, m.peek = t, []*tab{t}, newPeek(&m.host)
	t.Pager.WrapHost = make(map[string]page.Wrap)
	m.client = term.Client{Remote: o.Remote, Env: m.env}
	m.restyle(cell.BackgroundOf(m.env))
	m.showsProgress = term.SupportsProgress(m.env)
	m.memory.Use(&t.Session)
	m.orderArticles(t)
	m.useKeptOrders(t)
	return m
}

// startURL returns the URL of Start. It returns nil if Start is empty or if the program begins with
// the tabs of the last session.
func (o *Options) startURL() (urlcore.URL, error) {
	if o.Restore || o.Start == "" {
		return nil, nil
	}
	return o.Guess(strings.TrimSpace(o.Start))
}

// openStart begins to load the page of startURL, or returns nil if startURL returns none. It is
// called before New, so that the server can answer in the meantime. The parameter width is the width of the screen.
func (o *Options) openStart(ctx context.Context, width int) *nav.Load {
	o.setDefaults()
	u, err := o.startURL()
	if u == nil || err != nil {
		return nil
	}
	l := o.open(ctx, new(tab), u, room.How{}, nav.Show{Width: textWidth(width)})
	runtime.Gosched() // starts the load, even if no other processor is idle
	return l
}

// Run shows the program on the terminal until the user quits, ctx ends or the terminal is closed.
// All loads and downloads have ended when it returns.
func Run(ctx context.Context, o Options) error {
	in, err := term.OpenKeyboard()
	if err != nil {
		return err
	}
	if err := job.WaitForeground(ctx, in); err != nil {
		return err
	}
	load := o.openStart(ctx, term.SizeOf(os.Stdout).Width)
	m := New(o)
	m.firstLoad = load
	m.graphics.Measure = func() tea.Msg { return term.CellSize(os.Stdout) }
	return m.run(ctx, in, os.Stdout, func() tea.WindowSizeMsg { return term.SizeOf(os.Stdout) }, os.Environ())
}

func (m *Model) run(ctx context.Context, in io.Reader, w io.Writer, size func() tea.WindowSizeMsg, env []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.ctx = ctx
	m.terminal = term.New(term.Options{Input: in, Output: w, Size: size, Env: env, Remote: m.isRemote(), Lend: m.opts.Lend, Panics: m.panics, Cancel: cancel})
	screen := size()
	m.resize(screen.Width, screen.Height)
	m.firstCmd = m.openFirst(room.How{}) // the server answers while the terminal is made ready
	m.restyle(m.background)
	m.graphics.Put, m.awaitingPage = m.terminal.Replace, true
	p := m.terminal.NewProgram(ctx, m, m.awaitsFirstFrame)
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
	var saveErr error
	m.panics.Run(func() { // before waiting for loads, because the system may end the program soon
		saveErr = m.endSession(err == nil && ctx.Err() == nil && m.panics.First() == nil)
	})
	m.terminal.Flush()
	setReset(nil)
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		err = context.Cause(ctx)
	}
	if p := m.panics.First(); p != nil {
		err = m.crashError(p)
	}
	cause := context.Cause(ctx)
	cancel(nil)
	m.terminal.Close()
	if detachErr := m.shutDown(cause); detachErr != nil {
		err = errors.Join(err, detachErr)
	}
	err = m.changes.AddUnstored(err)
	if saveErr != nil && m.saver.err == "" {
		err = errors.Join(err, fmt.Errorf("save the tabs: %w", saveErr))
	}
	return err
}

// shutDown stops everything that was started for the screen and waits for it. The program ends because of cause, or by
// a key if cause is nil. The error says why the downloads do not go on in the background.
func (m *Model) shutDown(cause error) (err error) {
	m.panics.Run(m.closeSessions)
	m.peek.tab.Session.Close()
	if m.opts.Downloads != nil {
		m.downloads.KeepRest()
		if (cause != nil || m.detaches) && m.opts.Detach != nil {
			err = m.opts.Detach(cause)
		}
		m.opts.Downloads.Close()
	}
	m.outside.RemoveFiles()
	m.writes.Wait()
	return err
}

// Init asks for properties of the terminal and opens the first page.
func (m *Model) Init() tea.Cmd {
	first := m.firstCmd
	if first == nil {
		first = m.openFirst(room.How{})
	}
	return tea.Batch(m.requestBackground(), m.requestVersion(), first, m.findLostTabs, m.downloads.Find(m.offerLater), m.inbox.Schedule(), m.after(firstFrameTime, firstFrameMsg{}))
}

// requestBackground asks the terminal for the color of its background. On a remote terminal with colors
// the first frame waits for the answer, because a frame in wrong colors would have to be sent again.
func (m *Model) requestBackground() tea.Cmd {
	if !m.isRemote() || m.opts.NoColor {
		return tea.RequestBackgroundColor
	}
	m.awaitingColor = true
	request := func() tea.Msg {
		m.terminal.Request(m.ctx, ansi.RequestBackgroundColor)
		return nil
	}
	return tea.Batch(request, m.after(backgroundTime, backgroundLateMsg{}))
}

// backgroundTime is the longest time that the first frame waits for the color of the background.
const backgroundTime = 200 * time.Millisecond

// backgroundLateMsg reports that backgroundTime is over.
type backgroundLateMsg struct{}

func (backgroundLateMsg) apply(m *Model) tea.Cmd {
	m.awaitingColor = false
	return nil
}

// awaitsFirstFrame reports whether the screen must not be drawn yet.
func (m *Model) awaitsFirstFrame() bool { return m.awaitingPage || m.awaitingColor }

// openFirst opens the first page.
func (m *Model) openFirst(how room.How) tea.Cmd {
	if m.opts.Restore {
		return m.openLastSession()
	}
	u, err := m.opts.startURL()
	switch {
	case err != nil:
		m.bar = ask.NewBar(m.places(), m.opts.Start)
		return m.answer("go")
	case u == nil:
		return m.visit(room.Target{URL: m.opts.Home}, how)
	}
	if urlcore.IsStandardInput(u) {
		m.standardInput = u
	}
	cmd := m.visit(readTyped(u, m.opts.Start), how)
	if m.opts.Notice != "" {
		cmd = tea.Batch(cmd, m.notifyBesideHint(m.opts.Notice))
	}
	return tea.Batch(cmd, m.openSecond())
}

// firstFrameTime is the longest time that the first frame waits for the first page. A page from a
// near server arrives within this time, so that the screen is drawn only once.
const firstFrameTime = 30 * time.Millisecond

// firstFrameMsg reports that firstFrameTime is over.
type firstFrameMsg struct{}

func (firstFrameMsg) apply(m *Model) tea.Cmd {
	m.awaitingPage = false
	return tea.Batch(m.findClient(), m.listenForTabs())
}

// Update handles a message and starts the commands that the new state needs.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := tea.Batch(m.update(msg), m.loadCutList())
	for _, t := range append(m.shownTabs(), m.peek.tab) {
		t.ShowPending()
	}
	cmd = tea.Batch(cmd, m.focusQuestion())
	m.awaitingPage = m.awaitingPage && m.tab.Session.Loading() != nil && m.tab.Pager.Total() == 0 && m.openPrompt() == nil // the first lines may arrive in a moment
	cmd = tea.Batch(cmd, m.followCursor(), m.drawPicture(m.peek.tab))
	for _, t := range m.shownTabs() {
		cmd = tea.Batch(cmd, m.drawPicture(t), m.lookUp(t))
	}
	return m, tea.Batch(cmd, m.placeSixel(), m.loadTabs(), m.awaitSight(), m.releaseKeys())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(background); !ok {
		m.drawn = false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		return m.takeInput(msg)
	case result:
		return msg.apply(m)
	case viewer.ScanMsg:
		changed, cmd := msg.Viewer.SearchPortion(msg.Viewer == &m.focusedTab().Viewer)
		m.drawn = m.drawn && !changed
		return cmd
	}
	return m.handleTerminal(msg)
}

// handleTerminal handles messages about the terminal.
func (m *Model) handleTerminal(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return tea.Batch(m.graphics.RefreshCellSize(), m.findClient())
	case tea.FocusMsg:
		return m.findClient()
	case tea.BackgroundColorMsg:
		m.awaitingColor = false
		if msg.IsDark() {
			m.restyle(cell.DarkBackground)
		} else {
			m.restyle(cell.LightBackground)
		}
		m.look.Background = msg.Color
	case tea.ColorProfileMsg:
		m.look.Colors = m.pictureColors(msg.Profile)
		m.fewColors = msg.Profile == colorprofile.ANSI
		m.restyle(m.background)
	case uv.CellSizeEvent, uv.KittyGraphicsEvent, uv.PrimaryDeviceAttributesEvent, uv.UnknownCsiEvent:
		m.graphics.HandleAnswer(msg)
	case tea.TerminalVersionMsg:
		m.version.Name = msg.Name
		m.recordVersion()
		return m.notifier.HandleVersion()
	case tea.ModeReportMsg:
		m.handleModeReport(msg)
	}
	return nil
}

// env returns a variable of the terminal's environment.
func (m *Model) env(name string) string { return m.opts.env(name) }
