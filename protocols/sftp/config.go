package sftp

import (
	"cmp"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/kevinburke/ssh_config"

	"gofer/internal/userfile"
	"gofer/urlcore"
)

// host is a server to log in to, after ~/.ssh/config.
type host struct {
	addr           string // host:port to dial
	user           string // "" if it is not known
	identityFiles  []string
	identitiesOnly bool
	jumps          []string // ProxyJump: hosts on the way, as user@host:port
	note           string   // why the configuration was not read, or ""
}

const (
	maxConfig = 1 << 20 // octets of a configuration file
	maxJumps  = 8       // hosts on the way to another one
)

// home returns the home directory of the user, or "" in restricted mode.
func (c *Client) home() string {
	if c.Getenv == nil {
		return ""
	}
	return cmp.Or(c.Getenv("HOME"), c.Getenv("USERPROFILE"))
}

// sshFile returns the path of a file in ~/.ssh, or "".
func (c *Client) sshFile(name string) string {
	home := c.home()
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".ssh", name)
}

// resolve returns the server of r.
func (c *Client) resolve(r *request) host {
	port := ""
	if r.url.Port != 0 {
		_, port, _ = net.SplitHostPort(r.addr)
	}
	return c.resolveHost(r.url.Host, port, r.url.User)
}

// resolveHost returns the server for the name of a host in the configuration. A port and a user in a URL take precedence.
func (c *Client) resolveHost(name, port, user string) host {
	h := host{user: user}
	real := name
	if config, err := c.readConfig(); err != nil {
		h.note = "~/.ssh/config was not read: " + err.Error()
	} else if config != nil {
		get := func(key string) string {
			value, _ := config.Get(name, key)
			return value
		}
		real = strings.ReplaceAll(cmp.Or(get("HostName"), name), "%h", name)
		port, h.user = cmp.Or(port, get("Port")), cmp.Or(user, get("User"))
		h.identityFiles, _ = config.GetAll(name, "IdentityFile")
		h.identitiesOnly = strings.EqualFold(get("IdentitiesOnly"), "yes")
		if jump := get("ProxyJump"); jump != "" && !strings.EqualFold(jump, "none") {
			h.jumps = strings.Split(jump, ",")
		}
	}
	h.addr = net.JoinHostPort(real, cmp.Or(port, "22"))
	if c.Getenv != nil {
		h.user = cmp.Or(h.user, c.Getenv("USER"), c.Getenv("LOGNAME"), c.Getenv("USERNAME"))
	}
	return h
}

// readConfig reads ~/.ssh/config. Without such a file the result is nil.
func (c *Client) readConfig() (*ssh_config.Config, error) {
	path := c.sshFile("config")
	if path == "" {
		return nil, nil
	}
	data, err := userfile.Read(path, maxConfig)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return ssh_config.DecodeBytes(data)
}

// splitJump splits a host of ProxyJump: [user@]host[:port], or a URL.
func splitJump(text string) (name, port, user string) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "ssh://")
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		user, text = text[:at], text[at+1:]
	}
	if name, port, err := net.SplitHostPort(text); err == nil {
		return name, port, user
	}
	return strings.Trim(text, "[]"), "", user
}

// expand replaces "~" and the tokens of ssh_config in the path of a file of the user.
func (c *Client) expand(path string, h host) string {
	name, _, _ := net.SplitHostPort(h.addr)
	path = strings.NewReplacer("%d", c.home(), "%h", name, "%r", h.user, "%u", c.Getenv("USER"), "%%", "%").Replace(strings.Trim(path, `"`))
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(c.home(), rest)
	}
	if !filepath.IsAbs(path) {
		path = c.sshFile(path)
	}
	return path
}

// shorten returns the path of a file of the user as it is shown.
func (c *Client) shorten(path string) string {
	if rest, ok := strings.CutPrefix(path, c.home()+string(os.PathSeparator)); ok && c.home() != "" {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

// isInside reports whether the host of u runs inside this program.
func (c *Client) isInside(u urlcore.FTP) bool {
	if c.Dialer.Locals == nil {
		return false
	}
	_, ours := c.Dialer.Locals.ListenAddr(u.Addr())
	return ours
}
