package urlcore

import "strconv"

// Category classifies the fault of a URL in one word.
type Category string

// The categories.
const (
	Empty              Category = "empty"                // nothing at all
	IllegalChar        Category = "illegal-char"         // a character that must be encoded
	BadEscape          Category = "bad-escape"           // "%" without two hexadecimal digits
	BadPrefix          Category = "prefix"               // "URL:" where it does not belong, or missing
	BadFragment        Category = "fragment"             // "#": a fragment is not part of a URL
	NoScheme           Category = "no-scheme"            // no colon before the first slash
	BadScheme          Category = "bad-scheme"           // not a scheme before the colon
	NotAURL            Category = "not-a-url"            // urn: is reserved for names in the drafts
	BadHost            Category = "bad-host"             // not a host name or address
	BadPort            Category = "bad-port"             // not a number from 1 to 65535
	BadUser            Category = "bad-user"             // not a user or password of the dialect
	UserinfoNotAllowed Category = "userinfo-not-allowed" // the scheme has no user and password
	BadPath            Category = "bad-path"             // not the form of the scheme
	ReservedChar       Category = "reserved-char"        // legal, but reserved at that place
	IllegalOctet       Category = "illegal-octet"        // an octet that the protocol cannot carry
	BadType            Category = "bad-type"             // not an FTP type code
	BadGtype           Category = "bad-gtype"            // not a Gopher item type
	BadAddress         Category = "bad-address"          // not a mail address
	BadGroup           Category = "bad-group"            // not a newsgroup name
	BadArticle         Category = "bad-article"          // not a Message-ID or article number
	Unrepresentable    Category = "unrepresentable"      // well formed, but RFC 1738 has no form for it
	NoBase             Category = "no-base"              // a partial form without a base
	BadBase            Category = "bad-base"             // the base is not a full URL
	NotHierarchical    Category = "not-hierarchical"     // the base's scheme has no relative forms
)

// Error is a text or a value that is no URL.
type Error struct {
	// Input is the text as it was given. It may hold a password, which
	// [MaskPassword] hides; Error() does not.
	Input string
	// Category is the kind of fault.
	Category Category
	// Offset is where in Input the fault is, in octets from 0.
	Offset int
	// Reason describes the fault and, where there is one, the remedy.
	Reason string
}

// Error describes the fault and its place, without quoting the input.
func (e *Error) Error() string {
	if e.Input == "" {
		return e.Reason
	}
	return e.Reason + " (at character " + strconv.Itoa(e.Offset+1) + ")"
}

func fail(c Category, off int, reason string) *Error {
	return &Error{Category: c, Offset: off, Reason: reason}
}

// asError keeps a nil *Error from becoming an error that is not nil.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
