package ui

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"gofer/internal/pages/about"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/urlcore"
)

// letter is a draft in memory.
type letter struct {
	errs []error // of Send, one after the other
	sent int
}

func (*letter) File() (string, error) { return os.DevNull, nil }

func (*letter) Preview() (*protocols.Confirm, error) {
	return &protocols.Confirm{Question: "Send this to joe@example.org", Reason: "It is kept.", Details: []string{"Subject: Hi \x1b[2J", "", "Hello"}, Yes: func() {}}, nil
}

func (l *letter) Send(context.Context) error {
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		return err
	}
	l.sent++
	return nil
}

// composing opens a page that wants a message, and returns how it is when the editor
// has ended.
func composing(t *testing.T, l *letter, editor bool) (*driver, draftMsg) {
	t.Helper()
	u := urlcore.Mailto{Address: "joe@example.org"}
	c := &protocols.Compose{URL: u, Title: "Mail to joe@example.org", Draft: l}
	w := library()
	w.fail(u, c)
	o := Options{}
	edited := ""
	if editor {
		o.Editor = func(path string) []string {
			edited = path
			return []string{"true"}
		}
	}
	d := drive(t, w, o, 80, 24)
	d.run(d.visit(u))
	if editor && edited != os.DevNull {
		t.Errorf("the editor got %q", edited)
	}
	confirm, _ := l.Preview()
	return d, draftMsg{tab: d.tab, compose: c, confirm: confirm}
}

func TestCompose(t *testing.T) {
	l := &letter{}
	d, msg := composing(t, l, true)
	d.send(msg).wantShown("Subject: Hi ␛[2J", "Send this to joe@example.org? (y/N)")
	d.press("enter")
	if l.sent != 0 {
		t.Fatal("Enter sends")
	}
	d.wantShown("not sent: the draft is kept")
	d.press("u") // to the page from which it was to be sent
	d.wantURL(item('1', "/"))
	d.send(msg).press("y").wantShown("sent").wantNotShown("Subject: Hi")
	if l.sent != 1 {
		t.Errorf("sent %d times", l.sent)
	}
	d, _ = composing(t, l, false)
	d.wantShown("messages cannot be written here")
}

// TestQuestionScrolls: the keys that move in a page move in what a question is about,
// and answer nothing.
func TestQuestionScrolls(t *testing.T) {
	l := &letter{}
	d, msg := composing(t, l, true)
	for i := range 50 {
		msg.confirm.Details = append(msg.confirm.Details, "row "+strconv.Itoa(i))
	}
	d.send(msg)
	for _, tt := range []struct{ key, shown string }{
		{"end", "row 49"},
		{"home", "Subject: Hi"},
		{"space", "row 20"},
		{"pgup", "Subject: Hi"},
		{"down", "row 13"},
		{"j", "row 14"},
		{"up", "row 1"},
		{"k", "Subject: Hi"},
	} {
		d.press(tt.key).wantShown(tt.shown, "(y/N)")
	}
	d.press("y")
	if l.sent != 1 {
		t.Errorf("sent %d times", l.sent)
	}
}

// A login is asked for and the message sent again; another failure is a page.
func TestComposeFails(t *testing.T) {
	password := ""
	l := &letter{errs: []error{
		&protocols.Login{Server: "mail.example.org:587", User: "joe", With: func(_, p string) { password = p }},
		&protocols.Error{Reason: protocols.ServerFailed, Op: "send the message", Code: 550, Text: "no such user"},
	}}
	d, msg := composing(t, l, true)
	d.send(msg).press("y").wantShown("password for \"joe\"")
	d.enter("secret").press("enter")
	fetchtest.Equal(t, password, "secret", "the password")
	d.wantShown("Server error (550)", "\"no such user\"", "not sent: the draft is kept")
	d.send(draftMsg{tab: d.tab, compose: msg.compose, err: errors.Join(protocols.ErrEmptyDraft, nil)})
	d.wantShown("nothing was written")
}

// TestSendAsksLater: what a server asks while a message is sent waits for the line that is
// typed meanwhile.
func TestSendAsksLater(t *testing.T) {
	for name, question := range map[string]error{
		"(password|user)": &protocols.Login{Server: "mail.example.org:587", User: "joe", With: func(string, string) {}},
		"Trust it":        &protocols.Confirm{Question: "Trust it"},
	} {
		l := &letter{errs: []error{question}}
		d, msg := composing(t, l, true)
		answer := d.send(msg).hold(keyPress("y"))
		d.press("/").enter("mone").run(answer).enter("y")
		if line, ok := d.tab.Prompt.(*ask.Line); !ok || line.Typed() != "money" {
			t.Errorf("%s: the letters do not go on into the line:\n%s", name, d.screen())
		}
		d.press("esc")
		if !regexp.MustCompile(name).MatchString(d.screen()) || l.sent != 0 {
			t.Errorf("%s: not asked after the line, or sent (%d):\n%s", name, l.sent, d.screen())
		}
	}
}

// A message that is not finished is not the fault of the machine, and one key edits
// it again.
func TestComposeUnfinished(t *testing.T) {
	d, msg := composing(t, &letter{}, true)
	msg.confirm, msg.err = nil, &protocols.Error{
		Reason: protocols.Unfinished, Op: "send the message", Err: errors.New("it has no subject"), Lines: msg.compose.DraftLines("/tmp/draft.eml"),
	}
	d.send(msg)
	for _, want := range []string{"Not sent", "it has no subject", "The draft is kept as /tmp/draft.eml.", "Edit it again (press Ctrl-R)"} {
		d.wantShown(want)
	}
	d.wantNotShown("Try again", "disk")
	if line, _ := d.Model.tab.Pager.Current(); line.Link != msg.compose.URL {
		t.Errorf("the cursor is on %q", line.Text)
	}
}

// A draft is removed on its page after a yes, and the page shows the others.
func TestRemoveDraft(t *testing.T) {
	w := library()
	drafts := []about.Item{
		{Title: "Hi, to joe", URL: urlcore.Mailto{Address: "joe@example.org"}},
		{Title: "Hello, to ann", URL: urlcore.Mailto{Address: "ann@example.org"}},
	}
	w[about.Page("drafts")] = func(ctx context.Context) (*protocols.Resource, error) {
		return (&about.Client{Drafts: func() ([]about.Item, error) { return drafts, nil }}).Fetch(ctx, about.Page("drafts"))
	}
	var failure error
	d := drive(t, w, Options{RemoveDraft: func(u urlcore.URL) error {
		drafts = slices.DeleteFunc(drafts, func(it about.Item) bool { return failure == nil && it.URL == u })
		return failure
	}}, 80, 24)
	d.run(d.visit(about.Page("drafts"))).press("x", "enter").wantShown("Hi, to joe")
	d.press("x", "y").wantShown("draft removed").wantNotShown("Hi, to joe").wantShown("Hello, to ann")
	failure = errors.New("no way")
	d.press("x", "y").wantShown("the draft was not removed: no way", "Hello, to ann")
}
