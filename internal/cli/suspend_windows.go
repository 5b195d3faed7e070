package cli

import (
	"os"
	"syscall"
)

func ignoreSuspend() {}

// isHangup reports whether sig says that the terminal is gone. On Windows Go reports the end of the console as SIGTERM.
func isHangup(sig os.Signal) bool { return sig == syscall.SIGTERM }
