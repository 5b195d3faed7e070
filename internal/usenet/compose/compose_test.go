package compose

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// newDraft returns a draft. Its Send returns *failure, and adds the message to *sent if *failure is nil.
func newDraft(t *testing.T, folder, body string, sent *string, failure *error) protocols.Draft {
	t.Helper()
	u := fetchtest.Must(urlcore.Parse("mailto:joe@example.org"))(t)
	return Message{
		URL: u, Unchanged: body != "Quoted", Template: Text{Header: []Field{{"To", "joe@example.org"}, {"Subject", ""}}, Body: body},
		Prepare: func(text Text) (*Outgoing, error) {
			shown, err := text.Format(nil)
			return &Outgoing{Question: "Send", Sent: shown, Send: func(context.Context) error {
				if *failure == nil {
					*sent += shown
				}
				return *failure
			}}, err
		},
	}.Ask(folder).Draft
}

// TestDraft checks that a draft stays in its file until it is sent, even after a restart.
func TestDraft(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "drafts")
	var sent string
	var failure error
	d := newDraft(t, folder, "", &sent, &failure)
	path := fetchtest.Must(d.File())(t)
	if data, _ := os.ReadFile(path); string(data) != "To: joe@example.org\nSubject: \n\n\n" {
		t.Errorf("the draft begins with %q, want the template", data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the draft: %v, %v", info, err)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("To: joe@example.org\nSubject: Hi\n\nHello\n"), 0o600))
	if list, err := Drafts(folder); err != nil || len(list) != 1 || list[0].To != "joe@example.org" ||
		list[0].Subject != "Hi" || list[0].URL.String() != "mailto:joe@example.org" {
		t.Errorf("Drafts() = %+v, %v; want the draft to joe@example.org", list, err)
	}
	if err := Remove(folder, urlcore.Mailto{Address: "ann@example.org"}); err == nil {
		t.Error("Remove returns no error for a draft that does not exist")
	}
	d = newDraft(t, folder, "", &sent, &failure)
	if again, err := d.File(); again != path || err != nil {
		t.Fatalf("File() = %s, then %s, %v; want the same path", path, again, err)
	}
	if err := d.Send(t.Context()); err == nil {
		t.Error("Send sends a message that was not shown")
	}
	confirm, err := d.Preview()
	if err != nil ||
		strings.Join(confirm.Details, "|") != "Hello||To: <joe@example.org>|Subject: Hi" {
		t.Fatalf("Preview() = %+v, %v; want the text and then the fields for the user", confirm, err)
	}
	failure = errors.New("no way")
	var e *protocols.Error
	if err := d.Send(t.Context()); !errors.As(err, &e) || !errors.Is(err, failure) || e.Reason != protocols.LocalFailure ||
		!strings.Contains(e.Lines[1].Text, path) {
		t.Errorf("Send() = %v; want the failure, and a line with the path of the draft", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("after a failure: the draft: %v", err)
	}
	failure = nil
	if err := d.Send(t.Context()); err != nil || !strings.HasSuffix(sent, "\r\n\r\nHello\r\n") {
		t.Errorf("sent %q, %v; want the body Hello", sent, err)
	}
	fetchtest.FailsWith(t, os.ErrNotExist, "after sending")(os.Stat(path))
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("after sending: the folder has %v, %v; want no files", left, err)
	}
	fetchtest.Must(d.File())(t)
	fetchtest.NoError(t, Remove(folder, urlcore.Mailto{Address: "joe@example.org"}))
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("after removing: the folder has %v, %v; want no files", left, err)
	}
	if list, err := Drafts(filepath.Join(folder, "none")); err != nil || len(list) > 0 {
		t.Errorf("Drafts of a missing folder = %v, %v; want none", list, err)
	}
}

