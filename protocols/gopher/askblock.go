package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/userfile"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

const maxQuestions = 200

// question is a line of an ASK block and its field in the form.
type question struct {
	keyword string // in lower case, or ""
	field   protocols.Field
}

// parseQuestions parses the lines of an ASK block (Gopher+, section 2.8). A line is "Keyword:
// prompt" with default values after tabs. An unknown line becomes a note.
func parseQuestions(lines []string) (all []question) {
	file := false
	for _, l := range lines[:min(len(lines), maxQuestions)] {
		keyword, rest, ok := strings.Cut(l, ":")
		keyword = strings.ToLower(strings.TrimSpace(keyword))
		label, rest, _ := strings.Cut(strings.TrimPrefix(rest, " "), "\t")
		f := protocols.Field{Label: label, Value: rest}
		switch {
		case !ok:
			keyword, f = "", protocols.Field{Label: l, Input: protocols.InputNote}
		case keyword == "ask":
		case keyword == "askp":
			f.Input = protocols.InputSecret
		case keyword == "askl":
			f.Input, f.Value = protocols.InputText, strings.ReplaceAll(rest, "\t", "\n")
		case keyword == "askf":
			f.Label = strings.TrimRight(label, ": ") + " (a name for a file)"
		case keyword == "choosef" && !file:
			f.Input, f.Value, file = protocols.InputFile, "", true
		case keyword == "select":
			f.Input, f.Value = protocols.InputCheck, "0"
			if i := strings.LastIndexByte(label, ':'); i >= 0 && (label[i+1:] == "0" || label[i+1:] == "1") {
				f.Label, f.Value = label[:i], label[i+1:]
			}
		case keyword == "choose" && rest != "":
			f.Input, f.Choices = protocols.InputChoice, strings.Split(rest, "\t")
			f.Value = f.Choices[0]
		case keyword == "note":
			f = protocols.Field{Label: strings.TrimPrefix(l[len("note:"):], " "), Input: protocols.InputNote}
		default:
			keyword, f = "", protocols.Field{Label: l, Input: protocols.InputNote}
		}
		all = append(all, question{keyword, f})
	}
	return all
}

// completedForm is a form with its answers. It stays in memory until it is sent, because a URL must not
// contain passwords or files.
type completedForm struct {
	lines   []string
	secrets []string
	file    string
}

