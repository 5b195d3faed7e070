package config

import (
	"os"
	"path/filepath"
	"strings"

	"gofer/internal/userfile"
)

// Dirs are the folders of one user by the XDG Base Directory Specification. They need
// not exist; without a home directory a field, and a path of a method, is "".
type Dirs struct {
	Config string // settings and bookmarks: $XDG_CONFIG_HOME/gofer
	Data   string // the visits and trusted certificates: $XDG_DATA_HOME/gofer
	State  string // data that may be lost: $XDG_STATE_HOME/gofer
	Cache  string // data that can be fetched again: $XDG_CACHE_HOME/gofer
	Home   string // files that other programs share, as ~/.newsrc: the home directory
}

// Home is the home directory in an environment; "" if there is none.
func Home(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} { // the latter on Windows
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// FindDirs returns the folders for an environment.
func FindDirs(getenv func(string) string) Dirs {
	own := func(key, fallback string) string { return in(base(getenv, key, fallback), "gofer") }
	return Dirs{
		Config: own("XDG_CONFIG_HOME", ".config"),
		Data:   own("XDG_DATA_HOME", ".local/share"),
		State:  own("XDG_STATE_HOME", ".local/state"),
		Cache:  own("XDG_CACHE_HOME", ".cache"),
		Home:   Home(getenv),
	}
}

// Demo returns the folders of gofer demo, which are beside the others.
func (d Dirs) Demo() Dirs {
	data := demoDir(d.Data)
	return Dirs{Config: data, Data: data, State: demoDir(d.State), Cache: demoDir(d.Cache), Home: data}
}

func demoDir(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "-demo"
}

// base returns the folder of the variable key, else fallback in the home directory.
func base(getenv func(string) string, key, fallback string) string {
	if dir := getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	return in(Home(getenv), fallback)
}

// Settings is the path of the settings' file.
func (d Dirs) Settings() string { return in(d.Config, "config.toml") }

// Visits is the path of the visits' database.
func (d Dirs) Visits() string { return in(d.Data, "history.sqlite") }

// Certificates is the path of the file of trusted certificates.
func (d Dirs) Certificates() string { return in(d.Data, "certificates.txt") }

// Bookmarks is the path of the bookmarks' file.
func (d Dirs) Bookmarks() string { return in(d.Config, "bookmarks.txt") }

// Charsets is the path of the file with the charsets of servers.
func (d Dirs) Charsets() string { return in(d.State, "charsets.txt") }

// DownloadLists is the folder of the lists of unfinished downloads.
func (d Dirs) DownloadLists() string { return in(d.State, "downloads") }

// Drafts is the folder of messages that are not yet sent.
func (d Dirs) Drafts() string { return in(d.Data, "drafts") }

// UnwrittenNews is the folder of changes that are not yet in newsrc files.
func (d Dirs) UnwrittenNews() string { return in(d.Data, "newsrc") }

// CancelSecret is the path of the secret that proves who cancels an article.
func (d Dirs) CancelSecret() string { return in(d.Data, "cancel-secret") }

// HomePath replaces a leading "~/" by the home directory; "" if there is none.
func HomePath(getenv func(string) string, path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	return in(Home(getenv), rest)
}

// NewsTimes is the path of the file with the times of requests for new groups.
func (d Dirs) NewsTimes() string { return in(d.State, "news-times.txt") }

// Sessions is the folder of stored tabs.
func (d Dirs) Sessions() string { return in(d.State, "sessions") }

// Sync is the folder of the records of syncs with other machines.
func (d Dirs) Sync() string { return in(d.State, "sync") }

// Copies is the folder of copies of articles and overviews.
func (d Dirs) Copies() string { return in(d.Cache, "copies") }

func in(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// downloads is the folder of downloads: XDG_DOWNLOAD_DIR of the environment or
// user-dirs.dirs, else ~/Downloads if it exists, else ".".
func downloads(getenv func(string) string) string {
	const key = "XDG_DOWNLOAD_DIR"
	if dir := getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	home := Home(getenv)
	if dir := userDir(base(getenv, "XDG_CONFIG_HOME", ".config"), home, key); dir != "" {
		return dir
	}
	dir := in(home, "Downloads")
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return dir
	}
	return "."
}

const maxUserDirs = 64 << 10 // bounds user-dirs.dirs, in octets

// userDir reads one line of user-dirs.dirs: KEY="$HOME/path" or KEY="/path".
// The home directory itself means that there is no such folder.
func userDir(config, home, key string) string {
	data, err := userfile.Read(in(config, "user-dirs.dirs"), maxUserDirs)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		if k != key {
			continue
		}
		v = strings.Trim(v, `"`)
		if rest, ok := strings.CutPrefix(v, "$HOME"); ok && home != "" {
			v = home + rest
		}
		if v = filepath.Clean(v); filepath.IsAbs(v) && v != filepath.Clean(home) {
			return v
		}
	}
	return ""
}
