// Package compose stores the user's mail and news articles in files until they are sent. A draft is
// a text with a header and a body, which the user edits.
//
// A message has a URL whose Fetch returns a [protocols.Compose]: a mailto: URL, or
// "about:compose/KIND?URL" for articles. Each URL has one draft, so the keys of the screen,
// about:drafts, "gofer post" and a reload open the same text.
//
// The Message-ID depends on the draft and its text (see [Text.MessageID]), so it is the same when an
// article is sent again because the server's answer was lost. A server that has the article already
// then answers 441.
package compose

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Field is a header field as the user writes it: UTF-8 on one line.
type Field struct{ Name, Value string }

// Text is a message as the user writes it.
type Text struct {
	Header []Field
	Body   string // lines that end in LF
	Draft  string // distinguishes the draft from all others

	EightBit bool // the body may contain octets above 127
}

// URL returns the mailto: URL of the message.
func (t Text) URL() urlcore.URL {
	escape := urlcore.EscapeQuery
	var recipients []string
	list, _ := Addresses(t.Get("To"))
	for _, a := range list {
		recipients = append(recipients, escape(a.Address))
	}
	fields := "?body=" + escape(t.Body)
	for _, f := range t.Header {
		if !strings.EqualFold(f.Name, "To") {
			fields += "&" + strings.ToLower(f.Name) + "=" + escape(f.Value)
		}
	}
	if u, err := urlcore.Parse("mailto:" + strings.Join(recipients, ",") + fields); err == nil {
		return u
	}
	return urlcore.Mailto{}
}

// Get returns the value of the first field with a name, ignoring case, or "".
func (t Text) Get(name string) string {
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Outgoing is a message that is ready to be sent.
type Outgoing struct {
	Question string                          // "Send this to joe@example.org", without "?"
	Note     string                          // a sentence shown before the question
	Sent     string                          // the whole message that is sent
	Send     func(ctx context.Context) error // sends the message
	// Later describes the message and its server. After an error of the network, the draft may be
	// sent later if its outgoing message then has the same Later. If Later is "", it is not sent later.
	Later string
}

// Review returns the lines of a message for the user who sends it: the body as the user wrote it, and then the fields of
// the header without those that only programs read.
func (o *Outgoing) Review(body string) []string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n"), "\n")
	sent, err := Parse(o.Sent)
	if err != nil { // it cannot be taken apart
		return strings.Split(strings.ReplaceAll(o.Sent, "\r\n", "\n"), "\n")
	}
	lines = append(lines, "")
	for _, f := range sent.Header {
		switch name := strings.ToLower(f.Name); {
		case strings.HasPrefix(name, "content-"):
		case slices.Contains([]string{"date", "message-id", "mime-version", "references", "in-reply-to", "cancel-lock", "cancel-key", "user-agent"}, name):
		default:
			value, err := new(mime.WordDecoder).DecodeHeader(f.Value)
			if err != nil {
				value = f.Value
			}
			lines = append(lines, f.Name+": "+value)
		}
	}
	return lines
}

// Message is a message that the user is asked to write.
type Message struct {
	URL      urlcore.URL
	Title    string // see [protocols.Compose]
	Template Text   // the beginning of a new draft; may contain any octets
	// Unchanged allows sending the template unchanged, if it has a body.
	Unchanged bool
	// Prepare makes the outgoing message from the draft. The error is a hint how to change
	// the draft.
	Prepare func(Text) (*Outgoing, error)
}

// Ask returns the error of a Fetch that asks the user to write the message. The parameter drafts is
// the folder of the draft.
func (m Message) Ask(drafts string) *protocols.Compose {
	return m.compose(&draft{message: m, folder: drafts})
}

func (m Message) compose(d *draft) *protocols.Compose {
	return &protocols.Compose{URL: m.URL, Title: m.Title, Draft: d}
}

// maxDraft is the largest size of a draft, in octets.
const maxDraft = 4 << 20

// draft is a [protocols.Draft].
type draft struct {
	message  Message
	folder   string
	outgoing *Outgoing // the message of the last preview
	text     []byte    // the text of the draft at the last preview
	start    int       // see StartLine
}

func (d *draft) path() string {
	sum := sha256.Sum256([]byte(d.message.URL.String()))
	return filepath.Join(d.folder, d.message.URL.Scheme()+"-"+hex.EncodeToString(sum[:8])+draftSuffix)
}

