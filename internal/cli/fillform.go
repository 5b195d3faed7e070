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

const maxForms = 8 // bounds the forms and questions of one call of withForm

var errNotSent = errors.New("the form was not sent")

// readingFunc is a function that returns the Reading for texts from the server of u.
type readingFunc func(u urlcore.URL) clean.Reading

// withForm calls open with u, and again with the URL of each form that the user fills in on the terminal. If
// the user agrees to a question, it calls open again with the same URL.
func (p *Program) withForm(ctx context.Context, u urlcore.URL, readingOf readingFunc, open func(urlcore.URL) error) error {
	err := open(u)
	for range maxForms {
		var ask *protocols.Ask
		if confirm, ok := errors.AsType[*protocols.Confirm](err); ok && confirm.Consent == protocols.ConsentAsked && p.askConsent(confirm) {
			confirm.GiveConsent()
			err = open(u)
			continue
		}
		if !errors.As(err, &ask) || ask.With == nil || !p.canAsk() {
			return err
		}
		if u, err = p.fillForm(ctx, nav.ReadAsk(ask, readingOf(ask.URL))); err != nil {
			return err
		}
		err = open(u)
	}
	return err
}

type formReader struct {
	ctx    context.Context
	in     *os.File
	out    io.Writer
	server string // the server whose texts are quoted
}

func (p *Program) fillForm(ctx context.Context, q *nav.Questions) (urlcore.URL, error) {
	in, ok := p.In.(*os.File)
	if !ok {
		return nil, q.Ask
	}
	r := formReader{ctx, in, p.Err, q.Server}
	fmt.Fprintln(r.out, clean.Text(q.Title))
	r.printServerText(q.Reading.Decode(q.ServerTitle))
	isForm := q.IsForm
	var octets []string
	for i, f := range q.Fields {
		isForm = isForm || f.Input > protocols.InputSecret
		answer, err := r.askField(q, i)
		if err != nil {
			return nil, errors.Join(err, errNotSent)
		}
		octets = append(octets, answer)
	}
	if isForm {
		destination := ""
		if u, ok := q.URL.(interface{ Addr() string }); ok {
			destination = " to " + clean.Text(u.Addr())
		}
		if yes, err := r.askYesNo("Send the form"+destination, true); err != nil || !yes {
			return nil, errors.Join(err, errNotSent)
		}
	}
	return q.With(octets)
}

// askField asks for field i until the answer can be encoded.
func (r *formReader) askField(q *nav.Questions, i int) (octets string, err error) {
	for {
		shown, answer, err := r.readField(q, i)
		if err != nil {
			return "", err
		}
		if octets, err = q.Octets(i, shown, answer); err == nil {
			return octets, nil
		}
		r.printProblem(err)
	}
}

func (r *formReader) printProblem(err error) { fmt.Fprintln(r.out, clean.Line(err.Error())+".") }

// readField asks for field i once. The result shown is the displayed proposal, which is the answer if the user
// only presses Enter.
func (r *formReader) readField(q *nav.Questions, i int) (shown, answer string, err error) {
	f := &q.Fields[i]
	r.printServerText(q.Reading.Decode(f.ServerLabel))
	label := cmp.Or(strings.TrimRight(clean.Text(f.Label), " :"), answerLabels[f.Input], "Answer")
	switch f.Input {
	case protocols.InputNote:
		if f.Label != "" {
			fmt.Fprintln(r.out, label)
		}
	case protocols.InputSecret:
		answer, err = r.readSecret(label + " (not shown): ")
	case protocols.InputText:
		shown = strings.TrimRight(strings.ReplaceAll(q.Proposal(i), "\r", ""), "\n")
		answer, err = r.readText(label, shown, func(line string) error {
			_, err := q.Octets(i, shown, line)
			return err
		})
	case protocols.InputCheck:
		var yes bool
		yes, err = r.askYesNo(label, f.Value == "1")
		answer = map[bool]string{false: "0", true: "1"}[yes]
	case protocols.InputChoice:
		answer, err = r.readChoice(label, f, q.Reading)
	case protocols.InputFile:
		answer, err = r.readFile(label)
	default:
		shown = clean.Line(q.Proposal(i))
		printed := shown
		if f.ServerLabel != "" {
			printed = clean.Quote(shown)
		}
		answer, err = r.readLine(label, shown, printed)
	}
	return shown, answer, err
}

var answerLabels = map[protocols.Input]string{
	protocols.InputSecret: "Secret answer", protocols.InputText: "Text", protocols.InputCheck: "Select this", protocols.InputChoice: "Choices", protocols.InputFile: "File",
}

