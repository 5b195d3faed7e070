package history

import (
	"bytes"
	"fmt"
	"strings"

	"gofer/internal/userfile"
)

// What is kept of charsets at most: servers, and octets of the file.
const (
	maxCharsets     = 1000
	maxCharsetsFile = 1 << 20
)

// Charsets is a text file of the charsets in which pages of servers are read:
// on each line a server, a blank and the name of a charset, the latest choice
// last. Several running programs may share it. It is safe for concurrent use.
type Charsets struct{ path string }

// OpenCharsets returns the charsets in the file at path, which need not exist.
func OpenCharsets(path string) *Charsets { return &Charsets{path} }

// All returns the names of the charsets by server. Lines that are none are
// passed over.
func (c *Charsets) All() (map[string]string, error) {
	all := make(map[string]string)
	if c.path == "" {
		return all, nil
	}
	data, err := userfile.Read(c.path, maxCharsetsFile)
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 2 {
			all[f[0]] = f[1]
		}
	}
	return all, c.wrap(err)
}

// Set remembers the charset of a server; "" forgets it. The servers whose
// charset was set longest ago are forgotten when there are too many.
func (c *Charsets) Set(server, charset string) error {
	if c.path == "" || server == "" || strings.ContainsAny(server+charset, " \t\r\n") {
		return nil
	}
	return c.wrap(userfile.Change(c.path, maxCharsetsFile, func(old []byte) ([]byte, error) {
		var lines [][]byte
		for line := range bytes.Lines(old) {
			if f := bytes.Fields(line); len(f) == 2 && string(f[0]) != server {
				lines = append(lines, line)
			}
		}
		if charset != "" {
			lines = append(lines, []byte(server+" "+charset+"\n"))
		}
		return bytes.Join(lines[max(0, len(lines)-maxCharsets):], nil), nil
	}))
}

func (c *Charsets) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("charsets %s: %w", c.path, err)
}
