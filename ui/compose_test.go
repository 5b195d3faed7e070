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

// memoryDraft is a draft in memory.
type memoryDraft struct {
	errs []error // results of the next calls of Send
	sent int
}

func (*memoryDraft) File() (string, error) { return os.DevNull, nil }

func (*memoryDraft) StartLine() int { return 4 }

func (*memoryDraft) Preview() (*protocols.Confirm, error) {
	return &protocols.Confirm{
		Question: "Send this to joe@example.org", Reason: "It is kept.",
		Details: []string{"Subject: Hi \x1b[2J", "", "Hello"}, GiveConsent: func() {},
	}, nil
}

func (l *memoryDraft) Send(context.Context) error {
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		return err
	}
	l.sent++
	return nil
}

// driveCompose opens a page that asks for a mail. If the parameter editor is true, an editor is set. The
// second result is the message that the Model gets when the editor has exited.
func driveCompose(t *testing.T, l *memoryDraft, editor bool) (*driver, draftMsg) {
	t.Helper()
	u := urlcore.Mailto{Address: "joe@example.org"}
	c := &protocols.Compose{URL: u, Title: "Mail to joe@example.org", Draft: l}
	w := library()
	w.addFailure(u, c)
	o := Options{}
	edited, at := "", 0
	if editor {
		o.Editor = func(path string, line int) []string {
			edited, at = path, line
			return []string{"true"}
		}
	}
	d := drive(t, w, o, 80, 24)
	d.run(d.visit(u))
	if editor && (edited != os.DevNull || at != 4) {
		t.Errorf("the editor got the file %q and the line %d, want %q and 4", edited, at, os.DevNull)
	}
	confirm, _ := l.Preview()
	return d, draftMsg{tab: d.tab, compose: c, confirm: confirm}
}

func TestCompose(t *testing.T) {
	l := &memoryDraft{}
	d, msg := driveCompose(t, l, true)
	d.send(msg).wantShown("Subject: Hi ␛[2J", "Send this to joe@example.org? (y/N)")
	d.press("enter")
	if l.sent != 0 {
		t.Fatal("Enter sent the message")
	}
	d.wantShown("not sent: the draft is kept")
	d.press("u") // to the page from which the message was begun
	d.wantURL(item('1', "/"))
	d.send(msg).press("y").wantShown("sent").wantNotShown("Subject: Hi")
	if l.sent != 1 {
		t.Errorf("sent %d times, want once", l.sent)
	}
	d, _ = driveCompose(t, l, false)
	d.wantShown("no editor: messages cannot be written")
}

// TestComposeFails checks that gofer asks for a login and then sends the message again, and that
// another failure opens an error page.
func TestComposeFails(t *testing.T) {
	password := ""
	l := &memoryDraft{errs: []error{
		&protocols.Login{Server: "mail.example.org:587", User: "joe", With: func(_, p string) { password = p }},
		&protocols.Error{Reason: protocols.ServerFailed, Op: "send the message", Code: 550, Text: "no such user"},
	}}
	d, msg := driveCompose(t, l, true)
	d.send(msg).press("y").wantShown("password for \"joe\"")
	d.typeText("secret").press("enter")
	fetchtest.Equal(t, password, "secret", "the password")
	d.wantShown("Server error (550)", "\"no such user\"", "not sent: the draft is kept")
	d.send(draftMsg{tab: d.tab, compose: msg.compose, err: errors.Join(protocols.ErrEmptyDraft, nil)})
	d.wantShown("the message is empty")
}

