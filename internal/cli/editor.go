package cli

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"gofer/internal/program"
	"gofer/internal/program/job"
)

// editFile opens the file at path in the user's editor, at a line unless line is 0, and waits until the editor ends. The
// end of ctx stops the editor.
func (p *Program) editFile(ctx context.Context, path string, line int) error {
	argv := p.editorCommand(path, line)
	editor := exec.Command(argv[0], argv[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = p.In, p.Out, p.Err
	if err := job.Run(ctx, editor); err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	return nil
}

// editorCommand returns the command that opens the file at path in $VISUAL, $EDITOR or vi (on Windows, notepad), at a line
// unless line is 0.
func (p *Program) editorCommand(path string, line int) []string {
	command, usual := cmp.Or(strings.TrimSpace(p.Getenv("VISUAL")), strings.TrimSpace(p.Getenv("EDITOR"))), "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	return program.EditorArgv(cmp.Or(command, usual), path, line)
}
