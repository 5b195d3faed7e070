package gopher

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// kindOf returns what an item type leads to: those of RFC 1436, section 3.8,
// of Gopher+ (":", ";", "<"), and the ones that came into use later.
func kindOf(typ byte) protocols.Kind {
	switch typ {
	case '0':
		return protocols.Text
	case '1':
		return protocols.Menu
	case '2':
		return protocols.Phonebook
	case '3':
		return protocols.Failure
	case '4', '5', '6':
		return protocols.Archive
	case '7':
		return protocols.Search
	case '8', 'T':
		return protocols.Session
	case '9':
		return protocols.Binary
	case 'g', 'I', 'p', ':':
		return protocols.Image
	case 's', '<':
		return protocols.Sound
	case ';', 'v', 'Q':
		return protocols.Movie
	case 'h', 'H':
		return protocols.HTML
	case 'd', 'P', 'r', 'M', 'X', 'x', 'c':
		return protocols.Document
	case 'i':
		return protocols.Info
	}
	return protocols.Other
}

// kindOfURL returns what the target of an "h" item with a URL leads to.
func kindOfURL(u urlcore.URL) protocols.Kind {
	switch u := u.(type) {
	case urlcore.Gopher:
		return kindOf(u.Type)
	case urlcore.FTP:
		switch {
		case u.Type == 'd' || u.Path == "" || strings.HasSuffix(u.Path, "/"):
			return protocols.Directory
		case u.Type == 'a' || mediaByName(u.Path) == "text/plain":
			return protocols.Text
		}
		return protocols.Binary
	case urlcore.News:
		if u.MessageID != "" {
			return protocols.Article
		}
		return protocols.Group
	case urlcore.NNTP:
		if u.HasArticle {
			return protocols.Article
		}
		return protocols.Group
	}
	switch u.Scheme() {
	case "telnet", "tn3270", "rlogin":
		return protocols.Session
	case "mailto":
		return protocols.Mail
	}
	return protocols.Other
}

// isSession reports whether g is a terminal session, which is never asked for
// by Gopher.
func isSession(g urlcore.Gopher) bool { return g.Type == '8' || g.Type == 'T' }

// isMenu reports whether the answer is to be read as a menu. A redundant
// server ("+") may offer anything, so there its first octets decide.
func isMenu(g urlcore.Gopher, r *bufio.Reader) bool {
	if g.HasPlus && g.Plus != "+" {
		view, _, _ := strings.Cut(strings.TrimPrefix(g.Plus, "+"), " ")
		return g.Plus[:min(1, len(g.Plus))] == "+" &&
			(view == "application/gopher-menu" || view == "application/gopher+-menu")
	}
	switch g.Type {
	case '1', '3', '7', 'i':
		return true
	case '+':
		b, _ := r.Peek(r.Buffered())
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return bytes.Count(line, []byte("\t")) >= 3
	}
	return false
}

// isText reports whether the item is a text in the sense of RFC 1436.
func isText(g urlcore.Gopher) bool {
	return g.Type == '0' && (!g.HasPlus || g.Plus == "+" || strings.HasPrefix(g.Plus, "+text/"))
}

// looksLikeText reports whether the beginning of an answer is not a menu's.
func looksLikeText(b []byte) bool {
	if len(b) == 0 || b[0] == 'i' || b[0] == '3' || b[0] == '.' {
		return false
	}
	return bytes.IndexByte(b, '\n') >= 0 && bytes.IndexByte(b, '\t') < 0
}

// media returns the media type of an item that is not a menu: the view that
// was asked for, or else by the item type, or else by the end of the selector.
func media(g urlcore.Gopher) string {
	if g.HasPlus && len(g.Plus) > 1 && g.Plus[0] == '+' {
		view, _, _ := strings.Cut(g.Plus[1:], " ")
		return strings.ToLower(view)
	}
	if g.HasPlus && g.Plus != "+" {
		return "text/plain"
	}
	switch g.Type {
	case '0':
		if m := mediaByName(g.Selector); strings.HasPrefix(m, "text/") && m != "text/html" {
			return m
		}
		return "text/plain"
	case '4':
		return "application/mac-binhex40"
	case 'g':
		return "image/gif"
	case 'p':
		return "image/png"
	case 'h', 'H':
		return "text/html"
	case 'P':
		return "application/pdf"
	case 'r':
		return "application/rtf"
	case 'c':
		return "text/calendar"
	}
	if m := mediaByName(g.Selector); m != "" {
		return m
	}
	switch g.Type {
	case '5', '9':
		return "application/octet-stream"
	case '6':
		return "text/x-uuencode"
	case 'M':
		return "multipart/mixed"
	case 'X', 'x':
		return "application/xml"
	}
	return ""
}

// mediaByName returns the media type that the suffix of a name stands for, or
// "". The system's own tables are not asked: they differ everywhere.
func mediaByName(name string) string { return mediaOfSuffix[strings.ToLower(path.Ext(name))] }

var mediaOfSuffix = map[string]string{
	".txt":  "text/plain",
	".text": "text/plain",
	".asc":  "text/plain",
	".md":   "text/markdown",
	".html": "text/html",
	".htm":  "text/html",
	".gif":  "image/gif",
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".webp": "image/webp",
	".bmp":  "image/bmp",
	".tif":  "image/tiff",
	".tiff": "image/tiff",
	".svg":  "image/svg+xml",
	".wav":  "audio/x-wav",
	".au":   "audio/basic",
	".snd":  "audio/basic",
	".mp3":  "audio/mpeg",
	".ogg":  "audio/ogg",
	".oga":  "audio/ogg",
	".flac": "audio/flac",
	".mid":  "audio/midi",
	".midi": "audio/midi",
	".mp4":  "video/mp4",
	".mpg":  "video/mpeg",
	".mpeg": "video/mpeg",
	".mov":  "video/quicktime",
	".avi":  "video/x-msvideo",
	".webm": "video/webm",
	".pdf":  "application/pdf",
	".ps":   "application/postscript",
	".eps":  "application/postscript",
	".rtf":  "application/rtf",
	".doc":  "application/msword",
	".epub": "application/epub+zip",
	".zip":  "application/zip",
	".gz":   "application/gzip",
	".tgz":  "application/gzip",
	".bz2":  "application/x-bzip2",
	".xz":   "application/x-xz",
	".zst":  "application/zstd",
	".tar":  "application/x-tar",
	".7z":   "application/x-7z-compressed",
	".hqx":  "application/mac-binhex40",
	".xml":  "application/xml",
}

// sessionPage is what a gopher: URL of a terminal session leads to: its
// link, under its own scheme. Nothing is sent.
func sessionPage(g urlcore.Gopher) (*protocols.Resource, error) {
	port := g.Port
	if port == 0 {
		port = 70
	}
	link, err := urlcore.NewGopherItem(g.Type, g.Selector, g.Host, port)
	if err != nil {
		return nil, &protocols.Error{Reason: protocols.BadURL, Op: "open a terminal session", Err: err}
	}
	lines := []protocols.Line{
		{Kind: protocols.Info, Text: "This Gopher item is a terminal session:"},
		{Kind: protocols.Session, Text: link.String(), Link: link},
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: g, Title: title(g), Media: protocols.MediaMenu, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		},
		Closer: io.NopCloser(nil),
	}, nil
}
