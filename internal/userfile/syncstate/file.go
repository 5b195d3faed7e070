package syncstate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gofer/history/bookmarks"
	"gofer/internal/usenet/newsrc"
	"gofer/internal/usenet/score"
)

// Bounds of a file: its octets, and the changes of an article.
const (
	MaxFile    = 128 << 20
	maxToggled = 10_000
)

// line is a line of a file.
type line struct {
	Kind  string   `json:"kind"`
	Name  string   `json:"name"`
	Stamp uint64   `json:"stamp"`
	Value string   `json:"value"`
	Read  []string `json:"read,omitempty"`
}

const heading = "# gofer sync 1 "

// Encode writes the file of a machine: a heading with its name, a JSON object for each
// entry by kind and name, and the checksum of all that.
func (s State) Encode(machine string) []byte {
	b := bytes.NewBufferString(heading + machine + "\n")
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, key := range slices.SortedFunc(maps.Keys(s), Key.Compare) {
		e := s[key]
		l := line{Kind: key.Kind, Name: key.Name, Stamp: e.Stamp, Value: e.Value}
		for _, set := range e.Read {
			l.Read = append(l.Read, set.String())
		}
		_ = enc.Encode(l) // strings and numbers into memory
	}
	return append(b.Bytes(), checksum(b.Bytes())...)
}

// Compare orders keys by kind and name.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Kind, other.Kind), cmp.Compare(k.Name, other.Name))
}

func checksum(data []byte) string { return fmt.Sprintf("# end %x\n", sha256.Sum256(data)) }

// Decode reads the file of a machine. Skipped is the number of entries that make no sense.
// A file that is damaged, or not there as a whole, is an error.
func Decode(data []byte) (s State, machine string, skipped int, err error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	machine, ok := strings.CutPrefix(string(first), heading)
	end := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	if !ok || end == 0 || string(data[end:]) != checksum(data[:end]) {
		return nil, "", 0, errors.New("it is damaged, copied in part, or of another gofer")
	}
	s = make(State)
	for text := range bytes.Lines(data[len(first)+1 : end]) {
		var l line
		valid := json.Unmarshal(text, &l) == nil && len(l.Read) <= maxToggled
		e := Entry{Stamp: l.Stamp, Value: l.Value}
		for _, set := range l.Read {
			n, ok := newsrc.ParseNumbers(set)
			e.Read, valid = append(e.Read, n), valid && ok
		}
		if key := (Key{l.Kind, l.Name}); valid && key.Accepts(e.Value) {
			s[key] = e
		} else {
			skipped++
		}
	}
	return s, machine, skipped, nil
}

// server matches the name of a news server.
var server = regexp.MustCompile(`^(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\]):[0-9]{1,5}$`)

// Accepts reports whether a thing can have a value. Kinds of newer versions can have any.
func (k Key) Accepts(value string) bool {
	if !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false // JSON would change it, or a terminal
	}
	switch k.Kind {
	case Group:
		host, group, _ := strings.Cut(k.Name, " ")
		groups := newsrc.Parse([]byte(group + ":")).Groups()
		return server.MatchString(host) && (value == ":" || value == "!") && len(groups) == 1 && groups[0].Name == group && len(groups[0].Read) == 0
	case Rule:
		rules := score.Split([]byte(k.Name))
		return (value == "+" || value == "") && len(rules) == 1 && rules[0] == k.Name
	case Bookmark:
		return value == "" || bookmarks.ValidMark(k.Name, value)
	case Page:
		links, err := base64.StdEncoding.DecodeString(value)
		return err == nil && len(links)%8 == 0
	}
	return true
}
