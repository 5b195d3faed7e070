package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
	"gofer/internal/userfile/config"
)

func TestSet(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		edit config.Edit
		want string // the new file, or a part of the error
	}{
		"a new file": {"", config.Edit{Key: "theme", Old: "auto", Text: "dark"}, "theme = 'dark'\n"},
		"a value": {
			"# mine\ntheme  =  'dark' # at night\nmouse = true\n",
			config.Edit{Key: "theme", Old: "dark", Text: "light"},
			"# mine\ntheme  =  'light' # at night\nmouse = true\n",
		},
		"without a last line": {"mouse = true", config.Edit{Key: "theme", Old: "auto", Text: "light"}, "mouse = true\ntheme = 'light'\n"},
		"among its siblings": {
			"mouse = true # yes\n\n[colors]\ndim = '3'\n",
			config.Edit{Key: "theme", Old: "auto", Text: "light"},
			"mouse = true # yes\ntheme = 'light'\n\n[colors]\ndim = '3'\n",
		},
		"before tables": {
			"[colors]\ndim = '3'\n",
			config.Edit{Key: "theme", Old: "auto", Text: "light"},
			"theme = 'light'\n[colors]\ndim = '3'\n",
		},
		"in a table": {
			"[colors] # mine\n\n[timeouts]\nidle = '9s'\n",
			config.Edit{Key: "colors.dim", Text: "3"},
			"[colors] # mine\ndim = '3'\n\n[timeouts]\nidle = '9s'\n",
		},
		"a new table": {
			"mouse = true\n",
			config.Edit{Key: "timeouts.idle", Old: "1m0s", Text: "9s"},
			"mouse = true\n\n[timeouts]\nidle = '9s'\n",
		},
		"a dotted key": {
			"timeouts.idle = '9s'\n",
			config.Edit{Key: "timeouts.connect", Old: "15s", Text: "1s"},
			"timeouts.idle = '9s'\ntimeouts.connect = '1s'\n",
		},
		"a new name": {
			"[host.'a.example']\nwrap = true\n",
			config.Edit{Key: `host."".charset`, Name: "b.example", Text: "CP437"},
			"[host.'a.example']\nwrap = true\n\n[host.\"b.example\"]\ncharset = 'CP437'\n",
		},
		"a name that is taken": {
			"[news]\na = 'h'\n",
			config.Edit{Key: `news.""`, Name: "a", Text: "i"},
			`the file was changed meanwhile: news.a is "h"`,
		},
		"no name": {"", config.Edit{Key: `news.""`, Text: "i"}, "news.: a name has only letters"},
		"an inline table": {
			"[open]\nhttps = { command = 'a' } # b\n",
			config.Edit{Key: "open.https.always", Old: "false", Text: "true"},
			"open.https.always cannot be changed",
		},
		"reset in one": {
			"open = {https={ command = 'a', always=true}}",
			config.Edit{Key: "open.https.always", Old: "true"},
			"open.https.always cannot be changed here: gofer",
		},
		"reset the first": {
			"open.https={ always=true, command = 'a' }",
			config.Edit{Key: "open.https.always", Old: "true"},
			"open.https.always cannot be changed here: gofer",
		},
		"a string in place of the table": {
			"downloads = '/d' # mine\nmouse = true\n",
			config.Edit{Key: "downloads.detach", Old: "true", Text: "false"},
			"downloads.folder = '/d' # mine\ndownloads.detach = false\nmouse = true\n",
		},
		"the string in place of the table":       {"downloads = '/d'\n", config.Edit{Key: "downloads.folder", Old: "/d", Text: "/e"}, "downloads = '/e'\n"},
		"reset the string in place of the table": {"downloads = '/d'\n", config.Edit{Key: "downloads.folder", Old: "/d"}, ""},
		"a number of octets":                     {"[downloads]\ndetach = true\n", config.Edit{Key: "downloads.limit_rate", Text: "500k"}, "[downloads]\ndetach = true\nlimit_rate = '500k'\n"},
		"no number of octets":                    {"", config.Edit{Key: "downloads.limit_rate", Text: "fast"}, `"fast" is not a number of octets`},
		"reset":                                  {"# a\ntheme = 'dark'\n# b\n", config.Edit{Key: "theme", Old: "dark"}, "# a\n# b\n"},
		"reset, and a comment":                   {"theme = 'dark'  # at night\n", config.Edit{Key: "theme", Old: "dark"}, "# at night\n"},
		"reset the default":                      {"mouse = true\n", config.Edit{Key: "theme", Old: "auto"}, "mouse = true\n"},
		"a list": {
			"[keys.page]\nwrap = [ 'w', # one\n 'W' ]\n",
			config.Edit{Key: "keys.page.wrap", Old: "w W", Text: " Ctrl-W  ' "},
			"[keys.page]\nwrap = ['Ctrl-W', \"'\"]\n",
		},
		"a preset alone": {"keys = 'tin'\n", config.Edit{Key: "keys.preset", Old: "tin", Text: "vi"}, "keys = 'vi'\n"},
		"quotes": {
			"",
			config.Edit{Key: "post.attribution", Old: "On %d, %n wrote:", Text: `a "b" \c`},
			"\n[post]\nattribution = 'a \"b\" \\c'\n",
		},
		"both quotes": {
			"",
			config.Edit{Key: "post.attribution", Old: "On %d, %n wrote:", Text: "a \"b' \n c"},
			"\n[post]\nattribution = \"a \\\"b' \\n c\"\n",
		},
		"a byte order mark": {
			userfile.BOM + "mouse = true\n",
			config.Edit{Key: "mouse", Old: "true", Text: "false"},
			userfile.BOM + "mouse = false\n",
		},
		"a bad word": {
			"theme = 'dark'\n",
			config.Edit{Key: "theme", Old: "dark", Text: "pink"},
			`theme is "pink": use one of auto, dark, light`,
		},
		"a bad number":       {"", config.Edit{Key: "kept_copies", Old: "64", Text: "1\nread_only = true"}, "kept_copies must be a number"},
		"a large number":     {"", config.Edit{Key: "kept_copies", Old: "64", Text: "-1"}, "kept_copies is -1: use 0 to"},
		"a bad time":         {"", config.Edit{Key: "timeouts.idle", Old: "1m0s", Text: "5"}, `"5" is not a duration`},
		"neither yes nor no": {"", config.Edit{Key: "mouse", Old: "false", Text: "yes"}, "mouse must be true or false"},
		"a file with an error": {
			"mouse = true\nthem = 1\n",
			config.Edit{Key: "mouse", Old: "true", Text: "false"},
			`config.toml:2: no setting "them"`,
		},
		"no keys":       {"[keys.page]\nsave = ['d']\n", config.Edit{Key: "keys.page.save", Old: "d", Text: config.Empty}, "[keys.page]\nsave = []\n"},
		"after no keys": {"[keys.page]\nsave = []\n", config.Edit{Key: "keys.page.save", Old: config.Empty, Text: "d F6"}, "[keys.page]\nsave = ['d', 'F6']\n"},
		"changed meanwhile": {
			"theme = 'light'\n",
			config.Edit{Key: "theme", Old: "dark", Text: "auto"},
			`the file was changed meanwhile: theme is "light"`,
		},
		"no such setting": {"", config.Edit{Key: "nonsense", Text: "1"}, `no setting "nonsense"`},
		"no such key":     {"", config.Edit{Key: "a b", Text: "1"}, `no setting "a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			if tt.file != "" {
				fetchtest.NoError(t, os.WriteFile(path, []byte(tt.file), 0o600))
			}
			err := config.Set(path, path, noEnv, tt.edit)
			got, _ := os.ReadFile(path)
			if err != nil {
				fetchtest.Equal(t, string(got), tt.file, "the file after %v", err)
				if !strings.Contains(err.Error(), tt.want) || strings.Contains(tt.want, "=") && !strings.Contains(tt.want, "is ") {
					t.Errorf("Set = %v, want %s", err, tt.want)
				}
				return
			}
			fetchtest.Equal(t, string(got), tt.want, "the file")
		})
	}
}

// TestSetLink checks that a settings file stays a symbolic link and keeps its mode.
func TestSetLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "dotfiles"), filepath.Join(dir, "config.toml")
	fetchtest.NoError(t, os.WriteFile(file, nil, 0o640))
	fetchtest.NoError(t, os.Symlink("dotfiles", link))
	fetchtest.NoError(t, config.Set(link, link, noEnv, config.Edit{Key: "mouse", Old: "false", Text: "true"}))
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(file))(t)), "mouse = true\n", "the file")
	info := fetchtest.Must(os.Lstat(file))(t)
	fetchtest.Equal(t, info.Mode().Perm(), os.FileMode(0o640), "mode")
	to, err := os.Readlink(link)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, to, "dotfiles", "the link")
}

// TestSetCopy checks that a new file begins as a copy of another, and that an existing file is
// kept, even if empty.
func TestSetCopy(t *testing.T) {
	dir := t.TempDir()
	from, path := filepath.Join(dir, "from.toml"), filepath.Join(dir, "config.toml")
	set := func(want string, e config.Edit) {
		t.Helper()
		err := config.Set(path, from, noEnv, e)
		got, _ := os.ReadFile(path)
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.HasSuffix(string(got), want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	fetchtest.NoError(t, os.WriteFile(from, []byte("them = 1\n"), 0o600))
	set(`from.toml:1: no setting "them"`, config.Edit{Key: "mouse", Old: "false", Text: "true"})
	fetchtest.NoError(t, os.WriteFile(from, []byte("# mine\n"), 0o600))
	set("mouse = true\n# mine\n", config.Edit{Key: "mouse", Old: "false", Text: "true"})
	fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
	set("theme = 'dark'\n", config.Edit{Key: "theme", Old: "auto", Text: "dark"})
	fetchtest.Equal(t, string(fetchtest.Must(os.ReadFile(path))(t)), "theme = 'dark'\n", "the file")
}
