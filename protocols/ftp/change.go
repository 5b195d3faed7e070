package ftp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Change removes by DELE or RMD, renames and moves by RNFR and RNTO, makes directories by
// MKD (RFC 959, section 4.1.3), changes modes by SITE CHMOD or MFF, and sets
// dates by MFMT. It implements [protocols.Changer].
func (c *Client) Change(ctx context.Context, change *protocols.Change) (urlcore.URL, error) {
	f, err := ftpURL(change.URL)
	if err != nil {
		return nil, err
	}
	e, err := newEdit(f, change)
	if err != nil {
		return nil, err
	}
	sent := false
	err = c.do(ctx, f, e.request, func(s *session) error {
		err := s.edit(e, &sent)
		if err != nil {
			return s.explain(e, err)
		}
		c.put(s)
		return nil
	}, func() bool { return !sent }) // a change that may have been made is not repeated
	return e.url, err
}

// edit holds the arguments of the commands for a change.
type edit struct {
	*protocols.Change
	request *request // its CWDs lead to the directory of the item
	into    []string // the CWDs to the directory that the item is moved to; nil: none
	old     string   // the item's name; "" for MakeDirectory
	name    string   // the new name; a path if the login directory is given as one
	dir     bool     // the item is known to be a directory
	url     urlcore.URL
}

func newEdit(f urlcore.FTP, change *protocols.Change) (*edit, error) {
	refused := func(why string) error {
		return protocols.NewError(protocols.BadURL, change.Kind.String(), why)
	}
	e := &edit{Change: change, dir: f.Type == 'd'}
	path := append(f.CWDs(), f.Name())
	for len(path) > 0 && path[len(path)-1] == "" {
		path, e.dir = path[:len(path)-1], true
	}
	if change.Kind != protocols.MakeDirectory {
		if len(path) == 0 || strings.Trim(path[len(path)-1], "/") == "" {
			return nil, refused("the URL names the directory of the login")
		}
		path, e.old = path[:len(path)-1], path[len(path)-1]
	}
	name, typ := change.Name, byte(0)
	last := e.old[strings.LastIndexByte(e.old, '/')+1:]
	switch {
	case change.Kind == protocols.Remove, change.Kind == protocols.Chmod, change.Kind == protocols.SetDate:
		name = e.old
	case change.Dir != nil && name == "":
		name = last
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/"):
		return nil, refused(clean.Name(name) + " cannot be a name: one has no slash and is not empty")
	}
	if err := wire.Check("name", name); err != nil {
		return nil, err
	}
	if change.Kind == protocols.MakeDirectory || e.dir {
		typ = 'd'
	}
	in := path
	switch {
	case change.Kind == protocols.Rename && change.Dir != nil:
		if err := e.moveTo(f); err != nil {
			return nil, err
		}
		in = e.into
	case change.Kind == protocols.Rename:
		name = e.old[:len(e.old)-len(last)] + name
	}
	u, err := f.With(in, name, typ)
	if _, bad := strconv.ParseUint(change.Mode, 8, 12); bad != nil && change.Kind == protocols.Chmod {
		err = protocols.ErrMode
	}
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: change.Kind.String(), Err: err}
	}
	e.url, e.old = u, local(e.old)
	if e.name = name; e.into == nil {
		e.name = local(name)
	}
	if e.request, err = newRequest(f); err != nil {
		return nil, err
	}
	e.request.cwds, e.request.name, e.request.typ = path, "", 0
	return e, nil
}

// moveTo sets into. The directory must be on the server of f.
func (e *edit) moveTo(f urlcore.FTP) error {
	to, r, err := requestFor(e.Dir)
	if err != nil {
		return err
	}
	to.Server.Password, to.Server.HasPassword = f.Server.Password, f.Server.HasPassword
	if to.Server != f.Server || to.Secure != f.Secure {
		return protocols.NewError(protocols.BadURL, e.Kind.String(), "the directory is on another server, or for another user")
	}
	e.into = append([]string{}, r.cwds...)
	if r.name != "" {
		e.into = append(e.into, r.name)
	}
	return nil
}

