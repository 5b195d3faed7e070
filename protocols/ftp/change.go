package ftp

import (
	"context"
	"strconv"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Change removes by DELE or RMD, renames by RNFR and RNTO, and makes directories by
// MKD (RFC 959, section 4.1.3). It implements [protocols.Changer].
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
		if err == nil {
			c.put(s)
		}
		return err
	}, func() bool { return !sent }) // a change that may have been made is not repeated
	return e.url, err
}

// edit holds the arguments of the commands for a change.
type edit struct {
	*protocols.Change
	request *request // its CWDs lead to the directory of the item
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
	if change.Kind == protocols.Remove {
		name = e.old
	} else if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return nil, refused(strconv.Quote(name) + " cannot be a name: one has no slash and is not empty")
	}
	if err := wire.Check("name", name); err != nil {
		return nil, err
	}
	if change.Kind == protocols.MakeDirectory || e.dir {
		typ = 'd'
	}
	if change.Kind == protocols.Rename {
		name = e.old[:strings.LastIndexByte(e.old, '/')+1] + name
	}
	e.name = name
	u, err := f.With(path, name, typ)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: change.Kind.String(), Err: err}
	}
	e.url = u
	if e.request, err = newRequest(f); err != nil {
		return nil, err
	}
	e.request.cwds, e.request.name, e.request.typ = path, "", 0
	return e, nil
}

// edit makes a change. It sets sent when the server may have made it.
func (s *session) edit(e *edit, sent *bool) error {
	if err := s.chdir(e.request.cwds); err != nil {
		return err
	}
	do := func(verb, name string) error {
		*sent = true
		return s.try(name, func() error {
			_, err := s.command(e.Kind.String()+" "+strconv.Quote(name), verb+" "+name)
			return err
		})
	}
	switch {
	case e.Kind == protocols.MakeDirectory:
		err := do("MKD", e.name)
		if code(err) == 521 { // of MKD it does not speak of TLS (RFC 959, appendix II)
			return protocols.NewError(protocols.Denied, "make the directory "+strconv.Quote(e.name), "it is there already")
		}
		return err
	case e.Kind == protocols.Rename:
		return s.rename(e, sent)
	case e.dir:
		return do("RMD", e.old)
	}
	err := do("DELE", e.old)
	if code(err) == 550 && do("RMD", e.old) == nil {
		return nil
	}
	return err
}

// rename renames an item. It asks before it uses a name that is taken: most servers
// replace the other item silently.
func (s *session) rename(e *edit, sent *bool) error {
	op := "rename " + strconv.Quote(e.old)
	if !e.Replace {
		there, err := s.look(e.name)
		if protocols.ReasonOf(err) == protocols.BadURL {
			return protocols.NewError(protocols.Denied, op, strconv.Quote(e.name)+" is a directory that is there already")
		}
		if err != nil {
			return err
		}
		if there != absent && there != unclear {
			return s.taken(e.request, e.name, there, func() { e.Replace = true })
		}
	}
	*sent = true
	return s.try(e.old+e.name, func() error {
		answer, err := s.ctrl.command("RNFR " + e.old)
		if err != nil {
			return s.fail(op, err)
		}
		if answer.code/100 != 3 {
			return s.refusal(op, answer)
		}
		_, err = s.command(op, "RNTO "+e.name)
		return err
	})
}
