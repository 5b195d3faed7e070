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

// Change implements [protocols.Changer]. It removes items by DELE or RMD, renames and moves items by RNFR
// and RNTO, and makes directories by MKD (RFC 959, section 4.1.3). It changes modes by MFF or SITE CHMOD,
// and sets dates by MFMT or MDTM.
func (c *Client) Change(ctx context.Context, change *protocols.Change) (urlcore.URL, error) {
	f, err := ftpURL(change.URL)
	if err != nil {
		return nil, err
	}
	e, err := newEdit(f, change)
	if err != nil {
		return nil, err
	}
	if e.targetCWDs == nil {
		e.request.early = sendNothing
	}
	sent := false
	err = c.withSession(ctx, f, e.request, func(s *session) error {
		err := s.applyEdit(e, &sent)
		if err != nil {
			return s.explainRefusal(e, err)
		}
		c.keepSession(s)
		return nil
	}, func() bool { return !sent }) // a command that may have taken effect is not repeated
	return e.url, err
}

// edit is a change with the arguments of its commands.
type edit struct {
	*protocols.Change
	request    *request // request.cwds is the path of the directory that has the item
	targetCWDs []string // CWDs of the target directory of a move, else nil
	oldName    string   // name of the item; "" for MakeDirectory
	newName    string   // name after the change; a path if oldName is a path and the item is not moved
	isDir      bool     // the item is known to be a directory
	url        urlcore.URL
}

func newEdit(f urlcore.FTP, change *protocols.Change) (*edit, error) {
	badChange := func(reason string) error {
		return protocols.NewError(protocols.BadURL, change.Kind.String(), reason)
	}
	if change.Kind == protocols.MakeLink {
		return nil, protocols.NewError(protocols.NotSupported, change.Kind.String()+" "+clean.Name(change.Name), "FTP has no command for links")
	}
	e := &edit{Change: change, isDir: f.Type == 'd'}
	path := append(f.CWDs(), f.Name())
	for len(path) > 0 && path[len(path)-1] == "" {
		path, e.isDir = path[:len(path)-1], true
	}
	if change.Kind != protocols.MakeDirectory {
		if len(path) == 0 || strings.Trim(path[len(path)-1], "/") == "" {
			return nil, badChange("the URL names the login directory")
		}
		path, e.oldName = path[:len(path)-1], path[len(path)-1]
	}
	name, typ := change.Name, byte(0)
	lastName := e.oldName[strings.LastIndexByte(e.oldName, '/')+1:]
	switch {
	case change.Kind == protocols.Remove, change.Kind == protocols.Chmod, change.Kind == protocols.SetDate:
		name = e.oldName
	case change.Dir != nil && name == "":
		name = lastName
	case name == "":
		return nil, badChange("the name is empty")
	case name == "." || name == ".." || strings.Contains(name, "/"):
		return nil, badChange(clean.Name(name) + " is a path, not a name")
	}
	if err := wire.Check("name", name); err != nil {
		return nil, err
	}
	if change.Kind == protocols.MakeDirectory || e.isDir {
		typ = 'd'
	}
	dir := path
	switch {
	case change.Kind == protocols.Rename && change.Dir != nil:
		if err := e.setTarget(f); err != nil {
			return nil, err
		}
		dir = e.targetCWDs
	case change.Kind == protocols.Rename:
		name = e.oldName[:len(e.oldName)-len(lastName)] + name
	}
	u, err := f.With(dir, name, typ)
	if _, bad := strconv.ParseUint(change.Mode, 8, 12); bad != nil && change.Kind == protocols.Chmod {
		err = protocols.ErrMode
	}
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: change.Kind.String(), Err: err}
	}
	e.url, e.oldName = u, escapeTilde(e.oldName)
	if e.newName = name; e.targetCWDs == nil {
		e.newName = escapeTilde(name)
	}
	if e.request, err = newRequest(f); err != nil {
		return nil, err
	}
	e.request.cwds, e.request.name, e.request.typ = path, "", 0
	return e, nil
}

// setTarget sets targetCWDs from e.Dir. The URL e.Dir must have the same server and user as f.
func (e *edit) setTarget(f urlcore.FTP) error {
	target, r, err := requestFor(protocols.Request{URL: e.Dir})
	if err != nil {
		return err
	}
	if !hasSameLogin(target, f) {
		return protocols.NewError(protocols.BadURL, e.Kind.String(), "the target directory belongs to another server or user")
	}
	e.targetCWDs = append([]string{}, r.cwds...)
	if r.name != "" {
		e.targetCWDs = append(e.targetCWDs, r.name)
	}
	return nil
}

