// Package hideterm keeps Lip Gloss from asking about the terminal before main.
// While it is initialised it looks for a colour profile, for which it reads the
// terminfo database and inside tmux runs "tmux info", which takes as long as all the
// rest of gofer's start; gofer asks the environment alone (see ui.Run). So TERM is
// hidden until main has begun.
//
// That works because packages are initialised in the order of their import
// paths as soon as what they import is ready: this one needs os and nothing
// else, Lip Gloss needs os/exec.
package hideterm

import "os"

var value, set = hide()

func hide() (string, bool) {
	v, ok := os.LookupEnv("TERM")
	if ok {
		_ = os.Unsetenv("TERM")
	}
	return v, ok
}

// Restore gives the environment its TERM back. It is called once, first of all.
func Restore() {
	if set {
		_ = os.Setenv("TERM", value)
	}
}
