package prospero

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// isContents reports whether the next token is the contents of an object:
//
//	ATTRIBUTE <applies-to> <kind> CONTENTS [SEQUENCE] DATA <octets>
func isContents(tokens []string) bool {
	n := len(tokens)
	return n >= 5 && n <= 6 && tokens[3] == "CONTENTS" && tokens[n-1] == "DATA" && isAttribute(statement{tokens: tokens})
}

// object requests the contents of t, or its access methods. If t has moved, object
// returns the statement with the new place.
func (c *Client) object(ctx context.Context, t target) (*protocols.Resource, *statement, error) {
	l := &link{target: "OBJECT", name: title(t.url), place: place{host: t.url.Host, object: t.url.Object}, version: t.version}
	if t.onlyByFTP() {
		return c.inDirectory(ctx, t, t.missing())
	}
	res, moved, err := c.contents(ctx, t, infoAll, l)
	switch {
	case protocols.ReasonOf(err) == protocols.NotFound:
		return c.inDirectory(ctx, t, err)
	case res != nil, moved != nil, err != nil:
		return res, moved, err
	case l.first("ACCESS-METHOD") == "":
		return c.inDirectory(ctx, t, t.missing())
	}
	for _, v := range l.attributes {
		if v.name == "ACCESS-METHOD" && v.values[0] == "PROSPERO-CONTENTS" {
			if res, moved, err = c.contents(ctx, t, infoContents, l); res != nil || moved != nil || err != nil {
				return res, moved, err
			}
			break
		}
	}
	return t.page(l), nil, nil
}

// contents requests attributes of t and returns the contents, if they are among the attributes. It
// adds the other attributes to l.
func (c *Client) contents(ctx context.Context, t target, attributes string, l *link) (*protocols.Resource, *statement, error) {
	a, err := c.ask(ctx, t, t.info(attributes))
	if err != nil {
		return nil, nil, err
	}
	for {
		s, err := a.next()
		switch {
		case err == nil && a.open:
			return &protocols.Resource{
				Head:   protocols.Head{URL: t.url, Title: title(t.url), Size: l.size(), Notes: t.notes},
				Body:   wire.Reader{Context: ctx, R: a.rest()},
				Closer: a,
			}, nil, nil
		case err == nil:
			err = t.failure(s)
		}
		switch {
		case err == io.EOF:
			return nil, nil, a.Close()
		case err != nil:
			_ = a.Close()
			return nil, nil, err
		case s.keyword() == "FORWARDED":
			return nil, &s, a.Close()
		case isAttribute(s):
			l.add(s)
		case !isListStatement(s):
			_ = a.Close()
			return nil, nil, t.protocolError(s)
		}
	}
}

func (t target) missing() error {
	return &protocols.Error{Reason: protocols.NotFound, Op: "open " + t.url.String()}
}

// inDirectory returns a page of the attributes of t in its directory: some servers have them only
// there. For a link to a directory it returns the LINK statement. If there is no link, it returns the
// error missing.
func (c *Client) inDirectory(ctx context.Context, t target, missing error) (*protocols.Resource, *statement, error) {
	found, s, err := c.find(ctx, t, maxForwards)
	switch {
	case protocols.ReasonOf(err) == protocols.NotFound, err == nil && found == nil:
		return nil, nil, missing
	case err != nil:
		return nil, nil, err
	case found.isDirectory():
		return nil, &s, nil
	}
	return t.page(found), nil, nil
}

// find returns the link to t in its directory, or nil, and the LINK statement. If the directory is
// itself only a link in the directory above, find follows this link. It searches at most as many
// directories above as levels says.
func (c *Client) find(ctx context.Context, t target, levels int) (found *link, s statement, err error) {
	dir, name, ok := t.parent()
	if !ok {
		return nil, s, nil
	}
	found, s, err = c.lookup(ctx, dir, name)
	if levels == 0 || err == nil || !failed(s, "NOT-A-DIRECTORY") {
		return found, s, err
	}
	if found, s, err = c.find(ctx, dir, levels-1); err != nil || found == nil || !found.isDirectory() {
		return nil, s, err
	}
	if dir, err = c.forwardTarget(ctx, dir, s); err != nil {
		return nil, s, err
	}
	return c.lookup(ctx, dir, name)
}

// lookup requests the link called name from the directory dir. It returns this link, or nil if there is
// none, and also the LINK statement, or the statement of an error.
func (c *Client) lookup(ctx context.Context, dir target, name string) (*link, statement, error) {
	a, err := c.ask(ctx, dir, dir.list(name))
	if err != nil {
		return nil, statement{}, err
	}
	defer a.Close()
	var found *link // the link of the next attributes
	var last statement
	for {
		s, err := a.next()
		if err == nil {
			err = dir.failure(s)
		}
		switch {
		case found != nil && (err == io.EOF || err == nil && !isAttribute(s)):
			return found, last, nil
		case err == io.EOF:
			return nil, last, nil
		case err != nil:
			return nil, s, err
		case found != nil:
			found.add(s)
		case s.keyword() == "LINK": // union links are in every answer
			if l, ok := parseLink(s); ok && !l.union && l.name == name {
				found, last = l, s
			}
		}
	}
}

// page returns a page of the access methods of an object without contents.
func (t target) page(l *link) *protocols.Resource {
	links, why := askedServer{t.url.HostPort}.urls(l)
	links = slices.DeleteFunc(links, func(u urlcore.URL) bool { return u == urlcore.URL(t.url) })
	lines := []protocols.Line{{Text: "The Prospero server does not send this object itself. It is available at:"}}
	if len(links) == 0 {
		lines[0].Text = "The Prospero server does not send this object, nor where it is available: " + cmp.Or(why, "no access method") + "."
	}
	for _, u := range links {
		lines = append(lines, protocols.Line{Kind: l.kind(u), Text: u.String(), Link: u})
	}
	lines = append(lines, protocols.Line{})
	for _, name := range [...]string{"MENU-ITEM-DESCRIPTION", "SIZE", "LAST-MODIFIED", "UNIX-MODES", "NATIVE-OWNER", "OBJECT-INTERPRETATION", "FILTER"} {
		for _, value := range l.all(name) {
			lines = append(lines, protocols.Line{Kind: protocols.Header, Text: name[:1] + strings.ToLower(name[1:]) + ": " + value})
		}
	}
	if text := l.instructions(); text != "" {
		lines = append(lines, protocols.Line{Text: text})
	}
	return protocols.NewPage(protocols.Head{URL: t.url, Title: title(t.url), Layout: protocols.LayoutPage, Notes: t.notes}, lines...)
}
