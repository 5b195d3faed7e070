package urlcore

import "strconv"

// Category is the kind of fault of a URL.
type Category string

// The categories.
const (
	Empty              Category = "empty"                // an empty text
	IllegalChar        Category = "illegal-char"         // a character that must be encoded
	BadEscape          Category = "bad-escape"           // "%" without two hexadecimal digits
	BadPrefix          Category = "prefix"               // "URL:" is misplaced or missing
	BadFragment        Category = "fragment"             // "#": a fragment is not part of a URL
	NoScheme           Category = "no-scheme"            // no colon before the first slash
	BadScheme          Category = "bad-scheme"           // no valid scheme before the colon
	NotAURL            Category = "not-a-url"            // the scheme is urn, which the drafts reserve for names
	BadHost            Category = "bad-host"             // not a host name or address
	BadPort            Category = "bad-port"             // not a number from 1 to 65535, or a port in a file URL
	BadUser            Category = "bad-user"             // a user or password that the dialect does not allow
	UserinfoNotAllowed Category = "userinfo-not-allowed" // the scheme has no user and password
	BadPath            Category = "bad-path"             // a path that the scheme does not allow
	ReservedChar       Category = "reserved-char"        // a legal character that is reserved in this part of the URL
	IllegalOctet       Category = "illegal-octet"        // an octet that the protocol cannot transmit
	BadType            Category = "bad-type"             // not an FTP type code
	BadGtype           Category = "bad-gtype"            // not a Gopher item type
	BadAddress         Category = "bad-address"          // not a mail address
	BadGroup           Category = "bad-group"            // not a newsgroup name
	BadArticle         Category = "bad-article"          // not a Message-ID or article number
	Unrepresentable    Category = "unrepresentable"      // a valid item or value that no URL of RFC 1738 can express
	NoBase             Category = "no-base"              // a partial form without a base
	BadBase            Category = "bad-base"             // the base is not a full URL
	NotHierarchical    Category = "not-hierarchical"     // the scheme of the base has no relative forms
)

// Error is the error for a text that is not a valid URL, or for a value of a URL type, such as [FTP],
// that is not valid.
type Error struct {
	// Input is the unchanged text, or "" if the error is about a value. It may contain a password, which
	// [MaskPassword] masks.
	Input string
	// Category is the kind of fault.
	Category Category
	// Offset is the position of the fault in Input in octets.
	Offset int
	// Reason describes the fault and how to correct it.
	Reason string
}

// Error returns the fault, and its position if Input is not empty. It does not quote Input.
func (e *Error) Error() string {
	if e.Input == "" {
		return e.Reason
	}
	return e.Reason + " (at character " + strconv.Itoa(e.Offset+1) + ")"
}

func fail(c Category, off int, reason string) *Error {
	return &Error{Category: c, Offset: off, Reason: reason}
}

// asError returns e as an error. It returns nil if e is nil.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
