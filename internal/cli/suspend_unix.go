//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// suspend does what Ctrl-Z does.
func suspend() { _ = syscall.Kill(0, syscall.SIGTSTP) }

// ignoreSuspend lets no key suspend the program, for whoever has the shell then.
func ignoreSuspend() { signal.Ignore(syscall.SIGTSTP) }
