package cli

import (
	"os/exec"
	"runtime"
	"strings"
)

// editor opens the file at path in $VISUAL or $EDITOR, which may have arguments,
// else in vi.
func (p *Program) editor(path string) *exec.Cmd {
	command := p.Getenv("VISUAL")
	if strings.TrimSpace(command) == "" {
		command = p.Getenv("EDITOR")
	}
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(command), path)
		if len(words) == 1 {
			words = []string{"notepad", path}
		}
		return exec.Command(words[0], words[1:]...)
	}
	if strings.TrimSpace(command) == "" {
		command = "vi"
	}
	return exec.Command("/bin/sh", "-c", command+` "$@"`, "sh", path)
}
