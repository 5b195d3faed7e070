package ftp

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unique"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxLine bounds the octets of a line of a listing, and of adjacent lines that are not shown. A line longer
// than wire.MaxLine is split into pieces. A line longer than maxLine is an error.
const maxLine = 16 << 20

// lister turns the octets of a listing into lines with links.
type lister struct {
	t       *transfer
	verb    string
	parse   parser
	message []string
	now     time.Time

	dir     urlcore.FTP // URL of an item, without name and type
	prefix  string      // encoded path of the directory
	vmsName string      // name of an entry that a VMS server continues on the next line, or ""

	family  *family // family of the last line that parseForeign parsed
	system  string  // family.system in the reply to SYST, or ""
	heading string  // element of family.headings in the listing, or ""

	together        together
	undated         undatedLines
	endUnmarked     bool // transfer.endUnmarked of an earlier listing of the directory
	items, problems int
	dots            bool             // "." or ".." was listed
	names           []string         // names of the items, up to maxNames
	unparsed        []protocols.Line // lines in no known format, up to maxDeferred; yielded after the items
	links           []protocols.Line // links without targets, up to maxDeferred; yielded last
	uniques         []string         // unique facts of links
	self, parent    string           // unique facts of the directory and its parent
}

// intern returns a copy of s that is shared by equal strings.
func intern(s string) string { return unique.Make(s).Value() }

func newLister(r *request, now time.Time) (*lister, error) {
	const name = "x"
	u, err := r.url.With(r.cwds, name, 0)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	return &lister{t: new(transfer), dir: u, prefix: strings.TrimSuffix(u.Path, name), now: now}, nil
}

// errPath reports that a server lists a path as the name of an item. The path may lead out of the directory, and its last name
// is the name of another item. Therefore the line of such an item has no link, and no command is about it.
var errPath = errors.New("its name is a path")

// checkName returns an error if a listed name is a path. Only names in NLST and in foreign formats, such as members of files of
// OS/400, may be paths, but not out of the directory above.
func (l *lister) checkName(e *entry) error {
	climbs := slices.Contains(strings.FieldsFunc(e.name, func(c rune) bool { return c == '/' || c == '\\' }), "..")
	if climbs || strings.Contains(e.name, "/") && !e.foreign && l.verb != "NLST" {
		return errPath
	}
	return wire.Check("name", e.name)
}

// itemURL returns the URL of an item. Only the URL of a directory has a type (;type=d). A URL without a
// type can also open a symbolic link to a directory.
func (l *lister) itemURL(name string, dir bool) (urlcore.FTP, error) {
	var typ byte
	if dir {
		typ = 'd'
	}
	u, err := l.dir.With(nil, name, typ)
	u.Path = l.prefix + u.Path
	return u, err
}

// lines yields the server's message, and then each item when it is received.
func (l *lister) lines(yield func(protocols.Line, error) bool) {
	if !l.yieldMessage(yield) {
		return
	}
	yieldHeld := l.holdUndated(yield)
	finalText := ""
	for {
		err := l.readLines(wire.NewLineReader(l.t), l.setAside(l.holdTogether(yieldHeld)))
		if err == nil || !l.releaseTogether(yieldHeld) {
			return
		}
		if !errors.Is(err, io.EOF) {
			l.t.abort(nil)
			if l.yieldUnparsed(yieldHeld) {
				yieldHeld(protocols.Line{}, err)
			}
			return
		}
		verb := l.nextVerb()
		if finalText = replyText(l.t.final); verb == "" {
			break
		}
		if err := l.requestListing(verb); err != nil {
			if !isRefusal(err) {
				l.t.abort(nil)
				yieldHeld(protocols.Line{}, err)
				return
			}
			break
		}
	}
	if !l.resolveUnparsed(yieldHeld) {
		return
	}
	l.learnClock()
	// Pure-FTPd limits the number of items: "226 Output truncated to 10000 matches".
	truncated := strings.Contains(strings.ToLower(finalText), "truncated")
	if l.releaseHeld(yield) && l.yieldLinks(yield) && (!truncated || yield(protocols.Line{Kind: protocols.Failure, Text: finalText}, nil)) {
		l.t.releaseSession()
		if l.endUnmarked || l.t.endUnmarked {
			yield(protocols.Line{}, &protocols.Error{Reason: protocols.EndUnmarked, Op: l.t.op})
		}
	}
}

// nextLine returns the next line of a listing, like [wire.LineReader.Next]. It omits a last line that may be cut.
func (l *lister) nextLine(in *wire.LineReader) (line []byte, partial bool, err error) {
	line, partial, err = in.Next()
	if err == nil && l.t.endUnmarked && in.LineError() != nil {
		return nil, false, in.LineError()
	}
	return line, partial, err
}

func (l *lister) setVerb(verb string) { l.verb, l.parse = verb, parserOf(verb) }

// requestListing requests another listing of the directory. The parameter verb is the command to send.
func (l *lister) requestListing(verb string) error {
	data, err := l.t.s.openListing(verb)
	if err == nil {
		l.endUnmarked = l.endUnmarked || l.t.endUnmarked
		l.t.data, l.t.err, l.t.received, l.t.endUnmarked = data, nil, 0, false
		l.setVerb(verb)
	}
	return err
}

// nextVerb returns the command to send after the current listing, or "". If the listing of
// "LIST -a" is empty, LIST is sent, because a server may take the option for a name.
func (l *lister) nextVerb() string {
	if l.items == 0 && l.verb == listAll && !l.dots {
		return "LIST"
	}
	return ""
}

