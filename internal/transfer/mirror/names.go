package mirror

import (
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// IndexName is the name of the index file in a mirror. No item of a mirror has this name.
const IndexName = ".gofer-mirror.json"

// Names converts names of files between the octets of a server and the text that gofer shows, which is the local
// name. Names that are not UTF-8 are in a charset that the user has chosen, or in the charset that the listings show.
type Names struct {
	Raw    bool            // the local names are the octets of the server
	Chosen charset.Charset // the charset that the user has chosen for the server, or Auto

	evidence charset.Evidence
	reading  clean.Reading
	isStale  bool // the evidence has changed since reading was set
}

// Learn adds the texts of a listing to the evidence about the charset.
func (n *Names) Learn(listing iter.Seq2[int, protocols.Line]) {
	for _, line := range listing {
		if n.evidence.IsFull() {
			break
		}
		for _, text := range line.Texts() {
			n.evidence.Add(text)
		}
	}
	n.isStale = true
}

// LearnName adds a name to the evidence about the charset.
func (n *Names) LearnName(name string) {
	n.evidence.Add(name)
	n.isStale = true
}

// Reading returns how names are decoded that are not UTF-8.
func (n *Names) Reading() clean.Reading {
	if n.Chosen != charset.Auto {
		return clean.Reading{Charset: n.Chosen}
	}
	if n.isStale {
		c := n.evidence.Choose(charset.Auto, true)
		n.reading, n.isStale = clean.Reading{Charset: c.EightBit(), Items: c.Items}, false
	}
	return n.reading
}

// Shown returns the text of a name at the server. Like the octets, it may be an unsafe name.
func (n *Names) Shown(name string) string {
	if n.Raw || utf8.ValidString(name) {
		return name
	}
	return n.Reading().Decode(name)
}

// ByText maps the texts of names at the server to the names. A name in UTF-8 has priority.
func (n *Names) ByText(names []string) map[string]string {
	all := make(map[string]string, len(names))
	for _, name := range names {
		if text := n.Shown(name); all[text] == "" || text == name {
			all[text] = name
		}
	}
	return all
}

// Octets returns the name at the server for a local name: the name in listed, a result of ByText, or for a new name the
// octets in the charset that the user has chosen or that all listed names have, or else UTF-8.
func (n *Names) Octets(local string, listed map[string]string) string {
	if n.Raw || charset.IsASCII(local) || !utf8.ValidString(local) {
		return local
	}
	if name, ok := listed[local]; ok {
		return name
	}
	if valid, invalid := n.evidence.Counts(); n.Chosen != charset.Auto || invalid > 0 && valid == 0 {
		if octets, _, ok := n.Reading().Charset.Encode(local); ok {
			return octets
		}
	}
	return local
}

// index is the part of the index file about names. The values are percent-encoded, because JSON has no octets.
type index struct {
	Names map[string]string `json:"names"` // names at the server, by path in the mirror
}

// maxIndex limits the size of an index, in octets.
const maxIndex = 256 << 20

// ReadIndex reads the index of a mirror. The error is [userfile.ErrNotOnlyYours] if another user may have written the
// index, because it could make gofer take any files for saved ones.
func ReadIndex(dir string) ([]byte, error) {
	return userfile.ReadNoFollow(filepath.Join(dir, IndexName), maxIndex, true)
}

// ReadNames returns the names at the server of the items of a mirror whose octets are not UTF-8, by path. It ignores
// names that are not shown like the local name in any charset, because somebody else may have written the index.
func ReadNames(dir string) map[string]string {
	data, err := ReadIndex(dir)
	var x index
	if err != nil || json.Unmarshal(data, &x) != nil {
		return nil
	}
	names := make(map[string]string)
	for itemPath, encoded := range x.Names {
		if name, err := url.PathUnescape(encoded); err == nil && isNameOf(name, itemPath) {
			names[itemPath] = name
		}
	}
	return names
}

// isNameOf reports whether name is not UTF-8 and is shown like the last element of itemPath in some charset. A number
// and other changes at its end are allowed.
func isNameOf(name, itemPath string) bool {
	local := path.Base(itemPath)
	if utf8.ValidString(name) || strings.ContainsAny(name, "/\r\n\x00") {
		return false
	}
	for _, c := range charset.All() {
		shown := clean.Text(c.Decode(name))
		if stem, _, numbered := strings.Cut(local, "("); shown == local || numbered && stem != "" && strings.HasPrefix(shown, stem) {
			return true
		}
	}
	return false
}

// EncodeNames returns the index of a mirror with names by path, see [ReadNames].
func EncodeNames(names map[string]string) []byte {
	x := index{Names: make(map[string]string, len(names))}
	for itemPath, name := range names {
		x.Names[itemPath] = url.PathEscape(name)
	}
	data, _ := json.MarshalIndent(x, "", "\t") // strings can always be encoded
	return append(data, '\n')
}

// KeepNames adds to names the entries of earlier whose items still exist in dir.
func KeepNames(names, earlier map[string]string, dir string) {
	for itemPath, name := range earlier {
		if _, ok := names[itemPath]; !ok {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(itemPath))); !errors.Is(err, fs.ErrNotExist) {
				names[itemPath] = name
			}
		}
	}
}

// ListedNames returns the names at the server in a listing.
func ListedNames(listing iter.Seq2[int, protocols.Line]) (names []string) {
	for _, line := range listing {
		if u, ok := line.Link.(urlcore.FTP); ok {
			names = append(names, u.FileName())
		}
	}
	return names
}