// begin makes the folder and the URL file of the draft, with the word if the draft is new. The user must agree again.
func (d *draft) begin(word string) error {
	const op = "keep the draft"
	if d.folder == "" {
		return &protocols.Error{Reason: protocols.LocalFailure, Op: op, Err: errors.New("there is no folder for it: $HOME is not set")}
	}
	if err := userfile.MakePrivate(d.folder); err != nil {
		return protocols.LocalError(op, err)
	}
	path := d.path()
	_ = os.Remove(siblingPath(path, stateSuffix))
	return protocols.LocalError(op, writeURL(path, d.message.URL, word))
}

func (d *draft) File() (string, error) {
	const op = "keep the draft"
	if err := d.begin(rand.Text()); err != nil {
		return "", err
	}
	path := d.path()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // the URL has a draft already
		old, _ := userfile.Read(path, maxDraft)
		text := fillFrom(string(old), d.message.Template.Get("From"))
		d.start = startLine(text)
		if text == string(old) {
			return path, nil
		}
		return path, protocols.LocalError(op, userfile.Replace(path, []byte(text)))
	}
	if err == nil {
		text := d.message.Template.format()
		d.start = startLine(text)
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = removeDraft(path) // an incomplete template would be taken for a draft
		}
	}
	return path, protocols.LocalError(op, err)
}

func (d *draft) StartLine() int { return d.start }

// startLine returns the number of the line of a draft where the user begins to write, see [protocols.Draft].
func startLine(draft string) int {
	n := 0
	for line := range strings.Lines(draft) {
		n++
		name, value, _ := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
			return n + 1
		case strings.TrimSpace(value) == "" && slices.Contains([]string{"from", "to", "newsgroups", "subject"}, strings.ToLower(name)):
			return n
		}
	}
	return n
}

func (d *draft) Preview() (*protocols.Confirm, error) {
	d.outgoing = nil
	data, err := userfile.Read(d.path(), maxDraft)
	if err != nil {
		return nil, d.sendError(protocols.LocalFailure, err)
	}
	template := d.message.Template
	if len(bytes.TrimSpace(data)) == 0 || string(data) == template.format() && (!d.message.Unchanged || strings.TrimSpace(template.Body) == "") {
		return nil, errors.Join(protocols.ErrEmptyDraft, protocols.LocalError("remove the draft", removeDraft(d.path())))
	}
	text, err := Parse(string(data))
	_, text.Draft = readURL(d.path())
	var out *Outgoing
	if err == nil {
		out, err = d.message.Prepare(text)
	}
	if err != nil {
		return nil, d.sendError(protocols.Unfinished, err)
	}
	d.outgoing, d.text = out, data
	return &protocols.Confirm{
		URL: d.message.URL, Question: out.Question, Reason: strings.TrimSpace(out.Note + " The draft is kept until it is sent: " + d.path() + "."),
		Details: out.Review(text.Body), GiveConsent: func() {},
	}, nil
}

// NoSenderError reports that a draft has no author, because a setting has none.
type NoSenderError struct {
	Setting string // the key of the setting
}

func (e *NoSenderError) Error() string {
	return "no sender: fill in From, or set " + e.Setting + ", which drafts get"
}

// fillFrom returns the draft with the author in its field From, if that is empty: the setting may have been made since.
func fillFrom(draft, author string) string {
	at := 0
	for line := range strings.Lines(draft) {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "" || author == "":
			return draft
		case ok && strings.EqualFold(name, "From") && strings.TrimSpace(value) == "":
			end := strings.TrimLeft(value, " \t")
			return draft[:at] + Field{name, author}.format() + draft[at+len(line)-len(end):]
		}
		at += len(line)
	}
	return draft
}

// sendError returns an error that names the file of the draft, and links to the setting that is missing.
func (d *draft) sendError(reason protocols.Reason, err error) *protocols.Error {
	lines := d.message.compose(d).DraftLines(d.path())
	if missing, ok := errors.AsType[*NoSenderError](err); ok {
		set := protocols.Line{Kind: protocols.Menu, Text: "Set your address", Link: urlcore.Generic{Name: "about", Rest: "settings?" + missing.Setting}, Note: protocols.ActionSetting}
		lines = append([]protocols.Line{{}, set}, lines...)
	}
	return &protocols.Error{Reason: reason, Op: "send the message", Err: err, Lines: lines}
}

