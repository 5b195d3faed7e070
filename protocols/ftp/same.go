package ftp

import (
	"context"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Identifier = (*Client)(nil)

// SameItem implements [protocols.Identifier]. Directories are compared by their path in the reply to PWD, where most servers have
// resolved symbolic links, and by their unique fact (MLST). Two files are the same if they have one name in one directory: FTP
// does not show that a name is a link to the other file.
func (c *Client) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	fa, ra, err := requestFor(protocols.Request{URL: a, Identity: true})
	if err != nil {
		return false, false, err
	}
	fb, rb, err := requestFor(protocols.Request{URL: b, Identity: true})
	switch {
	case err != nil:
		return false, false, err
	case !hasSameLogin(fa, fb):
		return false, false, nil
	case ra.name != rb.name:
		return false, true, nil
	}
	ra.early, ra.onlyReads = sendNothing, true
	err = c.withSession(ctx, fa, ra, func(s *session) error {
		same, known, err = s.areSameDirectory(ra.cwds, rb.cwds)
		if err == nil {
			c.keepSession(s)
		}
		return err
	}, func() bool { return true })
	if protocols.ReasonOf(err) == protocols.NotFound || protocols.ReasonOf(err) == protocols.Denied {
		return false, false, nil // there is no such directory
	}
	return same, known, err
}

// hasSameLogin reports whether two URLs are of the same server and user.
func hasSameLogin(a, b urlcore.FTP) bool {
	a.Server.Password, a.Server.HasPassword = b.Server.Password, b.Server.HasPassword
	return a.Server == b.Server && a.Secure == b.Secure
}

// areSameDirectory reports whether two paths of CWDs lead to the same directory.
func (s *session) areSameDirectory(a, b []string) (same, known bool, err error) {
	var heads [2]protocols.Head
	for i, cwds := range [][]string{a, b} {
		if err := s.chdir(cwds); err != nil {
			return false, false, err
		}
		if err := s.setIdentity(&heads[i]); err != nil {
			return false, false, err
		}
		if heads[i].Identity == "" {
			return false, false, nil
		}
	}
	x, y := heads[0], heads[1]
	same = x.Identity == y.Identity || x.Path != "" && x.Path == y.Path
	return same, same || !strings.EqualFold(x.Path, y.Path), nil // a server may ignore case
}
