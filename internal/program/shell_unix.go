//go:build unix

package program

import (
	"os"
)

// ShellArgv runs a command line that the user has typed.
func ShellArgv(line string) []string {
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	return []string{shell, "-c", line}
}