// TestQuestionAfterPrompt checks that a question about sending waits until the open prompt is
// closed.
func TestQuestionAfterPrompt(t *testing.T) {
	for name, question := range map[string]error{
		"(password|user)": &protocols.Login{Server: "mail.example.org:587", User: "joe", With: func(string, string) {}},
		"Trust it":        &protocols.Confirm{Question: "Trust it"},
	} {
		l := &memoryDraft{errs: []error{question}}
		d, msg := driveCompose(t, l, true)
		answer := d.send(msg).sendWithoutRun(keyPress("y"))
		d.press("/").typeText("mone").run(answer).typeText("y")
		if line, ok := d.tab.Prompt.(*ask.Line); !ok || line.Typed() != "money" {
			t.Errorf("%s: the prompt did not get the letters:\n%s", name, d.screen())
		}
		d.press("esc")
		if !regexp.MustCompile(name).MatchString(d.screen()) || l.sent != 0 {
			t.Errorf("%s: no question after the prompt, or %d messages sent:\n%s", name, l.sent, d.screen())
		}
	}
}

// TestComposeUnfinished checks that the page about an unfinished message names the reason, and
// offers to edit the message again.
func TestComposeUnfinished(t *testing.T) {
	d, msg := driveCompose(t, &memoryDraft{}, true)
	msg.confirm, msg.err = nil, &protocols.Error{
		Reason: protocols.Unfinished, Op: "send the message", Err: errors.New("it has no subject"),
		Lines: msg.compose.DraftLines("/tmp/draft.eml"),
	}
	d.send(msg)
	for _, want := range []string{"Not sent", "it has no subject", "The draft is kept as /tmp/draft.eml.", "Edit the draft (press Ctrl-R)"} {
		d.wantShown(want)
	}
	d.wantNotShown("Try again", "disk")
	if line, _ := d.Model.tab.Pager.Current(); line.Link != msg.compose.URL {
		t.Errorf("the cursor is on %q, want the link that edits the message again", line.Text)
	}
}

// TestRemoveDraft removes a draft on the page of drafts after a question, and checks that the other
// drafts remain.
func TestRemoveDraft(t *testing.T) {
	w := library()
	drafts := []about.Item{
		{Title: "Hi, to joe", URL: urlcore.Mailto{Address: "joe@example.org"}},
		{Title: "Hello, to ann", URL: urlcore.Mailto{Address: "ann@example.org"}},
	}
	w[about.Page("drafts")] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		return (&about.Client{
			Drafts: func() ([]about.Item, error) { return drafts, nil },
		}).Fetch(ctx, protocols.Request{URL: about.Page("drafts")})
	}
	var failure error
	d := drive(t, w, Options{RemoveDraft: func(u urlcore.URL) error {
		drafts = slices.DeleteFunc(drafts, func(it about.Item) bool { return failure == nil && it.URL == u })
		return failure
	}}, 80, 24)
	d.run(d.visit(about.Page("drafts"))).press("x", "enter").wantShown("Hi, to joe")
	d.press("end", "enter").wantShown("Remove a draft", "Item").typeText("joe").press("enter").wantShown("Remove the draft").press("n").wantShown("Hi, to joe") // from the line that names the key
	d.press("end", "x").wantShown("no draft under the cursor").press("home")
	d.press("x", "y").wantShown("draft removed").wantNotShown("Hi, to joe").wantShown("Hello, to ann")
	failure = errors.New("no way")
	d.press("x", "y").wantShown("draft not removed: no way", "Hello, to ann")
}

// TestQuestionScrolls checks that scrolling keys scroll the details of a question, and do not answer
// it.
func TestQuestionScrolls(t *testing.T) {
	l := &memoryDraft{}
	d, msg := driveCompose(t, l, true)
	for i := range 50 {
		msg.confirm.Details = append(msg.confirm.Details, "row "+strconv.Itoa(i))
	}
	d.send(msg)
	for _, tt := range []struct{ key, shown string }{
		{"end", "row 49"},
		{"home", "Subject: Hi"},
		{"space", "row 20"},
		{"pgup", "Subject: Hi"},
		{"down", "row 11"},
		{"j", "row 12"},
		{"up", "row 1"},
		{"k", "Subject: Hi"},
	} {
		d.press(tt.key).wantShown(tt.shown, "(y/N)")
	}
	d.press("y")
	if l.sent != 1 {
		t.Errorf("sent %d times, want once", l.sent)
	}
}
