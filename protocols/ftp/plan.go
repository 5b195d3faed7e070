package ftp

import (
	"context"
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// request has the arguments of the commands for a URL.
type request struct {
	requestedURL urlcore.FTP // the requested URL, without the password
	url          urlcore.FTP // the canonical URL of the resource, without the password
	addr         string
	cwds         []string          // arguments of the CWDs
	name         string            // argument of RETR; "" to list the directory
	offset       int64             // where to resume a file
	want         protocols.Request // what the caller asks for
	// early returns what can be sent after the CWDs before they are answered. If it is nil, the CWDs are not sent
	// with the login.
	early     func(*session, *request) []string
	identity  string // see [wire.Key]
	onlyReads bool   // its commands may be sent twice, because they change nothing
	typ       byte   // 'a', 'i', 'd' if the last of cwds is the name of a URL with ;type=d, else 0
}

// sendNothing is a request.early.
func sendNothing(*session, *request) []string { return nil }

func requestFor(req protocols.Request) (f urlcore.FTP, r *request, err error) {
	if f, err = ftpURL(req.URL); err != nil {
		return f, nil, err
	}
	if r, err = newRequest(f); err == nil {
		r.want = req
	}
	return f, r, err
}

// newRequest returns the request for u (RFC 1738, section 3.2.2): one CWD for each segment except the last,
// then RETR. For a directory (;type=d, or an empty last segment), there is no RETR, and a last segment that
// is not empty is also sent as a CWD.
// RFC 1738 sends the last segment with NLST. Here the listing command has no argument: some servers would return
// paths, and others would mistake the argument for options. Only if the CWD is refused is NLST sent with it.
func newRequest(u urlcore.FTP) (*request, error) {
	plain := u
	plain.Password, plain.HasPassword = "", false
	r := &request{requestedURL: plain, url: plain, addr: u.Addr(), cwds: u.CWDs(), name: u.Name(), typ: u.Type}
	for _, p := range []struct{ label, s string }{
		{"host", u.Host}, {"user name", u.User}, {"password", u.Password}, {"file name", r.name},
	} {
		if err := wire.Check(p.label, p.s); err != nil {
			return nil, err
		}
	}
	for _, d := range r.cwds {
		if err := wire.Check("directory name", d); err != nil {
			return nil, err
		}
	}
	if u.Type != 'd' && r.name != "" {
		return r, nil
	}
	return r.asDirectory()
}

// asDirectory returns the request to list the directory with the path of r. The request has a canonical URL.
func (r *request) asDirectory() (*request, error) {
	d := *r
	d.cwds, d.name, d.typ = slices.Clone(r.cwds), "", 0
	if r.name != "" {
		d.typ = r.typ
		d.cwds = append(d.cwds, r.name)
	}
	parents, last := d.cwds, ""
	if n := len(d.cwds); n > 0 && d.cwds[n-1] != "" {
		parents, last = d.cwds[:n-1], d.cwds[n-1]
	}
	u, err := d.url.With(parents, last, 'd')
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "name the directory", Err: err}
	}
	d.url = u
	return &d, nil
}

// transferType returns the argument of TYPE for a file.
func (r *request) transferType() byte {
	if r.typ == 'a' {
		return 'A'
	}
	return 'I'
}

// key returns the key of idle sessions for the request.
func (r *request) key(cred wire.Credentials) wire.Key {
	return wire.Key{Scheme: r.url.Scheme(), Addr: r.addr, Login: cred, Identity: r.identity}
}

// steps returns the commands that are sent for the request over a new connection.
func (r *request) steps(user string) []protocols.Step {
	var steps []protocols.Step
	add := func(send, note string) {
		if note == "" && strings.Contains(send, "\xff") {
			note = "the octet FF is doubled (Telnet IAC); if refused, sent again undoubled"
		}
		steps = append(steps, protocols.Step{Peer: r.addr, Send: encodeCommand(send), Note: note})
	}
	if !r.url.Secure {
		add(authTLS, "begins TLS if the server supports it")
	}
	add("USER "+user, "")
	add("PASS ****", "if the server asks for it")
	add("PBSZ 0", "with TLS")
	add("PROT P", "with TLS, for data connections")
	add("FEAT", "unless the reply is known from another session")
	add("TYPE I", "image type: octets are not converted")
	add(optsUTF8, "for names in UTF-8, unless the server is known not to have it; a refusal is ignored")
	add("PWD", "to return here when the connection is reused")
	for i, d := range r.cwds {
		note := ""
		if d == "" {
			note = "an empty segment; a refusal is ignored"
		}
		if r.typ == 'd' && i == len(r.cwds)-1 {
			note = "RFC 1738 has NLST with this name, which gives names only; it is sent if this CWD is refused"
		}
		add("CWD "+cwdArgument(i, d), note)
	}
	const (
		passive = "if refused, PASV, then PORT or EPRT"
		next    = "sent with the line before it, for the port of the next transfer; NOOP if the server may not answer in turn"
	)
	if r.name == "" {
		add("EPSV", passive)
		add("MLSD", "LIST if the server has no MLSD, NLST if it has no LIST; also LIST for links without targets, SYST and NLST for lines in an unknown format")
		add("EPSV", next)
		return steps
	}
	if r.typ == 'a' {
		add("TYPE A", "text; line ends are converted")
	} else {
		add("SIZE "+escapeTilde(r.name), "")
	}
	add("EPSV", passive)
	note := ""
	if r.typ == 0 {
		note = "if refused with 550, CWD and a listing as a directory"
	}
	add("RETR "+escapeTilde(r.name), note)
	add("EPSV", next)
	return steps
}

// Plan returns the commands that Fetch would send for u over a new connection. With an idle
// session Fetch sends fewer.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	f, r, err := requestFor(protocols.Request{URL: u})
	if err != nil {
		return nil, err
	}
	return r.steps(c.chooseCredentials(context.Background(), f, r).User), nil
}
