package wais

import (
	"fmt"
	"strconv"
	"strings"

	"gofer/urlcore"
)

// The tags of the original database and of the name in it in a document id.
const (
	idDatabase = 2
	idLocal    = 3
)

// indexedSize returns the size that a document of freeWAIS had when it was indexed, or -1
// for another server. The local id of freeWAIS consists of the offsets where the document
// begins and ends in its file, and the name of the file.
func indexedSize(id string) int64 {
	size := int64(-1)
	_ = eachField([]byte(id), func(tag int, value []byte) {
		var start, end int64
		var file string
		if n, _ := fmt.Sscanf(string(value), "%d %d %s", &start, &end, &file); tag == idLocal && n == 3 {
			size = end - start
		}
	})
	return size
}

// wpath returns a document id as the fields of a wpath (draft of March 1994): each is a tag, "=", a
// value and ";", with "%" and ";" in values escaped. It returns an id unchanged if the id does not
// consist of fields, or if documentID would not return exactly the same octets.
func wpath(id string) string {
	var b strings.Builder
	for rest := []byte(id); len(rest) > 0; {
		tag, value, after, ok := cutField(rest)
		if !ok {
			return id
		}
		b.WriteString(strconv.Itoa(tag) + "=" + escape.Replace(string(value)) + ";")
		rest = after
	}
	if back, ok := fields(b.String()); !ok || back != id {
		return id
	}
	return b.String()
}

var escape = strings.NewReplacer("%", "%25", ";", "%3B")

// documentID returns the id in a wpath, or false if there is none. A wpath of libwww begins with
// the length of the id.
func documentID(wpath string) (id string, ok bool) {
	path := wpath
	if length, rest, ok := strings.Cut(wpath, "/"); ok && isDigits(length) {
		path = rest
	}
	if id, ok := fields(path); ok {
		return id, true
	}
	return wpath, wpath != ""
}

// fields encodes the fields of a wpath.
func fields(path string) (id string, ok bool) {
	var b []byte
	for path != "" {
		var field string
		field, path, _ = strings.Cut(path, ";")
		digits, value, ok := strings.Cut(field, "=")
		tag, err := strconv.Atoi(digits)
		if !ok || err != nil || !isDigits(digits) || tag > maxInteger {
			return "", false
		}
		b = appendField(b, tag, unescape(value))
	}
	return string(b), len(b) > 0
}

// unescape decodes the escapes in s. Every other "%" stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// link returns the URL of a document in the database of w, or nil if no URL can express the id.
func link(w urlcore.WAIS, typ, id string) urlcore.URL {
	d := urlcore.WAIS{HostPort: w.HostPort, Database: w.Database, Type: typ, Document: wpath(id), HasDocument: true}
	if back, ok := documentID(d.Document); !ok || back != id {
		return nil
	}
	return d
}
