//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// Detach has cmd survive this program and its terminal, which it cannot use.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
