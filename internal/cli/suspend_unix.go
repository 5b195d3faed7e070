//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreSuspend ignores the suspend key, because suspending would give the user a shell.
func ignoreSuspend() { signal.Ignore(syscall.SIGTSTP) }