// TestDraftChangedWhileSent checks that a draft stays if another program changes it while it is
// sent, or if it is too large to send. It also checks that drafts are still listed.
func TestDraftChangedWhileSent(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "drafts")
	var sent string
	var failure error
	d := newDraft(t, folder, "", &sent, &failure)
	path := fetchtest.Must(d.File())(t)
	write := func(text string) {
		t.Helper()
		fetchtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("To: joe@example.org\n\nfirst\n")
	fetchtest.Must(d.Preview())(t)
	write("To: joe@example.org\n\nsecond\n")
	if err := d.Send(t.Context()); err != nil || !strings.Contains(sent, "first") {
		t.Errorf("sent %q, %v; want the text first", sent, err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "second") {
		t.Errorf("the draft is %q, %v; want the text second", data, err)
	}
	write(strings.Repeat("x", maxDraft+1))
	var e *protocols.Error
	if _, err := d.Preview(); !errors.As(err, &e) || len(e.Lines) < 2 || !strings.Contains(e.Lines[1].Text, path) {
		t.Errorf("a draft that is too large: got %v, want an error with the path", err)
	}
	if list, err := Drafts(folder); err != nil || len(list) != 1 {
		t.Errorf("Drafts() = %v, %v; want one", list, err)
	}
}

// TestMessageID checks that the Message-ID of a draft stays the same while its text does, even in
// another run of gofer. The same text in another draft has another Message-ID.
func TestMessageID(t *testing.T) {
	var ids []string
	folder := t.TempDir()
	for _, tt := range []struct{ folder, body string }{{folder, "x"}, {folder, "x"}, {folder, "y"}, {t.TempDir(), "x"}} {
		u, _ := urlcore.Parse("mailto:joe@example.org")
		m := Message{URL: u, Unchanged: true, Template: Text{Body: "x"}, Prepare: func(text Text) (*Outgoing, error) {
			ids = append(ids, text.MessageID("example.org"))
			return new(Outgoing), nil
		}}
		d := m.Ask(tt.folder).Draft
		path, err := d.File()
		if err == nil {
			err = os.WriteFile(path, []byte("\n"+tt.body+"\n"), 0o600)
		}
		if _, previewErr := d.Preview(); err != nil || previewErr != nil {
			t.Fatal(err, previewErr)
		}
	}
	if ids[0] != ids[1] || ids[1] == ids[2] || ids[0] == ids[3] || !regexp.MustCompile(`^<[a-z2-7]{24}@example\.org>$`).MatchString(ids[0]) {
		t.Errorf("got %q, want the first two equal and the others different", ids)
	}
}

// TestEmptyDraft checks that an empty draft is removed. A draft whose text comes from the URL may
// be sent unchanged.
func TestEmptyDraft(t *testing.T) {
	for _, tt := range []struct {
		body, written string
		empty         bool
	}{{"", "", true}, {"", "same", true}, {"Body", "same", false}, {"Quoted", "same", true}, {"Body", "\n \n", true}} {
		var sent string
		var failure error
		d := newDraft(t, t.TempDir(), tt.body, &sent, &failure)
		path := fetchtest.Must(d.File())(t)
		if tt.written != "same" {
			fetchtest.NoError(t, os.WriteFile(path, []byte(tt.written), 0o600))
		}
		if _, err := d.Preview(); errors.Is(err, protocols.ErrEmptyDraft) != tt.empty {
			t.Errorf("%+v: Preview: got %v, want ErrEmptyDraft: %v", tt, err, tt.empty)
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) != tt.empty {
			t.Errorf("%+v: Stat of the file: got %v, want it removed: %v", tt, err, tt.empty)
		}
	}
	if _, err := new(draft).File(); err == nil {
		t.Error("File returns no error for a draft without a folder")
	}
}

// TestControlCharacters checks that control characters, direction overrides and invalid octets of a new
// draft are replaced. All other characters must stay, and in the body also tabs and line ends.
func TestControlCharacters(t *testing.T) {
	text := Text{Header: []Field{{"Subject", "a\x1b[2J\nBcc: x@y\u202e"}}, Body: "\x1b]0;x\x07\n\ttab 👍🏽 \u009b \xff\r\nGrüße"}
	fetchtest.Equal(t, text.format(), "Subject: a␛[2J Bcc: x@y\ufffd\n\n␛]0;x␇\n\ttab 👍🏽 \ufffd \ufffd\nGrüße\n")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want, fault string }{
		{"To: a\n b\nSubject:\n\nx\n\ny", "To=a b|x\n\ny", ""},
		{"\ufeffTo: a\r\n\r\nx\r\n", "To=a|x\n", ""},
		{"To: a", "To=a|", ""},
		{"\nx", "|x", ""},
		{"To: a\nhello there\n", "", "line 2"},
		{"To a: b\n\n", "", "line 1"},
		{" To: b\n\n", "", "line 1"},
		{"To: a\rBcc: b\n\n", "", "line 1"},
		{"To: a\x00\n\n", "", "line 1"},
	} {
		text, err := Parse(tt.text)
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("Parse(%q): got %v, want an error about %s", tt.text, err, tt.fault)
			}
			continue
		}
		var fields []string
		for _, f := range text.Header {
			fields = append(fields, f.Name+"="+f.Value)
		}
		if got := strings.Join(fields, "|") + "|" + text.Body; err != nil ||
			got != tt.want && strings.TrimPrefix(got, "|") != strings.TrimPrefix(tt.want, "|") {
			t.Errorf("%q: got %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

// TestFormat checks that the value of one field cannot become another field. It also checks that
// the sent message has the fields and the body that the user wrote.
func TestFormat(t *testing.T) {
	text := Text{
		Header: []Field{
			{"To", `Jörg "x" <joe@example.org>, ann@example.org`},
			{"Subject", "Grüße\r\nBcc: evil@example.org " + strings.Repeat("long ", 30)},
		},
		Body: "Grüße\n" + strings.Repeat("x", 2000) + "\n.\n",
	}
	got := fetchtest.Must(text.Format([]Field{{"Date", "now\r\nX: y"}}))(t)
	for line := range strings.SplitSeq(got, "\n") {
		if len(line) > 100 || line != "" && !strings.HasSuffix(line, "\r") {
			t.Errorf("got the line %q, want at most 100 octets and CR LF", line)
		}
	}
	m := fetchtest.Must(mail.ReadMessage(strings.NewReader(got)))(t)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || !strings.HasPrefix(subject, "Grüße") || len(m.Header["Bcc"])+len(m.Header["X"]) > 0 {
		t.Errorf("the subject is %q, %v, want Grüße and no further field, in\n%s", subject, err, got)
	}
	list, err := m.Header.AddressList("To")
	if err != nil || len(list) != 2 || list[0].Address != "joe@example.org" {
		t.Errorf("the field To has %v, %v; want joe@example.org and ann@example.org", list, err)
	}
	for _, f := range []Field{
		{"To", "joe"},
		{"To", "a@b\r\nc"},
		{"From", "<a b@c>"},
		{"Content-Type", "x"},
		{"Date", "x"},
		{"Subject", "\xff"},
	} {
		if got, err := (Text{Header: []Field{f}}).Format(nil); err == nil {
			t.Errorf("Format of %+v = %q; want an error", f, got)
		}
	}
}

// FuzzFormat checks that no text of a draft becomes a further header field, and that Bcc is not sent. A
// message may have three fields more than its draft, for MIME.
func FuzzFormat(f *testing.F) {
	f.Add("To: joe@example.org\nSubject: Hi\n\nHello\n")
	f.Add("Subject: Grüße \xff\x00\n continued\n\n.\r\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := Parse(s)
		if err != nil {
			return
		}
		got, err := text.Format(nil, "bcc")
		if err != nil {
			return
		}
		header, _, _ := strings.Cut(got, "\r\n\r\n")
		fields := 0
		for line := range strings.SplitSeq(header, "\r\n") {
			if strings.ContainsAny(line, "\r\n\x00") {
				t.Fatalf("the header has a control character in the line %q", line)
			}
			if line == "" || line[0] != ' ' {
				fields++
			}
		}
		if most := len(text.Header) + 3; fields > most {
			t.Errorf("%d fields became %d: %q", len(text.Header), fields, got)
		}
		if bytes.Contains([]byte(strings.ToLower(header)), []byte("\r\nbcc:")) {
			t.Errorf("Bcc is sent: %q", header)
		}
	})
}

// TestUnfinishedDraft checks that mistakes in a draft are not reported as failures of the machine.
func TestUnfinishedDraft(t *testing.T) {
	u, _ := urlcore.Parse("mailto:joe@example.org")
	m := Message{URL: u, Unchanged: true, Template: Text{Body: "x"}, Prepare: func(Text) (*Outgoing, error) {
		return nil, errors.New("it has no subject")
	}}
	d := m.Ask(t.TempDir()).Draft
	fetchtest.Must(d.File())(t)
	var e *protocols.Error
	if _, err := d.Preview(); !errors.As(err, &e) || e.Reason != protocols.Unfinished || e.Lines[len(e.Lines)-1].Link != u {
		t.Errorf("Preview: got %+v, want Unfinished with a link to the draft", err)
	}
}

// TestNoSender checks that the error of a draft without an author links to the setting, and that the draft then gets the
// author, but not in place of one that the user has written.
func TestNoSender(t *testing.T) {
	u, _ := urlcore.Parse("mailto:joe@example.org")
	folder := t.TempDir()
	newDraft := func(author string) protocols.Draft {
		return Message{URL: u, Template: Text{Header: []Field{{"From", author}, {"Subject", ""}}}, Prepare: func(Text) (*Outgoing, error) {
			return nil, &NoSenderError{Setting: "mail.from"}
		}}.Ask(folder).Draft
	}
	path := fetchtest.Must(newDraft("").File())(t)
	for _, tt := range []struct{ draft, want string }{
		{"From: \nSubject: x\n\nFrom: \n", "From: Joe <j@x>\nSubject: x\n\nFrom: \n"},
		{"Subject: x\r\nfrom:\r\n\r\nbody", "Subject: x\r\nfrom: Joe <j@x>\r\n\r\nbody"},
		{"From: Ann <a@b>\n\nbody", "From: Ann <a@b>\n\nbody"},
		{"Subject: x\n\nFrom: \n", "Subject: x\n\nFrom: \n"},
	} {
		fetchtest.NoError(t, os.WriteFile(path, []byte(tt.draft), 0o600))
		var e *protocols.Error
		if _, err := newDraft("").Preview(); !errors.As(err, &e) || e.Lines[1].Note != protocols.ActionSetting || e.Lines[1].Link.String() != "about:settings?mail.from" {
			t.Errorf("Preview: got %+v, want a link to the setting", err)
		}
		d := newDraft("Joe <j@x>")
		fetchtest.Must(d.File())(t)
		fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), tt.want, "draft")
	}
}

