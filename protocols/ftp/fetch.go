package ftp

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"gofer/protocols"
)

// fetch changes to the directory of r and begins to fetch the file or the listing.
func (s *session) fetch(c *Client, r *request) (*protocols.Resource, error) {
	if err := s.chdir(r.cwds, s.earlyCommands(r)...); err != nil {
		return s.listName(c, r, err)
	}
	if r.name == "" {
		return s.listDirectory(c, r)
	}
	res, err := s.fetchFile(c, r)
	if r.typ != 0 || r.offset > 0 || replyCode(err) != 550 || s.ctrl.verb != "RETR" {
		return res, err
	}
	d, derr := r.asDirectory()
	if derr != nil {
		return nil, err
	}
	if err := s.receiveNextPort(); err != nil {
		return nil, err
	}
	var early []string
	if !s.hasNextPort() { // else the listing would be sent early, but there may be no such directory
		early = s.earlyCommands(d)
	}
	switch derr := s.chdir(d.cwds, early...); {
	case derr == nil:
		return s.listDirectory(c, d)
	case replyCode(derr) < 500:
		err = derr
	}
	return nil, err
}

// listName lists the name of a URL with ;type=d by NLST (RFC 1738, section 3.2.2), after the server has refused
// to change to it: it may be a pattern, or a name that only NLST knows. If the answer has no names, or
// if r has no such name, listName returns the error refused.
func (s *session) listName(c *Client, r *request, refused error) (*protocols.Resource, error) {
	if n := replyCode(refused); r.typ != 'd' || n < 500 || n == 530 || len(s.cwds) != len(r.cwds)-1 {
		return nil, refused
	}
	parents, name := r.cwds[:len(r.cwds)-1], r.cwds[len(r.cwds)-1]
	if name == "" || name[0] == '-' { // a server may take "-" for the beginning of options
		return nil, refused
	}
	head := s.newHead(r)
	head.Layout, head.Title = protocols.LayoutDirectory, name
	if s.UTF8 {
		head.Charset = "UTF-8"
	}
	d := *r
	d.cwds = parents
	now, _ := c.serverTime(s.key.Addr)
	l, err := newLister(&d, now)
	if err != nil {
		return nil, err
	}
	if s.hasUnwantedListing() {
		if err := s.skipUnwanted(); err != nil {
			return nil, err
		}
	}
	data, err := s.openListing("NLST " + escapeTilde(name))
	if err != nil && !isRefusal(err) {
		return nil, err
	} else if err != nil {
		return nil, refused
	}
	l.t = &transfer{c: c, s: s, data: data, op: "receive the directory", size: -1, holdSession: true, isListing: true, denial: refused}
	l.setVerb("NLST")
	if err := l.t.readAhead(); err != nil {
		return nil, err
	}
	head.Notes = append(head.Notes, "The server refused to change to this name (CWD): the names in the answer to NLST are shown.")
	return &protocols.Resource{Head: head, Lines: l.lines, Closer: l.t}, nil
}

// earlyCommands returns the first commands that fetchFile or listDirectory will send for r. These commands
// can be pipelined after the CWDs. The transfer command is left out if it could run in the wrong directory
// or without a port after the server has refused an earlier command.
func (s *session) earlyCommands(r *request) (lines []string) {
	transfer, typ := "LIST", r.transferType()
	switch known := r.knownFacts(typ); {
	case r.name != "" && typ != s.typ:
		return []string{"TYPE " + string(typ)}
	case r.name != "":
		transfer = "RETR " + escapeTilde(r.name)
		if needsSize(typ, known) {
			lines = append(lines, "SIZE "+escapeTilde(r.name))
		}
		if r.needsDate(known) {
			lines = append(lines, "MDTM "+escapeTilde(r.name))
		}
	case s.MLSD:
		transfer = "MLSD"
	case r.want.Hidden:
		transfer = listAll
	}
	if r.name == "" && r.want.Identity {
		if s.MLSD {
			lines = append(lines, "MLST")
		}
		lines = append(lines, "PWD")
	}
	if s.active || r.offset > 0 && s.hasNextPort() || r.name != "" && (r.want.Facts || r.want.Version != "" || s.hasNextPort() && !slices.Equal(s.cwds, r.cwds)) {
		return lines // RETR does not follow a CWD, because after a refused CWD it would fetch from the wrong directory
	}
	return append(lines, s.openingCommands(transfer)...)
}

