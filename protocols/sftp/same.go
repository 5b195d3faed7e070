package sftp

import (
	"context"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Identifier = (*Client)(nil)

// SameItem implements [protocols.Identifier]. It compares the paths by REALPATH (section 6.11), where servers resolve links.
func (c *Client) SameItem(ctx context.Context, a, b urlcore.URL) (same, known bool, err error) {
	fa, ra, err := newRequest(protocols.Request{URL: a})
	if err != nil {
		return false, false, err
	}
	_, rb, err := newRequest(protocols.Request{URL: b})
	switch {
	case err != nil:
		return false, false, err
	case ra.url.Server != rb.url.Server:
		return false, false, nil
	}
	err = c.withSession(ctx, fa, ra, func(s *session, l *lease) error {
		if same, known, err = s.arePathsOfOneItem(ctx, ra.path, rb.path); err != nil {
			return err
		}
		return l.Close()
	}, func() bool { return true })
	return same, known, err
}

// arePathsOfOneItem reports whether two paths lead to the same item.
func (s *session) arePathsOfOneItem(ctx context.Context, a, b string) (same, known bool, err error) {
	var calls [2]*call
	for i, path := range []string{a, b} {
		if calls[i], err = s.ask(ctx, opFind, "REALPATH", fxpRealpath, path); err != nil {
			return false, false, err
		}
	}
	var real [2]string
	for i, c := range calls {
		real[i], err = s.nameOf(ctx, c, opFind)
		if isRefusal(err) {
			return false, false, nil
		} else if err != nil {
			return false, false, err
		}
	}
	if real[0] == real[1] {
		return true, true, nil
	}
	if strings.EqualFold(real[0], real[1]) { // the server may ignore case
		return false, false, nil
	}
	known, err = s.haveNoLink(ctx, real[:])
	return false, known, err
}

// haveNoLink reports whether no item on the paths is a link: not every server resolves links for REALPATH.
func (s *session) haveNoLink(ctx context.Context, paths []string) (bool, error) {
	var calls []*call
	for _, path := range paths {
		for ; path != "/" && path != "" && len(calls) < 2*maxDepth; path, _ = parentOf(path) {
			c, err := s.ask(ctx, opFind, "LSTAT", fxpLstat, path)
			if err != nil {
				return false, err
			}
			calls = append(calls, c)
		}
	}
	found := len(calls) < 2*maxDepth
	for _, c := range calls {
		a, err := s.attrsOf(ctx, c, opFind)
		if err != nil && !isRefusal(err) {
			return false, err
		}
		found = found && err == nil && a.kind() != 0 && a.kind() != typeLink
	}
	return found, nil
}

const opFind = "find the item"

// maxDepth bounds the names in a path that are looked at.
const maxDepth = 256
