package protocols

import "time"

// Note is what a protocol tells of an item beside its text: *[FileNote],
// *[GroupNote] or *[ArticleNote].
type Note interface{ note() }

// FileNote describes a file or directory.
type FileNote struct {
	Size     int64     // octets, or -1 if not told
	Modified time.Time // zero if not told
	DateOnly bool      // Modified has no time of day, or one of unknown zone
	Target   string    // what a symbolic link points to, as the server wrote it
}

// GroupNote describes a newsgroup (RFC 3977, sections 6.1.1 and 7.6).
type GroupNote struct {
	Low, High   uint64 // the numbers of the first and last article
	Count       uint64 // how many articles there are, an estimate
	Status      byte   // 'y' posting allowed, 'n' not, 'm' moderated; 0 unknown
	Description string // in the server's octets
}

// ArticleNote describes an article by its overview (RFC 3977, section 8.3).
// The strings are the server's octets, still MIME-encoded.
type ArticleNote struct {
	Number     uint64    // 0 if not told
	Depth      int       // below the first article of its thread
	Subject    string    // the Subject header
	From       string    // the From header
	Date       time.Time // zero if it cannot be read
	MessageID  string    // without < >
	References []string  // Message-IDs without < >, oldest first
	Bytes      int64     // octets, or -1 if not told
	Lines      int64     // lines of the body, or -1 if not told
}

func (*FileNote) note()    {}
func (*GroupNote) note()   {}
func (*ArticleNote) note() {}
