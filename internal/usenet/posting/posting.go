// Package posting posts news articles: new articles, follow-ups, replies by mail, and
// articles that supersede or cancel the user's own (RFC 5536 and 5537).
package posting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"gofer/internal/text/clean"
	"gofer/internal/text/document"
	"gofer/internal/text/mimeheader"
	"gofer/internal/usenet/compose"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Server posts articles.
type Server interface {
	// Post sends an article to the server of a news URL.
	Post(ctx context.Context, server urlcore.URL, article string) error
	// Addr returns the "host:port" of the server that Post uses, or "".
	Addr(server urlcore.URL) string
	// GroupStatus returns the status of a group, or 0 if the server has no such group. The result
	// known is false if the server does not report the status.
	GroupStatus(ctx context.Context, server urlcore.URL, group string) (status byte, known bool, err error)
}

// Client makes the messages of about:compose URLs. It is safe for concurrent use;
// its fields must not be changed after first use.
type Client struct {
	Server Server
	// Open fetches the article that a message answers, supersedes or cancels.
	Open func(ctx context.Context, req protocols.Request) (*protocols.Resource, error)
	// Mail returns the error that asks the user for a mail. The mail has the URL u and the template t.
	Mail func(ctx context.Context, u urlcore.URL, t compose.Text) error
	// Check returns an error if articles cannot be posted to the server of a URL.
	Check func(ctx context.Context, server urlcore.URL) error
	// MarkRead marks the article with these numbers as read. It may be nil.
	MarkRead func(server urlcore.URL, numbers []protocols.Crosspost) error

	Drafts      string           // folder of the drafts
	From        string           // "Joe <joe@example.org>"; "": the user fills it in
	Attribution string           // the line above a quote
	Signature   string           // path of the signature; "": none
	Sent        string           // path of the mbox file of posted articles; "": none
	Secret      string           // path of the secret for Cancel-Lock fields; "": articles have no such fields
	Agent       string           // value of the User-Agent field
	Now         func() time.Time // nil: time.Now

	mu     sync.Mutex
	agreed map[urlcore.URL]*compose.Outgoing // cancels that the user has agreed to
}

// Fetch returns the error that asks the user for a message. kind is "post", "followup", "reply",
// "supersede" or "cancel". req asks for the about: URL of the message. target is the URL of the group or
// the article. After the user has agreed to a cancel, Fetch sends it and returns a page.
func (c *Client) Fetch(ctx context.Context, req protocols.Request, kind string, target urlcore.URL) (*protocols.Resource, error) {
	u := req.URL
	if kind == "post" || strings.HasPrefix(kind, "post-") { // the latter is a draft of Put
		return nil, c.askForArticle(ctx, u, target, "", "Article in "+groupOf(target), c.newArticle(groupOf(target)))
	}
	a, err := c.readOriginal(ctx, req.At(target))
	note := ""
	if protocols.ReasonOf(err) == protocols.NotFound && (kind == "reply" || kind == "followup") && compose.HasDraft(c.Drafts, u) {
		a, err, note = new(document.Original), nil, "The article that it answers has been removed." // the draft needs nothing from the article
	}
	if err != nil {
		return nil, err
	}
	subject := a.Field("Subject")
	switch {
	case kind == "reply", kind == "followup" && wantsMail(a):
		return nil, c.Mail(ctx, u, c.newReply(a))
	case kind == "followup":
		return nil, c.askForArticle(ctx, u, target, note, "Follow-up to "+subject, c.newFollowUp(a))
	case kind == "supersede":
		extra, err := c.makeOwnFields(a, "Supersedes", a.Raw("Message-ID"))
		if err != nil {
			return nil, err
		}
		return nil, c.askForArticle(ctx, u, target, "", "New version of "+subject, c.newVersion(a), extra...)
	case kind == "cancel":
		return c.cancel(ctx, u, target, a)
	}
	return nil, &protocols.Error{Reason: protocols.NotFound, Op: "write a message", Err: errors.New("there is no kind " + kind)}
}

// groupOf returns the group in a URL, or "".
func groupOf(u urlcore.URL) string { return strings.TrimSuffix(urlcore.NewsGroup(u).Group, "*") }

// newArticle returns the template of an article for a group.
func (c *Client) newArticle(group string) compose.Text {
	return compose.Text{
		Header: []compose.Field{{Name: "From", Value: c.From}, {Name: "Newsgroups", Value: group}, {Name: "Subject"}},
		Body:   "\n" + c.readSignature(),
	}
}

// maxSignature is the largest size of the signature, in octets.
const maxSignature = 4 << 10

