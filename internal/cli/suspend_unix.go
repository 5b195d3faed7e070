//go:build unix

package cli

import "syscall"

// suspend does what Ctrl-Z does.
func suspend() { _ = syscall.Kill(0, syscall.SIGTSTP) }
