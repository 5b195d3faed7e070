// Package hideterm keeps Lip Gloss from examining the terminal before main. During its
// initialization Lip Gloss looks for a color profile: it reads the terminfo database and, inside
// tmux, runs "tmux info". This takes as long as the rest of gofer's start, and gofer does not need
// that profile. So the package unsets TERM until main begins.
//
// Of all packages whose imports are initialized, Go next initializes the one whose import path sorts first.
// This package imports only os, so its turn comes before os/exec, which Lip Gloss imports.
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
