package gemini

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// formatSpartanRequest returns the request "host SPACE path SPACE length CR LF" and the data. The data is
// the query of the URL (Spartan specification, sections 2 and 5).
func formatSpartanRequest(h urlcore.HTTP) (string, error) {
	data, err := url.PathUnescape(h.Query)
	if err == nil && len(data) > maxUpload {
		err = errors.New("it is more than " + strconv.Itoa(maxUpload) + " octets")
	}
	if err != nil {
		return "", &protocols.Error{Reason: protocols.BadURL, Op: "send the request", Err: err}
	}
	return h.Host + " " + h.Path + " " + strconv.Itoa(len(data)) + "\r\n" + data, nil
}

// confirmUpload returns a *[protocols.Confirm] if h would send several lines of text that the user did not type. A
// server of another protocol could take the lines for commands (RFC 1738, section 6).
func (c *Client) confirmUpload(h urlcore.HTTP) error {
	data, _ := url.PathUnescape(h.Query) // formatRequest reports a malformed query
	if !strings.ContainsAny(data, "\r\n\x00") {
		return nil
	}
	if _, agreed := c.sharedInputs().uploads.Load(h); agreed {
		return nil
	}
	return &protocols.Confirm{
		URL: h, Question: "Send this text to " + h.Addr(),
		Reason:      "The URL contains several lines of text, which another service would read as commands (RFC 1738, section 6).",
		Details:     strings.Split(clean.Octets(data[:min(len(data), maxShown)]), `\n`),
		GiveConsent: func() { c.sharedInputs().uploads.Store(h, nil) },
	}
}

const maxShown = 2000 // the maximal size of the text in the question, in octets

// newUploadAsk returns the question for the text to send.
func (c *Client) newUploadAsk(h urlcore.HTTP) *protocols.Ask {
	return &protocols.Ask{
		URL: h, Title: "Input for " + h.Addr(), Fields: []protocols.Field{{Label: "Text to send", Input: protocols.InputText}},
		With: func(answers []string) (urlcore.URL, error) {
			u := h
			u.Query = urlcore.EscapeQuery(answers[0])
			_, err := formatSpartanRequest(u)
			c.sharedInputs().uploads.Store(u, nil)
			return u, err
		},
	}
}

// handleSpartan returns the Resource of an answer of a Spartan server, or the target of its redirect (Spartan
// specification, section 3).
func (a *answer) handleSpartan() (target urlcore.URL, res *protocols.Resource, err error) {
	switch a.code {
	case 2:
		return nil, a.newResource(), nil
	case 3:
		if !strings.HasPrefix(a.meta, "/") || strings.HasPrefix(a.meta, "//") { // it must be a path on the same server
			return nil, nil, &protocols.Error{Reason: protocols.Malformed, Op: "follow the redirect", Code: a.code, Text: a.meta}
		}
		target, err = a.resolveRedirect(a.meta)
		return target, nil, err
	}
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: "open " + a.url.String(), Code: a.code, Text: a.meta}
	if a.code == 4 {
		e.Reason = protocols.NotFound
	}
	return nil, nil, e
}
