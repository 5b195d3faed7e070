//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// Detach makes cmd survive this program and its terminal. The command cannot use the terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
