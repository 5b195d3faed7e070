package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gofer/internal/userfile"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

const maxQuestions = 200

// question is a line of an ASK block and its field, which is the same for both
// kinds of notes.
type question struct {
	keyword string // in small letters; "" of a line without one
	field   protocols.Field
}

// questions reads an ASK block (Gopher+, section 2.9): "Keyword: prompt", with the
// defaults after tabs. What is not known is a note.
func questions(lines []string) (all []question) {
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

// filling is a form that the user has filled in, on its way to the server. It stays
// in memory until it is sent, and has what no URL holds: passwords, and the file to
// be sent.
type filling struct {
	lines   []string
	secrets []string
	file    string
}

// fill makes the answers the lines of a form; hidden has none of the passwords.
func fill(all []question, answers []string) (f filling, hidden []string) {
	for i, q := range all {
		if i >= len(answers) {
			break
		}
		answer := answers[i]
		switch q.field.Input {
		case protocols.InputNote:
			continue
		case protocols.InputFile:
			f.file = answer
			continue
		case protocols.InputText:
			lines := strings.Split(strings.ReplaceAll(answer, "\r\n", "\n"), "\n")
			f.lines, hidden = append(f.lines, strconv.Itoa(len(lines))), append(hidden, strconv.Itoa(len(lines)))
			for _, l := range lines {
				f.lines, hidden = append(f.lines, formLine(l)), append(hidden, formLine(l))
			}
			continue
		case protocols.InputSecret:
			if f.lines, hidden = append(f.lines, formLine(answer)), append(hidden, ""); answer != "" {
				f.secrets = append(f.secrets, answer)
			}
			continue
		}
		if q.keyword == "askf" {
			answer = answer[strings.LastIndexAny(answer, `/\`)+1:]
		}
		f.lines, hidden = append(f.lines, formLine(answer)), append(hidden, formLine(answer))
	}
	return f, hidden
}

// formLine is s as a line of a form: it cannot end the line or the form.
func formLine(s string) string {
	s = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(s)
	if s == "." {
		return ". "
	}
	return s
}

// proposals are the answers that the lines of a form are, false if they are of
// another form.
func proposals(all []question, lines []string) (answers []string, ok bool) {
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

// The parts of a filled-in form in a Gopher+ string (RFC 1738, section 3.4.10).
const (
	formFlag = "\t1\r\n"
	formHead = formFlag + "+-1\r\n"
	formEnd  = ".\r\n"
)

// isForm reports whether g carries a filled-in form.
func isForm(g urlcore.Gopher) bool { return g.HasPlus && strings.HasSuffix(g.Plus, "\r\n"+formEnd) }

// formOf takes the form that g carries apart: the view that is asked for, and the
// lines.
func formOf(g urlcore.Gopher) (view string, lines []string) {
	view, rest, _ := strings.Cut(g.Plus, formHead)
	rest = strings.TrimSuffix(rest, formEnd)
	if rest == "" {
		return view, nil
	}
	return view, strings.Split(strings.TrimSuffix(rest, "\r\n"), "\r\n")
}

// withForm is the URL of g with a form filled in.
func withForm(g urlcore.Gopher, view string, lines []string) urlcore.Gopher {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	g.Plus, g.HasPlus, g.HasSearch = view+formHead+b.String()+formEnd, true, true
	return g
}

// openForm fetches the form of an item, as an Ask; an item that has none is
// fetched itself.
func (c *Client) openForm(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	all, name, err := c.questions(ctx, g)
	if _, ok := errors.AsType[*protocols.Error](err); err != nil && !(ok && errors.Is(err, errNoPlus)) {
		return nil, err
	}
	if len(all) == 0 {
		g.Plus = "+"
		return c.item(ctx, g)
	}
	return nil, c.ask(g, "+", name, all)
}

// questions fetches the form of an item, and the item's name.
func (c *Client) questions(ctx context.Context, g urlcore.Gopher) (all []question, name string, err error) {
	g.Plus = "!"
	spoken := false
	res, err := c.get(ctx, g, message{text: request(g)}, &spoken)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Close() }()
	if !spoken {
		return nil, "", noPlus(g)
	}
	for a, err := range readAttributes(res.Body) {
		if err != nil {
			return nil, "", err
		}
		if b, ok := a.of("ASK"); ok {
			info, _ := a.of("INFO")
			name, _, _ = strings.Cut(info.value, "\t")
			return questions(b.lines), name[min(1, len(name)):], nil
		}
	}
	return nil, "", nil
}

// ask asks for the answers to a form.
func (c *Client) ask(g urlcore.Gopher, view, name string, all []question) *protocols.Ask {
	asked := g
	asked.Plus = "?"
	a := &protocols.Ask{URL: asked, Title: "Form of " + g.Host, Server: g.Host, Said: name, Charset: defaultCharset}
	for _, q := range all {
		f := q.field
		f.Label, f.Said = "", f.Label
		a.Fields = append(a.Fields, f)
	}
	a.With = func(answers []string) (urlcore.URL, error) {
		f, hidden := fill(all, answers)
		u := withForm(g, view, hidden)
		if err := check(u); err != nil {
			return nil, err
		}
		c.plus.fill(u, f)
		return u, nil
	}
	return a
}

// fill keeps a form that is to be sent once.
func (p *plusMemory) fill(g urlcore.Gopher, f filling) {
	p.mu.Lock()
	defer p.mu.Unlock()
	remember(&p.forms, g, f)
}

func (p *plusMemory) filled(g urlcore.Gopher) (f filling, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok = p.forms[g]
	return f, ok
}

// sent forgets a form: the next time it is asked for again.
func (p *plusMemory) sent(g urlcore.Gopher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.forms, g)
}

// sendForm sends a form that the user has just filled in. Any other that a URL
// carries is shown as a form first, or, if the server tells of none, line by line:
// following a link never sends a form.
func (c *Client) sendForm(ctx context.Context, g urlcore.Gopher) (*protocols.Resource, error) {
	f, ok := c.plus.filled(g)
	view, lines := formOf(g)
	if !ok {
		return nil, c.confirmForm(ctx, g, view, lines)
	}
	if len(f.secrets) > 0 && !g.Secure {
		if confirm := c.clear.Ask(c.Dialer.TLS.Pins, g, g.Addr(), "", c.PlainPasswords,
			"The URL has no TLS (gophers): whoever is on the way can read the password."); confirm != nil {
			return nil, confirm
		}
	}
	reply := g
	reply.Plus = view
	m, err := formMessage(reply, f)
	if err != nil {
		return nil, err
	}
	m.sent = func() { c.plus.sent(g) }
	res, err := c.get(ctx, reply, m, nil)
	m.close()
	if err != nil {
		return nil, err
	}
	res.URL = g
	return res, nil
}

// confirmForm is the question whether a form that a URL carries is to be sent.
func (c *Client) confirmForm(ctx context.Context, g urlcore.Gopher, view string, lines []string) error {
	all, name, err := c.questions(ctx, g)
	if failed, ok := errors.AsType[*protocols.Error](err); err != nil && !(ok && (errors.Is(err, errNoPlus) || failed.Reason.Server())) {
		return err
	}
	if answers, ok := proposals(all, lines); ok && len(all) > 0 {
		for i := range all {
			all[i].field.Value = answers[i]
		}
		a := c.ask(g, view, name, all)
		a.URL = g // what was typed for the item does not take the place of what g has
		return a
	}
	return &protocols.Confirm{
		URL: g, Question: "Send this form to " + g.Addr(),
		Reason:  "The URL carries a form that is filled in, and the server does not tell of one that it could be.",
		Details: lines,
		Yes:     func() { c.plus.fill(g, filling{lines: lines}) },
	}
}

type message struct {
	text    string
	secrets []string // in it
	file    *os.File // sent after it
	size    int64    // of the file
	sent    func()
}

// formMessage is the request for g with a form, and the file that goes with it.
func formMessage(g urlcore.Gopher, f filling) (m message, err error) {
	m.secrets = f.secrets
	if f.file == "" {
		m.text = request(withForm(g, g.Plus, f.lines))
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
	var b strings.Builder
	for _, l := range f.lines {
		b.WriteString(l + "\r\n")
	}
	m.text = fmt.Sprintf("%s%s+%d\r\n%s", strings.TrimSuffix(request(g), "\r\n"), formFlag, int64(b.Len())+m.size, b.String())
	return m, nil
}

func (m *message) write(conn *wire.Conn) error {
	for _, s := range m.secrets {
		conn.Hide(s)
	}
	if m.sent != nil {
		m.sent()
	}
	if _, err := io.WriteString(conn, m.text); err != nil || m.file == nil {
		return err
	}
	n, err := io.Copy(conn, io.LimitReader(m.file, m.size))
	if err == nil && n < m.size {
		err = errors.New("the file has become shorter")
	}
	return err
}

func (m *message) close() {
	if m.file != nil {
		_ = m.file.Close()
	}
}
