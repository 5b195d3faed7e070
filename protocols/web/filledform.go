package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxForms is the maximum number of filled forms that are stored.
const maxForms = 32

// forms stores completed forms that use POST, because their answers must not be in a URL. The URL
// of such a form contains a number that is valid while the form is stored.
type forms struct {
	mu     sync.Mutex
	last   int
	filled map[int]*filledForm
}

type filledForm struct {
	request request
	sent    bool // the form was sent
	agreed  bool // the user agreed to send the form again
}

// sentPrefix is the start of the URL of a filled form, after the scheme.
const sentPrefix = "sent/"

// add stores a filled form and returns its URL.
func (f *forms) add(r request) (urlcore.URL, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.filled == nil {
		f.filled = make(map[int]*filledForm)
	}
	f.last++
	f.filled[f.last] = &filledForm{request: r}
	delete(f.filled, f.last-maxForms)
	action := strings.NewReplacer("%", "%25", "?", "%3F").Replace(r.url.String())
	return urlcore.Canon(urlcore.Generic{Name: protocols.FormScheme, Rest: sentPrefix + strconv.Itoa(f.last) + "/" + action})
}

// find returns the filled form of a URL, or the question whether to send it again.
func (f *forms) find(u urlcore.URL, rest string) (*request, error) {
	number, action, _ := strings.Cut(rest, "/")
	n, _ := strconv.Atoi(number)
	f.mu.Lock()
	defer f.mu.Unlock()
	form := f.filled[n]
	if form == nil {
		action, _ = url.PathUnescape(action)
		return nil, protocols.NewError(protocols.NotFound, "send the form to "+action,
			"its fields are no longer in memory: open the page with the form and fill it in again")
	}
	if form.sent && !form.agreed {
		return nil, &protocols.Confirm{
			URL: u, Question: "Send the form again to " + form.request.url.Addr(),
			Reason: "It was sent before: an action, such as an order, may be done twice.",
			GiveConsent: func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				form.agreed = true
			},
		}
	}
	r := form.request
	r.originalURL = u
	r.onSent = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		form.sent, form.agreed = true, false
	}
	return &r, nil
}

// openForm asks for the fields of a form, or sends a completed form.
func (c *Client) openForm(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	if rest, ok := strings.CutPrefix(u.String(), protocols.FormScheme+":"+sentPrefix); ok {
		r, err := wire.Remember(c.Dialer.Memory, &c.forms).find(u, rest)
		if err != nil {
			return nil, err
		}
		if err := checkForm(ctx, r); err != nil {
			return nil, err
		}
		return c.fetch(ctx, r)
	}
	f, err := protocols.ParseForm(u)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "read the form", Err: err}
	}
	action, err := newRequest(f.Action)
	if err != nil {
		return nil, err
	}
	return nil, c.newFormAsk(u, f, action.url)
}

// checkForm returns the question whether a form may be sent to its server, or nil.
func checkForm(ctx context.Context, r *request) error {
	err := protocols.CheckRedirect(ctx, r.url)
	if confirm, ok := errors.AsType[*protocols.Confirm](err); ok {
		confirm.Details = []string{r.method + " of a form with the fields:"}
		for _, p := range r.body.pairs {
			confirm.Details = append(confirm.Details, p.name)
		}
	}
	return err
}

// isUnsent reports whether err means that nothing was sent.
func isUnsent(err error) bool {
	r := protocols.ReasonOf(err)
	return r.Is(protocols.NotConnected) || r == protocols.Insecure || r == protocols.LocalFailure
}

// newFormAsk returns a request to the user for the fields of f. If f has no visible fields, newFormAsk only asks
// whether to send the form.
func (c *Client) newFormAsk(u urlcore.URL, f *protocols.Form, action urlcore.HTTP) *protocols.Ask {
	ask := &protocols.Ask{URL: u, Title: "Form for " + action.Addr(), Server: action.Addr(), ServerTitle: f.Title}
	var asked []*protocols.FormField
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Hidden {
			continue
		}
		asked = append(asked, field)
		value := field.Value
		if field.Input == protocols.InputCheck {
			value = "0"
			if field.Checked {
				value = "1"
			}
		}
		ask.Fields = append(ask.Fields, protocols.Field{ServerLabel: field.Label, Value: value, Input: field.Input, Choices: field.Choices, Required: field.Required})
	}
	if len(asked) == 0 {
		ask.Fields = []protocols.Field{{Label: "Form", Value: f.Title, Input: protocols.InputChoice, Choices: []string{f.Title}}}
	}
	ask.With = func(answers []string) (urlcore.URL, error) {
		r := request{url: action, method: http.MethodPost}
		pairs, err := pairsOf(f, answers)
		if err != nil {
			return nil, err
		}
		for i, field := range asked {
			if field.Input == protocols.InputSecret {
				r.secret = true
				c.sharedLogins().Try(action.Addr(), wire.NewCredentials("", answers[i]))
			}
		}
		switch {
		case f.Post:
			r.body = &body{pairs: pairs, multipart: f.Multipart}
			return wire.Remember(c.Dialer.Memory, &c.forms).add(r)
		case r.secret:
			return nil, errors.New("the form would put the password into the URL, where others can read it: nothing was sent")
		}
		action.Query, action.HasQuery = encodeQuery(pairs), true
		return urlcore.Canon(action)
	}
	return ask
}
