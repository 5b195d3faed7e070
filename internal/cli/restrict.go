package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"gofer/history/bookmarks"
	"gofer/internal/userfile/config"
)

// loadSettings reads the settings and applies the flag --restrict. The demo may have its own settings, but the
// settings for safety always come from the user's file, because the demo can also reach other servers.
func (p *Program) loadSettings() (config.Config, error) {
	userFile := configFile(p.Getenv)
	c, err := config.Load(userFile, p.Getenv, checkKeys)
	if file := settingsFile(p.allFolders(), p.Getenv); file != userFile {
		demo, demoErr := config.Load(file, p.Getenv, checkKeys)
		demo.Take(&c, "demo", "user")
		c, err = demo, demoErr
	}
	c.Restrict.Enabled = c.Restrict.Enabled || p.restrict
	return c, err
}

// settingsFile returns the path of the settings. The demo uses the user's file until a setting is
// changed in the demo; then the demo gets its own copy.
func settingsFile(dirs config.Folders, env func(string) string) string {
	own := dirs.Settings()
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return configFile(env)
}

// userFolders returns the folders of the user's files. In restricted mode the files belong to another person. Then
// userFolders returns no folders, because stores without a path read and write nothing.
func (p *Program) userFolders(c *config.Config) config.Folders {
	if c.Restrict.Enabled {
		return config.Folders{}
	}
	return p.allFolders()
}

// allFolders returns the folders of the user's files, or of the demo's files.
func (p *Program) allFolders() config.Folders {
	if p.demo {
		return config.FindFolders(p.Getenv).Demo()
	}
	return config.FindFolders(p.Getenv)
}

// openBookmarks returns the bookmarks. It returns nil if there is no folder for them, or if the settings hide
// them in restricted mode.
func (p *Program) openBookmarks(c *config.Config) *bookmarks.Store {
	if c.Restrict.Enabled && !c.Restrict.Bookmarks {
		return nil
	}
	return bookmarks.Open(p.allFolders().Bookmarks())
}

var errRestricted = errors.New("this command is disabled in restricted mode")

// forbidRestricted makes cmd fail in restricted mode, and returns it.
func (p *Program) forbidRestricted(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if c, _ := p.loadSettings(); c.Restrict.Enabled { // the commands that use more settings report the errors
			return errors.Join(errUsage, errRestricted)
		}
		return nil
	}
	return cmd
}