// edit makes a change. It sets sent when the server may have made it.
func (s *session) edit(e *edit, sent *bool) error {
	if e.into != nil {
		return s.move(e, sent)
	}
	if err := s.chdir(e.request.cwds); err != nil {
		return err
	}
	do := func(verb, name string) error {
		*sent = true
		return s.try(name, func() error {
			op := e.Kind.String() + " " + clean.Name(name)
			answer, err := s.command(op, verb+" "+name)
			if answer.code == 202 { // not implemented (RFC 959, section 4.2.1)
				err = s.refusal(op, answer)
			}
			return err
		})
	}
	switch {
	case e.Kind == protocols.MakeDirectory:
		err := do("MKD", e.name)
		if err == nil {
			err = s.undouble(e.name)
		}
		if code(err) == 521 { // of MKD it does not speak of TLS (RFC 959, appendix II)
			return protocols.NewError(protocols.ServerFailed, "make the directory "+clean.Name(e.name), "it is there already")
		}
		return err
	case e.Kind == protocols.Rename:
		if err := s.free(e); err != nil {
			return err
		}
		return s.rename(e, e.name, sent)
	case e.Kind == protocols.Chmod:
		err := do(s.chmod(e.Mode), e.old)
		if refused, ok := errors.AsType[*protocols.Error](err); ok && slices.Contains([]int{202, 500, 502, 504}, refused.Code) {
			refused.Reason, refused.Err = protocols.NotSupported, errors.New("it has no SITE CHMOD, the command that changes modes")
		}
		return err
	case e.Kind == protocols.SetDate:
		if verb := s.setDate(e.Modified); verb != "" {
			if err := do(verb, e.old); err == nil || s.mfmt || e.dir || ends(err) {
				return err
			}
			s.keepsNoDates = true
		}
		return protocols.NewError(protocols.NotSupported, e.Kind.String()+" "+clean.Name(e.old), "the server has no MFMT, the command that sets dates")
	case e.dir:
		return do("RMD", e.old)
	}
	err := do("DELE", e.old)
	if code(err) == 550 && do("RMD", e.old) == nil {
		return nil
	}
	return err
}

// explain sets the cause of a refused change, because most servers answer all of them with 550. If
// the words do not name the cause, it checks whether the item exists.
func (s *session) explain(e *edit, err error) error {
	refused, ok := errors.AsType[*protocols.Error](err)
	if !ok || refused.Err != nil || refused.Code/100 < 4 || ends(err) {
		return err
	}
	made, said, cause := e.Kind == protocols.MakeDirectory, strings.ToLower(refused.Text), ""
	has := func(words string) bool { return strings.Contains(said, words) }
	switch {
	case has("no such"), has("not exist"), has("n't exist"), has("not found"):
	case has("denied"), has("not permitted"):
		refused.Reason = protocols.Denied
	case has("exists"):
		cause = "it is there already"
	case has("not empty"):
		cause = "it is not empty"
	case refused.Code == 550 && (made || e.Kind == protocols.Remove):
		there, failed := s.look(e.name)
		isDir := protocols.ReasonOf(failed) == protocols.BadURL
		switch found := isDir || failed == nil && (there >= 0 || there == present); {
		case found && made:
			cause = "it is there already"
		case isDir:
			cause = "it may not be empty, or the server does not allow it"
		case found:
			cause = "the server does not allow it"
		}
	}
	if cause != "" {
		refused.Reason, refused.Err = protocols.ServerFailed, errors.New(cause)
	}
	return err
}

// chmod returns the command that changes a mode, without the name. In ProFTPD, SITE CHMOD
// takes several blanks in a name for one, but MFF (draft-somers-ftp-mfxx) does not.
func (s *session) chmod(mode string) string {
	if s.mff {
		return fmt.Sprintf("MFF UNIX.mode=%04s;", mode)
	}
	return "SITE CHMOD " + mode
}

