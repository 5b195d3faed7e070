//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreSuspend lets no key suspend the program, for whoever has the shell then.
func ignoreSuspend() { signal.Ignore(syscall.SIGTSTP) }
