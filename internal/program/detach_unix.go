//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// EndWithParent makes cmd end when this program ends, even if this program is killed, on systems that can do so. The
// command cannot use the terminal. It must be run by [job.Run], which ends its children too when the context ends.
func EndWithParent(cmd *exec.Cmd) {
	Detach(cmd)
	setParentDeathSignal(cmd.SysProcAttr)
}

// Detach makes cmd survive this program and its terminal. The command cannot use the terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
