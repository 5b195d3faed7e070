package history

import (
	"bytes"
	"fmt"
	"strings"

	"gofer/internal/userfile"
)

// The largest number of entries in a file of choices, and the largest size of the file in octets.
const (
	maxChoices     = 1000
	maxChoicesFile = 1 << 20
)

// choiceLines describes the lines of the file.
var choiceLines = userfile.Entries{Max: maxChoices, Size: maxChoicesFile, Key: func(line []byte) (string, bool) {
	key, _, ok := choiceLine(line)
	return key, ok
}}

func choiceLine(line []byte) (key, value string, ok bool) {
	f := bytes.Fields(line)
	if len(f) != 2 || f[0][0] == '#' {
		return "", "", false
	}
	return string(f[0]), string(f[1]), true
}

// Choices is a text file of choices of the user, such as the charsets of servers. Each line has a key, a
// blank and the choice; the latest choice is last. Several processes may share the file. Choices is safe
// for concurrent use.
type Choices struct{ path, what string }

// OpenCharsets returns the charsets of servers in the file at path, which need not exist.
func OpenCharsets(path string) *Choices { return &Choices{path, "charsets"} }

// OpenOrders returns the orders of lists, by kind of page, in the file at path, which need not exist.
func OpenOrders(path string) *Choices { return &Choices{path, "orders of lists"} }

// All returns the choices by their keys. It skips invalid lines.
func (c *Choices) All() (map[string]string, error) {
	all := make(map[string]string)
	if c.path == "" {
		return all, nil
	}
	data, err := userfile.Read(c.path, maxChoicesFile)
	for line := range bytes.Lines(data) {
		if key, value, ok := choiceLine(line); ok {
			all[key] = value
		}
	}
	return all, c.wrap(err)
}

// Set sets the choice for a key; "" removes it. If there are too many entries, those set longest ago are
// removed.
func (c *Choices) Set(key, value string) error {
	if c.path == "" || key == "" || strings.ContainsAny(key+value, " \t\r\n") {
		return nil
	}
	return c.wrap(userfile.Change(c.path, maxChoicesFile, func(old []byte) ([]byte, error) {
		line := ""
		if value != "" {
			line = key + " " + value + "\n"
		}
		return choiceLines.Set(old, key, line), nil
	}))
}

func (c *Choices) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", c.what, c.path, err)
}
