package nav

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"gofer/internal/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// ErrorPage tells what happened to u, why, and what can be done, in lines with
// links. u may be nil where the error is that there is no URL. The texts of
// servers in it are cleaned.
func ErrorPage(u urlcore.URL, err error) *Page {
	p := &Page{Failed: err, Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, "Error", protocols.LayoutPage, -1
	if u == nil {
		p.URL = urlcore.Generic{Name: "about", Rest: "error"}
	}
	w := errorWriter{page: p, url: u}
	w.write(err)
	return p
}

// errorWriter writes the lines of an error page.
type errorWriter struct {
	page      *Page
	url       urlcore.URL // nil if there is none
	wrongPort bool        // the usual port is worth a try
	noServer  bool        // nothing else of the URL's scheme is worth one
}

func (w *errorWriter) line(k protocols.Kind, text string, link urlcore.URL) {
	w.page.Lines.Append(protocols.Line{Kind: k, Text: text, Link: link})
}

func (w *errorWriter) info(texts ...string) {
	for _, s := range texts {
		w.line(protocols.Info, s, nil)
	}
}

func (w *errorWriter) heading(text string) {
	w.page.Title = text
	w.line(protocols.Heading, text, nil)
	w.info("")
}

func (w *errorWriter) write(err error) {
	var (
		refused *urlcore.Error
		handoff *protocols.Handoff
		ask     *protocols.Ask
		login   *protocols.Login
		fault   *Panic
		failure *protocols.Error
	)
	switch {
	case errors.As(err, &refused):
		w.badURL(refused)
	case errors.As(err, &handoff):
		w.handoff(handoff)
	case errors.As(err, &ask):
		w.ask(ask)
	case errors.As(err, &login):
		w.login(login)
	case errors.As(err, &fault):
		w.fault(fault)
	case errors.As(err, &failure):
		w.failure(failure)
	case errors.Is(err, ErrStopped), errors.Is(err, context.Canceled):
		w.heading("Stopped")
		w.info("It was stopped before the server had answered.")
		w.suggest(true)
	case errors.Is(err, ErrNoOctets):
		w.heading("Nothing to save as it is")
		w.info(upperFirst(err.Error()) + ".")
		w.suggest(false)
	default:
		w.heading("It failed")
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
	protocols.Unknown:     {"It failed", "", true},
	protocols.BadURL:      {"This URL cannot be sent", "It holds something that would reach the server as another command, so nothing was sent.", false},
	protocols.Unsupported: {"No way to open this", "The URL is good all the same: another program may open it.", false},
	protocols.NameNotFound: {"No such host", "The host's name is not known. It may be misspelt or gone, or this machine " +
		"cannot ask for names just now.", true},
	protocols.Refused:          {"The host refused the connection", "The host is there, but nothing listens at that port. The server may be down, or the port another.", true},
	protocols.Unreachable:      {"The host cannot be reached", "There is no way through the network to this host just now.", true},
	protocols.ConnectTimeout:   {"No answer to the call", "The host did not answer in time. It may be down, or a firewall drops what is sent to that port.", true},
	protocols.FirstByteTimeout: {"The server said nothing", "The connection was made, but the server did not begin to answer in time. It may be busy, or speak another protocol at that port.", true},
	protocols.IdleTimeout:      {"The server fell silent", "It began to answer and then sent nothing for too long.", true},
	protocols.Broken:           {"The connection broke off", "It ended before the answer was whole.", true},
	protocols.Malformed:        {"The answer makes no sense", "What came is not of this protocol. Another kind of server may listen at that port.", true},
	protocols.TooBig:           {"The answer is too large", "It passed a limit that keeps a server from filling this machine. It can still be saved to a file.", false},
	protocols.NotThere:         {"There is no such item", "The server answered that it does not have this. It may have been moved or removed.", true},
	protocols.Denied:           {"The server does not allow it", "It wants a login that has the right, or does not serve this machine.", true},
	protocols.ServerFailed:     {"The server could not do it", "It understood the request and failed. That is often over after a while.", true},
	protocols.Insecure:         {"No secure connection", "The encryption could not be agreed on, or the server's certificate is not good. Nothing was sent to it.", true},
	protocols.LocalFailure:     {"This machine could not do it", "The trouble is here, not at the server: room on the disk, or a permission.", true},
	protocols.NoServer: {"No news server is set", "In the settings file it is the line news_server = \"news.example.org\"; $NNTPSERVER wins over it. " +
		"A URL like nntp://news.example.org/comp.lang.go names its server itself.", true},
}

func explain(r protocols.Reason) explanation {
	if int(r) < len(explanations) {
		return explanations[r]
	}
	return explanations[protocols.Unknown]
}

func (w *errorWriter) failure(e *protocols.Error) {
	x := explain(e.Reason)
	w.heading(x.heading)
	w.info(sentence(e) + ".")
	if x.why != "" {
		w.info(x.why)
	}
	switch e.Reason {
	case protocols.Unsupported:
		w.suggestion(suggestion{urlcore.Alternative{Text: "Copy the URL"}, protocols.ActionCopy})
	case protocols.TooBig:
		w.suggestion(suggestion{urlcore.Alternative{Text: "Save it to a file"}, protocols.ActionSave})
	}
	if said := words(e); said != "" {
		w.info("", "The server said:")
		w.line(protocols.Quote, said, nil)
	}
	w.wrongPort, w.noServer = portMayBeWrong(e.Reason), e.Reason == protocols.NoServer
	w.suggest(x.again)
}

// portMayBeWrong reports whether nobody who speaks the protocol may be at that
// port.
func portMayBeWrong(r protocols.Reason) bool {
	switch r {
	case protocols.Refused, protocols.ConnectTimeout, protocols.FirstByteTimeout, protocols.IdleTimeout,
		protocols.Broken, protocols.Malformed:
		return true
	}
	return false
}

// Sentence says in one cleaned line why err ended a load: what was being done,
// why it failed, and what the server said.
func Sentence(err error) string {
	var e *protocols.Error
	if !errors.As(err, &e) {
		return clean.Text(err.Error())
	}
	s := sentence(e)
	if said := words(e); said != "" {
		s += " (the server said: " + said + ")"
	}
	return s
}

// sentence is "Could not connect to host:70: nobody listens there".
func sentence(e *protocols.Error) string {
	why := e.Reason.String()
	if e.Err != nil {
		if cause := clean.Text(e.Err.Error()); e.Reason == protocols.Unknown || e.Reason == protocols.NoServer && cause != "" {
			why = cause
		} else if cause != "" {
			why += " (" + cause + ")"
		}
	}
	if e.Op == "" {
		return upperFirst(why)
	}
	return "Could not " + clean.Text(e.Op) + ": " + why
}

// words are the server's own.
func words(e *protocols.Error) string {
	said := clean.Text(e.Text)
	if e.Code == 0 {
		return said
	}
	code := strconv.Itoa(e.Code)
	if strings.HasPrefix(said, code) {
		return said
	}
	return strings.TrimSpace(code + " " + said)
}

// around is how many columns of a refused URL are shown on each side of the
// fault.
const around = 60

func (w *errorWriter) badURL(e *urlcore.Error) {
	w.heading("This is not a URL that can be used")
	w.info(upperFirst(clean.Text(e.Reason)) + ".")
	if e.Input != "" {
		text, column := Caret(e)
		w.info("")
		w.line(protocols.Info, "  "+text, nil)
		w.line(protocols.Info, "  "+strings.Repeat(" ", column)+"^", nil)
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
	w.heading("Another program's job")
	w.info("gofer does not open "+h.URL.Scheme()+": URLs itself. This is what it would run; nothing has been started:", "")
	w.line(protocols.Quote, CommandLine(h.Argv), nil)
	w.suggest(true)
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
	w.heading("It asks for words")
	w.info(clean.Text(a.Title))
	for _, f := range a.Fields {
		if label := clean.Text(f.Label); label != "" {
			w.info("  " + label)
		}
	}
	w.suggest(true)
}

func (w *errorWriter) login(l *protocols.Login) {
	w.heading("The server wants a login")
	if l.Failed {
		w.info("The user or password was refused by " + clean.Text(l.Server) + ".")
	} else {
		w.info(clean.Text(l.Server) + " lets nobody in without a user and a password.")
	}
	if said := clean.Text(l.Text); said != "" {
		w.info("", "The server said:")
		w.line(protocols.Quote, said, nil)
	}
	w.suggest(true)
}

// maxStack is how many lines of a stack an error page shows.
const maxStack = 40

func (w *errorWriter) fault(p *Panic) {
	w.heading("A mistake in gofer itself")
	w.info("The answer brought to light a mistake of gofer's. Nothing else is harmed; please report it with these lines:", "")
	w.line(protocols.Quote, clean.Text(p.Error()), nil)
	for i, line := range strings.Split(strings.TrimSpace(string(p.Stack)), "\n") {
		if i == maxStack {
			break
		}
		w.line(protocols.Quote, clean.Line(line), nil)
	}
	w.suggest(true)
}

// endLines tell at the end of a page why it is not whole.
func endLines(u urlcore.URL, err error) []protocols.Line {
	lines := []protocols.Line{{}, {Kind: protocols.Heading, Text: "The page ends here, it is not whole"}}
	lines = append(lines, sentenceLines(err)...)
	var e *protocols.Error
	if errors.As(err, &e) && e.Reason == protocols.TooBig {
		return append(lines, protocols.Line{Kind: protocols.Binary, Text: "Save all of it to a file", Link: u, Note: protocols.ActionSave})
	}
	return append(lines, protocols.Line{Kind: protocols.KindOf(u), Text: "Load it again", Link: u, Note: protocols.ActionReload})
}

// noteWidth is the length of a row of our own in a page whose lines are not
// wrapped.
const noteWidth = 72

// sentenceLines is what err says in rows of at most noteWidth characters,
// unless a word is longer.
func sentenceLines(err error) []protocols.Line {
	var lines []protocols.Line
	row := ""
	for _, word := range strings.Fields(Sentence(err) + ".") {
		if row != "" && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > noteWidth {
			lines = append(lines, protocols.Line{Text: row})
			row = ""
		}
		row = strings.TrimPrefix(row+" "+word, " ")
	}
	return append(lines, protocols.Line{Text: row})
}

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "gofer") {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
