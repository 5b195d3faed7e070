package program

import (
	"os/exec"
	"syscall"
)

const detachedProcess = 0x8 // DETACHED_PROCESS of CreateProcess

// EndWithParent is the same as [Detach] on Windows: the command ends when its input ends.
func EndWithParent(cmd *exec.Cmd) { Detach(cmd) }

// Detach makes cmd survive this program and its terminal. The command cannot use the terminal.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