// TestReview checks that the user sees the text as it was written, and then the fields that matter, decoded.
func TestReview(t *testing.T) {
	o := Outgoing{Sent: "Date: now\r\nMessage-ID: <a@b>\r\nFrom: =?utf-8?q?J=C3=B6rg?= <j@x>\r\nNewsgroups: a.b,\r\n c.d\r\n" +
		"X-Odd: 1\r\nReferences: <c@d>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n=C3=BC\r\n"}
	const want = "ü|  two||From: Jörg <j@x>|Newsgroups: a.b, c.d|X-Odd: 1"
	fetchtest.Equal(t, strings.Join(o.Review("ü\r\n  two\n\n"), "|"), want)
}

// TestStartLine checks at which line of a draft the editor begins.
func TestStartLine(t *testing.T) {
	for draft, want := range map[string]int{
		"From: a@b\nSubject: Re: x\nReferences: <a@b>\n\nAnn wrote:\n> x\n": 5,
		"From: a@b\nNewsgroups: a.b\nSubject: \nFollowup-To: \n\n\n":        3,
		"From: a@b\nSubject: x\nFollowup-To: \n\n\n":                        5,
		"no header": 1,
		"":          0,
		"\nbody":    2,
	} {
		fetchtest.Equal(t, startLine(draft), want, "the line of %q", draft)
	}
	var sent string
	var failure error
	folder := t.TempDir()
	for range 2 { // a new draft, and the same again
		d := newDraft(t, folder, "Quoted", &sent, &failure)
		fetchtest.Must(d.File())(t)
		fetchtest.Equal(t, d.StartLine(), 2, "the line of the empty subject")
	}
}