// readSignature returns the signature below the line "-- ", or "" if there is none or it cannot be read.
func (c *Client) readSignature() string {
	if c.Signature == "" {
		return ""
	}
	data, err := userfile.Read(c.Signature, maxSignature)
	text := strings.Trim(string(data), "\r\n")
	if err != nil || strings.TrimSpace(text) == "" {
		return ""
	}
	return "\n-- \n" + strings.TrimPrefix(text, "-- \n") + "\n"
}

func (c *Client) readOriginal(ctx context.Context, req protocols.Request) (*document.Original, error) {
	res, err := c.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	if res.Closer != nil {
		defer res.Close()
	}
	if res.Body == nil || res.Media != protocols.MediaArticle {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "answer " + req.URL.String(), Err: errors.New("it is not an article")}
	}
	m, err := document.ReadOriginal(res.Body)
	if err != nil {
		return nil, err
	}
	_, _ = io.CopyN(io.Discard, res.Body, maxRest) // so that the connection can be used again
	return m, nil
}

// maxRest is the largest number of octets that are read after the text of an article, so that the
// connection can be used again.
const maxRest = 256 << 10

// askForArticle returns the error that asks the user to write an article. The parameter change is a
// note that is shown with the question whether to send the article, or "".
func (c *Client) askForArticle(ctx context.Context, u, server urlcore.URL, change, title string, t compose.Text, extra ...compose.Field) error {
	note, err := c.checkGroups(ctx, server, splitGroups(t.Get("Newsgroups")))
	if err != nil {
		return err
	}
	return compose.Message{URL: u, Title: title, Template: t, Prepare: func(t compose.Text) (*compose.Outgoing, error) {
		out, err := c.prepare(server, t, extra...)
		if err == nil {
			out.Note, out.Later = strings.TrimSpace(change+" "+note), out.Later+change
		}
		return out, err
	}}.Ask(c.Drafts)
}

// maxStatus is the largest number of groups whose status is asked for.
const maxStatus = 10

// checkGroups returns a note about the groups, which the user sees before the article is sent. It
// returns an error if articles cannot be posted to the server, or if all groups are closed.
func (c *Client) checkGroups(ctx context.Context, server urlcore.URL, names []string) (note string, err error) {
	if s := server.Scheme(); !slices.Contains([]string{"news", "snews", "nntp", "nntps"}, s) {
		return "", &protocols.Error{Reason: protocols.Unsupported, Op: "post to " + urlcore.Redact(server).String(), Err: errors.New("articles are posted to groups: news:comp.lang.go, nntp://host/group")}
	}
	if err := c.Check(ctx, server); err != nil {
		return "", err
	}
	var notes []string
	closed := 0
	for _, name := range names[:min(len(names), maxStatus)] {
		status, known, err := c.Server.GroupStatus(ctx, server, name)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case err != nil || !known: // the server decides when the article is posted
		case status == 0:
			notes = append(notes, "The server has no group "+name+".")
		case status == 'm':
			notes = append(notes, name+" is moderated: the article goes to its moderator and appears later, if at all.")
		case status != 'y':
			notes = append(notes, name+" is closed to posts.")
			closed++
		}
	}
	if closed > 0 && closed == len(names) {
		return "", &protocols.Error{
			Reason: protocols.Denied, Op: "post to " + strings.Join(names, ", "),
			Err: errors.New("the server accepts no articles in " + map[bool]string{true: "this group", false: "these groups"}[len(names) == 1] + " (LIST ACTIVE): try another server"),
		}
	}
	return strings.Join(notes, " "), nil
}