// applyEdit makes the change e. Before the first command that changes anything, it sets *sent to true.
func (s *session) applyEdit(e *edit, sent *bool) error {
	if e.targetCWDs != nil {
		return s.moveItem(e, sent)
	}
	if err := s.chdir(e.request.cwds); err != nil {
		return err
	}
	do := func(verb, name string) error {
		if err := s.beginChange(sent); err != nil {
			return err
		}
		return s.retryRawIAC(name, func() error { return s.changeItem(e.Kind.String()+" "+clean.Name(name), verb, name) })
	}
	switch {
	case e.Kind == protocols.MakeDirectory:
		err := do("MKD", e.newName)
		if err == nil {
			err = s.fixDoubledName(e.newName)
		}
		if replyCode(err) == 521 { // "directory already exists" (RFC 959, appendix II); in replies to other commands, 521 is about TLS
			return protocols.NewError(protocols.ServerFailed, "make the directory "+clean.Name(e.newName), "it already exists")
		}
		return err
	case e.Kind == protocols.Rename:
		if err := s.checkNewName(e); err != nil {
			return err
		}
		return s.renameItem(e, e.newName, sent)
	case e.Kind == protocols.Chmod:
		err := do(s.chmodCommand(e.Mode), e.oldName)
		if refused, ok := errors.AsType[*protocols.Error](err); ok && slices.Contains([]int{202, 500, 502, 504}, refused.Code) {
			refused.Reason, refused.Err = protocols.NotSupported, errors.New("the server cannot change modes (SITE CHMOD)")
		}
		return err
	case e.Kind == protocols.SetDate:
		if verb := s.dateCommand(e.Modified); verb != "" {
			if err := do(verb, e.oldName); err == nil || s.MFMT || e.isDir || endsSession(err) {
				return err
			}
			s.cannotSetDates = true
		}
		return protocols.NewError(protocols.NotSupported, e.Kind.String()+" "+clean.Name(e.oldName), "the server cannot set dates (MFMT)")
	case e.isDir:
		return do("RMD", e.oldName)
	}
	err := do("DELE", e.oldName)
	if replyCode(err) == 550 && do("RMD", e.oldName) == nil {
		return nil
	}
	return err
}

// beginChange sets *sent to true, unless the session is out of step: then another one can make the change.
func (s *session) beginChange(sent *bool) error {
	if err := s.ctrl.checkQuiet(); err != nil {
		return err
	}
	*sent = true
	return nil
}

// explainRefusal adds the cause to err, the error of a refused change. Most servers reply with 550 whatever
// the cause is. If the server's text does not name the cause, explainRefusal checks whether the item
// exists.
func (s *session) explainRefusal(e *edit, err error) error {
	refused, ok := errors.AsType[*protocols.Error](err)
	if !ok || refused.Err != nil || refused.Code/100 < 4 || endsSession(err) {
		return err
	}
	isMkdir, answer, cause := e.Kind == protocols.MakeDirectory, strings.ToLower(refused.Text), ""
	mentions := func(words string) bool { return strings.Contains(answer, words) }
	switch {
	case mentions("no such"), mentions("not exist"), mentions("n't exist"), mentions("not found"):
	case mentions("denied"), mentions("not permitted"):
		refused.Reason = protocols.Denied
	case mentions("exists"):
		cause = "it already exists"
	case mentions("not empty"):
		cause = "the directory is not empty"
	case refused.Code == 550 && (isMkdir || e.Kind == protocols.Remove):
		size, statErr := s.stat(e.newName)
		isDir := protocols.ReasonOf(statErr) == protocols.BadURL
		switch found := isDir || statErr == nil && (size >= 0 || size == present); {
		case found && isMkdir:
			cause = "it already exists"
		case isDir:
			cause = "the directory may not be empty, or the server does not allow its removal"
		case found:
			cause = "the server does not allow the removal"
		}
	}
	if cause != "" {
		refused.Reason, refused.Err = protocols.ServerFailed, errors.New(cause)
	}
	return err
}

// chmodCommand returns the command that changes the mode of a file, without the name of the file. It
// prefers MFF (draft-somers-ftp-mfxx), because SITE CHMOD of ProFTPD merges adjacent blanks in names.
func (s *session) chmodCommand(mode string) string {
	if s.MFF {
		return fmt.Sprintf("MFF UNIX.mode=%04s;", mode)
	}
	return "SITE CHMOD " + mode
}

