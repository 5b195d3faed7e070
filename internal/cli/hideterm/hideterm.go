// Package hideterm keeps Lip Gloss from examining the terminal before main. During its
// initialization Lip Gloss looks for a color profile: it reads the terminfo database and, inside
// tmux, runs "tmux info". This takes as long as the rest of gofer's start, and gofer uses only the
// environment (see ui.Run). So the package unsets TERM until main begins.
//
// Go initializes packages in the order of their import paths as soon as their imports are
// initialized. This package imports only os, and Lip Gloss imports os/exec.
package hideterm

import "os"

var value, set = hideTerm()

func hideTerm() (string, bool) {
	v, ok := os.LookupEnv("TERM")
	_ = os.Unsetenv("TERM")
	return v, ok
}

// Restore sets TERM to its former value. main calls it first.
func Restore() {
	if set {
		_ = os.Setenv("TERM", value)
	}
}
