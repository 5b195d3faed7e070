package nntp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile/cache"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches news: and nntp: URLs (RFC 1738, sections 3.6 and 3.7), and snews:
// and nntps: URLs, which use TLS. It is safe for concurrent use; its fields must not
// be changed after the first use. The zero value fetches nntp: URLs.
type Client struct {
	Dialer wire.Dialer
	// Server is the server for news: URLs without a server (RFC 1738, section 3.6):
	// "host", "host:port", or a URL like "nntps://host/" for TLS. If Server is empty, the
	// server of the last fetched URL with a host and without TLS is used.
	Server string
	// NewestArticles is the maximal number of articles that a fetch of a group returns by default; 0 means 500.
	NewestArticles int
	// NewestArticlesOf returns the number to use in place of NewestArticles for the server at addr
	// (host:port), or 0 to use NewestArticles. NewestArticlesOf may be nil.
	NewestArticlesOf func(addr string) int
	// IdleTimeout is the maximal time that an idle connection is kept open for the next fetch; 0 means 60 s. If
	// IdleTimeout is negative, connections are not kept. There is at most one idle connection for each server
	// and user.
	IdleTimeout time.Duration
	// DescriptionTimeout is the maximal time to read the list of group descriptions before the list of groups is
	// requested; 0 means 1 s. If DescriptionTimeout is negative, descriptions are not requested.
	DescriptionTimeout time.Duration
	// Copies keeps articles, overviews and lists of groups; it may be nil.
	Copies *cache.Store
	// PlainPasswords allows sending passwords in the clear without a question. It has no effect for a server
	// with a pinned certificate.
	PlainPasswords bool
	// Habits stores what connections learn of servers, so that the next ones need fewer round trips. If Habits is
	// nil, the Client remembers it only itself.
	Habits wire.HabitStore

	logins   wire.Logins
	consents wire.PlainPasswords
	idle     wire.Pool[*session]

	servers sync.Map // wire.Account -> *server

	received, plainReceived atomic.Int64 // octets of compressed connections, before and after decompression

	last lastServer
}

// lastServer is the server of the last fetched URL with a host and without TLS. Clients with the same
// wire.Memory share it.
type lastServer struct{ atomic.Value } // an urlcore.HostPort

// lastServer returns the lastServer in the Memory of c's Dialer, or &c.last if there is no Memory.
func (c *Client) lastServer() *lastServer { return wire.Remember(c.Dialer.Memory, &c.last) }

// The defaults of a zero Client.
const (
	DefaultNewest   = 500
	DefaultDescribe = time.Second
)

// Fetch returns a Resource with Lines for a group or a list of groups, and with a Body for an article.
// The Body has the octets between the status line and the final dot, without the dot-stuffing (RFC 3977,
// section 3.1.1).
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	t, err := c.parseTarget(req.URL)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, err := c.fetch(ctx, t, req)
	switch {
	case err != nil:
		return nil, t.withServerNote(err)
	case t.usesLastServer:
		r.Notes = append(r.Notes, t.lastServerNote())
	case !t.defaultServer && !t.secure:
		c.lastServer().Store(t.host)
	}
	return r, nil
}

func (c *Client) fetch(ctx context.Context, t target, req protocols.Request) (*protocols.Resource, error) {
	switch t.kind {
	case allGroups:
		return c.listGroups(ctx, t)
	case oneGroup:
		return c.fetchGroup(ctx, t, req)
	default:
		return c.fetchArticle(ctx, t, req.Fresh)
	}
}

// Close closes the idle connections. Later fetches work but keep no connection.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}

// Plan implements [protocols.Planner].
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	t, err := c.parseTarget(u)
	if err != nil {
		return nil, err
	}
	step := func(command, note string) protocols.Step {
		return protocols.Step{Peer: t.addr, Send: command + "\r\n", Note: note}
	}
	var steps []protocols.Step
	switch t.kind {
	case allGroups:
		if c.descriptionLimit() > 0 {
			steps = append(steps, step(listNewsgroups, "the descriptions; skipped if they take longer than "+c.descriptionLimit().String()))
		}
		steps = append(steps, step(listActive, "the groups"))
	case oneGroup:
		steps = []protocols.Step{
			step(groupCommand(t.group), "selects the group; the reply has the numbers of its articles"),
			step("OVER <first>-<last>", fmt.Sprintf("the newest %d articles; XOVER, XHDR or HEAD if the server has no OVER", c.newestCount(t.addr))),
		}
		if newSearch(t.url) != nil {
			steps[1] = step("XPAT <header> <first>-<last> <pattern>", "the numbers that may match, then OVER for them; HDR, or OVER for all, if the server has no XPAT")
		}
	case byNumber:
		steps = []protocols.Step{
			step(groupCommand(t.group), "selects the group"),
			step(t.articleCommand(), "the article with this number"),
		}
	case byID:
		steps = []protocols.Step{step(t.articleCommand(), "the article")}
	}
	steps[0].Note += "; MODE READER before it if the server answers 401, AUTHINFO if 480"
	if t.secure {
		steps[0].Note += "; by TLS"
	}
	if t.usesLastServer {
		steps[0].Note += "; no news server is set, so the last one is used"
	}
	return steps, nil
}

