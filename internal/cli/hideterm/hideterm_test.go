package hideterm_test

import (
	"os"
	"os/exec"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/cli/hideterm"
	"gofer/internal/testbed/fetchtest"
)

func TestTermHidden(t *testing.T) {
	const term = "xterm-256color"
	if os.Getenv("TTY_FORCE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = []string{"TERM=" + term, "TTY_FORCE=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the test in a process with TERM=%s: %v\n%s", term, err, out)
		}
		return
	}
	fetchtest.Equal(t, lipgloss.Writer.Profile, colorprofile.NoTTY, "profile of Lip Gloss before Restore")
	hideterm.Restore()
	fetchtest.Equal(t, os.Getenv("TERM"), term, "TERM in main")
}
