// Package external explains URLs whose protocols gofer does not support, such as afs: and x500:. If the user has set a program
// for a scheme, this program opens the URL. Otherwise an afs: URL opens a file of the mounted file system, in whose directories
// the links are afs: URLs, too: their cells mean the same on every machine, and no symbolic link in them leads out. A name such
// as @sys is resolved by the mount.
package external

import (
	"cmp"
	"context"
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
	f, err := c.mountedFile(req.URL)
	if err != nil || c.Files == nil {
		return nil, cmp.Or(err, explainError(req.URL))
	}
	res, err := c.Files.Fetch(ctx, req.At(f))
	return c.withNames(res), err
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
	if c.Programs != nil {
		return nil, explainError(u)
	}
	f, err := c.mountedFile(u)
	if err != nil {
		return nil, err
	}
	return []protocols.Step{{Peer: "this machine", Note: "it is opened as " + f.String()}}, nil
}

// explainError returns an error that explains u.
func explainError(u urlcore.URL) error {
	e := protocols.NewError(protocols.Unsupported, "open "+urlcore.Redact(u).String(), "gofer does not support its protocol")
	for _, s := range Schemes() {
		if s.Name == u.Scheme() {
			e.Lines = explanation(s, u)
		}
	}
	return e
}

// explanation returns the lines below the error, which are sentences: what u identifies, and what opens it or the nearest to it.
func explanation(s urlcore.Scheme, u urlcore.URL) []protocols.Line {
	names := "It names " + s.Object
	if s.Document != "" {
		names += " (" + s.Document + ")"
	}
	instead := urlcore.InsteadOf(u)
	opener := protocols.Line{Text: "Try " + instead.Text + " instead", Link: instead.URL}
	switch {
	case instead.Text == "":
		opener.Text = "No program opens it today"
	case instead.Command:
		opener.Text = "The command " + instead.Text + " opens it"
	case instead.URL != nil:
		opener.Kind = protocols.KindOf(instead.URL)
	}
	if missing := strings.Join(instead.Missing, " and "); missing != "" {
		opener.Text += ", with your own word for " + missing + ", which the URL lacks"
	}
	opener.Text += "."
	return []protocols.Line{
		{},
		{Text: names + "."},
		opener,
		{Text: "Set a program for it under [open] in the settings file, or a gateway under [gateway]."},
	}
}
