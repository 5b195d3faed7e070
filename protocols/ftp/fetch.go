package ftp

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jlaffaye/ftp"

	"gofer/protocols"
)

// do changes into the directory of r and begins the transfer.
func (s *session) do(c *Client, r *request) (*protocols.Resource, error) {
	if err := s.chdir(r.cwds, s.next(r)...); err != nil {
		return nil, err
	}
	if r.name == "" {
		return s.list(c, r)
	}
	res, err := s.file(c, r)
	if r.typ != 0 || r.offset > 0 || code(err) != 550 || s.ctrl.verb != "RETR" {
		return res, err
	}
	d, derr := r.directory()
	if derr != nil {
		return nil, err
	}
	switch derr := s.chdir(d.cwds, s.next(d)...); {
	case derr == nil:
		return s.list(c, d)
	case code(derr) < 500:
		err = derr
	}
	return nil, err
}

// next returns the commands for r in its directory that can be sent before the replies to
// others are known, as file and list send them. A transfer must not begin in the wrong
// directory, or at a port that is not known to be open.
func (s *session) next(r *request) (lines []string) {
	transfer, typ := "LIST", r.transferType()
	switch known := r.known(s.ctx, typ); {
	case r.name != "" && typ != s.typ:
		return []string{"TYPE " + string(typ)}
	case r.name != "":
		transfer = "RETR " + local(r.name)
		if asksSize(typ, known) {
			lines = append(lines, "SIZE "+local(r.name))
		}
		if asksDate(s.ctx, known) {
			lines = append(lines, "MDTM "+local(r.name))
		}
	case s.mlsd:
		transfer = "MLSD"
	case protocols.WantsHidden(s.ctx):
		transfer = listAll
	}
	if r.name == "" && protocols.WantsIdentity(s.ctx) {
		if s.mlsd {
			lines = append(lines, "MLST")
		}
		lines = append(lines, "PWD")
	}
	if s.active || r.offset > 0 || r.name != "" && protocols.WantsFacts(s.ctx) {
		return lines
	}
	return append(lines, s.opening(r, transfer)...)
}

// opening returns the commands that open a data connection for a transfer in passive mode, and, if
// the replies to them are not in doubt, the command that begins it.
func (s *session) opening(r *request, transfer string) (lines []string) {
	if s.pret {
		lines = append(lines, "PRET "+transfer)
	}
	lines = append(lines, s.passiveVerb())
	if s.passes && slices.Equal(s.cwds, r.cwds) && s.ctrl.pipelining.Load() == works {
		lines = append(lines, transfer)
	}
	return lines
}

// file begins to fetch a file, in image type unless the URL says ;type=a.
func (s *session) file(c *Client, r *request) (*protocols.Resource, error) {
	head := s.head(r)
	head.Title = r.name
	head.Media, _ = protocols.BySuffix(r.name)
	typ := r.transferType()
	if typ == 'A' {
		head.Notes = append(head.Notes, "It was sent as text (;type=a): line ends were converted, octets may differ from the file's.")
	}
	if err := s.setType(typ); err != nil {
		if typ == 'A' || r.offset > 0 || code(err) < 500 {
			return nil, err
		}
		head.Notes = append(head.Notes, "The server refused the image type (TYPE I): octets may differ from the file's.")
	}
	known := r.known(s.ctx, s.typ)
	head.Size, head.Modified = known.Size, known.Modified
	if asksSize(s.typ, known) {
		var err error
		if head.Size, err = s.size(local(r.name)); err != nil {
			return nil, err
		}
	}
	if asksDate(s.ctx, known) {
		var err error
		if head.Modified, err = s.modified(local(r.name)); err != nil {
			return nil, err
		}
	}
	if protocols.WantsFacts(s.ctx) {
		c.put(s)
		return &protocols.Resource{Head: head, Body: strings.NewReader(""), Closer: io.NopCloser(nil)}, nil
	}
	if head.Size >= 0 {
		if head.Size < r.offset {
			return nil, protocols.NewError(protocols.NotThere, resumeOp(r.offset),
				"the file has only "+strconv.FormatInt(head.Size, 10)+" octets: it has changed, fetch it anew")
		}
		head.Size -= r.offset
	}
	resp, err := s.retrieve(local(r.name), r.offset)
	if err != nil {
		return nil, err
	}
	t := &transfer{c: c, s: s, resp: resp, op: "receive the file", size: head.Size, resumed: r.offset > 0}
	if known.Size >= 0 {
		t.listed = local(r.name)
	}
	var body io.Reader = t
	if typ == 'A' {
		body = newTextReader(t)
	}
	return &protocols.Resource{Head: head, Body: body, Closer: t}, nil
}

