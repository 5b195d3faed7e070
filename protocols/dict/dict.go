// Package dict queries dictionary servers (RFC 2229). The URL dict://host/ lists the databases and
// strategies of a server, dict://host/d:word defines a word, and dict://host/m:word finds similar
// words.
package dict

import (
	"context"
	"crypto/md5" //nolint:gosec // RFC 2229, section 3.11
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client is a [protocols.Fetcher] and [protocols.Planner] for dict: URLs. The zero value is ready
// and safe for concurrent use.
type Client struct {
	Dialer wire.Dialer // opens the connections

	logins wire.Logins
}

// request holds the parts of a dict: URL (RFC 2229, section 5).
type request struct {
	url      urlcore.Lookup
	verb     byte // 'd', 'm', or 0 for the databases of the server
	word     string
	database string
	strategy string
	number   int // selects one definition or similar word, 1 for the first; 0 for all
}

const (
	allDatabases    = "*"
	firstDatabase   = "!" // the first database with a match (RFC 2229, section 3.2)
	defaultStrategy = "." // chosen by the server (section 3.3)
)

const (
	helloCommand = "CLIENT gofer\r\n"
	quitCommand  = "QUIT\r\n"
)

// maxCommand is the maximum length of a command line with its line end (RFC 2229, section 2.3).
const maxCommand = 1024

// parseURL returns the request of a dict: URL. If no word follows d: or m:, the error is a
// *[protocols.Ask].
func parseURL(u urlcore.URL) (request, error) {
	l, ok := u.(urlcore.Lookup)
	r := request{url: l, database: firstDatabase, strategy: defaultStrategy}
	switch {
	case u.Scheme() != "dict":
		return r, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by DICT"}
	case !ok || l.Host == "":
		return r, badURLError("no host in the URL: write dict://host/d:word")
	}
	path := strings.TrimPrefix(l.Path, "/")
	if path == "" {
		return r, nil
	}
	var fields []string
	for _, f := range strings.Split(path, ":") {
		fields = append(fields, urlcore.Lookup{Path: f}.Query())
	}
	field := func(i int, value *string) {
		if i < len(fields) && fields[i] != "" {
			*value = fields[i]
		}
	}
	number, count := "", 4
	field(1, &r.word)
	field(2, &r.database)
	if fields[0] == "m" {
		field(3, &r.strategy)
		count = 5
	}
	field(count-1, &number)
	if (fields[0] != "d" && fields[0] != "m") || len(fields) < 2 || len(fields) > count {
		return r, badURLError("it is neither dict://host/d:word:database:number nor dict://host/m:word:database:strategy:number")
	}
	r.verb = fields[0][0]
	if number != "" {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return r, badURLError("the number of the answer must be 1 or more")
		}
		r.number = n
	}
	if strings.TrimSpace(r.word) == "" {
		return r, r.newAsk()
	}
	for _, part := range []string{r.word, r.database, r.strategy, l.User} {
		if err := wire.Check("word", part); err != nil {
			return r, err
		}
	}
	if len(r.formatCommand()) > maxCommand {
		return r, badURLError("the command is longer than 1024 octets (RFC 2229, section 2.3)")
	}
	return r, nil
}

func badURLError(why string) error {
	return protocols.NewError(protocols.BadURL, "ask the dictionary", why)
}

func (r request) newAsk() error {
	label, title := "Define", "Dictionary at "+r.url.Host
	if r.verb == 'm' {
		label = "Words like"
	}
	if r.database != firstDatabase && r.database != allDatabases {
		title = "Dictionary " + strconv.Quote(r.database) + " at " + r.url.Host
	}
	return protocols.AskOne(r.url, title, label, func(answer string) urlcore.URL {
		r.word = answer
		return r.urlOf()
	})
}

// urlOf returns the URL of the request.
func (r request) urlOf() urlcore.Lookup {
	fields := []string{string(r.verb), r.word, r.database}
	if r.verb == 'm' {
		fields = append(fields, r.strategy)
	}
	if r.number > 0 {
		fields = append(fields, strconv.Itoa(r.number))
	}
	u := r.url
	for i, f := range fields {
		if i > 1 && (f == firstDatabase || f == defaultStrategy) {
			f = "" // the default
		}
		fields[i] = strings.ReplaceAll(strings.TrimPrefix(u.WithQuery(f).Path, "/"), ":", "%3A")
	}
	for len(fields) > 2 && fields[len(fields)-1] == "" {
		fields = fields[:len(fields)-1]
	}
	u.Path = "/" + strings.Join(fields, ":")
	return u
}

