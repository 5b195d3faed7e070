package cli

import (
	"runtime"
	"strings"
)

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