// printServerText prints a text of the server, quoted, unless it is empty.
func (r *formReader) printServerText(text string) {
	if quoted := clean.ServerSays(r.server, text); quoted != "" {
		fmt.Fprintln(r.out, wrapText(r.out, quoted, "  "))
	}
}

// wrapText wraps text for the terminal out. It indents rows after the first, so that server text cannot imitate a
// prompt.
func wrapText(out io.Writer, text, indent string) string {
	width, _ := screenSize(out)
	if width <= len(indent) {
		return text
	}
	return strings.ReplaceAll(ansi.Wrap(text, width-len(indent), ""), "\n", "\n"+indent)
}

// readLine asks for a line, and keeps the blanks around it. An empty answer means the proposal. The prompt shows the
// parameter printed in place of the proposal.
func (r *formReader) readLine(label, proposal, printed string) (string, error) {
	if proposal != "" {
		label += " [" + printed + "]"
	}
	answer, err := r.prompt(wrapText(r.out, label+":", "  ") + " ")
	return cmp.Or(answer, proposal), err
}

func (r *formReader) prompt(text string) (string, error) {
	fmt.Fprint(r.out, text)
	return readUntilDone(r.ctx, func() (string, error) { return readUnbufferedLine(r.in) })
}

func (r *formReader) readSecret(prompt string) (string, error) {
	modes, err := term.MakeRaw(r.in.Fd()) // an interrupt could not end term.ReadPassword
	if err != nil {
		return "", err
	}
	fmt.Fprint(r.out, prompt)
	answer, err := readUntilDone(r.ctx, func() (string, error) { return readTypedSecret(r.in) })
	err = errors.Join(err, term.Restore(r.in.Fd(), modes))
	fmt.Fprintln(r.out)
	return answer, err
}

// readText asks for lines up to a line with a single dot. It asks again for a line that check rejects.
func (r *formReader) readText(label, proposal string, check func(line string) error) (string, error) {
	fmt.Fprintln(r.out, label+" (end with a dot on a line by itself):")
	if proposal != "" {
		for l := range strings.SplitSeq(proposal, "\n") {
			fmt.Fprintln(r.out, wrapText(r.out, "> "+clean.Line(l), "> "))
		}
		if keep, err := r.askYesNo("Keep this text", true); err != nil || keep {
			return proposal, err
		}
	}
	var lines []string
	for {
		l, err := r.prompt("")
		if err != nil || l == "." {
			return strings.Join(lines, "\n"), err
		}
		if err := check(l); err != nil {
			r.printProblem(err)
			continue
		}
		lines = append(lines, l)
	}
}

// readChoice asks for one of the choices, by its number or its text.
func (r *formReader) readChoice(label string, f *protocols.Field, reading clean.Reading) (string, error) {
	proposed := max(slices.Index(f.Choices, f.Value), 0)
	fmt.Fprintln(r.out, label+":")
	for i, c := range f.Choices {
		fmt.Fprintln(r.out, wrapText(r.out, fmt.Sprintf("%4d  %s", i+1, clean.Quote(reading.Decode(c))), "      "))
	}
	for {
		answer, err := r.readLine(fmt.Sprintf("1 to %d", len(f.Choices)), strconv.Itoa(proposed+1), strconv.Itoa(proposed+1))
		if err != nil {
			return "", err
		}
		answer = strings.TrimSpace(answer)
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(f.Choices) {
			return f.Choices[n-1], nil
		}
		if i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.EqualFold(reading.Text(c), answer) }); i >= 0 {
			return f.Choices[i], nil
		}
		fmt.Fprintf(r.out, "%s is not a choice: type a number.\n", strconv.Quote(clean.Line(answer)))
	}
}

// readFile asks for a file to send, and for a confirmation that names its size.
func (r *formReader) readFile(label string) (string, error) {
	for {
		path, err := r.readLine(label+" (path of a file to send; empty for none)", "", "")
		if path = strings.TrimSpace(path); err != nil || path == "" {
			return "", err
		}
		path = userfile.ExpandHome(path)
		info, err := userfile.Stat(path)
		if err != nil {
			fmt.Fprintln(r.out, clean.Line(protocols.LocalError("open "+path, err).Error()))
			continue
		}
		yes, err := r.askYesNo(fmt.Sprintf("Send %s (%s)", clean.Name(path), humanize.Bytes(uint64(info.Size()))), false)
		if err != nil || yes {
			return path, err
		}
	}
}

func (r *formReader) askYesNo(text string, proposed bool) (bool, error) {
	keys := map[bool]string{false: " (y/N) ", true: " (Y/n) "}[proposed]
	answer, err := r.prompt(text + "?" + keys)
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "":
		return proposed, err
	case "y", "yes":
		return true, err
	}
	return false, err
}
