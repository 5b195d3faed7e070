//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreSuspend disables the suspend key, which would give the user a shell.
func ignoreSuspend() { signal.Ignore(syscall.SIGTSTP) }

// isHangup reports whether sig says that the terminal is gone.
func isHangup(sig os.Signal) bool { return sig == syscall.SIGHUP }
