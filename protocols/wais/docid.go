package wais

import (
	"fmt"
	"strconv"
	"strings"

	"gofer/urlcore"
)

// Tags in a document id: for the original database, and for the name of the document in it.
const (
	idDatabase = 2
	idLocal    = 3
)

// indexedSize returns the size that a document of freeWAIS had when it was indexed, or -1 for
// another server. freeWAIS writes three things into the local id: the offsets where the document
// begins and ends in its file, and the name of the file.
func indexedSize(id string) int64 {
	size := int64(-1)
	_ = walkFields([]byte(id), func(tag int, value []byte) {
		var start, end int64
		var file string
		if n, _ := fmt.Sscanf(string(value), "%d %d %s", &start, &end, &file); tag == idLocal && n == 3 {
			size = end - start
		}
	})
	return size
}

// wpathOf returns a document id as the fields of a wpath (draft of March 1994). A field is a tag, "=", a
// value and ";", and "%" and ";" in the value are escaped. If parseWpath would not return the same id
// for the result, wpathOf returns the id unchanged.
func wpathOf(id string) string {
	var b strings.Builder
	for rest := []byte(id); len(rest) > 0; {
		tag, value, after, ok := cutField(rest)
		if !ok {
			return id
		}
		b.WriteString(strconv.Itoa(tag) + "=" + escape.Replace(string(value)) + ";")
		rest = after
	}
	if back, ok := parseWpath(b.String()); !ok || back != id {
		return id
	}
	return b.String()
}

var escape = strings.NewReplacer("%", "%25", ";", "%3B")

// documentID returns the id in a wpath, or false if the wpath is empty. A wpath of libwww begins
// with the length of the id.
func documentID(wpath string) (id string, ok bool) {
	path := wpath
	if length, rest, ok := strings.Cut(wpath, "/"); ok && isDigits(length) {
		path = rest
	}
	if id, ok := parseWpath(path); ok {
		return id, true
	}
	return wpath, wpath != ""
}

// parseWpath returns the id that the fields of a wpath encode.
func parseWpath(path string) (id string, ok bool) {
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

// unescape decodes the escapes in s. It does not change any other "%".
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

// documentURL returns the URL of a document in the database of w, or nil if no URL can express the
// id.
func documentURL(w urlcore.WAIS, typ, id string) urlcore.URL {
	d := urlcore.WAIS{HostPort: w.HostPort, Database: w.Database, Type: typ, Document: wpathOf(id), HasDocument: true}
	if back, ok := documentID(d.Document); !ok || back != id {
		return nil
	}
	return d
}
