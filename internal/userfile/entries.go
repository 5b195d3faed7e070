package userfile

import (
	"bytes"
	"slices"
)

// Entries describes a file whose lines are entries with keys. Other lines, such as comments, stay
// unchanged.
type Entries struct {
	Key  func(line []byte) (key string, ok bool) // returns the key of a line; ok is false if it is not an entry
	Max  int                                     // largest number of entries
	Size int                                     // largest size of the file in octets
}

// Set returns file without the entries of key, and with line at its end. The line ends in LF, or is ""
// to add nothing. Set drops the first entries if there would be more than Max entries or Size octets.
func (e Entries) Set(file []byte, key, line string) []byte {
	entries, size := 0, len(line)+1
	if line != "" {
		entries++
	}
	lines := slices.DeleteFunc(slices.Collect(bytes.Lines(file)), func(l []byte) bool {
		of, ok := e.Key(l)
		if ok && of == key {
			return true
		}
		if size += len(l); ok {
			entries++
		}
		return false
	})
	lines = slices.DeleteFunc(lines, func(l []byte) bool {
		if _, ok := e.Key(l); !ok || entries <= e.Max && size <= e.Size {
			return false
		}
		entries, size = entries-1, size-len(l)
		return true
	})
	out := bytes.Join(lines, nil)
	if line != "" && len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, line...)
}
