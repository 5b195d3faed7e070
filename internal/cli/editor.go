package cli

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"gofer/internal/program/job"
)

// edit opens the file at path in the user's editor, which ends with ctx.
func (p *Program) edit(ctx context.Context, path string) error {
	argv := p.editor(path)
	editor := exec.Command(argv[0], argv[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = p.In, p.Out, p.Err
	if err := job.Run(ctx, editor); err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	return nil
}

// editor returns the program and arguments that open the file at path: $VISUAL or
// $EDITOR, which may have arguments, else vi.
func (p *Program) editor(path string) []string {
	command := cmp.Or(strings.TrimSpace(p.Getenv("VISUAL")), strings.TrimSpace(p.Getenv("EDITOR")))
	if runtime.GOOS == "windows" {
		return append(strings.Fields(cmp.Or(command, "notepad")), path)
	}
	return []string{"/bin/sh", "-c", cmp.Or(command, "vi") + ` "$@"`, "sh", path}
}
