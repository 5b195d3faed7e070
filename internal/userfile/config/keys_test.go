package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

// TestKeyPreset checks that a preset is set by keys = "NAME" or as a setting in the table keys.
func TestKeyPreset(t *testing.T) {
	const unknown = `keys.preset is "emacs": use one of gofer, tin, slrn, lynx, vi`
	for _, tt := range []struct {
		file, preset, problems string
		own                    int    // number of actions bound to keys of the user
		source                 string // source of the setting keys.preset
	}{
		{"", "gofer", "", 0, "default"},
		{"mouse = true\nkeys = 'tin'\n", "tin", "", 0, ":2"},
		{"[keys]\npreset = 'slrn'\n[keys.news]\nopen = ['x']\n", "slrn", "", 1, ":2"},
		{"keys = { preset = 'vi', page = { open = ['x'] } }\n", "vi", "", 1, ":1"},
		{"keys.preset = 'lynx'\nkeys.page.open = ['x']\n", "lynx", "", 1, ":1"},
		{"[keys.page]\nopen = ['x']\n", "gofer", "", 1, "default"},
		{"keys = 'emacs'\nmouse = true\n", "gofer", "1: " + unknown, 0, "default"},
		{"[keys]\npreset = 'emacs'\n[keys.page]\nopen = ['x']\n", "gofer", "2: " + unknown, 1, "default"},
	} {
		c, problems := load(t, tt.file)
		fetchtest.Equal(t, problems, tt.problems, "%q: problems", tt.file)
		fetchtest.Equal(t, c.Keys.Preset, tt.preset, "%q: the preset", tt.file)
		own := c.Keys.OwnBindings()
		fetchtest.Equal(t, len(own["page"])+len(own["news"]), tt.own, "%q: actions with keys", tt.file)
		if got := c.Keys.PresetBindings()["page"]; (len(got) > 0) != (tt.preset != "gofer") {
			t.Errorf("%q: PresetBindings()[page] = %v, want none only for the preset gofer", tt.file, got)
		}
		path := filepath.Join(t.TempDir(), "config.toml")
		fetchtest.NoError(t, os.WriteFile(path, []byte(tt.file), 0o600))
		settings, _ := config.Settings(path, noEnv)
		found := false
		for _, s := range settings {
			if s.Key == "keys.preset" {
				found = true
				want := tt.source
				if want != "default" {
					want = path + want
				}
				fetchtest.Equal(t, s.Value+" "+s.Source, "'"+tt.preset+"' "+want, "%q: the setting", tt.file)
			}
		}
		if !found {
			t.Errorf("%q: Settings does not list keys.preset", tt.file)
		}
	}
	if _, problems := load(t, "[keys.moon]\nopen = ['x']\n"); problems == "" {
		t.Error("Load of [keys.moon]: got no problem, want one")
	}
}
