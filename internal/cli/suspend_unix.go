//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreSuspend disables the suspend key, which would give the user a shell.
func ignoreSuspend() { signal.Ignore(syscall.SIGTSTP) }