func (r request) linkTo(verb byte, word string) urlcore.Lookup {
	return request{url: r.url, verb: verb, word: word, database: r.database, strategy: defaultStrategy}.urlOf()
}

func (r request) formatCommand() string {
	switch r.verb {
	case 'd':
		return "DEFINE " + quote(r.database) + " " + quote(r.word) + "\r\n"
	case 'm':
		return "MATCH " + quote(r.database) + " " + quote(r.strategy) + " " + quote(r.word) + "\r\n"
	}
	return "SHOW DATABASES\r\n"
}

// formatCommands returns the command, and for the contents of a server also the command for the strategies.
func (r request) formatCommands() string {
	if r.verb == 0 {
		return r.formatCommand() + strategiesCommand
	}
	return r.formatCommand()
}

// quote returns a word of a command, in quotes if necessary (RFC 2229, section 2.2).
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\"'\\") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

const strategiesCommand = "SHOW STRATEGIES\r\n"

// Plan returns the commands that Fetch would send. If Fetch would ask the user for a word, Plan
// returns the same *[protocols.Ask].
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	r, err := parseURL(u)
	if err != nil {
		return nil, err
	}
	step := func(send, note string) protocols.Step {
		return protocols.Step{Peer: r.url.Addr(), Send: send, Note: note}
	}
	steps := []protocols.Step{step(helloCommand, "name the client program")}
	if r.url.HasUser {
		user, _, _ := strings.Cut(r.url.User, ";")
		steps = append(steps, step("AUTH "+quote(user)+" <digest>\r\n", "log in with a digest of the password"))
	}
	switch r.verb {
	case 'd':
		steps = append(steps, step(r.formatCommand(), "ask for definitions; if there are none, MATCH for words like it"))
	case 'm':
		steps = append(steps, step(r.formatCommand(), "ask for words like it"))
	default:
		steps = append(steps, step(r.formatCommand(), "list the databases"), step(strategiesCommand, "list the ways to search"))
	}
	return append(steps, step(quitCommand, "end the session")), nil
}

// Fetch returns the lines of the answer.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, err := parseURL(req.URL)
	if err != nil {
		return nil, err
	}
	return c.Dialer.Fetch(ctx, r.url.Addr(), false, func(conn *wire.Conn) (*protocols.Resource, error) {
		s := &session{out: conn, lines: wire.NewLineReader(conn), request: r}
		err := c.begin(conn.Context(), s)
		if err == nil {
			err = s.start()
		}
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return &protocols.Resource{
			Head:  protocols.Head{URL: r.url, Title: r.titleOf(), Layout: protocols.LayoutMenu, Charset: "utf-8", Size: -1, Personal: r.url.HasUser},
			Lines: s.yieldPage(), Closer: conn,
		}, err
	})
}

func (r request) titleOf() string {
	if r.verb == 0 {
		return "Dictionaries at " + r.url.Host
	}
	if r.database == allDatabases || r.database == firstDatabase {
		return r.word + " at " + r.url.Host
	}
	return r.word + " in " + r.database
}

