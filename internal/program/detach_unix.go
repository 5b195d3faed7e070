//go:build unix

package program

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// EndWithParent makes cmd end when this program ends, even if this program is killed, on systems that can do so. The
// command cannot use the terminal. It must be run by [job.Run], which ends its children too when the context ends.
func EndWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = newSession()
	setParentDeathSignal(cmd.SysProcAttr)
}

// Detach makes cmd survive this program and its terminal. The command cannot use the terminal. It has no open files of the
// program that has started this one, because that may wait until they are closed, as flock does.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = newSession()
	keepFiles()
}

func newSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// alwaysKept is the number below which keepFiles handles all files, also on systems that do not list the open ones.
const alwaysKept = 256

// keepFiles makes this program keep its open files to itself, except standard input, output and error. Go does so for the
// files that it opens, but not for those that this program has inherited.
func keepFiles() {
	for fd := 3; fd < alwaysKept; fd++ {
		syscall.CloseOnExec(fd)
	}
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= alwaysKept {
			syscall.CloseOnExec(fd)
		}
	}
}
