package program

import (
	"os/exec"
	"syscall"
)

const detachedProcess = 0x8 // DETACHED_PROCESS of CreateProcess

// Detach makes cmd survive this program and its terminal. The command cannot use the terminal.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
