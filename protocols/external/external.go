// Package external explains URLs whose protocols gofer does not support, such as afs: and x500:. If the user has set a program for a scheme, this program opens the URL.
// Otherwise an afs: URL opens a file of the mounted file system.
package external

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// Schemes returns the schemes that are explained.
func Schemes() []urlcore.Scheme {
	return slices.DeleteFunc(urlcore.Schemes(), func(s urlcore.Scheme) bool { return s.Object == "" })
}

// Client is a [protocols.Fetcher] and [protocols.Planner] for the schemes of [Schemes]. It is safe
// for concurrent use.
type Client struct {
	Programs protocols.Fetcher // opens a URL with a program that the user has set; may be nil
	Files    protocols.Fetcher // opens file: URLs
	AFS      string            // the directory of the Andrew File System; /afs if empty
}

// Fetch opens u with a program or opens the file in the mounted file system. If neither is
// possible, it returns a *[protocols.Error] that explains u.
func (c *Client) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if c.Programs != nil {
		return c.Programs.Fetch(ctx, req)
	}
	if f, ok := c.mountedFile(req.URL); ok && c.Files != nil {
		return c.Files.Fetch(ctx, req.At(f))
	}
	return nil, explainError(req.URL)
}

// State implements [protocols.Stater].
func (c *Client) State(u urlcore.URL) string {
	if c.Programs != nil {
		return protocols.Registry{u.Scheme(): c.Programs}.State(u)
	}
	if _, err := c.Plan(u); err != nil {
		return "explained only"
	}
	return "built in"
}

// Plan returns the mounted file that Fetch would open. For any other URL it returns an error,
// because nothing is sent.
func (c *Client) Plan(u urlcore.URL) ([]protocols.Step, error) {
	if f, ok := c.mountedFile(u); ok && c.Programs == nil {
		return []protocols.Step{{Peer: "this machine", Note: "it is opened as " + f.String()}}, nil
	}
	return nil, explainError(u)
}

// mountedFile returns the file: URL for an afs: URL. It returns false if the file does not exist or symbolic links lead out of the
// mounted file system, whose cells anybody can write, and for any other URL.
func (c *Client) mountedFile(u urlcore.URL) (urlcore.URL, bool) {
	g, _ := u.(urlcore.Generic)
	s, rest, server := g.Server()
	root := cmp.Or(c.AFS, "/afs")
	if g.Name != "afs" || !server || s.Host == "" || s.HasUser || s.Port != 0 {
		return nil, false
	}
	name := urlcore.Lookup{Path: rest}.Query()
	if strings.ContainsRune(name, 0) {
		return nil, false
	}
	full := path.Join(root, s.Host, path.Clean("/"+name))
	info, err := os.Stat(full)
	if err != nil || !isBelow(full, root) {
		return nil, false
	}
	segments := strings.Split(strings.TrimPrefix(full, "/"), "/")
	last := len(segments) - 1
	dirs, file := segments[:last], segments[last]
	if info.IsDir() {
		dirs, file = segments, ""
	}
	f, err := urlcore.NewFile("", dirs, file)
	return f, err == nil
}

// isBelow reports whether a file is below the directory root when all symbolic links are followed.
func isBelow(file, root string) bool {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	inside, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(inside)
}

// directoryURL returns the ldap: URL of the entry that an x500: URL names, or nil. The form of x500: URLs was never specified. If the
// text is the name of an entry, the entry has the same name in LDAP (RFC 4514).
func directoryURL(u urlcore.URL) urlcore.URL {
	g, _ := u.(urlcore.Generic)
	name := strings.TrimPrefix(g.Rest, "/")
	if g.Name != "x500" || strings.Contains(name, "/") || !strings.Contains(name, "=") {
		return nil
	}
	entry, err := urlcore.Parse("ldap:///" + name)
	if err != nil {
		return nil
	}
	return entry
}

// explainError returns an error that explains u.
func explainError(u urlcore.URL) error {
	op := "open " + urlcore.Redact(u).String()
	for _, s := range Schemes() {
		if s.Name != u.Scheme() {
			continue
		}
		lines := explanation(s, u)
		if other := directoryURL(u); other != nil {
			lines = append(lines, protocols.Line{Text: "The directory server of this machine (LDAPURI) may have the entry:"}, protocols.Line{Kind: protocols.KindOf(other), Text: other.String(), Link: other})
		}
		return &protocols.Error{Reason: protocols.Unsupported, Op: op, Err: errors.New("gofer does not support its protocol"), Lines: lines}
	}
	return &protocols.Error{Reason: protocols.Unsupported, Op: op}
}

// explanation returns the lines below the error: what u identifies, and what opens it or the nearest to it.
func explanation(s urlcore.Scheme, u urlcore.URL) []protocols.Line {
	names := "It names " + s.Object
	if s.Document != "" {
		names += " (" + s.Document + ")"
	}
	lines := []protocols.Line{{}, {Text: names + "."}}
	if s.Programs != "" {
		lines = append(lines, protocols.Line{Text: "Open it with: " + s.Programs + "."})
	} else if s.Instead == "" {
		lines = append(lines, protocols.Line{Text: "No program opens it today."})
	}
	if other, ok := urlcore.Instead(u); ok {
		lines = append(lines, protocols.Line{Kind: protocols.KindOf(other), Text: "Try " + other.String(), Link: other})
	}
	return append(lines, protocols.Line{Text: "Set a program for it under [open] in the settings file, or a gateway under [gateway]."})
}
