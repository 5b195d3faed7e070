package across

import (
	"cmp"
	"context"
	"path"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// planLinks decides which links among the new entries stay links, which are copied as their content, and which are left out. The
// parameter others has the other entries of the Copy. If there are links, content is copied before a move takes it away, and links are
// made when what they lead to is there.
func (c *Copy) planLinks(entries, others []*entry) {
	byPath := make(map[string]*entry)
	for _, e := range slices.Concat(others, entries) {
		byPath[e.path] = e
	}
	found := false
	for _, e := range entries {
		if e.failed || e.whole || !isLink(&e.line) {
			continue
		}
		found = true
		target := linkTarget(&e.line)
		if to := byPath[path.Join(path.Dir(e.path), target)]; target != "" && to != nil && to != e && !to.failed && !path.IsAbs(target) {
			e.leads = to
		}
		switch stays := e.leads != nil || path.IsAbs(target) && c.sameServer(e.line.Link); {
		case e.there != nil && isLink(e.there), e.there == nil && stays && canHaveLinks(c.To):
			e.asLink = true
			c.update(func(p *Progress) { p.TotalFiles++ })
		case e.line.Kind == protocols.Directory:
			c.leaveOut(e, errLinkedDir)
			if e.leads != nil {
				e.leads.stays = true
			}
		default:
			c.addFile(e)
		}
	}
	if found {
		slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.turn(), b.turn()) })
	}
}

// turn returns when e is copied: a directory first, then the content of links, then files, and then the links that stay links.
func (e *entry) turn() int {
	switch {
	case e.asLink:
		return 3
	case e.line.Kind == protocols.Directory:
		return 0
	case isLink(&e.line):
		return 1
	}
	return 2
}

// canHaveLinks reports whether symbolic links can be made in a directory.
func canHaveLinks(u urlcore.URL) bool {
	switch u := u.(type) {
	case urlcore.File:
		return true
	case urlcore.FTP:
		return u.SSH
	}
	return false
}

// copyLink makes a link, unless the target has it. A link to a file is copied as the file if the target cannot have links.
func (c *Copy) copyLink(ctx context.Context, e *entry) error {
	if e.there != nil {
		e.keep()
		c.update(func(p *Progress) { p.Skipped, p.TotalFiles = p.Skipped+1, p.TotalFiles-1 })
		return nil
	}
	if !e.copied {
		tries := 0
		err := c.retry(ctx, func() (_ bool, err error) {
			tries++
			e.made, err = c.Server.Change(ctx, &protocols.Change{Kind: protocols.MakeLink, URL: c.target(e), Name: e.name, Target: linkTarget(&e.line)})
			if err != nil && tries > 1 && !isFatal(ctx, err) { // it may exist after a lost connection
				if there, listErr := c.list(ctx, c.target(e)); listErr == nil && there[e.name] != nil && haveOneTarget(there[e.name], &e.line) {
					e.made, err = there[e.name].Link, nil
				}
			}
			return false, err
		})
		if err != nil && !isFatal(ctx, err) && e.line.Kind != protocols.Directory {
			e.asLink, e.made = false, nil
			return c.copyFile(ctx, e)
		} else if err != nil {
			return err
		}
		e.copied = true
		c.update(func(p *Progress) { p.Files++ })
	}
	return c.removeCopied(ctx, e)
}

// mustStay reports whether a move does not remove the item because a link that is left out leads to it, or to a directory above it.
func (e *entry) mustStay() bool {
	for ; e != nil; e = e.parent {
		if e.stays {
			return true
		}
	}
	return false
}
