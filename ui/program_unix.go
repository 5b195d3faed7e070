//go:build unix

package ui

import (
	"os"
	"syscall"
)

// terminate asks a program to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// shellArgv runs a command line that the user has typed.
func shellArgv(line string) []string {
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	return []string{shell, "-c", line}
}
