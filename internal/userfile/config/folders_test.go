package config

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestFindFolders(t *testing.T) {
	home := t.TempDir()
	plain := t.TempDir()
	for name, data := range map[string]string{
		".config/user-dirs.dirs": "# made by a program\nXDG_DESKTOP_DIR=\"$HOME/Desk\"\nXDG_DOWNLOAD_DIR=\"$HOME/Geholt\"\n",
		"off/user-dirs.dirs":     "XDG_DOWNLOAD_DIR=\"$HOME/\"\n",
		"abs/user-dirs.dirs":     "XDG_DOWNLOAD_DIR=\"/srv/in\"\n",
		"odd/user-dirs.dirs":     "XDG_DOWNLOAD_DIR=relative\n\x00=\n",
	} {
		path := filepath.Join(home, name)
		fetchtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fetchtest.NoError(t, os.WriteFile(path, []byte(data), 0o600))
	}
	for _, tt := range []struct {
		name string
		env  map[string]string
		want Folders

		downloads string
	}{
		{
			"home",
			map[string]string{"HOME": home},
			Folders{home + "/.config/gofer", home + "/.local/share/gofer", home + "/.local/state/gofer", home + "/.cache/gofer", home},
			home + "/Geholt",
		},
		{
			"set",
			map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/abs", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c"},
			Folders{home + "/abs/gofer", "/d/gofer", "/s/gofer", "/c/gofer", home},
			"/srv/in",
		},
		{
			"relative is ignored",
			map[string]string{"HOME": plain, "XDG_DATA_HOME": "d"},
			Folders{plain + "/.config/gofer", plain + "/.local/share/gofer", plain + "/.local/state/gofer", plain + "/.cache/gofer", plain},
			plain + "/Downloads",
		},
		{
			"download switched off",
			map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/off"},
			Folders{home + "/off/gofer", home + "/.local/share/gofer", home + "/.local/state/gofer", home + "/.cache/gofer", home},
			home,
		},
		{
			"odd",
			map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/odd"},
			Folders{home + "/odd/gofer", home + "/.local/share/gofer", home + "/.local/state/gofer", home + "/.cache/gofer", home},
			home + "/Downloads",
		},
		{
			"Windows",
			map[string]string{"USERPROFILE": home},
			Folders{home + "/.config/gofer", home + "/.local/share/gofer", home + "/.local/state/gofer", home + "/.cache/gofer", home},
			home + "/Geholt",
		},
		{
			"variable",
			map[string]string{"HOME": home, "XDG_DOWNLOAD_DIR": "/in"},
			Folders{home + "/.config/gofer", home + "/.local/share/gofer", home + "/.local/state/gofer", home + "/.cache/gofer", home},
			"/in",
		},
		{"no home", nil, Folders{"", "", "", "", ""}, "."},
	} {
		getenv := func(key string) string { return tt.env[key] }
		fetchtest.Equal(t, FindFolders(getenv), tt.want, "%s", tt.name)
		fetchtest.Equal(t, downloadFolder(getenv), tt.downloads, "%s: downloads to", tt.name)
	}
	var none Folders
	if none.Visits() != "" || none.Bookmarks() != "" {
		t.Errorf("without folders: %q, %q; want nothing", none.Visits(), none.Bookmarks())
	}
}

func TestHomePath(t *testing.T) {
	home := t.TempDir()
	for _, tt := range []struct{ home, path, want string }{
		{home, "~/.score", filepath.Join(home, ".score")},
		{home, "~/News/Score", filepath.Join(home, "News", "Score")},
		{home, "", ""},
		{home, "/etc/score", "/etc/score"},
		{"", "", ""},
		{"", "~/x", ""},
		{"", "/etc/score", "/etc/score"},
	} {
		getenv := func(name string) string { return map[string]string{"HOME": tt.home}[name] }
		fetchtest.Equal(t, HomePath(getenv, tt.path), tt.want, "%q, %q", tt.home, tt.path)
	}
}
