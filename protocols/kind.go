package protocols

import (
	"slices"

	"gofer/urlcore"
)

// Kind is the kind of a line or of the target of its link.
type Kind uint8

// The kinds of lines. Their names (String) are part of the JSON output.
const (
	Info      Kind = iota // text of the page itself
	Heading               // a heading of the page itself
	Header                // a header field of an article
	Quote                 // a quoted line of an article
	Signature             // a line of the signature of an article
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
	Problem               // a line that could not be parsed, as the server sent it
)

// String returns the kind's name as JSON output has it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

var kindNames = [...]string{
	Info: "info", Heading: "heading", Header: "header", Quote: "quote", Signature: "signature",
	Menu: "menu", Directory: "directory", Group: "group", Article: "article",
	Text: "text", Search: "search", Image: "image", Sound: "sound",
	Movie: "movie", Document: "document", HTML: "html", Archive: "archive",
	Binary: "binary", Session: "session", Mail: "mail",
	Phonebook: "phonebook", Other: "other", Failure: "failure",
	Problem: "problem",
}

// kindNamed is the inverse of String, or Other for an unknown name.
func kindNamed(name string) Kind {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return Kind(i)
	}
	return Other
}

// GopherKind returns the kind of a Gopher item type.
func GopherKind(typ byte) Kind { return kindNamed(urlcore.Gopher{Type: typ}.Kind()) }

// KindOf returns the kind of the target of u according to the URL alone: its methods
// Kind() string and, for a "file" or "page", FileName() string.
func KindOf(u urlcore.URL) Kind {
	k, ok := u.(interface{ Kind() string })
	if !ok {
		return Other
	}
	otherwise := Binary
	switch k.Kind() {
	case "file":
	case "page":
		otherwise = HTML
	default:
		return kindNamed(k.Kind())
	}
	if f, ok := u.(interface{ FileName() string }); ok {
		if _, k := BySuffix(f.FileName()); k != Other {
			return k
		}
	}
	return otherwise
}