// known returns the size and date that the listing has. It has neither for a part of a
// file, and no size for converted octets.
func (r *request) known(ctx context.Context, typ byte) protocols.Known {
	known := protocols.KnownOf(ctx)
	if r.offset > 0 {
		return protocols.Known{Size: -1}
	}
	if typ != 'I' {
		known.Size = -1
	}
	return known
}

func asksSize(typ byte, known protocols.Known) bool { return typ == 'I' && known.Size < 0 }

func asksDate(ctx context.Context, known protocols.Known) bool {
	return known.Modified.IsZero() && protocols.WantsModified(ctx)
}

func resumeOp(offset int64) string { return "resume at octet " + strconv.FormatInt(offset, 10) }

func (s *session) head(r *request) protocols.Head {
	head := protocols.Head{URL: r.url, Size: -1}
	if s.tls() && !s.protected {
		head.Notes = append(head.Notes, "The server refused to protect what it sends (PROT P): this came in the clear.")
	} else if s.tls() {
		head.Security = s.conn.Security()
	}
	if s.passed > 0 {
		head.Notes = append(head.Notes, "The server refused an empty directory name (CWD without an argument, RFC 1738, section 3.2.2); it was passed over.")
	}
	return head
}

// list begins to list the current directory: by MLSD if the server has it (RFC 3659,
// section 7), else LIST, else NLST. A refusal for lack of files is an empty directory.
func (s *session) list(c *Client, r *request) (*protocols.Resource, error) {
	head := s.head(r)
	head.Layout = protocols.LayoutDirectory
	if protocols.WantsIdentity(s.ctx) {
		if err := s.identify(&head); err != nil {
			return nil, err
		}
	}
	if s.utf8 {
		head.Charset = "UTF-8"
	}
	head.Title = r.url.Host
	message := s.welcome
	if n := len(r.cwds); n > 0 {
		head.Title, message = r.cwds[n-1], s.message
	}
	now, known := c.nowOf(s.key.Addr)
	l, err := newLister(r, now)
	if err != nil {
		return nil, err
	}
	l.message = slices.Clone(message)
	var denied error // an empty listing that follows it does not mean that the directory is empty
	for _, verb := range []string{"MLSD", listAll, "LIST", "NLST"} {
		if verb == "MLSD" && !s.mlsd || verb == listAll && !protocols.WantsHidden(s.ctx) {
			continue
		}
		var resp *ftp.Response
		resp, err = s.listing(verb)
		if err == nil {
			l.t = &transfer{c: c, s: s, resp: resp, op: "receive the directory", size: -1, keep: true, list: true, denied: denied}
			l.begin(verb)
			l.undated.holding = verb != "MLSD" && s.mdtm && !known
			return &protocols.Resource{Head: head, Lines: l.lines, Closer: l.t}, nil
		}
		n := code(err)
		if protocols.ReasonOf(err) == protocols.Denied {
			denied = err
		}
		switch {
		case s.connecting():
			return nil, err
		case verb == listAll && n >= 400 && n != 421 && n != 530: // it knows no options
		case n/100 == 2, n == 450, n == 550 && verb == "NLST":
			if denied != nil {
				return nil, denied
			}
			c.put(s)
			return &protocols.Resource{Head: head, Lines: func(yield func(protocols.Line, error) bool) { l.announce(yield) }, Closer: io.NopCloser(nil)}, nil
		case n < 500, n == 530, verb == "NLST":
			return nil, err
		case verb == "MLSD" && unknownCommand(n): // else only this directory cannot be listed
			s.mlsd = false
		}
	}
	return nil, err
}
