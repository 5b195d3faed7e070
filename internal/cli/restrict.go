package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"gofer/history/bookmarks"
	"gofer/internal/userfile/config"
)

// settings reads the settings; the flag --restrict enables their restricted mode. The demo, which
// reaches other servers too, has the user's settings for safety even if it has its own file.
func (p *Program) settings() (config.Config, error) {
	users := configFile(p.Getenv)
	c, err := config.Load(users, p.Getenv, checkKeys)
	if file := settingsFile(p.allDirs(), p.Getenv); file != users {
		own, ownErr := config.Load(file, p.Getenv, checkKeys)
		own.Restrict, own.ReadOnly, own.PlainPasswords = c.Restrict, c.ReadOnly, c.PlainPasswords
		own.AskPorts, own.PasswordCommand = c.AskPorts, c.PasswordCommand
		c, err = own, ownErr
	}
	c.Restrict.Enabled = c.Restrict.Enabled || p.restrict
	return c, err
}

// settingsFile returns the file with the settings. The demo reads those of the user until one is
// changed there: its own file begins as a copy.
func settingsFile(dirs config.Dirs, env func(string) string) string {
	own := dirs.Settings()
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return configFile(env)
}

// dirs returns the folders of the user's files, none in restricted mode, where the
// files belong to somebody else: a store without a path neither reads nor writes.
func (p *Program) dirs(c *config.Config) config.Dirs {
	if c.Restrict.Enabled {
		return config.Dirs{}
	}
	return p.allDirs()
}

// allDirs returns the folders of the user's files, or of the demo.
func (p *Program) allDirs() config.Dirs {
	if p.demo {
		return config.FindDirs(p.Getenv).Demo()
	}
	return config.FindDirs(p.Getenv)
}

// openBookmarks returns nil if the settings hide the bookmarks in restricted mode.
func (p *Program) openBookmarks(c *config.Config) *bookmarks.Store {
	if c.Restrict.Enabled && !c.Restrict.Bookmarks {
		return nil
	}
	return bookmarks.Open(p.allDirs().Bookmarks())
}

var errRestricted = errors.New("files and other programs are not used in restricted mode")

// unrestricted makes cmd refuse to run in restricted mode.
func (p *Program) unrestricted(cmd *cobra.Command) *cobra.Command {
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if c, _ := p.settings(); c.Restrict.Enabled { // open reports their faults
			return errors.Join(errUsage, errRestricted)
		}
		return nil
	}
	return cmd
}
