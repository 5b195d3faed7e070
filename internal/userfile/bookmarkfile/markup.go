package bookmarkfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"gofer/history/bookmarks"
)

const maxText = 64 << 10 // bounds the text of one element, in octets

// writeHTML writes a file in the format "Netscape bookmarks", which browsers export and import.
func writeHTML(w *bufio.Writer, list []bookmarks.Bookmark) {
	fmt.Fprint(w, "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"+
		"<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n"+
		"<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n")
	indent := func(depth int) string { return strings.Repeat("    ", depth+1) }
	walkFolders(list, func(name string, depth int) {
		fmt.Fprintf(w, "%s<DT><H3>%s</H3>\n%s<DL><p>\n", indent(depth), html.EscapeString(name), indent(depth))
	}, func(depth int) {
		fmt.Fprintf(w, "%s</DL><p>\n", indent(depth))
	}, func(b *bookmarks.Bookmark, depth int) {
		tags := ""
		if len(b.Tags) > 0 {
			tags = fmt.Sprintf(" TAGS=\"%s\"", html.EscapeString(strings.Join(b.Tags, ",")))
		}
		untagged := bookmarks.Bookmark{URL: b.URL, Fragment: b.Fragment, Title: b.Title}
		fmt.Fprintf(w, "%s<DT><A HREF=\"%s\"%s>%s</A>\n", indent(depth), html.EscapeString(reference(b)), tags, html.EscapeString(titleOf(&untagged)))
	})
	fmt.Fprint(w, "</DL><p>\n")
}

// writeLynx writes a bookmark file of Lynx, with one line for each link.
func writeLynx(w *bufio.Writer, list []bookmarks.Bookmark) {
	fmt.Fprint(w, "<head>\n<META http-equiv=\"content-type\" content=\"text/html;charset=utf-8\">\n"+
		"<title>Bookmark file</title>\n</head>\n<p>\n<ol>\n")
	for i := range list {
		fmt.Fprintf(w, "<LI><a href=\"%s\">%s</a>\n", html.EscapeString(reference(&list[i])), html.EscapeString(titleOf(&list[i])))
	}
}

// readHTML reads the links of any HTML page. A list below a heading becomes a folder.
func readHTML(data []byte, keep func(string, bookmarks.Bookmark)) error {
	in, err := charset.NewReader(bytes.NewReader(data), "text/html")
	if err != nil {
		return err
	}
	z := nethtml.NewTokenizer(in)
	z.SetMaxBuf(maxText)
	var path folders
	var text strings.Builder
	heading, href, tags, open := "", "", "", false
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			if errors.Is(z.Err(), io.EOF) {
				return nil
			}
			return z.Err()
		case nethtml.TextToken:
			if text.Len() < maxText {
				text.Write(z.Text())
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			t := z.Token()
			switch t.Data {
			case "a":
				href, tags = attr(&t, "href"), attr(&t, "tags")
				open = href != ""
				text.Reset()
			case "h1", "h2", "h3", "h4":
				heading = ""
				text.Reset()
			case "dl":
				path.enter(heading)
				heading = ""
			}
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "a":
				if open {
					keep(href, bookmarks.Bookmark{Title: oneLine(text.String()), Folder: path.String(), Tags: tagList(tags)})
				}
				open = false
			case "h2", "h3", "h4": // h1 is the title of the file
				heading = oneLine(text.String())
			case "dl":
				path.leave()
			}
		}
	}
}

func attr(t *nethtml.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func tagList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '#' })
}

const xbelOwner = "gofer" // marks the tags in XBEL, which defines no tags (section "metadata")

func writeXBEL(w *bufio.Writer, list []bookmarks.Bookmark) {
	fmt.Fprint(w, xml.Header+"<!DOCTYPE xbel PUBLIC \"+//IDN python.org//DTD XML Bookmark Exchange Language 1.0//EN//XML\" "+
		"\"http://pyxml.sourceforge.net/topics/dtds/xbel.dtd\">\n<xbel version=\"1.0\">\n")
	indent := func(depth int) string { return strings.Repeat("  ", depth+1) }
	walkFolders(list, func(name string, depth int) {
		fmt.Fprintf(w, "%s<folder>\n%s<title>%s</title>\n", indent(depth), indent(depth+1), escapeXML(name))
	}, func(depth int) {
		fmt.Fprintf(w, "%s</folder>\n", indent(depth))
	}, func(b *bookmarks.Bookmark, depth int) {
		fmt.Fprintf(w, "%s<bookmark href=\"%s\">", indent(depth), escapeXML(reference(b)))
		if b.Title != "" {
			fmt.Fprintf(w, "<title>%s</title>", escapeXML(b.Title))
		}
		if len(b.Tags) > 0 {
			fmt.Fprintf(w, "<info><metadata owner=\"%s\" tags=\"%s\"/></info>", xbelOwner, escapeXML(strings.Join(b.Tags, " ")))
		}
		fmt.Fprint(w, "</bookmark>\n")
	})
	fmt.Fprint(w, "</xbel>\n")
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // no error, because writing to a Builder cannot fail
	return b.String()
}

// maxOpen bounds the number of open elements, and maxTag the octets of one tag.
const (
	maxOpen = 1 << 18
	maxTag  = 1 << 20
)