// begin sends all commands in one write, before it reads the greeting, and then reads the replies up to the
// first one to the request: a server must accept commands that are sent together (RFC 2229, section 4). If the
// URL names a user, the request follows the login, which needs the greeting.
func (c *Client) begin(ctx context.Context, s *session) error {
	commands := helloCommand
	if !s.request.url.HasUser {
		commands += s.request.formatCommands()
	}
	if err := s.send(commands); err != nil {
		return err
	}
	banner, err := s.readReply()
	if err != nil {
		return err
	}
	if banner.code != 220 {
		return s.failureError(banner)
	}
	if _, err := s.readReply(); err != nil || !s.request.url.HasUser {
		return err
	}
	u := s.request.url
	account := wire.Account{Scheme: "dict", Addr: u.Addr(), User: u.User, HasUser: true}
	logins := wire.Remember(c.Dialer.Memory, &c.logins)
	login, ok := logins.Get(account)
	ok = ok && protocols.MayLogIn(ctx, u.Scheme(), u.Addr())
	user, _, _ := strings.Cut(u.User, ";") // the rest is the kind of login (RFC 2229, section 5)
	ask := &protocols.Login{URL: u, Server: u.Addr(), User: user, With: logins.KeepFunc(account)}
	if !ok {
		return ask
	}
	user = login.User
	password, _ := login.Password()
	id := banner.text[strings.LastIndexByte(banner.text, '<')+1:]
	id, _, _ = strings.Cut(id, ">")
	digest := md5.Sum([]byte("<" + id + ">" + password)) //nolint:gosec // RFC 2229, section 3.11
	if err := wire.Check("user name", user); err != nil {
		return err
	}
	if err := s.send("AUTH " + quote(user) + " " + hex.EncodeToString(digest[:]) + "\r\n" + s.request.formatCommands()); err != nil {
		return err
	}
	r, err := s.readReply()
	if err == nil && r.code != 230 {
		logins.RecordRefusal(account, login)
		ask.Failed, ask.Text = true, r.text
		return ask
	}
	return err
}

// session is a connection to a dictionary server.
type session struct {
	out     io.Writer
	lines   *wire.LineReader
	request request
	first   reply // the first reply to the command
}

func (s *session) send(command string) error {
	_, err := io.WriteString(s.out, command)
	return err
}

// next reads a line. It returns an error if the connection ends.
func (s *session) next() (string, error) {
	text, err := s.lines.ReadLine()
	if err == io.EOF {
		err = protocols.NewError(protocols.Broken, "read the answer of the dictionary", "its end is missing")
	}
	return text, err
}

// readReply reads a line that begins with a code (RFC 2229, section 2.4).
func (s *session) readReply() (reply, error) {
	line, err := s.next()
	if err != nil {
		return reply{}, err
	}
	r := parseReply(line)
	if r.code == 0 {
		return r, &protocols.Error{
			Reason: protocols.Malformed, Op: "ask the dictionary", Text: line, Err: errors.New("the server does not speak its protocol"),
		}
	}
	return r, nil
}

// start reads the start of the answer.
func (s *session) start() error {
	var err error
	if s.first, err = s.readReply(); err != nil {
		return err
	}
	if s.first.code == 552 && s.request.verb == 'd' {
		return s.suggest()
	}
	switch s.first.code {
	case 110, 150, 152, 554: // 554: there are no databases
		return nil
	case 552:
		if s.request.verb == 'm' { // a search
			return nil
		}
	}
	return s.failureError(s.first)
}

func (s *session) failureError(r reply) *protocols.Error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "ask the dictionary at " + s.request.url.Addr(), Code: r.code, Text: r.text}
	switch r.code {
	case 420, 421:
		e.Err = protocols.ErrUnavailable
	case 550, 551, 552, 554, 555:
		e.Reason = protocols.NotFound
	case 530, 531, 532:
		e.Reason = protocols.Denied
	}
	return e
}

// maxSuggestions is the maximum number of similar words. To find them, at most 100*maxSuggestions lines
// are read.
const maxSuggestions = 20

// suggest returns the error for a word without a definition. The error lists similar words.
func (s *session) suggest() error {
	e := s.failureError(s.first)
	e.Op = "find " + strconv.Quote(s.request.word)
	m := s.request
	m.verb, m.number = 'm', 0
	if s.send(m.formatCommand()) != nil {
		return e
	}
	r, err := s.readReply()
	for n := 0; err == nil && r.code == 152 && len(e.Lines) < maxSuggestions && n < 100*maxSuggestions; n++ {
		var line string
		if line, err = s.next(); err != nil || line == "." {
			break
		}
		if l, ok := s.similarWord(line); ok {
			e.Lines = append(e.Lines, l)
		}
	}
	if len(e.Lines) > 0 {
		e.Lines = append([]protocols.Line{{}, {Text: "Similar words:"}}, e.Lines...)
	}
	return e
}
