package hideterm_test

import (
	"os"
	"os/exec"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/hideterm"
)

func TestLipGlossSeesNoTerminal(t *testing.T) {
	const term = "xterm-256color"
	if os.Getenv("TTY_FORCE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = []string{"TERM=" + term, "TTY_FORCE=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if got := lipgloss.Writer.Profile; got != colorprofile.NoTTY {
		t.Errorf("Lip Gloss has found the profile %v", got)
	}
	hideterm.Restore()
	if got := os.Getenv("TERM"); got != term {
		t.Errorf("TERM is %q in main, want %q", got, term)
	}
}
