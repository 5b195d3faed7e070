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

// editFile opens the file at path in the user's editor and waits until the editor ends. The end of ctx stops
// the editor.
func (p *Program) editFile(ctx context.Context, path string) error {
	argv := p.editorCommand(path)
	editor := exec.Command(argv[0], argv[1:]...)
	editor.Stdin, editor.Stdout, editor.Stderr = p.In, p.Out, p.Err
	if err := job.Run(ctx, editor); err != nil {
		return fmt.Errorf("edit %s: %w", path, err)
	}
	return nil
}

// editorCommand returns the command that opens the file at path: $VISUAL, $EDITOR or vi (on Windows, notepad).
func (p *Program) editorCommand(path string) []string {
	command := cmp.Or(strings.TrimSpace(p.Getenv("VISUAL")), strings.TrimSpace(p.Getenv("EDITOR")))
	if runtime.GOOS == "windows" {
		return append(strings.Fields(cmp.Or(command, "notepad")), path)
	}
	return []string{"/bin/sh", "-c", cmp.Or(command, "vi") + ` "$@"`, "sh", path}
}
