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

// TestRestrictedStart checks what begins at a public terminal: the start page of the settings, and places that may be opened.
func TestRestrictedStart(t *testing.T) {
	const floodgap, gnu, groups = "gopher://gopher.floodgap.com/1/", "ftp://ftp.gnu.org/", "news:*"
	for _, tt := range []struct {
		settings string
		args     string
		code     int
		want     string // parts of the output, separated by "|"; "!" before an unwanted one
	}{
		{`allow = ["*.floodgap.com"]`, "dump -f links about:home", 0, floodgap + "|!" + gnu + "|!" + groups + "|!about:demo"},
		{`allow = ["news.example.org:119"]`, "dump -f links about:home", 0, groups + "|!" + floodgap},
		{`allow = ["h"]`, "dump about:home", 0, "The keys|!Places to begin"},
		{"", "dump -f links about:home", 0, floodgap + "|" + gnu + "|" + groups},
		{"", "dump about:demo", 4, ""},
		{`start = "about:schemes"`, "", 0, "gopher"},
		{`start = "gopher://h:x/"`, "dump -f links about:home", 0, "about:help|!" + floodgap},
	} {
		home := t.TempDir()
		dir := filepath.Join(home, ".config/gofer")
		fetchtest.NoError(t, os.MkdirAll(dir, 0o700))
		settings := "news_server = 'news.example.org'\n[restrict]\nenabled = true\n" + tt.settings + "\n"
		fetchtest.NoError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte(settings), 0o600))
		code, out, stderr := run(t, home, "", strings.Fields(tt.args)...)
		if code != tt.code {
			t.Errorf("%s: gofer %s: exit %d, stderr %q, want %d", tt.settings, tt.args, code, stderr, tt.code)
		}
		for want := range strings.SplitSeq(tt.want, "|") {
			if text, not := strings.CutPrefix(want, "!"); strings.Contains(out, text) == not {
				t.Errorf("%s: gofer %s printed\n%s\nwant %q", tt.settings, tt.args, out, want)
			}
		}
	}
}
