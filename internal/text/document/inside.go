package document

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/text/archive"
	"gofer/internal/text/bundle"
	"gofer/protocols"
	"gofer/urlcore"
)

// ArchiveURL returns the URL of the entries of the archive u: "about:archive?" and the escaped text
// of u. The result is nil if there is no such URL.
func ArchiveURL(u urlcore.URL) urlcore.URL { return insideURL("archive", u) }

// MessageURL returns the URL of message n of the mailbox u: "about:message/2/message.eml?" and the
// escaped text of u. The first message is 1. The result is nil if there is no such URL.
func MessageURL(u urlcore.URL, n int) urlcore.URL {
	return insideURL("message/"+strconv.Itoa(n)+"/message.eml", u)
}

// EntryURL returns the URL of entry n of the archive u: "about:entry/2/name.txt?" and the escaped
// text of u. The first entry is 1. The result is nil if there is no such URL.
func EntryURL(u urlcore.URL, n int, name string) urlcore.URL {
	return insideURL("entry/"+strconv.Itoa(n)+"/"+urlcore.EscapeQuery(name), u)
}

// maxInside is the largest length of a URL from insideURL, in octets. The URL of a nested archive
// contains the URLs of the archives around it.
const maxInside = 4 << 10

func insideURL(page string, u urlcore.URL) urlcore.URL {
	if u == nil {
		return nil
	}
	c, err := urlcore.Canon(urlcore.Generic{Name: "about", Rest: page + "?" + urlcore.EscapeQuery(urlcore.Redact(u).String())})
	if err != nil || len(c.String()) > maxInside {
		return nil
	}
	return c
}

// maxSizeInside is the largest size, in octets, of a file that gets a link to its contents.
const maxSizeInside = 1 << 30

// insideLines returns a line that links to the content of an archive or a compressed file, or nil
// for other documents.
func (d *Document) insideLines() []protocols.Line {
	if d.Problem != "" || d.Size > maxSizeInside {
		return nil
	}
	kind := archive.KindOf(d.first)
	if name := strings.ToLower(FileName(d.URL)); kind == archive.KindCompressed && (strings.HasSuffix(TrimCompression(name), ".tar") || hasTarSuffix(name)) {
		kind = archive.KindArchive // the first block is too short to recognize a tar archive
	}
	line := protocols.Line{Kind: protocols.Directory, Text: "Open the archive", Link: ArchiveURL(d.URL)}
	if bundle.Begins(d.first) {
		line.Text = "Open the bundle of saved pages"
		line.Link, _ = urlcore.Bundled(d.URL, nil)
	}
	if kind == archive.KindCompressed {
		name := TrimCompression(FileName(d.URL))
		_, kind := protocols.BySuffix(name)
		if kind == protocols.Other {
			kind = protocols.Text
		}
		line = protocols.Line{Kind: kind, Text: "Open the uncompressed content", Link: EntryURL(d.URL, 1, name)}
	}
	if kind == archive.KindNone || line.Link == nil {
		return nil
	}
	return []protocols.Line{line}
}

func hasTarSuffix(name string) bool {
	return slices.Contains([]string{".tgz", ".tbz", ".tbz2", ".txz", ".tzst"}, path.Ext(name))
}

// FileName returns the file name in u, which may be empty.
func FileName(u urlcore.URL) string {
	if f, ok := u.(interface{ FileName() string }); ok {
		return f.FileName()
	}
	return ""
}

// TrimCompression returns a file name without the suffix of a compression.
func TrimCompression(name string) string {
	for _, suffix := range []string{".gz", ".bz2", ".xz", ".zst", ".z"} {
		if n := len(name) - len(suffix); n > 0 && strings.EqualFold(name[n:], suffix) {
			return name[:n]
		}
	}
	return name
}
