package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"gofer/internal/app"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
)

const maxDraft = 4 << 20 // bounds a draft, in octets

// writeMessage lets the user write a message in $VISUAL or $EDITOR, or line by line on the terminal. It
// shows the message and sends it if the user agrees. If the program ends before that, the draft remains.
func (p *Program) writeMessage(ctx context.Context, c *protocols.Compose) error {
	in, ok := p.In.(*os.File)
	if !ok || !p.canAsk() {
		return c
	}
	r := formReader{ctx: ctx, in: in, out: p.Err}
	path, err := c.Draft.File()
	if err != nil {
		return err
	}
	if strings.TrimSpace(p.Getenv("VISUAL")+p.Getenv("EDITOR")) != "" {
		err = p.editFile(ctx, path, c.Draft.StartLine())
	} else {
		fmt.Fprintln(r.out, clean.Text(c.Title))
		err = r.editMessage(path)
	}
	if err != nil {
		return err
	}
	confirm, err := c.Draft.Preview()
	if err != nil {
		return keptDraft(path, err)
	}
	fmt.Fprintln(r.out, clean.Text(confirm.Reason))
	for _, d := range confirm.Details {
		fmt.Fprintln(r.out, "  "+clean.Line(d))
	}
	yes, err := r.askYesNo(clean.Text(confirm.Question), false)
	if err != nil {
		return err
	}
	if !yes {
		fmt.Fprintln(r.out, "Not sent: the draft is kept, and the same URL opens it again.")
		return nil
	}
	err = p.withLogin(ctx, func() error {
		return app.RetryWithConsent(func() error { return c.Draft.Send(ctx) }, p.askConsent)
	})
	if errors.Is(err, protocols.ErrQueued) {
		fmt.Fprintf(r.out, "Not sent: %v.\n", err)
		return nil
	}
	if err == nil {
		fmt.Fprintln(r.out, "Sent.")
	}
	return keptDraft(path, err)
}

// keptDraft adds the path of the draft to err, which may be nil, if the draft is still there.
func keptDraft(path string, err error) error {
	if _, statErr := os.Stat(path); err == nil || statErr != nil {
		return err
	}
	return &protocols.KeptError{Text: "the message", Path: path, Err: err}
}

func (r *formReader) editMessage(path string) error {
	old, err := userfile.Read(path, maxDraft)
	if err != nil {
		return protocols.LocalError("read the draft", err)
	}
	text, err := r.readMessage(string(old))
	if err != nil {
		return err
	}
	return protocols.LocalError("keep the draft", os.WriteFile(path, []byte(text), 0o600))
}

// readMessage asks for the value of each header field of a draft, and for its body.
func (r *formReader) readMessage(draft string) (string, error) {
	header, body, _ := strings.Cut(strings.ReplaceAll(draft, "\r\n", "\n"), "\n\n")
	var b strings.Builder
	for field := range strings.SplitSeq(strings.TrimRight(header, "\n"), "\n") {
		name, value, ok := strings.Cut(field, ":")
		if !ok || strings.HasPrefix(field, " ") || strings.HasPrefix(field, "\t") {
			b.WriteString(field + "\n") // a folded field continues here
			continue
		}
		proposal := clean.Line(strings.TrimSpace(value))
		answer, err := r.readLine(clean.Line(name), proposal, proposal)
		if err != nil {
			return "", err
		}
		b.WriteString(name + ": " + strings.TrimSpace(answer) + "\n")
	}
	text, err := r.readText("Text", strings.TrimSpace(strings.ReplaceAll(body, "\r", "")), func(string) error { return nil })
	return b.String() + "\n" + text + "\n", err
}
