package config

import (
	"cmp"
	"path/filepath"
	"strings"

	"gofer/internal/userfile"
)

// Folders are the folders of one user by the XDG Base Directory Specification. They need not exist.
// Without a home directory a field may be "", and so are the paths in it.
type Folders struct {
	Config string // settings and bookmarks: $XDG_CONFIG_HOME/gofer
	Data   string // data to keep, such as visits, certificates and drafts: $XDG_DATA_HOME/gofer
	State  string // data that may be lost: $XDG_STATE_HOME/gofer
	Cache  string // data that can be fetched again: $XDG_CACHE_HOME/gofer
	Home   string // files that other programs share, such as ~/.newsrc: the home directory
}

// Home returns the home directory in an environment, or "" if there is none.
func Home(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} { // the latter on Windows
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// FindFolders returns the folders for an environment.
func FindFolders(getenv func(string) string) Folders {
	own := func(key, fallback string) string { return joinFolder(baseFolder(getenv, key, fallback), "gofer") }
	return Folders{
		Config: own("XDG_CONFIG_HOME", ".config"),
		Data:   own("XDG_DATA_HOME", ".local/share"),
		State:  own("XDG_STATE_HOME", ".local/state"),
		Cache:  own("XDG_CACHE_HOME", ".cache"),
		Home:   Home(getenv),
	}
}

// Demo returns the folders of gofer demo, which are next to the user's folders.
func (d Folders) Demo() Folders {
	data := demoDir(d.Data)
	return Folders{Config: data, Data: data, State: demoDir(d.State), Cache: demoDir(d.Cache), Home: data}
}

func demoDir(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "-demo"
}

// baseFolder returns the folder in the environment variable key, or else the folder fallback in the
// home directory.
func baseFolder(getenv func(string) string, key, fallback string) string {
	if dir := getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	return joinFolder(Home(getenv), fallback)
}

// Settings returns the path of the settings file.
func (d Folders) Settings() string { return joinFolder(d.Config, "config.toml") }

// Visits returns the path of the database of visits.
func (d Folders) Visits() string { return joinFolder(d.Data, "history.sqlite") }

// Certificates returns the path of the file of trusted certificates.
func (d Folders) Certificates() string { return joinFolder(d.Data, "certificates.txt") }

// Identities returns the folder of the certificates by which servers know the user.
func (d Folders) Identities() string { return joinFolder(d.Data, "identities") }

// Bookmarks returns the path of the file of bookmarks.
func (d Folders) Bookmarks() string { return joinFolder(d.Config, "bookmarks.txt") }

// Charsets returns the path of the file with the charsets of servers.
func (d Folders) Charsets() string { return joinFolder(d.State, "charsets.txt") }

// Orders returns the path of the file with the orders of lists.
func (d Folders) Orders() string { return joinFolder(d.State, "orders.txt") }

// DownloadLists returns the folder of the lists of unfinished downloads.
func (d Folders) DownloadLists() string { return joinFolder(d.State, "downloads") }

// DownloadRecords returns the folder of the records of unfinished files.
func (d Folders) DownloadRecords() string { return joinFolder(d.State, "parts") }

// Drafts returns the folder of messages that are not yet sent.
func (d Folders) Drafts() string { return joinFolder(d.Data, "drafts") }

// UnwrittenNews returns the folder of changes that are not yet in newsrc files.
func (d Folders) UnwrittenNews() string { return joinFolder(d.Data, "newsrc") }

// ReplacedNews returns the folder of the lines of newsrc files that were cut because the server numbered the group
// anew.
func (d Folders) ReplacedNews() string { return joinFolder(d.Data, "newsrc-replaced") }

// CancelSecret returns the path of the secret that proves who cancels an article.
func (d Folders) CancelSecret() string { return joinFolder(d.Data, "cancel-secret") }

// HomePath replaces a leading "~/" of path by the home directory. It returns "" if path begins with "~/"
// and there is no home directory.
func HomePath(getenv func(string) string, path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	return joinFolder(Home(getenv), rest)
}

// NewsTimes returns the path of the file with the times of requests for new groups.
func (d Folders) NewsTimes() string { return joinFolder(d.State, "news-times.txt") }

// Sessions returns the folder of stored tabs.
func (d Folders) Sessions() string { return joinFolder(d.State, "sessions") }

// ReadLater returns the path of the list of pages to read later.
func (d Folders) ReadLater() string { return joinFolder(d.State, "later.txt") }

// Copies returns the folder of copies of pages, articles and overviews.
func (d Folders) Copies() string { return joinFolder(d.Cache, "copies") }

func joinFolder(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// downloadFolder returns the folder of downloads: XDG_DOWNLOAD_DIR in the environment or in
// user-dirs.dirs, else ~/Downloads, which the first download makes. Without a home directory it is ".".
func downloadFolder(getenv func(string) string) string {
	const key = "XDG_DOWNLOAD_DIR"
	if dir := getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	home := Home(getenv)
	if dir := userDir(baseFolder(getenv, "XDG_CONFIG_HOME", ".config"), home, key); dir != "" {
		return dir
	}
	return cmp.Or(joinFolder(home, "Downloads"), ".")
}

const maxUserDirs = 64 << 10 // bounds user-dirs.dirs, in octets

// userDir reads one line of user-dirs.dirs: KEY="$HOME/path" or KEY="/path".
// The home directory itself means that there is no special folder, see user-dirs.dirs(5).
func userDir(config, home, key string) string {
	data, err := userfile.Read(joinFolder(config, "user-dirs.dirs"), maxUserDirs)
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
		if v = filepath.Clean(v); filepath.IsAbs(v) {
			return v
		}
	}
	return ""
}
