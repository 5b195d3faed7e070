package gemini

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"gofer/internal/text/clean"
	"gofer/internal/usenet/compose"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// The limits for uploads by Titan.
const (
	maxEdited   = 1 << 20  // octets of a page that is edited
	maxBuffered = 16 << 20 // octets of an upload whose size is unknown before its end
)

// The fields of a draft besides its text.
const (
	fieldType  = "Type"
	fieldToken = "Token"
)

// pageOf returns the gemini: URL of the page that an upload to u replaces. Parameters of an upload are not part of it, also if u
// is a gemini: URL: they would be parameters of the upload.
func pageOf(u urlcore.URL) (urlcore.HTTP, error) {
	h, err := canonicalItem(u)
	if err == nil && h.Name != "spartan" {
		h.Name = "titan"
		h = urlcore.UploadTarget(h)
		h.Name = "gemini"
	}
	return h, err
}

// compose returns the question for the text of a page: a draft that begins with the text that the page has. The parameters of u
// are not used, because the author of a link may have chosen them (Titan specification, section "The Titan URL").
func (c *Client) compose(ctx context.Context, u urlcore.URL) error {
	if c.CheckUpload != nil {
		if err := c.CheckUpload(); err != nil {
			return err
		}
	}
	page, err := pageOf(u)
	if err != nil {
		return err
	}
	target := page
	target.Name = "titan"
	m := compose.Message{URL: target, Title: "Text of " + page.String(), Template: compose.Text{Header: []compose.Field{
		{Name: "To", Value: target.String()}, {Name: fieldType, Value: "text/gemini"}, {Name: fieldToken},
	}}}
	if !compose.HasDraft(c.Drafts, target) {
		if err := c.fillDraft(ctx, page, &m.Template); err != nil {
			return err
		}
	}
	var next urlcore.URL
	m.Prepare = func(t compose.Text) (*compose.Outgoing, error) { return c.prepareUpload(page, t, &next) }
	question := m.Ask(c.Drafts)
	question.Answer = func() urlcore.URL { return next }
	return question
}

// fillDraft sets the type and the text of a draft to those of the page, if it exists.
func (c *Client) fillDraft(ctx context.Context, page urlcore.HTTP, t *compose.Text) error {
	res, err := c.Fetch(ctx, protocols.Request{URL: page, Fresh: true})
	if e, ok := errors.AsType[*protocols.Error](err); ok && e.Code/10 != 5 { // a page that does not exist can be written
		return err
	}
	if _, changed := errors.AsType[*protocols.Confirm](err); changed || ctx.Err() != nil {
		return err
	}
	if err != nil || res.Body == nil {
		return nil
	}
	defer res.Close()
	if res.URL != urlcore.URL(page) { // the text of another page, perhaps for the user alone, is not for this server
		return protocols.NewError(protocols.Unsupported, "edit "+page.String(), "it leads to another page: open that page and edit it, or use gofer put FILE URL")
	}
	media, _, _ := strings.Cut(res.Media, ";")
	if !strings.HasPrefix(media, "text/") {
		return protocols.NewError(protocols.Unsupported, "edit "+page.String(), "it is not a text but "+clean.Short(media)+": gofer put FILE URL replaces it")
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxEdited+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxEdited:
		return protocols.NewError(protocols.TooBig, "edit "+page.String(), "it has more than 1 MB: gofer put FILE URL replaces it")
	}
	t.Header[1].Value, t.Body = clean.Short(media), string(text)
	return nil
}

// prepareUpload makes a draft into an upload. Send sets next to the page to show after it.
func (c *Client) prepareUpload(page urlcore.HTTP, t compose.Text, next *urlcore.URL) (*compose.Outgoing, error) {
	up := upload{page: page, media: cmp.Or(t.Get(fieldType), "text/gemini"), token: t.Get(fieldToken)}
	if strings.TrimSpace(t.Body) == "" {
		return nil, errors.New("the text is empty")
	}
	up.size, up.body = int64(len(t.Body)), strings.NewReader(t.Body)
	if _, err := up.request(); err != nil {
		return nil, err
	}
	return &compose.Outgoing{
		Question: "Send this text to " + clean.Text(page.Addr()+page.Path),
		Note:     "It replaces the page if there is one.",
		Sent:     "To: " + page.String() + "\r\nType: " + up.media + "\r\n\r\n" + t.Body,
		Send: func(ctx context.Context) (err error) {
			up.body = strings.NewReader(t.Body)
			*next, err = c.send(ctx, up)
			return err
		},
	}, nil
}

// upload is an upload to a page.
type upload struct {
	page         urlcore.HTTP // its gemini: URL
	media, token string
	size         int64
	body         io.Reader
}

