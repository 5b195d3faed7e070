// Package bundle has the format of bundles: zip archives with pages and files of servers, and with a map from their URLs
// to the entries. docs/bundle.md describes the format.
//
// A bundle may be made by an attacker. The map is read line by line within bounds, and lines about URLs of this machine are
// refused. The octets of an entry are compared with their digest before they are shown. The names of entries are never used
// as local paths.
package bundle

import (
	"strings"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// Format is the value of [Head.Format].
const Format = "gofer-bundle/1"

// The names of the entries that every bundle has.
const (
	MapName   = "gofer-bundle.jsonl" // the first entry
	IndexName = "index.html"
)

// The bounds of a map and of the names in the archive. Creating a bundle keeps them too, see [Room].
const (
	MaxEntries = 100_000  // saved pages; the map may name as many that were left out
	maxMap     = 64 << 20 // octets
	maxLine    = 64 << 10 // octets
	maxNames   = 16 << 20 // octets of the names of entries, so that programs can list the archive
)

// Head is the first line of a map.
type Head struct {
	Format  string    `json:"format"`
	Saved   time.Time `json:"saved"`
	Program string    `json:"program,omitempty"`
}

// Entry is another line of a map: a saved page or file, or one that was left out.
type Entry struct {
	URL      string    `json:"url"`
	Also     string    `json:"also,omitempty"`  // another URL of the same resource
	Name     string    `json:"entry,omitempty"` // the name of the entry; "" if it was left out
	Title    string    `json:"title,omitempty"`
	Media    string    `json:"media,omitempty"`
	Charset  string    `json:"charset,omitempty"`
	Size     int64     `json:"size,omitempty"` // octets
	SHA256   string    `json:"sha256,omitempty"`
	Modified time.Time `json:"modified,omitzero"` // by the server
	Saved    time.Time `json:"saved,omitzero"`
	Start    bool      `json:"start,omitempty"`    // a page that the user named
	Made     bool      `json:"made,omitempty"`     // the octets are a page that gofer made of a list
	LeftOut  string    `json:"left_out,omitempty"` // why it was left out; "" for a saved page
}

// Accepts reports whether a bundle may have a page of u: neither of this machine, nor with a password, nor for another
// program.
func Accepts(u urlcore.URL) bool {
	switch u := u.(type) {
	case nil, urlcore.File:
		return false
	case urlcore.News:
		return urlcore.Redact(u) == urlcore.URL(u)
	}
	addr, ok := urlcore.Addr(u)
	return ok && addr != "" && protocols.KindOf(u).Opening() != protocols.OpensProgram && urlcore.Redact(u) == u
}

// Begins reports whether first, the first octets of a file, are those of a bundle.
func Begins(first []byte) bool {
	const nameAt = 30 // the offset of the name in the header of an entry
	return len(first) > nameAt && strings.HasPrefix(string(first), "PK\x03\x04") && strings.HasPrefix(string(first[nameAt:]), MapName)
}