// fillForm returns the form with the answers. The result hidden has the same lines with empty
// passwords.
func fillForm(all []question, answers []string) (f completedForm, hidden []string) {
	add := func(line, shown string) {
		f.lines, hidden = append(f.lines, escapeFormLine(line)), append(hidden, escapeFormLine(shown))
	}
	for i, q := range all[:min(len(all), len(answers))] {
		answer := answers[i]
		switch q.field.Input {
		case protocols.InputNote:
		case protocols.InputFile:
			f.file = answer
		case protocols.InputText:
			var lines []string
			if answer != "" {
				lines = strings.Split(strings.ReplaceAll(answer, "\r\n", "\n"), "\n")
			}
			for _, l := range slices.Insert(lines, 0, strconv.Itoa(len(lines))) {
				add(l, l)
			}
		case protocols.InputSecret:
			if add(answer, ""); answer != "" {
				f.secrets = append(f.secrets, answer)
			}
		default:
			if q.keyword == "askf" {
				answer = answer[strings.LastIndexAny(answer, `/\`)+1:]
			}
			add(answer, answer)
		}
	}
	return f, hidden
}

// escapeFormLine returns s as a line of a form. It replaces octets that would end the line. It also
// changes a single dot, which would end the form.
func escapeFormLine(s string) string {
	s = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(s)
	if s == "." {
		return ". "
	}
	return s
}

// splitAnswers returns the lines of a form as answers, or false if the lines do not fit the
// questions.
func splitAnswers(all []question, lines []string) (answers []string, ok bool) {
	answers = make([]string, len(all))
	for i, q := range all {
		if q.field.Input == protocols.InputNote || q.field.Input == protocols.InputFile {
			continue
		}
		if len(lines) == 0 {
			return nil, false
		}
		answers[i], lines = lines[0], lines[1:]
		if q.field.Input == protocols.InputText {
			n, err := strconv.Atoi(answers[i])
			if err != nil || n < 0 || n > len(lines) {
				return nil, false
			}
			answers[i], lines = strings.Join(lines[:n], "\n"), lines[n:]
		}
	}
	return answers, len(lines) == 0
}

// The parts of a completed form in a Gopher+ string (RFC 1738, section 3.4.9).
const (
	formFlag = "\t1\r\n"
	formHead = formFlag + "+-1\r\n"
	formEnd  = ".\r\n"
)

// isForm reports whether g contains a completed form.
func isForm(g urlcore.Gopher) bool { return g.HasPlus && strings.HasSuffix(g.Plus, "\r\n"+formEnd) }

// formOf returns the requested view and the lines of the form in g.
func formOf(g urlcore.Gopher) (view string, lines []string) {
	view, rest, _ := strings.Cut(g.Plus, formHead)
	rest = strings.TrimSuffix(rest, formEnd)
	if rest == "" {
		return view, nil
	}
	return view, strings.Split(strings.TrimSuffix(rest, "\r\n"), "\r\n")
}

// makeFormURL returns the URL of g with a completed form that has these lines.
func makeFormURL(g urlcore.Gopher, view string, lines []string) urlcore.Gopher {
	g.Plus, g.HasPlus, g.HasSearch = view+formHead+joinLines(lines)+formEnd, true, true
	return g
}

// joinLines returns the lines with a line end after each.
func joinLines(lines []string) string {
	return strings.Join(append(slices.Clip(lines), ""), "\r\n")
}

// openForm returns the form of an item as a *[protocols.Ask]. If the item has no form, openForm fetches the
// item.
func (c *Client) openForm(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	all, name, err := c.fetchQuestions(ctx, g)
	if _, ok := errors.AsType[*protocols.Error](err); err != nil && !(ok && errors.Is(err, errNoPlus)) {
		return nil, err
	}
	if len(all) == 0 {
		g.Plus = "+"
		return c.fetchItem(ctx, g)
	}
	return nil, c.newFormAsk(g, "+", name, all)
}

// fetchQuestions fetches the form of an item and the name of the item.
func (c *Client) fetchQuestions(ctx context.Context, g urlcore.Gopher) (all []question, name string, err error) {
	g.Plus = "!"
	hasHeader := false
	res, err := c.get(ctx, g, message{text: formatRequest(g)}, &hasHeader)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Close() }()
	if !hasHeader {
		return nil, "", newNoPlusError(g)
	}
	for a, err := range readAttributes(res.Body) {
		if err != nil {
			return nil, "", err
		}
		if b, ok := a.findBlock("ASK"); ok {
			info, _ := a.findBlock("INFO")
			name, _, _ = strings.Cut(info.value, "\t")
			return parseQuestions(b.lines), name[min(1, len(name)):], nil
		}
	}
	return nil, "", nil
}

// newFormAsk returns a form for the user to fill in.
func (c *Client) newFormAsk(g urlcore.Gopher, view, name string, all []question) *protocols.Ask {
	asked := g
	asked.Plus = "?"
	a := &protocols.Ask{URL: asked, Title: "Form of " + g.Host, Server: g.Host, ServerTitle: name, IsForm: true, Charset: defaultCharset}
	for _, q := range all {
		f := q.field
		f.Label, f.ServerLabel = "", f.Label
		a.Fields = append(a.Fields, f)
	}
	a.With = func(answers []string) (urlcore.URL, error) {
		f, hidden := fillForm(all, answers)
		u := makeFormURL(g, view, hidden)
		if err := checkItem(u); err != nil {
			return nil, err
		}
		c.forms().set(u, f)
		return u, nil
	}
	return a
}

func (c *Client) forms() *memory[urlcore.Gopher, completedForm] {
	return wire.Remember(c.Dialer.Memory, &c.plus.forms)
}

// sendForm sends a form that the user has just completed, and sends it only once. For any other form in a
// URL, sendForm returns a [protocols.Question]. Therefore a link alone never sends a form.
func (c *Client) sendForm(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	f, ok := c.forms().get(g)
	view, lines := formOf(g)
	if !ok {
		return nil, c.confirmForm(ctx, g, view, lines)
	}
	if len(f.secrets) > 0 && !g.Secure {
		if confirm := wire.Remember(c.Dialer.Memory, &c.plainPasswords).Ask(c.Dialer.TLS.Pins, g, g.Addr(), "", c.PlainPasswords,
			"The URL has no TLS (gophers): anyone on the network can read the password."); confirm != nil {
			return nil, confirm
		}
	}
	reply := g
	reply.Plus = view
	m, err := makeFormMessage(reply, f)
	if err != nil {
		return nil, err
	}
	m.onSent = func() { c.forms().drop(g) }
	res, err := c.get(ctx, reply, m, nil)
	m.close()
	if err != nil {
		return nil, err
	}
	res.URL = g
	return res, nil
}

// confirmForm returns a *[protocols.Ask] with the server's form and the answers from the URL. If the answers
// do not fit the form, or there is no form, it returns a *[protocols.Confirm] with the lines to send.
func (c *Client) confirmForm(ctx context.Context, g urlcore.Gopher, view string, lines []string) error {
	all, name, err := c.fetchQuestions(ctx, g)
	if failed, ok := errors.AsType[*protocols.Error](err); err != nil && !(ok && (errors.Is(err, errNoPlus) || failed.Reason.IsServerFailure())) {
		return err
	}
	if answers, ok := splitAnswers(all, lines); ok && len(all) > 0 {
		for i := range all {
			all[i].field.Value = answers[i]
		}
		a := c.newFormAsk(g, view, name, all)
		a.URL = g // the URL of the fetch; newFormAsk has replaced its Gopher+ string
		return a
	}
	return &protocols.Confirm{
		URL: g, Question: "Send this form to " + g.Addr(),
		Reason:      "The URL contains a filled-in form, but the server reports no form for this item.",
		Details:     lines,
		GiveConsent: func() { c.forms().set(g, completedForm{lines: lines}) },
	}
}

type message struct {
	text    string
	secrets []string // the passwords in the text
	file    *os.File // the file to send after the text
	size    int64    // the size of the file
	onSent  func()
}

// makeFormMessage returns the request for g with the form f and its file.
func makeFormMessage(g urlcore.Gopher, f completedForm) (m message, err error) {
	m.secrets = f.secrets
	if f.file == "" {
		m.text = formatRequest(makeFormURL(g, g.Plus, f.lines))
		return m, nil
	}
	if m.file, err = userfile.Open(f.file, os.O_RDONLY, 0); err != nil {
		return m, protocols.LocalError("send "+f.file, err)
	}
	info, err := m.file.Stat()
	if err != nil {
		m.close()
		return m, protocols.LocalError("send "+f.file, err)
	}
	m.size = info.Size()
	text := joinLines(f.lines)
	m.text = fmt.Sprintf("%s%s+%d\r\n%s", strings.TrimSuffix(formatRequest(g), "\r\n"), formFlag, int64(len(text))+m.size, text)
	return m, nil
}

func (m *message) writeTo(conn *wire.Conn) error {
	for _, s := range m.secrets {
		conn.Hide(s)
	}
	if m.onSent != nil {
		m.onSent()
	}
	if _, err := io.WriteString(conn, m.text); err != nil || m.file == nil {
		return err
	}
	n, err := io.Copy(conn, io.LimitReader(m.file, m.size))
	if err == nil && n < m.size {
		err = errors.New("the file was shortened while it was sent")
	}
	return err
}

func (m *message) close() {
	if m.file != nil {
		_ = m.file.Close()
	}
}
