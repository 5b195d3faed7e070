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
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	cred := c.credentials(f, e.request)
	sent := false
	err = c.idle.Do(ctx, e.request.key(cred),
		func() (*session, error) { return c.open(ctx, e.request, cred) },
		func(s *session) error {
			err := s.edit(e, &sent)
			if err == nil {
				c.put(s)
			}
			return c.settle(s, e.request, err)
		},
		func(err error) bool { return isDead(err) && !sent }) // what may have been done is not done twice
	return e.url, err
}

// edit is a change in the arguments of its commands.
type edit struct {
	*protocols.Change
	request *request // whose CWDs lead to the directory of the item
	old     string   // the item's name; "" of MakeDirectory
	name    string   // that it is to have; a path in a login directory given as one
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

// edit does a change; sent is set when it may have been done.
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

// rename renames, but nothing to a name that is taken without a yes: most servers
// replace what has it without a word.
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
