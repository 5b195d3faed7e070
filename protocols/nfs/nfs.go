package nfs

import (
	"context"
	"os"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Client fetches nfs URLs. The zero value is ready to use and safe for concurrent use. A Client keeps idle connections until Close.
type Client struct {
	Dialer wire.Dialer
	// Anonymous reports whether the requests are those of the user nobody. Otherwise they are of the user of the process. It may be
	// nil, and its result may change.
	Anonymous func() bool

	idle wire.Pool[*session]
}

var (
	_ protocols.Planner = (*Client)(nil)
	_ protocols.Resumer = (*Client)(nil)
)

// Close closes the idle connections.
func (c *Client) Close() error {
	c.idle.Close()
	return nil
}

// nobody is the usual number of the user without rights, and of its group.
const nobody = 65534

// maxGroups is the largest number of further groups in credentials (RFC 5531, appendix A).
const maxGroups = 16

// credentials returns the AUTH_SYS parameters. The name of this machine is not sent.
func (c *Client) credentials() string {
	uid, gid := os.Getuid(), os.Getgid()
	groups, err := os.Getgroups()
	if uid < 0 || c.Anonymous != nil && c.Anonymous() || err != nil {
		uid, gid, groups = nobody, nobody, nil
	}
	groups = groups[:min(len(groups), maxGroups)]
	b := appendXDR(nil, uint32(0), "gofer", uint32(uid), uint32(gid), uint32(len(groups)))
	for _, g := range groups {
		b = appendXDR(b, uint32(g))
	}
	return string(b)
}

// target is what is asked for.
type target struct {
	client *Client
	url    urlcore.NFS
	path   pathname
	op     string // for errors
	want   protocols.Request
}

func (c *Client) newTarget(req protocols.Request) (*target, error) {
	u, ok := req.URL.(urlcore.NFS)
	if !ok {
		return nil, protocols.NewError(protocols.Unsupported, "open "+urlcore.Redact(req.URL).String(), "an NFS URL is nfs://host/path")
	}
	t := &target{client: c, url: u, path: pathname{u.Names(), strings.HasPrefix(u.Path, "/")}, want: req}
	t.op = "open " + clean.Name(t.path.text())
	for _, name := range t.path.names {
		if strings.ContainsAny(name, "/\x00") || len(name) > protocols.MaxFileName {
			return nil, protocols.NewError(protocols.BadURL, "name the file", "a name has no slash, no NUL and at most 4096 octets")
		}
	}
	if len(t.path.names) > maxSteps {
		return nil, protocols.NewError(protocols.BadURL, "name the file", "the path has too many names")
	}
	return t, wire.Check("host", u.Host)
}

// Fetch lists a directory or reads a file. The Resource's URL of a directory ends in a slash.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	req.Offset = 0
	return c.fetch(ctx, req, (*session).open)
}

// Resume fetches the octets of a file from the Offset on.
func (c *Client) Resume(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	return c.fetch(ctx, req, func(s *session, t *target) (*protocols.Resource, error) {
		p, err := s.find(t, t.path)
		if err == nil && (req.Offset < 0 || p.exports != nil || p.attrs.kind != kindRegular) {
			err = protocols.NewError(protocols.Unsupported, "resume "+t.url.String(), "only a file can be resumed")
		}
		if err != nil {
			return nil, err
		}
		return s.readFile(t, p.node)
	})
}

func (c *Client) fetch(ctx context.Context, req protocols.Request, open func(*session, *target) (*protocols.Resource, error)) (res *protocols.Resource, err error) {
	t, err := c.newTarget(req)
	if err != nil {
		return nil, err
	}
	key := wire.Key{Scheme: "nfs", Addr: t.url.Addr(), Identity: c.credentials()}
	err = c.idle.Do(ctx, key, func() (*session, error) { return c.connect(ctx, key) }, func(s *session) (err error) {
		if res, err = open(s, t); err != nil {
			s.release()
		}
		return err
	}, func(err error) bool {
		return protocols.ReasonOf(err) == protocols.Broken || refuses(err, layerNFS, statusStale, statusBadHandle)
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (c *Client) connect(ctx context.Context, key wire.Key) (*session, error) {
	conn, err := c.Dialer.Dial(ctx, key.Addr)
	if err != nil {
		return nil, err
	}
	s := newSession(conn, key.Addr, key.Identity)
	s.keep = func(s *session) { c.idle.PutSpare(key, s) }
	return s, nil
}

// open opens the item of t, of any kind.
func (s *session) open(t *target) (*protocols.Resource, error) {
	p, err := s.find(t, t.path)
	switch {
	case err != nil:
		return nil, err
	case p.exports != nil:
		return s.listExports(t, p.exports), nil
	case p.attrs.kind == kindDirectory:
		return s.listDirectory(t, p)
	case p.attrs.kind != kindRegular:
		return nil, protocols.NewError(protocols.Unsupported, t.op, "it is neither a file nor a directory")
	case t.url.IsDirectory():
		return nil, protocols.NewError(protocols.NotFound, t.op, "it is not a directory")
	}
	return s.readFile(t, p.node)
}

// Plan returns the requests that Fetch would send for u over a new connection.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	t, err := c.newTarget(protocols.Request{URL: u})
	if err != nil {
		return nil, err
	}
	step := func(send, note string) protocols.Step {
		return protocols.Step{Peer: t.url.Addr(), Send: send, Note: note}
	}
	steps := []protocols.Step{
		step("LOOKUP "+t.path.canonical(), "from the public file handle; EXPORT and MNT if the server has none"),
	}
	if t.url.IsDirectory() {
		return append(steps, step("READDIRPLUS", "until the end; READLINK and LOOKUP for links")), nil
	}
	return append(steps, step("READ", "many at once, up to the size of the file; READDIRPLUS if it is a directory")), nil
}
