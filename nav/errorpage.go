package nav

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrorPage returns lines with links that describe the error for u, its cause and the
// possible next steps. u may be nil where the error is that there is no URL. The texts of
// servers in it are cleaned. Mirrors are lines that lead to the same at other
// servers.
func ErrorPage(u urlcore.URL, err error, mirrors ...protocols.Line) *Page {
	p := &Page{Failed: err, Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, "Error", protocols.LayoutPage, -1
	if u == nil {
		p.URL = urlcore.Generic{Name: "about", Rest: "error"}
	}
	w := errorWriter{page: p, url: u, mirrors: mirrors, byTLS: errors.Is(err, protocols.ErrTLS)}
	w.write(err)
	return p
}

// errorWriter writes the lines of an error page.
type errorWriter struct {
	page      *Page
	url       urlcore.URL // nil if there is none
	wrongPort bool        // the usual port is worth a try
	noServer  bool        // nothing else of the URL's scheme is worth one
	insecure  bool        // there is no TLS, whatever is asked for
	noHost    bool        // the host leads nowhere by other schemes either
	byTLS     bool        // the server speaks TLS
	mayBeTLS  bool        // it may
	mirrors   []protocols.Line
	misread   bool // the URL may be a wrong guess at the typed text
}

func (w *errorWriter) lines(k protocols.Kind, texts ...string) {
	for _, s := range texts {
		w.page.Lines.Append(protocols.Line{Kind: k, Text: s})
	}
}

func (w *errorWriter) info(texts ...string) { w.lines(protocols.Info, texts...) }

// said writes the text of the server, if there is one.
func (w *errorWriter) said(text string) {
	if text != "" {
		w.info("", "The server said:")
		w.lines(protocols.Quote, text)
	}
}

func (w *errorWriter) action(text string, name protocols.Action) {
	w.page.Lines.Append(protocols.Line{Text: text, Note: name})
}

func (w *errorWriter) heading(text string) {
	w.page.Title = text
	w.lines(protocols.Heading, text)
	w.info("")
}

func (w *errorWriter) write(err error) {
	switch q := protocols.QuestionOf(err).(type) {
	case *protocols.Handoff:
		w.handoff(q)
	case *protocols.Confirm:
		w.confirm(q)
	case *protocols.Ask:
		w.ask(q)
	case *protocols.Login:
		w.login(q)
	case *protocols.Compose:
		w.heading("A message must be written")
		w.info(clean.Text(q.Title) + ": the editor opens, and nothing is sent before you have seen it.")
		w.action("Write it", protocols.ActionReload)
	default:
		w.failed(err)
	}
}

// failed is for an error that asks nothing.
func (w *errorWriter) failed(err error) {
	var (
		refused *urlcore.Error
		fault   *Panic
		failure *protocols.Error
	)
	switch {
	case errors.As(err, &refused):
		w.badURL(refused)
	case errors.As(err, &fault):
		w.fault(fault)
	case errors.As(err, &failure):
		w.failure(failure)
	case errors.Is(err, ErrStopped), errors.Is(err, context.Canceled):
		w.heading("Stopped")
		w.info("Loading was stopped before the server answered.")
		w.suggest(true)
	case errors.Is(err, ErrSessionEnded):
		w.heading("Session ended")
		w.action("Connect again", protocols.ActionReload)
	case errors.Is(err, ErrNoOctets):
		w.heading("Nothing to save")
		w.info(upperFirst(err.Error()) + ".")
		w.suggest(false)
	default:
		w.heading("Failed")
		w.info(upperFirst(clean.Text(err.Error())) + ".")
		w.suggest(true)
	}
}

// explanation is what an error page says of a Reason.
type explanation struct {
	heading string
	why     string
	again   bool // it may work the next time
}

// explanations has one row for each Reason.
var explanations = [...]explanation{
	protocols.Unknown:          {"Failed", "", true},
	protocols.BadURL:           {"This URL cannot be sent", "Nothing was sent.", false},
	protocols.Unsupported:      {"Unsupported URL", "The URL is valid: another program may open it.", false},
	protocols.NameNotFound:     {"Host not found", "Check the spelling of the host name, and whether this machine is online.", true},
	protocols.Refused:          {"Connection refused", "Nothing listens at that port: the server may be down, or use another port.", true},
	protocols.Unreachable:      {"Host unreachable", "There is no route to this host. Check the network.", true},
	protocols.ConnectTimeout:   {"Timed out while connecting", "The host may be down, or a firewall may block that port.", true},
	protocols.FirstByteTimeout: {"Timed out waiting for the first byte", "The server accepted the connection and sent nothing. It may be busy, or speak another protocol at that port.", true},
	protocols.IdleTimeout:      {"Timed out waiting for more data", "The server stopped sending in the middle of its answer.", true},
	protocols.Broken:           {"Connection lost", "It ended before the answer was complete.", true},
	protocols.Malformed:        {"Invalid answer", "It is not of this protocol. Another kind of server may listen at that port.", true},
	protocols.TooBig:           {"Answer too large", "It passed the limit that protects the memory of this machine. A file can be of any size.", false},
	protocols.NotThere:         {"Not found", "It may have been moved or removed.", true},
	protocols.Denied:           {"Permission denied", "The server wants another login for this, or does not serve this machine.", true},
	protocols.ServerFailed:     {"Server error", "The server understood the request and failed. Try again later.", true},
	protocols.Insecure:         {"No secure connection", "TLS could not be set up, or the server's certificate is not valid. Nothing was sent.", true},
	protocols.LocalFailure:     {"Error on this machine", "Check the free space on the disk and the permissions.", true},
	protocols.NotSupported:     {"Not supported by the server", "Open the item itself, or what else there is.", false},
	protocols.Rejected:         {"Not accepted", "Nothing was published. Change what the server objects to, and send it again.", false},
	protocols.Unfinished:       {"Not sent", "", false},
	protocols.NoServer: {"No news server set", "Set news_server = \"news.example.org\" in the settings file, or $NNTPSERVER, which wins over it. " +
		"A URL like nntp://news.example.org/comp.lang.go names its server itself.", true},
	protocols.Damaged: {"Damaged file", "It came as the server has it. Save it to try another program on it.", true},
}

func explain(r protocols.Reason) explanation {
	if int(r) < len(explanations) {
		return explanations[r]
	}
	return explanations[protocols.Unknown]
}

func (w *errorWriter) failure(e *protocols.Error) {
	x := explain(e.Reason)
	if e.Reason == protocols.ServerFailed && e.Code != 0 {
		x.heading += " (" + strconv.Itoa(e.Code) + ")"
	}
	if errors.Is(e.Err, protocols.ErrRestricted) {
		x = explanation{heading: "Not allowed here"}
	}
	w.heading(x.heading)
	if s := detail(e, x.heading); s != "" {
		w.info(s + ".")
	}
	if why := w.why(e, x); why != "" {
		w.info(why)
	}
	switch e.Reason {
	case protocols.Unsupported:
		w.action("Copy the URL", protocols.ActionCopy)
	case protocols.TooBig:
		w.action("Save it to a file", protocols.ActionSave)
	}
	w.said(words(e))
	for _, l := range e.Lines {
		w.page.Lines.Append(protocols.Line{Kind: l.Kind, Text: clean.Text(l.Text), Link: l.Link, Note: l.Note})
	}
	w.mayBeTLS = e.Reason == protocols.FirstByteTimeout || e.Reason == protocols.Broken || e.Reason == protocols.Malformed
	w.wrongPort, w.noServer = portMayBeWrong(e.Reason), e.Reason == protocols.NoServer
	w.insecure = e.Reason == protocols.Insecure
	w.noHost = e.Reason == protocols.NameNotFound || e.Reason == protocols.Unreachable
	w.misread = w.wrongPort || w.noServer || w.noHost || e.Reason == protocols.NotThere || e.Reason == protocols.Unsupported
	offered := slices.ContainsFunc(e.Lines, func(l protocols.Line) bool { return l.Note == protocols.ActionReload })
	w.suggest(x.again && !offered)
}

// why returns the text about the cause of e.
func (w *errorWriter) why(e *protocols.Error, x explanation) string {
	switch {
	case w.byTLS:
		return "Open the same by TLS."
	case errors.Is(e.Err, protocols.ErrNoDatabase):
		return ""
	case e.Reason == protocols.NotThere && w.url != nil && isSearch(protocols.KindOf(w.url)):
		return "Nothing matches the words, or what is searched has been removed."
	}
	return x.why
}

func isSearch(k protocols.Kind) bool { return k == protocols.Search || k == protocols.Phonebook }

// portMayBeWrong reports whether the port may have no server for the protocol.
func portMayBeWrong(r protocols.Reason) bool {
	switch r {
	case protocols.Refused, protocols.ConnectTimeout, protocols.FirstByteTimeout, protocols.IdleTimeout,
		protocols.Broken, protocols.Malformed:
		return true
	}
	return false
}

// around is how many columns of a refused URL are shown on each side of the
// fault.
const around = 60

func (w *errorWriter) badURL(e *urlcore.Error) {
	w.heading("Invalid URL")
	w.info(upperFirst(clean.Text(e.Reason)) + ".")
	if e.Input != "" {
		text, column := Caret(e)
		w.info("")
		w.info("  "+text, "  "+strings.Repeat(" ", column)+"^")
	}
	w.suggest(false)
}

// Caret returns the part of a refused text around the fault, without its
// password, and the column of the fault in it.
func Caret(e *urlcore.Error) (text string, column int) {
	in := urlcore.MaskPassword(e.Input)
	at := max(0, min(e.Offset, len(in)))
	before, after := clean.Line(in[:at]), clean.Line(in[at:])
	if r := []rune(before); len(r) > around {
		before = clean.Line("…" + string(r[len(r)-around:]))
	}
	if r := []rune(after); len(r) > around {
		after = string(r[:around]) + "…"
	}
	return before + after, displaywidth.String(before)
}

func (w *errorWriter) handoff(h *protocols.Handoff) {
	w.heading("Another program is needed")
	where := "in the terminal"
	if h.Window {
		where = "in a window of its own"
	}
	w.info("Nothing has been started. This would be run, "+where+":", "")
	w.lines(protocols.Quote, CommandLine(h.Argv))
	w.misread = true
	w.suggest(true)
}

func (w *errorWriter) confirm(c *protocols.Confirm) {
	w.heading(c.Question + "?")
	w.info(c.Reason)
	if len(c.Details) > 0 {
		w.info("")
	}
	for _, s := range c.Details {
		w.lines(protocols.Quote, clean.Line(s))
	}
	w.info("")
	w.action("Ask again", protocols.ActionReload)
}

// CommandLine shows argv on one cleaned line, with quotes where an argument
// has blanks or is empty. It is for reading, not for a shell.
func CommandLine(argv []string) string {
	shown := make([]string, len(argv))
	for i, a := range argv {
		shown[i] = clean.Line(a)
		if a == "" || strings.ContainsAny(a, " \t'\"\\$`&|;<>()*?[]#~") {
			shown[i] = "'" + strings.ReplaceAll(shown[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(shown, " ")
}

func (w *errorWriter) ask(a *protocols.Ask) {
	w.heading("Input needed")
	w.info(clean.Text(a.Title))
	if said := clean.Said(a.Server, a.Said); said != "" {
		w.info(said)
	}
	for _, f := range a.Fields {
		if f.Label != "" {
			w.info("  " + clean.Text(f.Label))
		}
		if f.Said != "" {
			w.info("  " + clean.Said(a.Server, f.Said))
		}
	}
	w.suggest(true)
}

func (w *errorWriter) login(l *protocols.Login) {
	if l.Failed {
		w.heading("Login failed")
		w.info(clean.Text(l.Server) + " refused the user or password.")
	} else {
		w.heading("Login required")
		w.info(clean.Text(l.Server) + " requires a user and a password.")
	}
	w.said(clean.Text(l.Text))
	w.suggest(true)
}

// maxStack is how many lines of a stack an error page shows.
const maxStack = 40

func (w *errorWriter) fault(p *Panic) {
	w.heading("Internal error")
	w.info("gofer failed on this answer. Other pages are not affected. Please report it with these lines:", "")
	w.lines(protocols.Quote, clean.Text(p.Error()))
	for i, line := range strings.Split(strings.TrimSpace(string(p.Stack)), "\n") {
		if i == maxStack {
			break
		}
		w.lines(protocols.Quote, clean.Line(line))
	}
	w.suggest(true)
}
