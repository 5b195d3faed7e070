// Package hideterm keeps Lip Gloss from examining the terminal before main. During its
// initialisation Lip Gloss looks for a colour profile: it reads the terminfo database and, inside
// tmux, runs "tmux info". That takes as long as the rest of gofer's start, and gofer uses only the
// environment (see ui.Run). So TERM is hidden until main begins.
//
// Packages are initialised in the order of their import paths as soon as their imports
// are ready: this one needs only os, Lip Gloss needs os/exec.
package hideterm

import "os"

var value, set = hide()

func hide() (string, bool) {
	v, ok := os.LookupEnv("TERM")
	_ = os.Unsetenv("TERM")
	return v, ok
}

// Restore gives the environment its TERM back. It is called once, first of all.
func Restore() {
	if set {
		_ = os.Setenv("TERM", value)
	}
}