func (l *lister) yieldMessage(yield func(protocols.Line, error) bool) bool {
	for _, text := range l.message {
		if !yield(protocols.Line{Kind: protocols.Info, Text: text}, nil) {
			return false
		}
	}
	return true
}

// readLines yields the lines of one data connection. It returns nil if the consumer wants no
// more, and io.EOF at the end.
func (l *lister) readLines(in *wire.LineReader, yield func(protocols.Line, error) bool) error {
	tooBig := &protocols.Error{Reason: protocols.TooBig, Op: "receive the directory"}
	long, hidden := 0, 0 // octets of a long line, and of lines that are not shown
	for {
		b, more, err := l.nextLine(in)
		if err != nil {
			if l.vmsName != "" && !yield(l.problemLine(l.vmsName), nil) {
				return nil
			}
			l.vmsName = ""
			return err
		}
		var line protocols.Line
		ok := true
		switch {
		case more || long > 0:
			if long += len(b); long > maxLine {
				return tooBig
			}
			line = l.problemLine(string(b))
			if !more {
				long = 0
			}
		default:
			text := string(b)
			if l.vmsName != "" {
				if whole, ok := l.joinVMS(text); ok {
					text = whole
				} else if !yield(l.problemLine(l.vmsName), nil) {
					return nil
				}
				l.vmsName = ""
			}
			line, ok = l.parseLine(text)
		}
		if !ok {
			if hidden += len(b) + len("\r\n"); hidden > maxLine {
				return tooBig
			}
			continue
		}
		if hidden = 0; !yield(line, nil) {
			return nil
		}
	}
}

func (l *lister) problemLine(text string) protocols.Line {
	l.problems++
	return protocols.Line{Kind: protocols.Problem, Text: text}
}

// parseLine parses a line of the listing. ok is false if the line is not shown, or is shown later.
func (l *lister) parseLine(text string) (line protocols.Line, ok bool) {
	e, class := l.parseEntry(text)
	switch class {
	case skippedLine:
		switch e.name {
		case ".":
			l.self = e.unique
		case "..":
			l.parent = e.unique
		}
		return line, false
	case nameLine:
		l.vmsName = text
		return line, false
	case infoLine:
		return protocols.Line{Kind: protocols.Info, Text: text}, true
	case unknownLine:
		return l.problemLine(text), true
	}
	if e.name == "." || e.name == ".." {
		l.together.blanks, l.together.named = 0, l.together.named+1
	}
	if e.name = l.together.trim(e.name); e.name == "." || e.name == ".." {
		l.dots = true
		return line, false
	}
	line = l.entryLine(e, text)
	if l.verb == "MLSD" && e.kind == link && e.target == "" && line.Link != nil && len(l.links) < maxDeferred {
		l.links, l.uniques = append(l.links, line), append(l.uniques, e.unique)
		return line, false
	}
	return line, true
}

// parseEntry parses a line in any known format of the listing.
func (l *lister) parseEntry(text string) (entry, lineClass) {
	e, class := l.parse(text, l.now)
	if class == unknownLine && (l.verb == "LIST" || l.verb == listAll) {
		e, class = l.parseForeign(text)
		e.foreign = true
	}
	return e, class
}

// joinVMS returns the line composed of vmsName and rest. ok is false if the line is not an item.
func (l *lister) joinVMS(rest string) (whole string, ok bool) {
	sized := strings.TrimLeft(rest, " \t")
	if sized == "" || sized[0] > '9' || strings.Contains(rest, ";") {
		return "", false
	}
	whole = l.vmsName + " " + sized
	_, v := l.parseEntry(whole)
	return whole, v == itemLine
}

// entryLine returns the line to show for an item, and records its name.
func (l *lister) entryLine(e entry, text string) protocols.Line {
	if e.kind == directory || e.kind == link {
		e.size = -1 // the listed size is not the size of the content
	}
	note := &protocols.FileNote{
		Size: e.size, Rounded: e.rounded && e.size >= 0, Modified: e.modified, DateOnly: e.dateOnly, Local: e.local,
		Mode: intern(e.mode), Owner: intern(e.owner), Group: intern(e.group), Link: e.kind == link, Target: strings.Clone(e.target),
	}
	if e.yearless && !e.modified.IsZero() {
		l.undated.addNote(&e, note)
		l.requestClock()
	}
	if e.unclear != "" && len(l.together.dates) < maxDeferred {
		l.together.dates = append(l.together.dates, unclearDate{note, e.unclear})
	}
	line := protocols.Line{Kind: protocols.Problem, Text: strings.Clone(e.name), Note: note}
	if len(l.names) < maxNames && e.name != "" {
		l.names = append(l.names, line.Text)
	}
	u, err := l.itemURL(e.name, e.kind == directory)
	if err != nil || e.name == "" || l.checkName(&e) != nil {
		l.problems++
		if e.name == "" {
			line.Text = text
		}
		return line
	}
	l.items++
	line.Link = u
	line.Kind = kindOf(e)
	return line
}

// kindOf returns the kind of an item. For a file, a link or an item of unknown kind, kindOf uses the suffix
// of the name, or else the suffix of the link's target.
func kindOf(e entry) protocols.Kind {
	switch e.kind {
	case directory:
		return protocols.Directory
	case special:
		return protocols.Other
	}
	if _, kind := protocols.BySuffix(e.name); kind != protocols.Other {
		return kind
	}
	if e.kind == link && e.target != "" {
		_, kind := protocols.BySuffix(path.Base(e.target))
		return kind
	}
	if e.kind == file {
		return protocols.Binary
	}
	return protocols.Other
}

// listAll is LIST with an option of ls. A server that passes the option to ls also lists names that begin
// with a dot.
const listAll = "LIST -a"