// openingCommands returns the commands that open a data connection in passive mode for a transfer command. If the port is
// known, this is the transfer command itself, or nothing if the server needs the connection first.
func (s *session) openingCommands(transfer string) []string {
	switch {
	case !s.hasNextPort() && s.NeedsPRET:
		return []string{"PRET " + transfer, s.passiveVerb()}
	case !s.hasNextPort():
		return []string{s.passiveVerb()}
	case s.sendsBeforeConnecting(transfer):
		return s.transferCommands(transfer, 0)
	}
	return nil
}

// fetchFile begins to fetch a file, in image type unless the URL has ;type=a.
func (s *session) fetchFile(c *Client, r *request) (*protocols.Resource, error) {
	head := s.newHead(r)
	head.Title = r.name
	head.Media, _ = protocols.BySuffix(r.name)
	if err := s.setFileType(r, &head); err != nil {
		return nil, err
	}
	known := r.knownFacts(s.typ)
	if err := s.queryFacts(r, known, &head); err != nil {
		return nil, err
	}
	head.Version = protocols.FileVersion(head.Size, head.Modified)
	if head.Unchanged = head.Version != "" && head.Version == r.want.Version; r.want.Facts || head.Unchanged {
		c.keepSession(s)
		return &protocols.Resource{Head: head, Body: strings.NewReader(""), Closer: io.NopCloser(nil)}, nil
	}
	if head.Size >= 0 {
		if head.Size < r.offset {
			return nil, protocols.NewError(protocols.NotFound, resumeOp(r.offset),
				"the file has only "+strconv.FormatInt(head.Size, 10)+" octets: it has changed; fetch the whole file")
		}
		head.Size -= r.offset
	}
	data, err := s.retrieveFile(escapeTilde(r.name), r.offset)
	if err != nil {
		return nil, err
	}
	t := &transfer{c: c, s: s, data: data, op: "receive the file", size: head.Size, resumed: r.offset > 0}
	if known.Size >= 0 {
		t.listedFile = escapeTilde(r.name)
	}
	t.isExact = known.Size < 0 && r.offset == 0 // a server may ignore REST
	var body io.Reader = t
	if r.transferType() == 'A' {
		body = newTextReader(t)
	}
	return &protocols.Resource{Head: head, Body: body, Closer: t}, nil
}

// setFileType sets the transfer type for a file. If its octets may differ from those of the file, head gets a note.
func (s *session) setFileType(r *request, head *protocols.Head) error {
	typ := r.transferType()
	err := s.setType(typ)
	switch {
	case err == nil && typ == 'A':
		head.Notes = append(head.Notes, "Sent as text (;type=a): line ends were converted, so the octets may differ from the file.")
	case err == nil, typ == 'A', r.offset > 0, replyCode(err) < 500:
		return err
	default:
		head.Notes = append(head.Notes, "The server refused image type (TYPE I): the octets may differ from the file.")
	}
	return nil
}

// queryFacts sets the size and the date of a file in head. It asks the server for those that r needs and that are not known.
func (s *session) queryFacts(r *request, known protocols.FileFacts, head *protocols.Head) (err error) {
	head.Size, head.Modified = known.Size, known.Modified
	if needsSize(s.typ, known) {
		if head.Size, err = s.querySize(escapeTilde(r.name)); err != nil {
			return err
		}
	}
	if r.needsDate(known) {
		head.Modified, err = s.queryDate(escapeTilde(r.name))
	}
	return err
}

// knownFacts returns the size and date of the file that are known from a directory listing. It returns
// neither for a resumed file, and no size if the transfer type typ converts octets.
func (r *request) knownFacts(typ byte) protocols.FileFacts {
	if r.want.Known == nil || r.offset > 0 {
		return protocols.FileFacts{Size: -1}
	}
	known := *r.want.Known
	if typ != 'I' {
		known.Size = -1
	}
	return known
}

