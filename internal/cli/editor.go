package cli

import (
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
	command := p.Getenv("VISUAL")
	if strings.TrimSpace(command) == "" {
		command = p.Getenv("EDITOR")
	}
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(command), path)
		if len(words) == 1 {
			words = []string{"notepad", path}
		}
		return words
	}
	if strings.TrimSpace(command) == "" {
		command = "vi"
	}
	return []string{"/bin/sh", "-c", command + ` "$@"`, "sh", path}
}