// dateCommand returns the command that sets the date of a file, without the name of the file. The command
// is MFMT (draft-somers-ftp-mfxx), or MDTM with a date before the name. The command is "" if the server
// supports neither, or if the parameter modified is zero.
func (s *session) dateCommand(modified time.Time) string {
	verb := "MFMT "
	if !s.MFMT {
		verb = "MDTM "
	}
	if modified.IsZero() || !s.MFMT && (!s.MDTM || s.cannotSetDates) {
		return ""
	}
	return verb + modified.UTC().Format("20060102150405")
}

// checkNewName returns an error if another item has, or may have, the new name, because most servers
// replace such an item silently. If the item may be replaced, the error is a *[protocols.Confirm].
func (s *session) checkNewName(e *edit) error {
	if e.Replace {
		return nil
	}
	size, err := s.stat(e.newName)
	if protocols.ReasonOf(err) == protocols.BadURL {
		return protocols.NewError(protocols.Denied, "rename "+clean.Name(e.oldName), clean.Name(e.newName)+" already exists and is a directory")
	}
	if err != nil || size == absent || size == existenceUnknown && e.Listed {
		return err
	}
	return s.confirmReplace(e.request, e.newName, size, func() { e.Replace = true })
}

// renameItem renames an item of the current directory. The parameter target is the new name or path.
func (s *session) renameItem(e *edit, target string, sent *bool) error {
	op := "rename " + clean.Name(e.oldName)
	if err := s.beginChange(sent); err != nil {
		return err
	}
	return s.retryRawIAC(e.oldName+target, func() error {
		if err := s.rename(op, e.oldName, target); err != nil {
			return err
		}
		return s.fixDoubledName(target)
	})
}

// escapeTilde returns the argument of a command for the name of an item. It puts "./" before a "~" at the
// beginning, because servers expand "~" to the login directory, and "~x" to the home of the user x.
func escapeTilde(name string) string {
	if strings.HasPrefix(name, "~") {
		return "./" + name
	}
	return name
}

// cwdArgument returns the argument of CWD for segment i of a path. A first segment "~x" is not changed,
// because it may be the home of the user x.
func cwdArgument(i int, dir string) string {
	if i == 0 && dir != "~" {
		return dir
	}
	return escapeTilde(dir)
}

// fixDoubledName renames a new item if the server has stored an octet FF of the name twice. A server does
// so if it does not expect Telnet's doubling of the octet. The server refuses no command, so
// [session.retryRawIAC] does not help. After such a correction, names are sent without doubling.
func (s *session) fixDoubledName(name string) error {
	if s.ctrl.rawIAC || s.doublesIAC || !strings.Contains(name, "\xff") {
		return nil
	}
	s.ctrl.rawIAC = true
	for _, oldName := range []string{name, strings.ReplaceAll(name, "\xff", "\xff\xff")} {
		answer, err := s.ctrl.roundTrip("RNFR " + oldName)
		if err == nil && answer.code/100 == 3 { // after RNFR, ProFTPD only accepts RNTO
			s.doublesIAC = oldName == name
			answer, err = s.ctrl.roundTrip("RNTO " + name)
		}
		if err != nil {
			return s.convertError("find "+clean.Name(name), err)
		}
		if answer.code/100 == 2 {
			s.ctrl.rawIAC = !s.doublesIAC
			return nil
		}
	}
	s.ctrl.rawIAC = false
	return nil
}

// moveItem moves an item to another directory. The argument of RNTO begins with the full path of the
// target directory, as PWD returns it, because no CWD may be sent between RNFR and RNTO.
func (s *session) moveItem(e *edit, sent *bool) error {
	if err := s.chdir(e.targetCWDs); protocols.ReasonOf(err) == protocols.NotFound {
		return &protocols.Error{Reason: protocols.NotFound, Op: "move " + clean.Name(e.oldName), Err: protocols.ErrNoTarget}
	} else if err != nil {
		return err
	}
	path, err := s.queryWorkingDirectory()
	if err != nil {
		return err
	}
	if err := wire.Check("directory", path); err != nil || path == "" {
		return protocols.NewError(protocols.NotSupported, "move "+clean.Name(e.oldName), "the server did not report the path of the directory (PWD)")
	}
	if err := s.checkNewName(e); err != nil {
		return err
	}
	if err := s.chdir(e.request.cwds); err != nil {
		return err
	}
	if !strings.HasSuffix(path, "/") && !strings.HasSuffix(path, "]") { // a path of VMS, such as DISK:[DIR], needs no slash before the name
		path += "/"
	}
	return s.renameItem(e, path+e.newName, sent)
}
