//go:build unix

package program

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestRunEnv checks that a program gets no secrets from gofer's environment, and that it gets the
// variables that the caller sets.
func TestRunEnv(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{nil, "C|"},
		{[]string{"AWS_SECRET_ACCESS_KEY=mine"}, "|mine"},
	} {
		var screen strings.Builder
		p := Program{Argv: []string{"/bin/sh", "-c", `printf '%s|%s' "$LC_ALL" "$AWS_SECRET_ACCESS_KEY"`}, Env: tt.env}
		fetchtest.NoError(t, p.Run(t.Context(), nil, &screen))
		fetchtest.Equal(t, screen.String(), tt.want, "with %q", tt.env)
	}
}
