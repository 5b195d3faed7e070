package userfile

import (
	"bytes"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestEntries(t *testing.T) {
	e := Entries{Max: 3, Size: 40, Key: func(line []byte) (string, bool) {
		f := bytes.Fields(line)
		if len(f) != 2 || f[0][0] == '#' {
			return "", false
		}
		return string(f[0]), true
	}}
	for _, tt := range []struct{ name, file, key, line, want string }{
		{"the first", "", "a", "a 1\n", "a 1\n"},
		{"in place of others", "a 1\nb 1\na 2\n", "a", "a 3\n", "b 1\na 3\n"},
		{"removed", "a 1\nb 1\n", "a", "", "b 1\n"},
		{"odd lines", "# mine\r\n\na 1\n\xff no end", "a", "a 2\n", "# mine\r\n\n\xff no end\na 2\n"},
		{"an entry without an end", "a 1\nb 1", "c", "c 1\n", "a 1\nb 1\nc 1\n"},
		{"too many", "# x\na 1\nb 1\nc 1\n", "d", "d 1\n", "# x\nb 1\nc 1\nd 1\n"},
		{"too large", "# 345678901234567890\na 1\nb 12345678901\n", "d", "d 1\n", "# 345678901234567890\nb 12345678901\nd 1\n"},
	} {
		fetchtest.Equal(t, string(e.Set([]byte(tt.file), tt.key, tt.line)), tt.want, "%s", tt.name)
	}
}
