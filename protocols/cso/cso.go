// Package cso queries CSO phone books (RFC 2378), which are items of type 2 in Gopher menus. For a
// gopher: URL of this type without a search, Fetch returns a form with the fields of the server. For a
// URL with a search, Fetch sends the search as a query and returns the entries found. Package cso never
// logs in.
package cso

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for gopher: URLs of item type 2. The zero
// value is ready and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections
}

var _ protocols.Planner = (*Client)(nil)

const (
	fieldsCommand = "fields\r\n"
	quitCommand   = "quit\r\n"
)

// Plan returns the commands that Fetch would send.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	g, err := checkURL(u)
	if err != nil {
		return nil, err
	}
	first := protocols.Step{Peer: g.Addr(), Send: fieldsCommand, Note: "ask which fields entries have"}
	if g.HasSearch {
		first.Send, first.Note = queryCommand(g), "search"
	}
	return []protocols.Step{first, {Peer: g.Addr(), Send: quitCommand, Note: "end the session"}}, nil
}

// checkURL returns u as the URL of a phone book. If the query is not a single line, it returns an error.
func checkURL(u urlcore.URL) (urlcore.Gopher, error) {
	g, ok := u.(urlcore.Gopher)
	if !ok || g.Type != '2' {
		return g, &protocols.Error{Reason: protocols.Unsupported, Op: "open a phone book"}
	}
	if g.Host == "" {
		return g, protocols.NewError(protocols.BadURL, "send the query", "the URL names no host")
	}
	return g, wire.Check("query", g.Search)
}

func queryCommand(g urlcore.Gopher) string { return "query " + g.Search + "\r\n" }

// Fetch returns the entries that a query finds as Lines. For a URL without a query it returns a
// *[protocols.Ask] with the fields of the server.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	g, err := checkURL(req.URL)
	if err != nil {
		return nil, err
	}
	return c.Dialer.Fetch(ctx, g.Addr(), g.Secure, func(conn *wire.Conn) (*protocols.Resource, error) {
		s := &session{conn: conn, lines: wire.NewLineReader(conn), url: g}
		if !g.HasSearch {
			return nil, s.askFields()
		}
		first, err := s.search()
		head := protocols.Head{URL: g, Title: g.Search, Layout: protocols.LayoutMenu, Size: -1}
		if protocols.ReasonOf(err) == protocols.NotFound {
			_ = conn.Close()
			g.Search, g.HasSearch = "", false
			return protocols.NewPage(head, protocols.NothingFound(g, "No entry matches.")...), nil
		}
		return &protocols.Resource{
			Head: head, Lines: s.yieldEntries(first), Closer: conn,
		}, err
	})
}

// session is a connection to a phone book.
type session struct {
	conn  *wire.Conn
	lines *wire.LineReader
	url   urlcore.Gopher
}

// send sends a command and then the command that ends the session.
func (s *session) send(command string) error {
	_, err := io.WriteString(s.conn, command+quitCommand)
	return err
}

// next reads a line of the answer. The last line of an answer does not begin with "-". If the connection
// ends before that line, next returns an error.
func (s *session) next() (reply, error) {
	if s.conn.Context().Err() != nil {
		return reply{}, context.Cause(s.conn.Context())
	}
	text, err := s.lines.ReadLine()
	if err == io.EOF {
		err = protocols.NewError(protocols.Broken, "read the answer of the phone book", "its end is missing")
	}
	return parseReply(text), err
}

// search sends the query. It returns the lines of the answer up to the first line that is neither a progress
// message nor a remark about an error, at most maxProgress lines. Only the last line of an answer decides
// whether the query failed: the original server sends "-508:1: email: Not present in entry." for a field that
// an entry lacks.
func (s *session) search() (first []reply, err error) {
	if err := s.send(queryCommand(s.url)); err != nil {
		return nil, err
	}
	for {
		r, err := s.next()
		switch {
		case err != nil:
			return nil, err
		case r.code == 0 && len(first) == 0:
			return nil, &protocols.Error{
				Reason: protocols.Malformed, Op: "ask the phone book", Text: r.text,
				Err: errors.New("the server does not speak its protocol"),
			}
		case r.isFailure():
			return nil, s.failureError(r, first...)
		}
		first = append(first, r)
		if !r.isProgress() && r.code < 400 || len(first) == maxProgress {
			return first, nil
		}
	}
}

// maxProgress is the maximum number of progress messages and remarks that search reads.
const maxProgress = 100

// failureError returns the error for the last line of an answer. The lines before it may have remarks that name
// the field at fault.
func (s *session) failureError(r reply, before ...reply) error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "ask the phone book at " + s.url.Addr(), Code: r.code, Text: r.text}
	for _, b := range before {
		if b.code >= 400 {
			e.Text += "\n" + strings.TrimSpace(b.row)
		}
	}
	switch r.code {
	case 501: // no matches
		e.Reason, e.Op = protocols.NotFound, "find an entry in the phone book at "+s.url.Addr()
	case 503, 504, 506: // not authorized, login required
		e.Reason = protocols.Denied
	case 502:
		e.Err = errors.New("too many entries match: fill in more fields")
	case 515:
		e.Err = errors.New("one of the fields that are indexed must be filled in")
	}
	return e
}

// yieldEntries yields the lines of the answer. The parameter first has the lines that search has read.
func (s *session) yieldEntries(first []reply) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		index := 0
		for {
			var r reply
			var err error
			if len(first) > 0 {
				r, first = first[0], first[1:]
			} else {
				r, err = s.next()
			}
			switch {
			case err != nil:
			case r.isFailure():
				err = s.failureError(r)
			case r.isFinal():
				return
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
			if r.index != 0 {
				if index != 0 && r.index != index && !yield(protocols.Line{}, nil) {
					return
				}
				index = r.index
			}
			if !yield(r.pageLine(), nil) {
				return
			}
		}
	}
}

// pageLine returns r as a line of a page.
func (r reply) pageLine() protocols.Line {
	if r.code == 0 {
		return protocols.Line{Kind: protocols.Problem, Text: r.text}
	}
	return protocols.Line{Text: r.row}.WithLink(strings.TrimSpace(r.text))
}

// reply is a line of an answer (RFC 2378, section 2):
//
//	[-]code:[index:][field:]text
type reply struct {
	code  int // 0 for a line that is not a reply
	more  bool
	index int    // the number of the entry or field, or 0
	field string // the field without surrounding blanks
	text  string
	row   string // the field and the text as received
}

func parseReply(line string) reply {
	number, rest, ok := strings.Cut(strings.TrimPrefix(line, "-"), ":")
	code, _ := strconv.ParseUint(number, 10, 16)
	if !ok || code < 100 || code > 999 {
		return reply{text: line, row: line}
	}
	r := reply{code: int(code), more: line[0] == '-', text: rest, row: rest}
	number, rest, ok = strings.Cut(rest, ":")
	index, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
	if !ok || err != nil || !r.more {
		return r
	}
	r.index, r.row, r.text = int(index), rest, rest
	if field, text, ok := strings.Cut(rest, ":"); ok {
		r.field, r.text = strings.TrimSpace(field), text
	}
	return r
}

func (r reply) isProgress() bool { return r.code >= 100 && r.code < 200 }

// isFinal reports whether r is the last line of the answer.
func (r reply) isFinal() bool { return r.code >= 200 && !r.more }

// isFailure reports whether r is the last line of an answer that failed.
func (r reply) isFailure() bool { return r.code >= 400 && !r.more }

// quote returns a value of a query, in quotes if it is not one word.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\"\\") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`).Replace(value) + `"`
}
