//go:build unix

package program

import (
	"cmp"
	"os"
)

// ShellArgv returns the arguments that run a command line that the user has typed.
func ShellArgv(line string) []string {
	return []string{cmp.Or(os.Getenv("SHELL"), "/bin/sh"), "-c", line}
}
