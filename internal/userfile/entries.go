package userfile

import (
	"bytes"
	"slices"
)

// Entries describes a file with lines that have keys. A new line replaces the lines with the same key.
// All other lines stay unchanged.
type Entries struct {
	Key  func(line []byte) (key string, ok bool) // returns the key of a line that is an entry
	Max  int                                     // largest number of entries; the oldest are dropped
	Size int                                     // largest size of the file in octets
}

// Set replaces all entries of key by line, with its LF, or removes them if it is "".
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
