package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/dustin/go-humanize"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

const maxForms = 8 // bounds how many forms are filled in for one command

var errNotSent = errors.New("the form was not sent")

// readingFunc returns the Reading of the server's texts, zero if it is not known.
type readingFunc func(u urlcore.URL) clean.Reading

// withForm calls do, and again with the URLs of forms filled in on the terminal.
func (p *Program) withForm(ctx context.Context, u urlcore.URL, known readingFunc, do func(urlcore.URL) error) error {
	err := do(u)
	for range maxForms {
		var ask *protocols.Ask
		if confirm, ok := errors.AsType[*protocols.Confirm](err); ok && confirm.Consent == protocols.ConsentAsked && p.agrees(confirm) {
			confirm.Yes()
			err = do(u)
			continue
		}
		if !errors.As(err, &ask) || ask.With == nil || !p.canAsk() {
			return err
		}
		if u, err = p.fillForm(ctx, nav.ReadAsk(ask, known(ask.URL))); err != nil {
			return err
		}
		err = do(u)
	}
	return err
}

type formReader struct {
	ctx    context.Context
	in     *os.File
	out    io.Writer
	server string // whose words are quoted
}

func (p *Program) fillForm(ctx context.Context, q *nav.Questions) (urlcore.URL, error) {
	in, ok := p.In.(*os.File)
	if !ok {
		return nil, q.Ask
	}
	r := formReader{ctx, in, p.Err, q.Server}
	fmt.Fprintln(r.out, clean.Text(q.Title))
	r.say(q.Reading.Decode(q.Said))
	isForm := q.IsForm
	var octets []string
	for i, f := range q.Fields {
		isForm = isForm || f.Input > protocols.InputSecret
		answer, err := r.answer(q, i)
		if err != nil {
			return nil, errors.Join(err, errNotSent)
		}
		octets = append(octets, answer)
	}
	if isForm {
		to := ""
		if u, ok := q.URL.(interface{ Addr() string }); ok {
			to = " to " + clean.Text(u.Addr())
		}
		if yes, err := r.question("Send the form"+to, true); err != nil || !yes {
			return nil, errors.Join(err, errNotSent)
		}
	}
	return q.With(octets)
}

// answer asks for field i until its answer can be encoded.
func (r *formReader) answer(q *nav.Questions, i int) (octets string, err error) {
	for {
		shown, answer, err := r.field(q, i)
		if err != nil {
			return "", err
		}
		if octets, err = q.Octets(i, shown, answer); err == nil {
			return octets, nil
		}
		r.refuse(err)
	}
}

func (r *formReader) refuse(err error) { fmt.Fprintln(r.out, clean.Line(err.Error())+".") }

// field asks for field i. An empty answer is the proposal, which it returns as shown.
func (r *formReader) field(q *nav.Questions, i int) (shown, answer string, err error) {
	f := &q.Fields[i]
	r.say(q.Reading.Decode(f.Said))
	label := cmp.Or(strings.TrimRight(clean.Text(f.Label), " :"), answerLabels[f.Input], "Answer")
	switch f.Input {
	case protocols.InputNote:
		if f.Label != "" {
			fmt.Fprintln(r.out, label)
		}
	case protocols.InputSecret:
		answer, err = r.secret(label + " (not shown): ")
	case protocols.InputText:
		shown = strings.TrimRight(strings.ReplaceAll(q.Proposal(i), "\r", ""), "\n")
		answer, err = r.text(label, shown, func(line string) error {
			_, err := q.Octets(i, shown, line)
			return err
		})
	case protocols.InputCheck:
		var yes bool
		yes, err = r.question(label, f.Value == "1")
		answer = map[bool]string{false: "0", true: "1"}[yes]
	case protocols.InputChoice:
		answer, err = r.choice(label, f, q.Reading)
	case protocols.InputFile:
		answer, err = r.file(label)
	default:
		shown = strings.TrimSpace(clean.Line(q.Proposal(i)))
		printed := shown
		if f.Said != "" {
			printed = clean.Quoted(shown)
		}
		answer, err = r.line(label, shown, printed)
	}
	return shown, answer, err
}

var answerLabels = map[protocols.Input]string{
	protocols.InputSecret: "Secret answer", protocols.InputText: "Text", protocols.InputCheck: "Yes to this", protocols.InputChoice: "Choices", protocols.InputFile: "File",
}