func readXBEL(data []byte, keep func(string, bookmarks.Bookmark)) error {
	var in folders
	var b bookmarks.Bookmark
	href, inBookmark := "", false
	return scanXML(data, func(t *xml.StartElement) {
		switch t.Name.Local {
		case "folder":
			in.enter("")
		case "bookmark":
			href, inBookmark, b = xmlAttr(t, "href"), true, bookmarks.Bookmark{Folder: in.String()}
		case "metadata":
			if xmlAttr(t, "owner") == xbelOwner {
				b.Tags = tagList(xmlAttr(t, "tags"))
			}
		}
	}, func(name, text string) {
		switch name {
		case "title":
			if inBookmark {
				b.Title = oneLine(text)
			} else {
				in.setName(oneLine(text))
			}
		case "folder":
			in.leave()
		case "bookmark":
			keep(href, b)
			inBookmark = false
		}
	})
}

// scanXML calls start for each start tag of data, and end for each end tag. The parameter text of end
// is the text since the last start tag. scanXML skips errors in the markup where possible.
func scanXML(data []byte, start func(*xml.StartElement), end func(name, text string)) error {
	for rest := data; len(rest) > 0; {
		_, tag, _ := bytes.Cut(rest, []byte("<"))
		if len(tag) > maxTag && bytes.IndexByte(tag[:maxTag], '>') < 0 {
			return fmt.Errorf("a tag has more than %d MiB", maxTag>>20)
		}
		_, rest, _ = bytes.Cut(tag, []byte(">"))
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict, d.Entity, d.CharsetReader = false, xml.HTMLEntity, charset.NewReaderLabel
	var text strings.Builder
	for open := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.CharData:
			if text.Len() < maxText {
				text.Write(t)
			}
		case xml.StartElement:
			if open++; open > maxOpen {
				return fmt.Errorf("more than %d elements are within each other", maxOpen)
			}
			text.Reset()
			start(&t)
		case xml.EndElement:
			open--
			end(t.Name.Local, text.String())
		}
	}
}

// writeOPML writes an outline (OPML 2.0) of links, as feed readers import it.
func writeOPML(w *bufio.Writer, list []bookmarks.Bookmark) {
	writeOutline(w, list, "Bookmarks", func(*bookmarks.Bookmark) string { return outlineLink })
}

// outlineLink begins the attributes of an outline that leads to a page.
const outlineLink = `type="link" url`

// writeOutline writes an outline. The function kind returns the attributes before the URL of a bookmark, and the name of its
// attribute.
func writeOutline(w *bufio.Writer, list []bookmarks.Bookmark, title string, kind func(*bookmarks.Bookmark) string) {
	fmt.Fprintf(w, "%s<opml version=\"2.0\">\n<head><title>%s</title></head>\n<body>\n", xml.Header, title)
	indent := func(depth int) string { return strings.Repeat("  ", depth+1) }
	walkFolders(list, func(name string, depth int) {
		fmt.Fprintf(w, "%s<outline text=\"%s\">\n", indent(depth), escapeXML(name))
	}, func(depth int) {
		fmt.Fprintf(w, "%s</outline>\n", indent(depth))
	}, func(b *bookmarks.Bookmark, depth int) {
		fmt.Fprintf(w, "%s<outline text=\"%s\" %s=\"%s\"/>\n", indent(depth), escapeXML(titleOf(b)), kind(b), escapeXML(reference(b)))
	})
	fmt.Fprint(w, "</body>\n</opml>\n")
}

// readOPML reads the outlines with a URL as bookmarks and the others as folders.
func readOPML(data []byte, keep func(string, bookmarks.Bookmark)) error {
	return readOutline(data, keep, "url", "htmlUrl", "xmlUrl")
}

func readOPMLFeeds(data []byte, keep func(string, bookmarks.Bookmark)) error {
	return readOutline(data, keep, "xmlUrl", "url", "htmlUrl")
}

// readOutline takes the URL of an outline from the first of three attributes that is there.
func readOutline(data []byte, keep func(string, bookmarks.Bookmark), first, second, third string) error {
	var in folders
	var isFolder []bool // for each open outline
	return scanXML(data, func(t *xml.StartElement) {
		if t.Name.Local != "outline" {
			return
		}
		url := cmp.Or(xmlAttr(t, first), xmlAttr(t, second), xmlAttr(t, third))
		text := oneLine(cmp.Or(xmlAttr(t, "text"), xmlAttr(t, "title")))
		isFolder = append(isFolder, url == "")
		if url == "" {
			in.enter(text)
		} else {
			keep(url, bookmarks.Bookmark{Title: text, Folder: in.String()})
		}
	}, func(name, _ string) {
		if name != "outline" || len(isFolder) == 0 {
			return
		}
		last := len(isFolder) - 1
		if isFolder[last] {
			in.leave()
		}
		isFolder = isFolder[:last]
	})
}

// setName sets the name of the innermost open folder, if that folder has no name.
func (f *folders) setName(name string) {
	if n := len(f.names); n > 0 && f.depth == n && f.names[n-1] == "" {
		f.names[n-1] = strings.ReplaceAll(name, "/", "-")
	}
}

func xmlAttr(t *xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
