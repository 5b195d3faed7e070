package protocols

import (
	"strings"

	"gofer/urlcore"
)

// Kind says what a line is or what its link leads to.
type Kind uint8

// The kinds of lines. Their names (String) are part of the JSON output.
const (
	Info      Kind = iota // text of the page itself
	Heading               // a heading of the page itself
	Header                // a header field of an article
	Quote                 // a quoted line of an article
	Menu                  // a Gopher menu
	Directory             // an FTP directory
	Group                 // a newsgroup
	Article               // a news article
	Text                  // a text document
	Search                // asks for words
	Image                 // a picture
	Sound                 // a sound
	Movie                 // a film
	Document              // a formatted document (PDF, word processor)
	HTML                  // a hypertext document
	Archive               // an archive or compressed file
	Binary                // any other octets
	Session               // an interactive session (telnet, tn3270, rlogin)
	Mail                  // a mail address
	Phonebook             // a CSO phone book (Gopher type 2)
	Other                 // another scheme's URL, or a type nobody knows
	Failure               // an error that the server put into its page
	Problem               // a line that could not be understood, as it came
)

// String returns the kind's name as JSON output has it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

var kindNames = [...]string{
	Info: "info", Heading: "heading", Header: "header", Quote: "quote",
	Menu: "menu", Directory: "directory", Group: "group", Article: "article",
	Text: "text", Search: "search", Image: "image", Sound: "sound",
	Movie: "movie", Document: "document", HTML: "html", Archive: "archive",
	Binary: "binary", Session: "session", Mail: "mail",
	Phonebook: "phonebook", Other: "other", Failure: "failure",
	Problem: "problem",
}

// GopherKind returns what a Gopher item type leads to: those of RFC 1436, section 3.8,
// of Gopher+ (":", ";", "<"), and the ones that came into use later.
func GopherKind(typ byte) Kind {
	switch typ {
	case '0':
		return Text
	case '1':
		return Menu
	case '2':
		return Phonebook
	case '3':
		return Failure
	case '4', '5', '6':
		return Archive
	case '7':
		return Search
	case '8', 'T':
		return Session
	case '9':
		return Binary
	case 'g', 'I', 'p', ':':
		return Image
	case 's', '<':
		return Sound
	case ';', 'v', 'Q':
		return Movie
	case 'h', 'H':
		return HTML
	case 'd', 'P', 'r', 'M', 'X', 'x', 'c':
		return Document
	case 'i':
		return Info
	}
	return Other
}

// KindOf returns what a link to u leads to, as far as the URL alone can tell.
func KindOf(u urlcore.URL) Kind {
	switch u := u.(type) {
	case urlcore.Gopher:
		return GopherKind(u.Type)
	case urlcore.FTP:
		switch {
		case u.Type == 'd' || u.Path == "" || strings.HasSuffix(u.Path, "/"):
			return Directory
		case u.Type == 'a':
			return Text
		}
		if _, k := BySuffix(u.Name()); k != Other {
			return k
		}
		return Binary
	case urlcore.News:
		if u.MessageID != "" {
			return Article
		}
		return Group
	case urlcore.NNTP:
		if u.HasArticle {
			return Article
		}
		return Group
	}
	switch u.Scheme() {
	case "about":
		return Menu
	case "telnet", "tn3270", "rlogin":
		return Session
	case "mailto":
		return Mail
	}
	return Other
}
