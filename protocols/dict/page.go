package dict

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

type reply struct {
	code int
	text string
}

func parseReply(line string) reply {
	if len(line) < 3 || len(line) > 3 && line[3] != ' ' {
		return reply{text: line}
	}
	code, err := strconv.Atoi(line[:3])
	if err != nil || code < 100 {
		return reply{text: line}
	}
	return reply{code, strings.TrimSpace(line[3:])}
}

// splitWords splits a line at blanks outside of quotes (RFC 2229, section 2.2).
func splitWords(line string) (list []string) {
	var b strings.Builder
	quoted, word := byte(0), false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
			word = true
		case c == quoted:
			quoted = 0
		case quoted == 0 && (c == '"' || c == '\''):
			quoted, word = c, true
		case quoted == 0 && (c == ' ' || c == '\t'):
			if word {
				list = append(list, b.String())
				b.Reset()
			}
			word = false
		default:
			b.WriteByte(c)
			word = true
		}
	}
	if word {
		list = append(list, b.String())
	}
	return list
}

// linkedLine returns a line with a link to u if u is a valid URL.
func linkedLine(kind protocols.Kind, text string, u urlcore.Lookup) protocols.Line {
	if link, err := urlcore.Canon(u); err == nil {
		return protocols.Line{Kind: kind, Text: text, Link: link}
	}
	return protocols.Line{Text: text}
}

type yield func(protocols.Line, error) bool

func (s *session) yieldPage() iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		var more bool
		var err error
		switch {
		case s.first.code == 552:
			more = s.yieldNothing(yield)
		case s.request.verb == 'd':
			more, err = s.yieldDefinitions(yield)
		case s.request.verb == 'm':
			n := 0
			more, err = s.readList(func(line string) bool {
				l, ok := s.similarWord(line)
				if ok {
					n++
				}
				return !ok || s.request.number > 0 && n != s.request.number || yield(l, nil)
			})
		default:
			more, err = s.yieldContents(yield)
		}
		if err == nil && more {
			err = s.send(quitCommand)
		}
		if err != nil && more {
			yield(protocols.Line{}, err)
		}
	}
}

// yieldNothing yields the page of a search for similar words that finds none. It reports whether more lines are wanted.
func (s *session) yieldNothing(yield yield) bool {
	again := s.request.url
	_, where, _ := strings.Cut(strings.TrimPrefix(again.Path, "/m:"), ":")
	again.Path = strings.TrimSuffix("/m::"+where, ":")
	if where == "" {
		again.Path = "/m:"
	}
	for _, l := range protocols.NothingFound(again, "No word matches.") {
		if !yield(l, nil) {
			return false
		}
	}
	return true
}

// readText calls the function take for each line of a text. If take returns false, readText ends, and the result
// more is false. It removes the dots that the protocol adds (RFC 2229, section 2.4.3).
func (s *session) readText(take func(string) bool) (more bool, err error) {
	for {
		line, err := s.next()
		switch {
		case err != nil:
			return true, err
		case line == ".":
			return true, nil
		}
		if !take(strings.TrimPrefix(line, ".")) {
			return false, nil
		}
	}
}

// readList reads a text and the reply after it.
func (s *session) readList(take func(string) bool) (more bool, err error) {
	if more, err = s.readText(take); err == nil && more {
		_, err = s.readReply()
	}
	return more, err
}

// similarWord returns a line of the page. The parameter line names a database and a similar word.
func (s *session) similarWord(line string) (l protocols.Line, ok bool) {
	w := splitWords(line)
	if len(w) < 2 {
		return l, false
	}
	req := s.request
	req.database = w[0]
	return linkedLine(protocols.Menu, w[1]+"  ("+w[0]+")", req.linkTo('d', w[1])), true
}

// maxReferences is the maximum number of references in a definition.
const maxReferences = 200

// yieldDefinitions yields the definitions. After each definition, it yields links to the words that the
// definition mentions in braces.
func (s *session) yieldDefinitions(yield yield) (more bool, err error) {
	for n := 1; ; n++ {
		r, err := s.readReply()
		if err != nil || r.code != 151 {
			if err == nil && r.code >= 400 {
				err = s.failureError(r)
			}
			return true, err
		}
		shown := s.request.number == 0 || s.request.number == n
		show := func(l protocols.Line) bool { return !shown || yield(l, nil) }
		w := append(splitWords(r.text), "", "", "")
		title := cmp.Or(w[2], w[1])
		if n > 1 && s.request.number == 0 && !yield(protocols.Line{}, nil) ||
			!show(protocols.Line{Kind: protocols.Heading, Text: w[0] + ": " + title}) {
			return false, nil
		}
		refs := references{seen: map[string]bool{}}
		if more, err := s.readText(func(line string) bool {
			refs.add(line)
			return show(protocols.Line{Text: line})
		}); err != nil || !more {
			return more, err
		}
		req := s.request
		req.database = w[1]
		for _, word := range refs.words {
			if !show(linkedLine(protocols.Menu, "see "+word, req.linkTo('d', word))) {
				return false, nil
			}
		}
	}
}

// references collects the words in braces, which refer to other definitions. A word may end on the
// next line.
type references struct {
	words   []string
	seen    map[string]bool
	open    bool
	partial string
}

func (r *references) add(line string) {
	for {
		if !r.open {
			_, rest, ok := strings.Cut(line, "{")
			if !ok {
				return
			}
			r.open, r.partial, line = true, "", rest
		}
		word, rest, ok := strings.Cut(line, "}")
		full := strings.TrimSpace(r.partial + " " + strings.TrimSpace(word))
		if !ok {
			r.open = r.partial == "" && full != "" && len(full) < 100 // a word has at most two lines
			r.partial = full
			return
		}
		r.open, line = false, rest
		if full != "" && len(full) < 200 && !r.seen[full] && len(r.words) < maxReferences {
			r.seen[full] = true
			r.words = append(r.words, full)
		}
	}
}

// yieldContents yields the databases and the search strategies of the server.
func (s *session) yieldContents(yield yield) (more bool, err error) {
	req := s.request
	req.database = firstDatabase
	for _, l := range []protocols.Line{
		{Kind: protocols.Search, Text: "Define a word", Link: req.linkTo('d', "")},
		{Kind: protocols.Search, Text: "Similar words", Link: req.linkTo('m', "")},
		{},
		{Kind: protocols.Heading, Text: "Dictionaries"},
	} {
		if !yield(l, nil) {
			return false, nil
		}
	}
	row := func(target func(name string) request) func(string) bool {
		return func(line string) bool {
			w := splitWords(line)
			if len(w) < 1 {
				return true
			}
			text := strings.Join(w[1:], " ")
			if text == "" {
				text = w[0]
			} else {
				text += "  (" + w[0] + ")"
			}
			return yield(linkedLine(protocols.Search, text, target(w[0]).urlOf()), nil)
		}
	}
	if s.first.code == 110 {
		more, err = s.readList(row(func(name string) request {
			return request{url: s.request.url, verb: 'd', database: name, strategy: defaultStrategy}
		}))
		if err != nil || !more {
			return more, err
		}
	}
	r, err := s.readReply()
	if err != nil || r.code != 111 {
		return true, err
	}
	if !yield(protocols.Line{}, nil) || !yield(protocols.Line{Kind: protocols.Heading, Text: "Ways to search"}, nil) {
		return false, nil
	}
	return s.readList(row(func(name string) request {
		return request{url: s.request.url, verb: 'm', database: firstDatabase, strategy: name}
	}))
}