func (c *Client) newestCount(addr string) int {
	if c.NewestArticlesOf != nil {
		if n := c.NewestArticlesOf(addr); n > 0 {
			return n
		}
	}
	if c.NewestArticles > 0 {
		return c.NewestArticles
	}
	return DefaultNewest
}

func (c *Client) descriptionLimit() time.Duration {
	if c.DescriptionTimeout == 0 {
		return DefaultDescribe
	}
	return c.DescriptionTimeout
}

// itemKind is the kind of item that a URL names.
type itemKind uint8

const (
	allGroups itemKind = iota
	oneGroup
	byNumber
	byID
)

// target is a URL, checked and split into the server and the arguments of NNTP commands.
type target struct {
	kind           itemKind
	url            urlcore.URL
	addr           string // host:port to dial
	host           urlcore.HostPort
	secure         bool // TLS is used from the start
	group          string
	number         uint64 // the article number
	id             string // the Message-ID without < >
	defaultServer  bool   // url is a news: or nntp: URL without a server
	usesLastServer bool   // no server is set, so Client.lastServer is used
}

// lastServerNote returns the note that Client.lastServer was used.
func (t target) lastServerNote() string {
	return "no news server is set; " + t.addr + " was used, the last one"
}

// withServerNote adds lastServerNote to err if Client.lastServer was used.
func (t target) withServerNote(err error) error {
	if e, ok := errors.AsType[*protocols.Error](err); t.usesLastServer && ok && e.Err == nil {
		e.Err = errors.New(t.lastServerNote())
	}
	return err
}

func (t target) articleCommand() string {
	if t.kind == byID {
		return "ARTICLE <" + t.id + ">"
	}
	return "ARTICLE " + strconv.FormatUint(t.number, 10)
}

func groupCommand(name string) string { return "GROUP " + name }

func (c *Client) parseTarget(u urlcore.URL) (target, error) {
	switch u := u.(type) {
	case urlcore.News:
		return c.parseNewsTarget(u)
	case urlcore.NNTP:
		t := target{url: u, host: u.HostPort, addr: u.Addr(), group: u.Group, kind: oneGroup, secure: u.Secure}
		if u.HasArticle {
			t.kind, t.number = byNumber, u.Article
		}
		if u.Host == "" && (u.Secure || !u.HasArticle) {
			return t, badURL("find the server", "it has no host")
		}
		if err := checkWord("group name", u.Group); u.Host != "" || err != nil {
			return t, err
		}
		return c.withOwnServer(t)
	}
	return target{}, &protocols.Error{Reason: protocols.Unsupported, Op: "open " + urlcore.Redact(u).String() + " by NNTP"}
}

func (c *Client) parseNewsTarget(u urlcore.News) (target, error) {
	t := target{url: u, group: u.Group, id: u.MessageID}
	var err error
	switch {
	case u.Secure && u.Host == "":
		err = badURL("find the server", "it has no host")
	case u.Group == "*":
		t.kind = allGroups
	case u.Group != "":
		t.kind, err = oneGroup, checkWord("group name", u.Group)
	default:
		t.kind, err = byID, checkWord("Message-ID", u.MessageID)
		if err == nil && strings.ContainsAny(u.MessageID, "<>") {
			err = badURL("send the Message-ID", "it contains < or >")
		}
	}
	if err != nil {
		return t, err
	}
	if u.Host != "" {
		t.addr, t.host, t.secure = u.Addr(), u.HostPort, u.Secure
		return t, nil
	}
	return c.withOwnServer(t)
}

// withOwnServer returns t with the server for URLs without a server.
func (c *Client) withOwnServer(t target) (target, error) {
	t.defaultServer = true
	if strings.TrimSpace(c.Server) == "" {
		if t.host, t.usesLastServer = c.lastServer().Load().(urlcore.HostPort); t.usesLastServer {
			t.addr = urlcore.News{HostPort: t.host}.Addr()
			return t, nil
		}
	}
	server, err := parseServer(c.Server)
	t.addr, t.host, t.secure = server.Addr(), server.HostPort, server.Secure
	return t, err
}

var errNoServer = errors.New("set news_server in the settings or $NNTPSERVER, " +
	"or open a URL with the server, such as nntp://news.example.org/comp.lang.go")

// parseServer parses the server of a news: URL; see [newsservers.Parse].
func parseServer(s string) (urlcore.News, error) {
	e := &protocols.Error{Reason: protocols.NoServer, Op: "find the news server", Err: errNoServer}
	if strings.TrimSpace(s) == "" {
		return urlcore.News{}, e
	}
	u, err := newsservers.Parse(s)
	if err != nil {
		e.Err = fmt.Errorf("%w; see $NNTPSERVER and news_server in the settings file", err)
		return u, e
	}
	return u, nil
}

// checkWord returns an error if s cannot be sent as one argument of a command.
func checkWord(name, s string) error {
	if err := wire.Check(name, s); err != nil {
		return err
	}
	if s == "" || strings.ContainsAny(s, " \t") {
		return badURL("send the "+name, "it must be one word")
	}
	if len(s) > maxArgument {
		return badURL("send the "+name, fmt.Sprintf("it is longer than %d octets (RFC 3977, section 3.1)", maxArgument))
	}
	return nil
}

// maxArgument is the maximal length of a command argument in octets. RFC 3977, section 3.1, allows 497
// octets, but a server may accept more.
const maxArgument = 1000

func badURL(op, why string) error {
	return protocols.NewError(protocols.BadURL, op, why)
}
