package sftp

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gofer/internal/userfile"
)

// home returns the home directory of the user, or "" in restricted mode.
func (c *Client) home() string {
	if c.Getenv == nil {
		return ""
	}
	home := cmp.Or(c.Getenv("HOME"), c.Getenv("USERPROFILE"))
	if account, err := user.Current(); home == "" && err == nil {
		home = account.HomeDir
	}
	return home
}

// localUser returns the name of the user on this machine, or "" in restricted mode. As in OpenSSH, the environment does not
// decide it: a block for a user would be lost with a variable.
func (c *Client) localUser() string {
	if c.Getenv == nil || c.UserName != "" {
		return c.UserName
	}
	account, err := user.Current()
	if err != nil {
		return ""
	}
	return account.Username[strings.LastIndexByte(account.Username, '\\')+1:] // without the domain of Windows
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
	text = tokenSyntax().ReplaceAllStringFunc(text, func(token string) string {
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

var tokenSyntax = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%.?|\$\{[^}]*\}`) })

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

// globFiles returns the files that a pattern names, as glob(3) does: a "*" at the beginning of a name is not for a dot, and "!"
// negates a set. Sets that glob(3) reads in another way than path/filepath are an error.
func globFiles(pattern string) ([]string, error) {
	if strings.ContainsAny(pattern, `*?[`) && (oddPattern().MatchString(pattern) || os.PathSeparator == '/' && strings.Contains(pattern, `\`)) {
		return nil, fmt.Errorf("gofer cannot be sure which files %q names", pattern)
	}
	isHidden := func(path string) bool {
		patterns, names := strings.Split(pattern, string(os.PathSeparator)), strings.Split(path, string(os.PathSeparator))
		for i, name := range names {
			if strings.HasPrefix(name, ".") && i < len(patterns) && !strings.HasPrefix(patterns[i], ".") {
				return true
			}
		}
		return false
	}
	files, err := filepath.Glob(strings.ReplaceAll(pattern, "[!", "[^"))
	return slices.DeleteFunc(files, isHidden), err
}

// oddPattern are a set that begins with "^", which some systems negate, an empty first set, a class of characters, an escape, and
// parts of a path that path/filepath removes.
var oddPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\^|\[!?\]|\[[^]]*\[|/\.?/|/\.\./`) })

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