// say prints words of the server, if there are any.
func (r *formReader) say(words string) {
	if said := clean.Said(r.server, words); said != "" {
		fmt.Fprintln(r.out, fold(r.out, said, "  "))
	}
}

// fold wraps text for a terminal. Rows after the first begin with inset, so that text of
// a server never looks like a prompt.
func fold(out io.Writer, text, inset string) string {
	width, _ := screenSize(out)
	if width <= len(inset) {
		return text
	}
	return strings.ReplaceAll(ansi.Wrap(text, width-len(inset), ""), "\n", "\n"+inset)
}

// line asks for a line. An empty answer is the proposal, shown as printed.
func (r *formReader) line(label, proposal, printed string) (string, error) {
	if proposal != "" {
		label += " [" + printed + "]"
	}
	answer, err := r.read(fold(r.out, label+":", "  ") + " ")
	answer = cmp.Or(answer, proposal)
	return strings.TrimSpace(answer), err
}

func (r *formReader) read(prompt string) (string, error) {
	fmt.Fprint(r.out, prompt)
	return interruptible(r.ctx, func() (string, error) { return wholeLine(r.in) })
}

func (r *formReader) secret(prompt string) (string, error) {
	before, err := term.MakeRaw(r.in.Fd()) // there is no other way to read without echo that an interrupt can end
	if err != nil {
		return "", err
	}
	fmt.Fprint(r.out, prompt)
	answer, err := interruptible(r.ctx, func() (string, error) { return typedSecret(r.in) })
	err = errors.Join(err, term.Restore(r.in.Fd(), before))
	fmt.Fprintln(r.out)
	return answer, err
}

// text asks for lines up to a single dot. A line that check refuses is asked for again.
func (r *formReader) text(label, proposal string, check func(line string) error) (string, error) {
	fmt.Fprintln(r.out, label+" (end with a line that is only a dot):")
	if proposal != "" {
		for l := range strings.SplitSeq(proposal, "\n") {
			fmt.Fprintln(r.out, fold(r.out, "> "+clean.Line(l), "> "))
		}
		if keep, err := r.question("Keep this text", true); err != nil || keep {
			return proposal, err
		}
	}
	var lines []string
	for {
		l, err := r.read("")
		if err != nil || l == "." {
			return strings.Join(lines, "\n"), err
		}
		if err := check(l); err != nil {
			r.refuse(err)
			continue
		}
		lines = append(lines, l)
	}
}

// choice asks for a choice, by its number or as it is written.
func (r *formReader) choice(label string, f *protocols.Field, reading clean.Reading) (string, error) {
	proposed := max(slices.Index(f.Choices, f.Value), 0)
	fmt.Fprintln(r.out, label+":")
	for i, c := range f.Choices {
		fmt.Fprintln(r.out, fold(r.out, fmt.Sprintf("%4d  %s", i+1, clean.Quoted(reading.Decode(c))), "      "))
	}
	for {
		answer, err := r.line(fmt.Sprintf("1 to %d", len(f.Choices)), strconv.Itoa(proposed+1), strconv.Itoa(proposed+1))
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(f.Choices) {
			return f.Choices[n-1], nil
		}
		if i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.EqualFold(reading.Text(c), answer) }); i >= 0 {
			return f.Choices[i], nil
		}
		fmt.Fprintf(r.out, "%s is none of these: type a number.\n", strconv.Quote(clean.Line(answer)))
	}
}

// file asks for a file to send, and to confirm it with its size.
func (r *formReader) file(label string) (string, error) {
	for {
		path, err := r.line(label+" (a file of yours to send; empty: none)", "", "")
		if err != nil || path == "" {
			return "", err
		}
		path = userfile.ExpandHome(path)
		info, err := userfile.Stat(path)
		if err != nil {
			fmt.Fprintln(r.out, clean.Line(protocols.LocalError("look at "+path, err).Error()))
			continue
		}
		yes, err := r.question(fmt.Sprintf("Send %s (%s)", clean.Name(path), humanize.Bytes(uint64(info.Size()))), false)
		if err != nil || yes {
			return path, err
		}
	}
}

func (r *formReader) question(text string, proposed bool) (bool, error) {
	keys := map[bool]string{false: " (y/N) ", true: " (Y/n) "}[proposed]
	answer, err := r.read(text + "?" + keys)
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "":
		return proposed, err
	case "y", "yes":
		return true, err
	}
	return false, err
}
