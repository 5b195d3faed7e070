package history

import (
	"bytes"
	"fmt"
	"strings"

	"gofer/internal/userfile"
)

// The largest number of servers in the file of charsets, and the largest size of the file in
// octets.
const (
	maxCharsets     = 1000
	maxCharsetsFile = 1 << 20
)

// charsetLines describes the lines of the file. The server is the key of a line.
var charsetLines = userfile.Entries{Max: maxCharsets, Size: maxCharsetsFile, Key: func(line []byte) (string, bool) {
	server, _, ok := charsetLine(line)
	return server, ok
}}

func charsetLine(line []byte) (server, charset string, ok bool) {
	f := bytes.Fields(line)
	if len(f) != 2 || f[0][0] == '#' {
		return "", "", false
	}
	return string(f[0]), string(f[1]), true
}

// Charsets is a text file of the charsets of servers. Each line has a server, a blank and the
// name of a charset; the latest choice is last. Several processes may share it. It is safe for
// concurrent use.
type Charsets struct{ path string }

// OpenCharsets returns the charsets in the file at path, which need not exist.
func OpenCharsets(path string) *Charsets { return &Charsets{path} }

// All returns the names of the charsets by server. It skips invalid lines.
func (c *Charsets) All() (map[string]string, error) {
	all := make(map[string]string)
	if c.path == "" {
		return all, nil
	}
	data, err := userfile.Read(c.path, maxCharsetsFile)
	for line := range bytes.Lines(data) {
		if server, charset, ok := charsetLine(line); ok {
			all[server] = charset
		}
	}
	return all, c.wrap(err)
}

// Set sets the charset of a server; "" removes it. If there are too many servers, the entries
// set longest ago are removed.
func (c *Charsets) Set(server, charset string) error {
	if c.path == "" || server == "" || strings.ContainsAny(server+charset, " \t\r\n") {
		return nil
	}
	return c.wrap(userfile.Change(c.path, maxCharsetsFile, func(old []byte) ([]byte, error) {
		line := ""
		if charset != "" {
			line = server + " " + charset + "\n"
		}
		return charsetLines.Set(old, server, line), nil
	}))
}

func (c *Charsets) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("charsets %s: %w", c.path, err)
}
