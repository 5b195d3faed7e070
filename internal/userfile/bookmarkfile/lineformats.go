package bookmarkfile

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"net"
	"strconv"
	"strings"

	"gofer/history/bookmarks"
	"gofer/urlcore"
)

func writeText(w *bufio.Writer, list []bookmarks.Bookmark) {
	folder := ""
	for i := range list {
		if list[i].Folder != folder {
			folder = list[i].Folder
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "## %s\n", folder)
		}
		fmt.Fprintln(w, strings.TrimRight(reference(&list[i])+" "+list[i].Text(), " "))
	}
}

func readText(data []byte, keep func(string, bookmarks.Bookmark)) error {
	folder := ""
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if name, ok := strings.CutPrefix(text, "##"); ok {
			folder = strings.TrimSpace(strings.TrimLeft(name, "#"))
		} else if text != "" && text[0] != '#' {
			u, title, _ := strings.Cut(strings.Replace(text, "\t", " ", 1), " ")
			keep(u, bookmarks.Bookmark{Title: strings.TrimSpace(title), Folder: folder})
		}
	}
	return nil
}

// writeGemtext writes a text/gemini page of links with a heading for each folder.
func writeGemtext(w *bufio.Writer, list []bookmarks.Bookmark) {
	fmt.Fprintln(w, "# Bookmarks")
	folder := ""
	for i := range list {
		if list[i].Folder != folder {
			folder = list[i].Folder
			fmt.Fprintf(w, "\n## %s\n", folder)
		}
		fmt.Fprintf(w, "=> %s %s\n", reference(&list[i]), titleOf(&list[i]))
	}
}

// readGemtext reads the links of a text/gemini page as Lagrange exports its bookmarks. Headings
// of the second level are folders, headings of the third level folders inside them.
func readGemtext(data []byte, keep func(string, bookmarks.Bookmark)) error {
	parent, folder, preformatted := "", "", false
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "```") {
			preformatted = !preformatted
		}
		name := oneLine(strings.TrimLeft(text, "#"))
		switch level := len(text) - len(strings.TrimLeft(text, "#")); {
		case preformatted:
		case level == 1:
			parent, folder = "", ""
		case level == 2:
			parent, folder = name, name
		case level > 2:
			folder = strings.Trim(parent+"/"+name, "/")
		case strings.HasPrefix(text, "=>"):
			u, title, _ := strings.Cut(oneLine(text[2:]), " ")
			keep(u, bookmarks.Bookmark{Title: title, Folder: folder})
		}
	}
	return nil
}

// writeGophermap writes a menu as servers publish it and as phetch stores its bookmarks. URLs that a
// menu item cannot name become "URL:" links, and folders become headings.
func writeGophermap(w *bufio.Writer, list []bookmarks.Bookmark) {
	folder := ""
	for i := range list {
		b := &list[i]
		if b.Folder != folder {
			folder = b.Folder
			fmt.Fprintf(w, "i\tfake\t(NULL)\t0\r\ni## %s\tfake\t(NULL)\t0\r\n", folder)
		}
		u := urlcore.Outward(b.URL)
		g, ok := u.(urlcore.Gopher)
		plain := urlcore.Gopher{HostPort: g.HostPort, Type: g.Type, Selector: g.Selector}
		if !ok || b.Fragment != "" || g != plain || g.Host == "" || strings.ContainsAny(g.Selector, "\t\r\n\x00") || strings.IndexByte(".i3h8T", g.Type) >= 0 {
			fmt.Fprintf(w, "h%s\tURL:%s\t(NULL)\t0\r\n", titleOf(b), reference(b))
			continue
		}
		g.Type = cmp.Or(g.Type, '1')
		addr, _ := urlcore.Addr(g)
		host, port, _ := net.SplitHostPort(addr)
		fmt.Fprintf(w, "%c%s\t%s\t%s\t%s\r\n", g.Type, titleOf(b), g.Selector, host, port)
	}
}

func readGophermap(data []byte, keep func(string, bookmarks.Bookmark)) error {
	folder := ""
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		fields := strings.Split(text, "\t")
		if len(fields) < 2 || fields[0] == "" {
			continue
		}
		typ, title := fields[0][0], fields[0][1:]
		b := bookmarks.Bookmark{Title: strings.TrimSpace(title), Folder: folder}
		target, isURL := strings.CutPrefix(fields[1], "URL:")
		switch name, isFolder := strings.CutPrefix(title, "## "); {
		case typ == 'i' && isFolder:
			folder = name
		case typ == 'i' || typ == '3':
		case isURL:
			keep(target, b)
		case len(fields) < 4:
			keep("", b)
		case typ == '8':
			keep("telnet://"+net.JoinHostPort(fields[2], fields[3]), b)
		case typ == 'T':
			keep("tn3270://"+net.JoinHostPort(fields[2], fields[3]), b)
		default:
			port, err := strconv.ParseUint(strings.TrimSpace(fields[3]), 10, 16)
			u, err2 := urlcore.Canon(urlcore.Gopher{
				HostPort: urlcore.HostPort{Host: fields[2], Port: uint16(port)}, Type: typ, Selector: fields[1], //nolint:gosec // parsed with 16 bits
			})
			if err != nil || err2 != nil {
				keep("", b)
				continue
			}
			keep(u.String(), b)
		}
	}
	return nil
}

// writeBombadillo writes the bookmarks section of ~/.bombadillo.ini. The first "=" in a line ends the
// title, so "=" in titles becomes "-".
func writeBombadillo(w *bufio.Writer, list []bookmarks.Bookmark) {
	fmt.Fprintln(w, "[BOOKMARKS]")
	plain := strings.NewReplacer("=", "-", "[", "(", "]", ")")
	for i := range list {
		fmt.Fprintf(w, "%s=%s\n", plain.Replace(titleOf(&list[i])), reference(&list[i]))
	}
}

func readBombadillo(data []byte, keep func(string, bookmarks.Bookmark)) error {
	inside := false
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			inside = strings.EqualFold(text, "[BOOKMARKS]")
			continue
		}
		title, u, ok := strings.Cut(text, "=")
		for more := true; more && !strings.Contains(strings.SplitN(u, "=", 2)[0], ":"); { // this "=" does not precede a URL, so it is in the title
			var next string
			if next, u, more = strings.Cut(u, "="); more {
				title += "=" + next
			}
		}
		if inside && ok {
			keep(u, bookmarks.Bookmark{Title: strings.TrimSpace(title)})
		}
	}
	return nil
}
