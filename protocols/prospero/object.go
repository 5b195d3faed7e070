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

// isContents reports whether the next token is the contents of an object, in the statement
//
//	ATTRIBUTE <applies-to> <kind> CONTENTS [SEQUENCE] DATA <octets>
func isContents(tokens []string) bool {
	n := len(tokens)
	return n >= 5 && n <= 6 && tokens[3] == "CONTENTS" && tokens[n-1] == "DATA" && isAttribute(statement{tokens: tokens})
}

// openObject returns the contents of t, or a page of its access methods. If t has moved, openObject
// returns the statement with the new location.
func (c *Client) openObject(ctx context.Context, t target) (*protocols.Resource, *statement, error) {
	l := &link{target: "OBJECT", name: titleOf(t.url), place: place{host: t.url.Host, object: t.url.Object}, version: t.version}
	if t.needsFTP() {
		return c.findInParent(ctx, t, t.missingError())
	}
	res, moved, err := c.fetchContents(ctx, t, infoAll, l)
	switch {
	case protocols.ReasonOf(err) == protocols.NotFound:
		return c.findInParent(ctx, t, err)
	case res != nil, moved != nil, err != nil:
		return res, moved, err
	case l.firstValue("ACCESS-METHOD") == "":
		return c.findInParent(ctx, t, t.missingError())
	}
	for _, v := range l.attributes {
		if v.name == "ACCESS-METHOD" && v.values[0] == "PROSPERO-CONTENTS" {
			if res, moved, err = c.fetchContents(ctx, t, infoContents, l); res != nil || moved != nil || err != nil {
				return res, moved, err
			}
			break
		}
	}
	return t.accessPage(l), nil, nil
}

// fetchContents requests attributes of t. If the contents are among the attributes, it returns
// them. It adds the attributes before the contents to l. If t has moved, it returns the statement
// with the new location.
func (c *Client) fetchContents(ctx context.Context, t target, attributes string, l *link) (*protocols.Resource, *statement, error) {
	a, err := c.ask(ctx, t, t.infoRequest(attributes))
	if err != nil {
		return nil, nil, err
	}
	for {
		s, err := a.next()
		switch {
		case err == nil && a.open:
			return &protocols.Resource{
				Head:   protocols.Head{URL: t.url, Title: titleOf(t.url), Size: l.size(), Notes: t.notes},
				Body:   wire.Reader{Context: ctx, R: a.tokenRest()},
				Closer: a,
			}, nil, nil
		case err == nil:
			err = t.failureError(s)
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

func (t target) missingError() error {
	return &protocols.Error{Reason: protocols.NotFound, Op: "open " + t.url.String()}
}

// findInParent looks up the link to t in the parent directory of t, because some servers send the
// attributes of an object only with its link. It returns a page of these attributes. If the link leads
// to a directory, findInParent returns the LINK statement. If there is no link, it returns the
// parameter missing.
func (c *Client) findInParent(ctx context.Context, t target, missing error) (*protocols.Resource, *statement, error) {
	found, s, err := c.findLink(ctx, t, maxForwards)
	switch {
	case protocols.ReasonOf(err) == protocols.NotFound, err == nil && found == nil:
		return nil, nil, missing
	case err != nil:
		return nil, nil, err
	case found.isDirectory():
		return nil, &s, nil
	}
	return t.accessPage(found), nil, nil
}

// findLink returns the link to t in the parent directory of t, and the LINK statement. If there is no
// link, the result found is nil. If the parent directory is itself only a link in its own parent
// directory, findLink follows that link. The parameter levels is the maximum number of links that it
// follows.
func (c *Client) findLink(ctx context.Context, t target, levels int) (found *link, s statement, err error) {
	dir, name, ok := t.parent()
	if !ok {
		return nil, s, nil
	}
	found, s, err = c.requestLink(ctx, dir, name)
	if levels == 0 || err == nil || !isFailure(s, "NOT-A-DIRECTORY") {
		return found, s, err
	}
	if found, s, err = c.findLink(ctx, dir, levels-1); err != nil || found == nil || !found.isDirectory() {
		return nil, s, err
	}
	if dir, err = c.forwardTarget(ctx, dir, s); err != nil {
		return nil, s, err
	}
	return c.requestLink(ctx, dir, name)
}

// requestLink asks the directory dir for the link with this name. It returns the link and its LINK
// statement. If there is no such link, it returns nil. If the server reports an error, it returns the
// statement of the error.
func (c *Client) requestLink(ctx context.Context, dir target, name string) (*link, statement, error) {
	a, err := c.ask(ctx, dir, dir.listRequest(name))
	if err != nil {
		return nil, statement{}, err
	}
	defer a.Close()
	var found *link // the link that the next attributes belong to
	var last statement
	for {
		s, err := a.next()
		if err == nil {
			err = dir.failureError(s)
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
		case s.keyword() == "LINK": // the answer also contains all union links
			if l, ok := parseLink(s); ok && !l.union && l.name == name {
				found, last = l, s
			}
		}
	}
}

// accessPage returns a page of the access methods of an object without contents.
func (t target) accessPage(l *link) *protocols.Resource {
	links, why := askedServer{t.url.HostPort}.urlsOf(l)
	links = slices.DeleteFunc(links, func(u urlcore.URL) bool { return u == urlcore.URL(t.url) })
	lines := []protocols.Line{{Text: "The Prospero server does not send this object itself. It is available at:"}}
	if len(links) == 0 {
		lines[0].Text = "The Prospero server does not send this object, and does not say where it is available: " + cmp.Or(why, "no access method") + "."
	}
	for _, u := range links {
		lines = append(lines, protocols.Line{Kind: l.kindOf(u), Text: u.String(), Link: u})
	}
	lines = append(lines, protocols.Line{})
	for _, name := range [...]string{"MENU-ITEM-DESCRIPTION", "SIZE", "LAST-MODIFIED", "UNIX-MODES", "NATIVE-OWNER", "OBJECT-INTERPRETATION", "FILTER"} {
		for _, value := range l.allValues(name) {
			lines = append(lines, protocols.Line{Kind: protocols.Header, Text: name[:1] + strings.ToLower(name[1:]) + ": " + value})
		}
	}
	if text := l.instructions(); text != "" {
		lines = append(lines, protocols.Line{Text: text})
	}
	return protocols.NewPage(protocols.Head{URL: t.url, Title: titleOf(t.url), Layout: protocols.LayoutPage, Notes: t.notes}, lines...)
}