// Put posts an article without asking the user. If the article has no Newsgroups field, it goes to the
// group of the URL target. The article has the syntax of [compose.Parse].
//
// Until the article is posted, it is a draft of its own, whose URL draftURL returns for a kind of message. Without a
// connection the result is [protocols.ErrQueued], and after any other error a [protocols.KeptError].
func (c *Client) Put(ctx context.Context, target urlcore.URL, draftURL func(kind string) urlcore.URL, article io.Reader) error {
	data, err := io.ReadAll(article)
	if err != nil {
		return protocols.LocalError("read the article", err)
	}
	sum := sha256.Sum256(data)
	text := string(data)
	t, err := compose.Parse(text)
	for _, f := range []compose.Field{{Name: "Newsgroups", Value: groupOf(target)}, {Name: "From", Value: c.From}} {
		if err == nil && t.Get(f.Name) == "" && f.Value != "" {
			t.Header = append(t.Header, f)
			text = f.Name + ": " + f.Value + "\n" + strings.TrimPrefix(text, userfile.BOM)
		}
	}
	today := c.now().UTC().Format(time.DateOnly) // so that the same text can be posted again on another day
	draft, path, keepErr := compose.Message{
		URL: draftURL("post-" + hex.EncodeToString(sum[:8])), Title: "Article in " + groupOf(target), Template: c.newArticle(groupOf(target)),
		Prepare: func(t compose.Text) (*compose.Outgoing, error) { return c.prepare(target, t) },
	}.Keep(c.Drafts, today, text)
	if err != nil {
		err = &protocols.Error{Reason: protocols.LocalFailure, Op: "read the article", Err: err}
	} else {
		_, err = c.checkGroups(ctx, target, splitGroups(t.Get("Newsgroups")))
	}
	switch {
	case err != nil:
	case keepErr != nil: // the article cannot be kept, but perhaps it can be posted
		t.Draft = today
		var out *compose.Outgoing
		if out, err = c.prepare(target, t); err != nil {
			err = &protocols.Error{Reason: protocols.LocalFailure, Op: "post the article", Err: err}
		} else {
			err = out.Send(ctx)
		}
	default:
		if _, err = draft.Preview(); err == nil {
			err = draft.Send(ctx)
		}
	}
	switch {
	case err == nil || errors.Is(err, protocols.ErrQueued) || errors.Is(err, protocols.ErrEmptyDraft):
		return err
	case keepErr != nil:
		return fmt.Errorf("%w; %w", err, keepErr)
	}
	return &protocols.KeptError{Text: "the message", Path: path, Err: err}
}

// canceledText is the body of a cancel.
const canceledText = "Canceled by its author.\n"

// cancel asks the user whether to cancel an article, and cancels it after the user has agreed.
func (c *Client) cancel(ctx context.Context, u, target urlcore.URL, a *document.Original) (*protocols.Resource, error) {
	c.mu.Lock()
	out := c.agreed[u]
	delete(c.agreed, u)
	c.mu.Unlock()
	if out != nil {
		if err := out.Send(ctx); err != nil {
			return nil, err
		}
		return protocols.NewPage(
			protocols.Head{URL: u, Title: "Cancel sent", Layout: protocols.LayoutPage},
			protocols.Line{Kind: protocols.Heading, Text: "The cancel was sent"}, protocols.Line{},
			protocols.Line{Text: "Not every server removes a canceled article."},
			protocols.Line{Text: "Back", Note: protocols.ActionBack},
		), nil
	}
	id := a.Raw("Message-ID")
	extra, err := c.makeOwnFields(a, "Control", "cancel "+id)
	if err != nil {
		return nil, err
	}
	if _, err := c.checkGroups(ctx, target, nil); err != nil {
		return nil, err
	}
	out, err = c.prepare(target, compose.Text{
		Header: []compose.Field{
			{Name: "From", Value: c.From}, {Name: "Newsgroups", Value: strings.Join(splitGroups(a.Raw("Newsgroups")), ",")}, {Name: "Subject", Value: "cmsg cancel " + id},
		},
		Body: canceledText,
	}, extra...)
	if err != nil {
		return nil, err
	}
	return nil, &protocols.Confirm{
		URL: u, Question: "Cancel the article " + clean.Name(a.Field("Subject")), Reason: "This message asks servers to remove it:",
		Details: out.Review(canceledText),
		GiveConsent: func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.agreed == nil {
				c.agreed = make(map[urlcore.URL]*compose.Outgoing)
			}
			c.agreed[u] = out
		},
	}
}

// makeOwnFields returns the header fields of a message that replaces or cancels an article of the user.
// It returns an error if c.From has no address, or if the article is by another author or has no valid
// Message-ID.
func (c *Client) makeOwnFields(a *document.Original, name, value string) ([]compose.Field, error) {
	id := a.Raw("Message-ID")
	mine, theirs := mimeheader.Addresses(c.From), mimeheader.Addresses(a.Raw("From"))
	var err error
	switch {
	case len(mine) == 0:
		err = errors.New("set from under [post] in the settings file: only your own articles can be canceled or replaced")
	case len(theirs) == 0 || !strings.EqualFold(mine[0].Address, theirs[0].Address):
		err = fmt.Errorf("it is not from %s (the setting from under [post])", mine[0].Address)
	case id == "" || messageID().FindString(id) != id: // a text with more than the Message-ID might name another article
		err = errors.New("it has no valid Message-ID")
	default:
		fields := []compose.Field{{Name: name, Value: value}}
		if key := c.cancelKey(id); key != "" {
			fields = append(fields, compose.Field{Name: "Cancel-Key", Value: "sha256:" + key})
		}
		return fields, nil
	}
	op := "cancel the article"
	if name == "Supersedes" {
		op = "supersede the article"
	}
	return nil, &protocols.Error{Op: op, Err: err}
}

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
