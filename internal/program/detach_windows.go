package program

import (
	"os/exec"
	"syscall"
)

// detachedProcess is DETACHED_PROCESS of CreateProcess.
const detachedProcess = 0x8

// Detach has cmd survive this program and its terminal, which it cannot use.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
