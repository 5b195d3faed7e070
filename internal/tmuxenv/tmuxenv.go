// Package tmuxenv keeps tmux from being run before main. Lip Gloss, while it is
// initialised, looks for a colour profile and inside tmux runs "tmux info" for
// it, which takes as long as all the rest of gofer's start; gofer asks the
// environment alone (see ui.Run). So TMUX is hidden until main has begun.
//
// That works because packages are initialised in the order of their import
// paths as soon as what they import is ready: this one needs os and nothing
// else, Lip Gloss needs os/exec.
package tmuxenv

import "os"

var value, set = hide()

func hide() (string, bool) {
	v, ok := os.LookupEnv("TMUX")
	if ok {
		_ = os.Unsetenv("TMUX")
	}
	return v, ok
}

// Restore gives the environment its TMUX back. It is called once, first of all.
func Restore() {
	if set {
		_ = os.Setenv("TMUX", value)
	}
}
