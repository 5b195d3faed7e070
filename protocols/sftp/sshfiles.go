package sftp

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"gofer/internal/userfile"
)

// home returns the home directory of the user, or "" in restricted mode.
func (c *Client) home() string {
	if c.Getenv == nil {
		return ""
	}
	return cmp.Or(c.Getenv("HOME"), c.Getenv("USERPROFILE"))
}

// localUser returns the name of the user on this machine, or "" in restricted mode.
func (c *Client) localUser() string {
	if c.Getenv == nil {
		return ""
	}
	return cmp.Or(c.Getenv("USER"), c.Getenv("LOGNAME"), c.Getenv("USERNAME"))
}

// sshFile returns the path of a file in ~/.ssh, or "".
func (c *Client) sshFile(name string) string {
	home := c.home()
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".ssh", name)
}

// systemFile returns the path of a file of the system's SSH.
func (c *Client) systemFile(name string) string {
	dir := c.SystemDir
	if dir == "" && runtime.GOOS == "windows" {
		dir = filepath.Join(c.Getenv("PROGRAMDATA"), "ssh")
	}
	return filepath.Join(cmp.Or(dir, "/etc/ssh"), name)
}

// shorten returns the path of a file of the user as it is shown.
func (c *Client) shorten(path string) string {
	if rest, ok := strings.CutPrefix(path, c.home()+string(os.PathSeparator)); ok && c.home() != "" {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

// checkSafe returns an error if somebody else may write a file of the user, who would then choose which servers are trusted.
func (c *Client) checkSafe(path string) error {
	info, err := os.Stat(path)
	home, homeErr := os.Stat(c.home())
	if err != nil || homeErr != nil {
		return nil // the file is missing, or its reader reports the error
	}
	if !userfile.IsClosed(info, home) {
		return fmt.Errorf("%s is not used, because another user may have written it: it must be yours, and writable only by you (chmod go-w %[1]s)", c.shorten(path))
	}
	return nil
}

// tokens are what the tokens of ssh_config stand for.
type tokens struct {
	c                             *Client
	name, host, alias, port, user string
}

// expand replaces the tokens and the names of environment variables in a value.
func (t tokens) expand(text string) (_ string, err error) {
	text = tokenSyntax.ReplaceAllStringFunc(text, func(token string) string {
		switch token {
		case "%%":
			return "%"
		case "%d":
			return t.c.home()
		case "%h":
			return t.host
		case "%k":
			return t.alias
		case "%n":
			return t.name
		case "%p":
			return t.port
		case "%r":
			return t.user
		case "%u":
			return t.c.localUser()
		}
		if name, ok := strings.CutPrefix(token, "${"); ok {
			return t.c.Getenv(strings.TrimSuffix(name, "}"))
		}
		err = fmt.Errorf("gofer does not know %s", token)
		return ""
	})
	return text, err
}

var tokenSyntax = regexp.MustCompile(`%.?|\$\{[^}]*\}`)

// expandPath returns the path of a file of the user.
func (t tokens) expandPath(text string) (string, error) {
	text, err := t.expand(text)
	if err != nil {
		return "", err
	}
	path, err := t.c.expandHome(text)
	if err == nil && !filepath.IsAbs(path) { // OpenSSH takes the current directory
		path, err = filepath.Abs(path)
	}
	return path, err
}

// expandHome replaces "~" at the beginning of a path.
func (c *Client) expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok {
		return path, nil
	}
	if rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", fmt.Errorf("gofer does not know the home directory in %q", path)
	}
	return filepath.Join(c.home(), rest), nil
}
