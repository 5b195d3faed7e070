package about

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/urlcore"
)

// The queries of the URLs that open the forms of identities. The URL that an identity is for follows queryFor.
const (
	queryNew    = "new"
	queryImport = "import"
	queryFor    = "for="
)

// IdentityURL returns the URL of the form that chooses the identity for u.
func IdentityURL(u urlcore.URL) urlcore.URL {
	form, _ := urlcore.Canon(Page("identities?" + queryFor + urlcore.EscapeQuery(urlcore.Redact(u).String())))
	return form
}

// IdentityName returns the name of the identity whose page u is, or "".
func IdentityName(u urlcore.URL) string {
	r, ok := requestOf(protocols.Request{URL: u})
	if !ok || r.page.Name != "identities" {
		return ""
	}
	return unescape(r.part)
}

// identitiesPage lists the certificates by which servers know the user, shows one of them, or opens a form about them.
func (c *Client) identitiesPage(ctx context.Context, r request) (*protocols.Resource, error) {
	switch target, isFor := strings.CutPrefix(r.query, queryFor); {
	case isFor:
		u, err := urlcore.Parse(unescape(target))
		if err != nil {
			return nil, err
		}
		scope, ok := identities.ScopeOf(u)
		if !ok {
			return nil, protocols.NewError(protocols.Unsupported, "choose an identity for "+urlcore.Redact(u).String(),
				"only servers with TLS know users by certificates (gemini, titan, https, gophers, ftps, nntps)")
		}
		return nil, c.askIdentity(c.Identities.Ask(u, scope, ""))
	case r.query == queryNew:
		return nil, c.Identities.AskNew(Page("identities"))
	case r.query == queryImport:
		return nil, c.Identities.AskImport(Page("identities"))
	}
	return lines((*Client).identityLines)(c, ctx, r)
}

// askIdentity returns the form, or the error that there is none.
func (c *Client) askIdentity(ask *protocols.Ask, err error) error {
	if err != nil {
		return err
	}
	return ask
}

func (c *Client) identityLines(_ context.Context, r request) ([]protocols.Line, error) {
	list, err := c.Identities.List()
	if r.part != "" {
		for _, f := range list {
			if f.Name == unescape(r.part) {
				return identityDetails(&f, r), nil
			}
		}
		return nil, nil
	}
	lines := []protocols.Line{text("An identity is a certificate by which a server knows you. A server gets one only where you have accepted it."), text("")}
	for _, f := range list {
		line := link(f.Name, Page("identities/"+urlcore.EscapeQuery(f.Name)))
		line.Note = &IdentityNote{f, c.now()}
		lines = append(lines, line)
	}
	switch {
	case err != nil:
		lines = append(lines, failure("Not all was done", err))
	case len(list) == 0:
		lines = append(lines, text("There are no identities."))
	}
	lines = append(lines, text(""), link("Make an identity", Page("identities?"+queryNew)), link("Import an identity from a PEM file", Page("identities?"+queryImport)))
	if len(list) > 0 {
		lines = append(lines, actionLine("Remove an identity", protocols.ActionForget, r))
	}
	return lines, nil
}

// identityDetails returns the page of an identity.
func identityDetails(f *identities.File, r request) []protocols.Line {
	lines := []protocols.Line{heading(f.Name), text("")}
	if f.Fault != nil {
		lines = append(lines, failure("It cannot be used", f.Fault))
	} else {
		lines = append(lines, text("Issued to:  "+f.Subject), text("Expires:    "+f.Expires.UTC().Format(time.DateOnly)+expiredMark(f)), text("Certificate:"), text("  "+f.Fingerprint))
	}
	lines = append(lines, text("File:       "+f.Path), text(""))
	if len(f.Scopes) == 0 {
		lines = append(lines, text("It is sent to no server."))
	} else {
		lines = append(lines, text("It is sent to, if the server asks:"))
	}
	for _, scope := range f.Scopes {
		lines = append(lines, text("  "+scope.String()))
	}
	return append(lines, text(""), link("All identities", Page(r.page.Name)))
}

func expiredMark(f *identities.File) string {
	if f.Expired() {
		return ", expired: it is sent only after a question"
	}
	return ""
}

// IdentityNote describes an identity.
type IdentityNote struct {
	file identities.File
	now  time.Time
}

// Row shows where the identity is sent, or its fault.
func (n *IdentityNote) Row() protocols.Row {
	description := ""
	if n.file.Fault != nil {
		description = n.file.Fault.Error()
	}
	for _, scope := range n.file.Scopes {
		description = strings.TrimPrefix(description+", "+scope.String(), ", ")
	}
	return protocols.Row{Description: cmp.Or(description, "sent to no server"), TextWidth: 24, Verbatim: true}
}

// Columns shows the day when the identity expires.
func (n *IdentityNote) Columns() []protocols.Column {
	state := ""
	if n.file.Expired() {
		state = "expired"
	}
	return []protocols.Column{
		{Head: "state", Value: state, ColumnLayout: protocols.ColumnLayout{Width: 7, MinScreen: protocols.NarrowScreen, Left: true, Printed: 7}},
		{Head: "expires", Value: protocols.Day{Time: n.file.Expires}},
	}
}

func (n *IdentityNote) Attributes() []protocols.Attribute {
	return []protocols.Attribute{{Name: "expires", Value: n.file.Expires}, {Name: "scopes", Value: n.Row().Description}, {Name: "fingerprint", Value: n.file.Fingerprint}}
}

func (n *IdentityNote) Memory() int { return 400 }
