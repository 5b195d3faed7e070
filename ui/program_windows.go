package ui

import (
	"os"
	"os/exec"
	"syscall"
)

// detachedProcess is DETACHED_PROCESS of CreateProcess.
const detachedProcess = 0x8

// detach has cmd survive this program and its terminal.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends a program.
func terminate(p *os.Process) error { return p.Kill() }

// shellArgv runs a command line that the user has typed.
func shellArgv(line string) []string { return []string{"cmd", "/C", line} }