// request returns the line before the octets of the upload (Titan specification, section "The Titan URL").
func (up *upload) request() (string, error) {
	target := up.page
	target.Name = "titan"
	target.Path += ";size=" + strconv.FormatInt(up.size, 10) + ";mime=" + escapeParameter(up.media)
	if up.token != "" {
		target.Path += ";token=" + escapeParameter(up.token)
	}
	line := target.String()
	if len(line) > maxRequest {
		return "", protocols.NewError(protocols.BadURL, "send the text", "the URL with the token is longer than the "+strconv.Itoa(maxRequest)+" octets that Gemini allows")
	}
	return line + "\r\n", nil
}

func escapeParameter(s string) string {
	return strings.ReplaceAll(url.PathEscape(s), "%2F", "/")
}

// send sends an upload, and returns the page to which the server redirects, or the page itself.
func (c *Client) send(ctx context.Context, up upload) (next urlcore.URL, err error) {
	line, err := up.request()
	if err != nil {
		return nil, err
	}
	dialer := c.Dialer
	dialer.TLS.FirstUse, dialer.TLS.Path = true, up.page.Path
	conn, err := dialer.DialTLS(ctx, up.page.Addr())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	logins := wire.Remember(c.Dialer.Memory, &c.logins)
	if up.token != "" {
		conn.Hide(up.token)
		conn.Hide(escapeParameter(up.token))
		logins.Try(up.page.Addr(), wire.NewCredentials("", up.token))
	}
	a := newAnswer(up.page, conn)
	sent, writeErr := io.Copy(conn, io.MultiReader(strings.NewReader(line), io.LimitReader(up.body, up.size)))
	if writeErr == nil && sent < int64(len(line))+up.size {
		return nil, protocols.NewError(protocols.LocalFailure, "send the text", "it became shorter while it was sent")
	}
	mask := func(text string) string {
		return wire.Mask(logins.Mask(up.page.Addr(), text), escapeParameter(up.token))
	}
	if err := a.readHead(mask); err != nil { // a server may answer before it has read all
		return nil, cmp.Or(writeErr, err)
	}
	if next, err = a.uploaded(mask); err == nil && writeErr != nil { // it cannot have stored what it has not got
		return nil, writeErr
	}
	return next, err
}

// uploaded returns the page to show after an upload.
func (a *answer) uploaded(mask func(string) string) (urlcore.URL, error) {
	switch a.code / 10 {
	case 2:
		return a.url, nil
	case 3:
		target, err := a.resolveRedirect(a.meta)
		h, ok := target.(urlcore.HTTP)
		if err != nil || !ok || h.Name != "gemini" || mask(h.String()) != h.String() {
			return a.url, nil // the text is stored, and no other program or question follows
		}
		return h, nil
	}
	a.meta = mask(a.meta)
	err := a.newStatusError()
	if e, ok := errors.AsType[*protocols.Error](err); ok && a.code/10 != 4 && e.Reason == protocols.ServerFailed {
		e.Reason = protocols.Rejected
	}
	return nil, err
}

// Put stores a file by Titan. The URL is that of the page, or a titan: URL that may have the parameters mime and token.
func (c *Client) Put(ctx context.Context, u urlcore.URL, up *protocols.Upload) error {
	const op = "store the file"
	page, err := pageOf(u)
	switch {
	case err != nil:
		return err
	case page.Name != "gemini":
		return protocols.NewError(protocols.Unsupported, op, page.Name+": pages cannot be replaced")
	case up.Resume:
		return protocols.NewError(protocols.Unsupported, op, "Titan cannot resume an upload")
	}
	if !up.Replace {
		if err := c.confirmReplace(ctx, page, up); err != nil {
			return err
		}
	}
	canonical, _ := urlcore.Canon(u)
	h, _ := canonical.(urlcore.HTTP)
	_, values := h.UploadParameters()
	media, _ := protocols.BySuffix(page.FileName())
	media = cmp.Or(values["mime"], media, "application/octet-stream")
	request := upload{page: page, media: media, token: values["token"], size: up.Size, body: up.Body}
	if up.Size < 0 {
		data, err := io.ReadAll(io.LimitReader(up.Body, maxBuffered+1))
		if err != nil {
			return protocols.LocalError(op, err)
		}
		if len(data) > maxBuffered {
			return protocols.NewError(protocols.TooBig, op, "Titan needs its size first, and it has more than 16 MiB: save it in a file")
		}
		request.size, request.body = int64(len(data)), bytes.NewReader(data)
	}
	_, err = c.send(ctx, request)
	return err
}

// confirmReplace asks whether to replace a page that exists.
func (c *Client) confirmReplace(ctx context.Context, page urlcore.HTTP, up *protocols.Upload) error {
	res, err := c.Fetch(ctx, protocols.Request{URL: page, Fresh: true})
	if protocols.ReasonOf(err) == protocols.NotFound {
		return nil
	}
	if err != nil && protocols.QuestionOf(err) == nil {
		return err
	}
	if err == nil {
		_ = res.Close()
	}
	return &protocols.Confirm{
		URL: page, Question: "Replace " + page.String(), Reason: "There is such a page already.", Consent: protocols.ConsentReplace,
		GiveConsent: func() { up.Replace = true },
	}
}
