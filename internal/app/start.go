// Package app has the state of a run of the program: the settings, the stores of the user's files, the stored logins,
// gofer's own pages, and the chain of fetchers that every request passes ([State.Fetchers]). The commands are in the package
// cli, the schemes come from main.
package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gofer/history/bookmarks"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/ui"
	"gofer/urlcore"
)

// Start is what a run begins with: its surroundings, and the flags that all commands have.
type Start struct {
	Version    string
	Schemes    Schemes
	StartWorld func(host string) (World, error) // starts the servers of the demo; host is their name in URLs, or "" for their real addresses
	Err        io.Writer                        // gets warnings, as UTF-8, or as ASCII in a locale that is not UTF-8
	Getenv     func(string) string
	ErrorLine  func(err error) string // formats an error for Err

	Offline  bool // the flag --offline
	Demo     bool // gofer demo is running, with its own folders
	Restrict bool // the flag --restrict
	TrustEnd bool // the flag --trust-end

	FileTypes map[urlcore.URL]string // see Setup.FileTypes
}

// Schemes returns the fetchers of all schemes, and a function that closes idle connections.
type Schemes func(Setup) (protocols.Registry, func())

// ErrUsage marks errors in the use of the command line.
var ErrUsage = errors.New("usage")

// ErrNoConfig is returned if there is no folder for the settings.
var ErrNoConfig = errors.New("no folder for settings: set HOME or XDG_CONFIG_HOME")

// LoadSettings reads the settings and applies the flag --restrict. The demo may have its own settings, but the
// settings for safety always come from the user's file, because the demo can also reach other servers.
func (s *Start) LoadSettings() (config.Config, error) {
	userFile := ConfigFile(s.Getenv)
	c, err := config.Load(userFile, s.Getenv, CheckKeys)
	if file := settingsFile(s.AllFolders(), s.Getenv); file != userFile {
		demo, demoErr := config.Load(file, s.Getenv, CheckKeys)
		demo.Take(&c, "demo", "user")
		c, err = demo, demoErr
	}
	c.Restrict.Enabled = c.Restrict.Enabled || s.Restrict
	return c, err
}

// ConfigFile returns the path of the settings file, or "" if there is no folder for it.
func ConfigFile(env func(string) string) string { return config.FindFolders(env).Settings() }

// settingsFile returns the path of the settings. The demo uses the user's file until a setting is
// changed in the demo; then the demo gets its own copy.
func settingsFile(dirs config.Folders, env func(string) string) string {
	own := dirs.Settings()
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return ConfigFile(env)
}

// CheckKeys is the [config.Check] of the key bindings.
func CheckKeys(c *config.Config) (wrong []config.Invalid) {
	for _, e := range ui.Bindings(c.Keys.OwnBindings()).Check() {
		found := config.Invalid{Key: []string{"keys", e.Context, e.Action}, Text: e.Text}
		if e.Other != "" {
			found.Other = []string{"keys", e.Context, e.Other}
		}
		wrong = append(wrong, found)
	}
	return wrong
}

// TakenKeys returns the keys that bindings in the settings take away from other actions.
func TakenKeys(keys *config.Keys) []ui.TakenKey {
	return ui.Bindings(keys.OwnBindings()).Taken(keys.PresetBindings())
}

// NoteTakenKeys sets the notes of settings that take keys away from other actions.
func NoteTakenKeys(list []config.Setting, keys *config.Keys) {
	for _, t := range TakenKeys(keys) {
		for i := range list {
			if context, action, ok := list[i].Binding(); !ok || context != t.Context || action != t.Action {
				continue
			}
			if list[i].Note != "" {
				list[i].Note += ", "
			}
			list[i].Note += fmt.Sprintf("takes %q from %q", t.Key, t.From)
		}
	}
}

// UserFolders returns the folders of the user's files. In restricted mode the files belong to another person. Then
// UserFolders returns no folders, because stores without a path read and write nothing.
func (s *Start) UserFolders(c *config.Config) config.Folders {
	if c.Restrict.Enabled {
		return config.Folders{}
	}
	return s.AllFolders()
}

// AllFolders returns the folders of the user's files, or of the demo's files.
func (s *Start) AllFolders() config.Folders {
	if s.Demo {
		return config.FindFolders(s.Getenv).Demo()
	}
	return config.FindFolders(s.Getenv)
}

// OpenBookmarks returns the bookmarks. It returns nil if there is no folder for them, or if the settings hide
// them in restricted mode.
func (s *Start) OpenBookmarks(c *config.Config) *bookmarks.Store {
	if c.Restrict.Enabled && !c.Restrict.Bookmarks {
		return nil
	}
	return bookmarks.Open(s.AllFolders().Bookmarks())
}