// setDate returns the command that sets a date, without the name: MFMT
// (draft-somers-ftp-mfxx), or MDTM with a second argument, or "" if there is none.
func (s *session) setDate(at time.Time) string {
	verb := "MFMT "
	if !s.mfmt {
		verb = "MDTM "
	}
	if at.IsZero() || !s.mfmt && (!s.mdtm || s.keepsNoDates) {
		return ""
	}
	return verb + at.UTC().Format("20060102150405")
}

// free asks whether to use the new name if it is taken: most servers replace the other
// item silently.
func (s *session) free(e *edit) error {
	if e.Replace {
		return nil
	}
	there, err := s.look(e.name)
	if protocols.ReasonOf(err) == protocols.BadURL {
		return protocols.NewError(protocols.Denied, "rename "+clean.Name(e.old), clean.Name(e.name)+" is a directory that is there already")
	}
	if err != nil || there == absent {
		return err
	}
	return s.taken(e.request, e.name, there, func() { e.Replace = true })
}

// rename renames an item of the current directory.
func (s *session) rename(e *edit, to string, sent *bool) error {
	op := "rename " + clean.Name(e.old)
	*sent = true
	return s.try(e.old+to, func() error {
		answer, err := s.ctrl.command("RNFR " + e.old)
		if err != nil {
			return s.fail(op, err)
		}
		if answer.code/100 != 3 {
			return s.refusal(op, answer)
		}
		if _, err = s.command(op, "RNTO "+to); err == nil {
			err = s.undouble(to)
		}
		return err
	})
}

// local returns the argument for the name of an item: servers take "~" for the login directory, and
// "~x" for the home of the user x.
func local(name string) string {
	if strings.HasPrefix(name, "~") {
		return "./" + name
	}
	return name
}

// segment returns the argument of CWD for segment i of a path. The first one may name the home of a user.
func segment(i int, dir string) string {
	if i == 0 && dir != "~" {
		return dir
	}
	return local(dir)
}

// undouble gives an item its name that was just created with the octet FF. A server that does
// not speak Telnet has doubled it; [session.try] does not notice. Another name with FF is then
// sent as it is.
func (s *session) undouble(name string) error {
	if s.ctrl.rawIAC || s.telnet || !strings.Contains(name, "\xff") {
		return nil
	}
	s.ctrl.rawIAC = true
	for _, from := range []string{name, strings.ReplaceAll(name, "\xff", "\xff\xff")} {
		answer, err := s.ctrl.command("RNFR " + from)
		if err == nil && answer.code/100 == 3 { // proftpd takes no other command then
			s.telnet = from == name
			answer, err = s.ctrl.command("RNTO " + name)
		}
		if err != nil {
			return s.fail("look for "+clean.Name(name), err)
		}
		if answer.code/100 == 2 {
			s.ctrl.rawIAC = !s.telnet
			return nil
		}
	}
	s.ctrl.rawIAC = false
	return nil
}

// move moves an item to another directory. RNTO gets the path of that directory as the
// server itself writes it (PWD), because no command may come between RNFR and RNTO.
func (s *session) move(e *edit, sent *bool) error {
	if err := s.chdir(e.into); protocols.ReasonOf(err) == protocols.NotThere {
		return &protocols.Error{Reason: protocols.NotThere, Op: "move " + clean.Name(e.old), Err: protocols.ErrNoTarget}
	} else if err != nil {
		return err
	}
	path, err := s.workingDirectory()
	if err != nil {
		return err
	}
	if err := wire.Check("directory", path); err != nil || path == "" {
		return protocols.NewError(protocols.NotSupported, "move "+clean.Name(e.old), "the server does not tell the path of the directory (PWD)")
	}
	if err := s.free(e); err != nil {
		return err
	}
	if err := s.chdir(e.request.cwds); err != nil {
		return err
	}
	if !strings.HasSuffix(path, "/") && !strings.HasSuffix(path, "]") { // VMS: DISK:[DIR]NAME
		path += "/"
	}
	return s.rename(e, path+e.name, sent)
}
