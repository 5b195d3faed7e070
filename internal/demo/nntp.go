package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strings"
	"sync/atomic"
	"time"
)

const (
	nntpMaxCommand = 512              // size of a command line, in octets (RFC 3977, section 3.1)
	nntpIdle       = 60 * time.Second // limit for silence of the client
)

// NNTPServer is a news server for readers (RFC 3977) on a free port of 127.0.0.1. It accepts
// posts and serves a file tree:
//
//	news/GROUP/*.eml   the articles of a group, numbered from 1 in the order of file names
//	news/newsgroups    the descriptions, one a line: group, tab, text
//
// A folder without articles is an empty group, and so is a group that has only a description. The
// methods of NNTPServer are safe for concurrent use.
type NNTPServer struct {
	server
	spool atomic.Pointer[nntpSpool]

	// Guarded by mu:
	handlers map[string]NNTPHandler
}

// NNTPHandler answers a command in place of the server. It writes to conn. If it returns false,
// the connection is closed.
type NNTPHandler func(conn net.Conn, command string) bool

// StartNNTP starts a server of articles; Close stops it. In the text of articles the keys
// of replace are replaced by their values, so that articles can name servers on ports chosen at
// run time. The files have LF or CRLF line ends and RFC 5536 headers.
func StartNNTP(articles fs.FS, replace map[string]string) (*NNTPServer, error) {
	var pairs []string
	for from, to := range replace {
		pairs = append(pairs, from, to)
	}
	spool, err := readSpool(articles, strings.NewReplacer(pairs...))
	if err != nil {
		return nil, fmt.Errorf("read the articles: %w", err)
	}
	s := &NNTPServer{handlers: map[string]NNTPHandler{}}
	s.spool.Store(spool)
	return s, s.start(s.serve)
}

// URL returns the nntp: URL of a group on this server.
func (s *NNTPServer) URL(group string) string { return "nntp://" + s.hostInURLs() + "/" + group }

// Groups returns the names of the groups in the order of LIST.
func (s *NNTPServer) Groups() []string {
	var names []string
	for _, g := range s.spool.Load().groups {
		names = append(names, g.name)
	}
	return names
}

// Handle makes f answer the commands that begin with verb ("GROUP", "LIST ACTIVE"). The longest
// matching verb is used. The handler of the empty verb sends the greeting. The command passed to f
// has no line end.
func (s *NNTPServer) Handle(verb string, f NNTPHandler) {
	s.mu.Lock()
	s.handlers[strings.ToUpper(verb)] = f
	s.mu.Unlock()
}

// handler returns the handler of the command, or nil.
func (s *NNTPServer) handler(command string) NNTPHandler {
	s.mu.Lock()
	defer s.mu.Unlock()
	for verb := strings.ToUpper(command); ; {
		last := strings.LastIndexByte(verb, ' ')
		if f := s.handlers[verb]; f != nil || last < 0 {
			return f
		}
		verb = verb[:last]
	}
}

func (s *NNTPServer) serve(c net.Conn) {
	r := &nntpConn{server: s, spool: s.spool.Load(), w: bufio.NewWriterSize(c, 32<<10)}
	if f := s.handler(""); f != nil {
		if !f(c, "") {
			return
		}
	} else {
		r.printLine("200 gofer demo news server ready")
	}
	in := bufio.NewReaderSize(c, nntpMaxCommand+2)
	for {
		if in.Buffered() == 0 && r.w.Flush() != nil {
			return
		}
		_ = c.SetDeadline(time.Now().Add(nntpIdle))
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for n := 0; errors.Is(err, bufio.ErrBufferFull) && n < 100; n++ {
				_, err = in.ReadSlice('\n')
			}
			r.printLine("501 the command is too long")
			line = nil
		}
		if err != nil {
			_ = r.w.Flush()
			return
		}
		if line == nil {
			continue
		}
		command := strings.TrimRight(string(line), "\r\n")
		if f := s.handler(command); f != nil {
			if r.w.Flush() != nil || !f(c, command) {
				return
			}
			continue
		}
		r.refresh()
		if strings.EqualFold(command, "POST") {
			if !r.post(in) {
				return
			}
		} else if !r.answer(command) {
			_ = r.w.Flush()
			return
		}
	}
}

// nntpSpool holds the groups and articles in memory.
type nntpSpool struct {
	groups []*nntpGroup
	byName map[string]*nntpGroup
	byID   map[string]*nntpArticle
}

type nntpGroup struct {
	name, description string
	articles          []*nntpArticle // articles[n-1] has the number n
}

type nntpArticle struct {
	id         string   // Message-ID with < and >
	head, body []string // lines without line ends
	bytes      int
}

// field returns the value of a header field, unfolded and with tabs replaced by blanks.
func (a *nntpArticle) field(name string) string {
	for i, line := range a.head {
		k, v, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(k, name) {
			continue
		}
		for _, more := range a.head[i+1:] {
			if more == "" || more[0] != ' ' && more[0] != '\t' {
				break
			}
			v += more
		}
		return strings.TrimSpace(strings.ReplaceAll(v, "\t", " "))
	}
	return ""
}

func readSpool(tree fs.FS, replace *strings.Replacer) (*nntpSpool, error) {
	s := &nntpSpool{byName: map[string]*nntpGroup{}, byID: map[string]*nntpArticle{}}
	folders, err := fs.ReadDir(tree, "news")
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		g := &nntpGroup{name: f.Name()}
		s.groups = append(s.groups, g)
		s.byName[g.name] = g
		files, err := fs.Glob(tree, path.Join("news", f.Name(), "*.eml"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			b, err := fs.ReadFile(tree, name)
			if err != nil {
				return nil, err
			}
			a := parseNNTPArticle(replace.Replace(string(b)))
			if a.id == "" {
				return nil, fmt.Errorf("%s has no Message-ID", name)
			}
			g.articles = append(g.articles, a)
			s.byID[a.id] = a
		}
	}
	texts, err := fs.ReadFile(tree, "news/newsgroups")
	if err != nil {
		return s, nil
	}
	for line := range strings.Lines(string(texts)) {
		name, text, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if name == "" || strings.ContainsAny(name, " /") {
			continue
		}
		if s.byName[name] == nil {
			g := &nntpGroup{name: name}
			s.groups, s.byName[name] = append(s.groups, g), g
		}
		s.byName[name].description = strings.TrimSpace(text)
	}
	return s, nil
}

func parseNNTPArticle(text string) *nntpArticle {
	a := &nntpArticle{}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	a.head = lines
	for i, line := range lines {
		a.bytes += len(line) + 2
		if line == "" && a.body == nil {
			a.head, a.body = lines[:i], lines[i+1:]
		}
	}
	a.id = a.field("Message-ID")
	return a
}