func needsSize(typ byte, known protocols.FileFacts) bool { return typ == 'I' && known.Size < 0 }

func (r *request) needsDate(known protocols.FileFacts) bool {
	return known.Modified.IsZero() && (r.want.Modified || r.want.Version != "")
}

func resumeOp(offset int64) string { return "resume at octet " + strconv.FormatInt(offset, 10) }

func (s *session) newHead(r *request) protocols.Head {
	head := protocols.Head{URL: r.url, Size: -1, Personal: !s.key.Login.IsAnonymous()}
	if s.hasTLS() && !s.protectsData {
		head.Notes = append(head.Notes, "The server refused TLS for data (PROT P): this was sent in the clear.")
	} else if s.hasTLS() {
		head.Security = s.conn.Security()
		head.Personal = head.Personal || head.Security.Identity != ""
	}
	if s.skippedCWDs > 0 {
		head.Notes = append(head.Notes, "The server refused an empty directory name (CWD without an argument, RFC 1738, section 3.2.2); it was ignored.")
	}
	return head
}

// listDirectory begins to list the current directory.
func (s *session) listDirectory(c *Client, r *request) (*protocols.Resource, error) {
	head := s.newHead(r)
	head.Layout = protocols.LayoutDirectory
	if r.want.Identity {
		if err := s.setIdentity(&head); err != nil {
			return nil, err
		}
	}
	if s.UTF8 {
		head.Charset = "UTF-8"
	}
	head.Title = r.url.Host
	message := s.welcome
	if n := len(r.cwds); n > 0 {
		head.Title, message = r.cwds[n-1], s.message
	}
	now, known := c.serverTime(s.key.Addr)
	l, err := newLister(r, now)
	if err != nil {
		return nil, err
	}
	l.message = slices.Clone(message)
	verb, data, denial, err := s.openAnyListing(r.want.Hidden)
	switch {
	case err != nil:
		return nil, err
	case data == nil:
		c.keepSession(s)
		return &protocols.Resource{Head: head, Lines: func(yield func(protocols.Line, error) bool) { l.yieldMessage(yield) }, Closer: io.NopCloser(nil)}, nil
	}
	l.t = &transfer{c: c, s: s, data: data, op: "receive the directory", size: -1, holdSession: true, isListing: true, denial: denial}
	l.setVerb(verb)
	res := &protocols.Resource{Head: head, Lines: l.lines, Closer: l.t}
	if l.undated.holding = verb != "MLSD" && s.MDTM && !known; l.undated.holding {
		p := &preview{l: l}
		res.Preview, res.Lines = p.show, p.lines
	}
	return res, nil
}

// openAnyListing opens the listing of the current directory: by MLSD if the server has it (RFC 3659, section 7), else by
// LIST, else by NLST. It returns the verb. If a refusal means "no files", data is nil. The error denial is the failure if the
// listing is empty, because an earlier refusal says that the directory may have items.
func (s *session) openAnyListing(hidden bool) (verb string, data *dataConn, denial, err error) {
	for _, verb = range []string{"MLSD", listAll, "LIST", "NLST"} {
		if verb == "MLSD" && !s.MLSD || verb == listAll && !hidden {
			continue
		}
		if data, err = s.openListing(verb); err == nil {
			break
		}
		n := replyCode(err)
		if protocols.ReasonOf(err) == protocols.Denied {
			denial = err
		}
		switch {
		case s.isOpeningData(), errors.Is(err, errDied):
			return "", nil, nil, err
		case verb == listAll && n >= 400 && n != 421 && n != 530: // the server does not support options
		case meansNothing(n), n == 450, n == 550 && verb == "NLST":
			return "", nil, nil, denial
		case n < 500, n == 530, verb == "NLST":
			return "", nil, nil, err
		case verb == "MLSD" && isUnknownCommand(n): // any other refusal may apply to this directory only
			s.MLSD = false
		}
	}
	return verb, data, denial, err
}
