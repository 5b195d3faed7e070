package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/app"
	"gofer/internal/testbed/fetchtest"
)

// TestRestrictedState opens faulty settings. It checks that in restricted mode no message quotes the faulty
// line, and that only pages that exist in this mode are completed.
func TestRestrictedState(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".config/gofer")
	fetchtest.NoError(t, os.MkdirAll(dir, 0o700))
	fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[search]\nowner = 1\n"), 0o600))
	for _, restricted := range []bool{false, true} {
		var stderr bytes.Buffer
		var setup app.Setup
		p := testProgram(home, &setup)
		p.Err, p.Restrict = &stderr, restricted
		st := p.openState(nil)
		if got := strings.Contains(fmt.Sprint(stderr.String(), setup.ConfigError, st.Notice), "owner"); got == restricted {
			t.Errorf(
				"restricted %v: stderr %q, ConfigError %v, notice %q; want the line: %v", restricted, stderr.String(),
				setup.ConfigError, st.Notice, !restricted,
			)
		}
		if stderr.Len() == 0 || st.Notice == "" {
			t.Errorf("restricted %v: stderr %q, notice %q; want both", restricted, stderr.String(), st.Notice)
		}
		for _, typed := range []string{"about:downloads", "about:drafts", "about:new"} {
			offered := fmt.Sprint(st.ScreenOptions(t.Context(), p.screen(browseFlags{}, nil)).Complete(t.Context(), typed[:len(typed)-1], 8))
			if got := strings.Contains(offered, typed+" "); got == restricted {
				t.Errorf("restricted %v: the completions are %s; want %s: %v", restricted, offered, typed, !restricted)
			}
		}
		st.Close()
	}
}
