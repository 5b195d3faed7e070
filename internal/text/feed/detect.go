package feed

import (
	"bytes"
	"regexp"
	"strings"
)

// The media types of feeds.
const (
	MediaRSS  = "application/rss+xml"
	MediaAtom = "application/atom+xml"
	MediaJSON = "application/feed+json"
)

// IsFeed reports whether a media type without parameters, in small letters, is the type of a feed.
func IsFeed(media string) bool { return media == MediaRSS || media == MediaAtom || media == MediaJSON }

// Detect returns the media type of the feed whose beginning is block, or "" for other documents. The parameter
// media is the declared type without parameters, in small letters, or "". If more is true, the octets after block
// may show that it is a feed.
func Detect(media string, block []byte) (feed string, more bool) {
	declared := IsFeed(media)
	switch media {
	case MediaJSON, "", "application/octet-stream", "text/plain", "text/html", "text/xml", "application/xml", "application/json", "text/json", "text/rss", "text/atom":
	default:
		if !strings.HasSuffix(media, "+xml") {
			return "", false
		}
	}
	rest := bytes.TrimLeft(block, " \t\r\n")
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(rest) == 0:
		feed, more = "", declared
	case rest[0] == '{':
		feed, more = detectJSON(rest)
	case rest[0] == '<':
		feed, more = detectXML(media, rest)
	}
	if feed == "" && declared {
		feed = media
	}
	return feed, more
}

// jsonVersion matches the version of a JSON feed (JSON Feed 1.1, "Top-level").
const jsonVersion = `"version"\s*:\s*"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/`

func detectJSON(b []byte) (feed string, more bool) {
	if regexp.MustCompile(jsonVersion).Match(b) {
		return MediaJSON, false
	}
	return "", true
}

// detectXML finds the root element after the declaration, comments and the document type.
func detectXML(media string, b []byte) (feed string, more bool) {
	for len(b) > 0 && b[0] == '<' {
		end := ">"
		switch {
		case bytes.HasPrefix(b, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(b, []byte("<!--")):
			end = "-->"
		case len(b) < len("<!--"):
			return "", true
		case b[1] == '!':
			if len(b) > 14 && strings.EqualFold(string(b[:14]), "<!DOCTYPE html") {
				return "", false
			}
			if declaration, _, ok := bytes.Cut(b, []byte(">")); ok && bytes.IndexByte(declaration, '[') >= 0 {
				end = "]>"
			}
		default:
			return detectRoot(media, b)
		}
		_, rest, ok := bytes.Cut(b, []byte(end))
		if !ok {
			return "", true
		}
		if b = bytes.TrimLeft(rest, " \t\r\n"); len(b) == 0 {
			return "", true
		}
	}
	return "", false
}

// detectRoot returns the type of the feed with the root element that begins b.
func detectRoot(media string, b []byte) (feed string, more bool) {
	tag, _, ended := bytes.Cut(b, []byte(">"))
	name, _, named := strings.Cut(strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "/", " ").Replace(string(tag[1:min(len(tag), 64)])), " ")
	if _, local, ok := strings.Cut(name, ":"); ok {
		name = local
	}
	name = strings.ToLower(name)
	has := func(names ...string) bool {
		for _, n := range names {
			if bytes.Contains(tag, []byte(n)) {
				return true
			}
		}
		return false
	}
	switch {
	case !ended && (!named || name == "rss" || name == "feed" || name == "rdf"):
		return "", len(tag) < 4<<10
	case name == "rss":
		return MediaRSS, false
	case name == "feed" && (media == MediaAtom || has("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#")):
		return MediaAtom, false
	case name == "rdf" && (media == MediaRSS || has("http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/", "http://purl.org/net/rss1.1#")):
		return MediaRSS, false
	}
	return "", false
}

// Charset returns the charset in the XML declaration that begins block, or "" (XML 1.0, section 4.3.3).
func Charset(block []byte) string {
	declaration, _, ok := bytes.Cut(bytes.TrimLeft(block[:min(len(block), 512)], "\ufeff \t\r\n"), []byte("?>"))
	if !ok || !xmlDeclaration(string(declaration)) {
		return ""
	}
	if m := regexp.MustCompile(`encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`).FindSubmatch(declaration); m != nil {
		return string(m[1])
	}
	return ""
}