func (d *draft) Send(ctx context.Context) error {
	if d.outgoing == nil {
		return errors.New("the message was not shown")
	}
	state := siblingPath(d.path(), stateSuffix)
	agreed := fmt.Sprintf("%s\n%x", StateQueued, sha256.Sum256([]byte(d.outgoing.Later)))
	if old, _ := userfile.Read(state, maxURL); strings.HasPrefix(string(old), StateQueued) && string(old) != agreed {
		return d.sendError(protocols.Unfinished, errors.New("the text, the server or the answered article has changed since you agreed: send or remove the draft in about:drafts"))
	}
	err := d.outgoing.Send(ctx)
	if protocols.QuestionOf(err) != nil {
		return err
	}
	if failed, ok := errors.AsType[*protocols.Error](err); ok {
		if failed.Reason.IsNetworkFailure() && d.outgoing.Later != "" {
			if userfile.Replace(state, []byte(agreed)) == nil {
				return protocols.ErrQueued
			}
		} else if failed.Reason == protocols.Rejected || failed.Reason == protocols.Denied {
			_ = userfile.Replace(state, []byte(strings.TrimSpace(failed.Reason.String()+" "+failed.Reply())))
		}
		failed.Lines = append(failed.Lines, d.message.compose(d).DraftLines(d.path())...)
		return err
	}
	if err != nil {
		return d.sendError(protocols.LocalFailure, err)
	}
	if now, err := userfile.Read(d.path(), maxDraft); err != nil || !bytes.Equal(now, d.text) {
		return nil // the draft was edited meanwhile, so it is another message now
	}
	return protocols.LocalError("remove the draft of the message, which was sent", removeDraft(d.path()))
}

// format returns the text that the user edits.
func (t Text) format() string {
	var b strings.Builder
	for _, f := range t.Header {
		b.WriteString(f.format() + "\n")
	}
	b.WriteByte('\n')
	for line := range strings.SplitSeq(strings.TrimRight(strings.ReplaceAll(t.Body, "\r\n", "\n"), "\n"), "\n") {
		b.WriteString(replaceControls(line) + "\n")
	}
	return b.String()
}

// format returns the line of the field that the user edits.
func (f Field) format() string {
	return f.Name + ": " + replaceControls(strings.Join(strings.Fields(f.Value), " "))
}

// replaceControls replaces control characters, because an editor may send them to the terminal.
func replaceControls(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && r < ' ' {
			return '\u2400' + r // the symbol of the control character
		}
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(line, string(unicode.ReplacementChar)))
}

// Parse parses a draft: header fields, then an empty line, then the body. A field may continue on
// lines that begin with a blank. Parse omits empty fields. The error names the line.
func Parse(s string) (t Text, err error) {
	s = strings.ReplaceAll(strings.TrimPrefix(s, userfile.BOM), "\r\n", "\n")
	var last []string // the lines of the last field
	endField := func() {
		if n := len(t.Header); n > 0 {
			t.Header[n-1].Value = strings.TrimSpace(strings.Join(last, " "))
		}
	}
	for i := 1; ; i++ {
		line, rest, more := strings.Cut(s, "\n")
		s = rest
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
			t.Body = rest
			endField()
			return t.withoutEmpty(), nil
		case (line[0] == ' ' || line[0] == '\t') && len(t.Header) > 0:
			last = append(last, strings.TrimSpace(line))
		case !ok || !isFieldName(name):
			return t, fmt.Errorf("line %d is not a header field, and the line before it is not empty", i)
		default:
			endField()
			t.Header = append(t.Header, Field{Name: name})
			last = append(last[:0], strings.TrimSpace(value))
		}
		if strings.ContainsAny(line, "\r\x00") {
			return t, fmt.Errorf("line %d has a control character", i)
		}
		if !more {
			endField()
			return t.withoutEmpty(), nil
		}
	}
}

func (t Text) withoutEmpty() Text {
	t.Header = slices.DeleteFunc(t.Header, func(f Field) bool { return f.Value == "" })
	return t
}

// isFieldName reports whether s is a field name (RFC 5322, section 2.2) of letters, digits
// and hyphens.
func isFieldName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	})
}
