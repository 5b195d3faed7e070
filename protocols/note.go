package protocols

import (
	"strings"
	"time"

	"gofer/urlcore"
)

// Note holds data about the item of a line. Most code that shows lines calls only these methods of a note. The
// strings in a note are the server's octets.
type Note interface {
	// Row returns changes to the text of the line.
	Row() Row
	// Columns returns the values to show to people.
	Columns() []Column
	// Attributes returns the values for programs.
	Attributes() []Attribute
	// Memory returns the approximate size of the note, in octets.
	Memory() int
}

// Row holds the changes that a note makes to the text of its line.
type Row struct {
	Text        string // replaces the line's text, if not ""
	Live        bool   // the shown text may change while the page is shown
	Encoded     bool   // Text and the line's text may be encoded (RFC 2047)
	Depth       int    // the level of indentation
	Target      string // the target of a symbolic link
	Mark        string // a mark after the name of the kind
	Description string
	TextWidth   int  // the width of the text before Description on a printed page
	Hang        int  // the indentation in cells of the second and later rows of a wrapped text
	Apart       int  // the octets at the end of Text that begin a new row if the text is wrapped
	Verbatim    bool // the text is not wrapped: it is preformatted, or a title in a list
}

// Column is one value of a note, for people to read.
type Column struct {
	Head  string // the title above the column on the screen and in the list of sort orders; may be ""
	Value any    // a value that an [Attribute] may have, or a [Mailbox]
	ColumnLayout
}

// ColumnLayout says where a column is shown and how wide it is. The layout of a column whose Width is 0 follows from
// the type of its value, and so does its width on a printed page if Printed is 0.
type ColumnLayout struct {
	Width       int  // cells on the screen, or Hidden
	MinScreen   int  // the least width of a screen that shows the column
	FitScreen   int  // the least width of a screen that shows it beside texts that leave room for it; 0 is MinScreen
	MinFullDate int  // the least width of a screen that shows a date with the time of day; 0 means never
	Left        bool // aligned at the left
	Printed     int  // cells on a printed page, or Hidden
}

// Hidden is the width of a column that is not shown.
const Hidden = -1

// Least widths of the screen for columns: the more important a column is, the smaller is its screen.
const (
	NarrowScreen = 30
	DateScreen   = 48
	AuthorScreen = 60
	MinuteScreen = 72
	WideScreen   = 110
)

// The forms of dates with and without a time of day.
const (
	DayLayout    = time.DateOnly
	MinuteLayout = "2006-01-02 15:04"
)

// dateLayout is the layout of a column of dates.
func dateLayout(minFullDate, printed int) ColumnLayout {
	return ColumnLayout{Width: len(DayLayout), MinScreen: DateScreen, MinFullDate: minFullDate, Left: true, Printed: printed}
}

// Attribute is one value of a note, for programs. Value is an integer, string, []string, bool, [Encoded],
// [UnchangedText], [Octets], [time.Time], [LocalTime] or [Day]. An [ArticleHeader] also has values of the types
// []Address and map[string]uint64. Nil, "", an empty list, a negative size and a zero time mean that the
// value is unknown.
type Attribute struct {
	Name  string
	Value any
}

// Encoded is text that may contain encoded words (RFC 2047).
type Encoded string

// Mailbox is a From field (RFC 5322, section 3.6.2). The name in the field is shown.
type Mailbox string

// UnreadDate is the text of a date that cannot be read. It is the value of a [Column] of dates.
type UnreadDate string

// Day is a date without a time of day.
type Day struct{ time.Time }

// LocalTime is a date and time of day in an unknown time zone.
type LocalTime struct{ time.Time }

// Nested is the Note of an item in folders, such as a bookmark. Its value is the number of folders around
// the item.
type Nested int

func (n Nested) Row() Row              { return Row{Depth: int(n)} }
func (Nested) Columns() []Column       { return nil }
func (Nested) Attributes() []Attribute { return nil }
func (Nested) Memory() int             { return 16 }

// noteSize is the approximate memory of a note without its strings.
const noteSize = 16 + 96 // the interface and its value

// FileNote describes a file or directory.
type FileNote struct {
	Size     int64     // octets, or -1 if unknown
	Rounded  bool      // Size is not exact
	Modified time.Time // the date of the last change, zero if unknown
	DateOnly bool      // Modified has no time of day
	Local    bool      // Modified is in the time zone of the server, which is unknown
	Mode     string    // the permissions as in ls, "rwxr-xr-x", or ""
	Owner    string    // a name or a number, or ""
	Group    string    // a name or a number, or ""
	Link     bool      // it is a symbolic link, also if Target is unknown
	Target   string    // the target of a symbolic link, as the server wrote it
}

// ExactSize returns the size in octets, or -1 if it is unknown or rounded.
func (n *FileNote) ExactSize() int64 {
	if n.Rounded {
		return -1
	}
	return n.Size
}

// IsLink reports whether the item is a symbolic link, as far as the listing shows.
func (n *FileNote) IsLink() bool { return n.Link || n.Target != "" }

func (n *FileNote) Row() Row { return Row{Target: n.Target} }

func (n *FileNote) Columns() []Column {
	columns := []Column{
		{"mode", n.Mode, ColumnLayout{Width: len("rwxr-xr-x"), MinScreen: WideScreen, FitScreen: MinuteScreen, Left: true, Printed: Hidden}},
		{"owner", n.Owner, ColumnLayout{Width: 8, MinScreen: WideScreen, FitScreen: MinuteScreen, Left: true, Printed: Hidden}},
		{Head: "size", Value: Octets(n.Size)},
		{"modified", n.modifiedValue(), dateLayout(MinuteScreen, len(MinuteLayout))},
	}
	if n.Mode == "" {
		return columns[2:]
	}
	return columns
}

// Rights returns the owner, the group and the permissions for a page about the file.
func (n *FileNote) Rights() []Column {
	return []Column{{Head: "Owner", Value: strings.Trim(n.Owner+":"+n.Group, ":")}, {Head: "Mode", Value: n.Mode}}
}

func (n *FileNote) Attributes() []Attribute {
	return []Attribute{
		{"size", Octets(n.Size)},
		{"size_rounded", ifKnown(n.Rounded, true)},
		{"modified", n.modifiedValue()},
		{"date_only", ifKnown(n.DateOnly && !n.Modified.IsZero(), true)},
		{"mode", n.Mode},
		{"owner", n.Owner},
		{"group", n.Group},
		{"target", n.Target},
	}
}

func (n *FileNote) Memory() int { return noteSize + 40 + len(n.Target) }

func (n *FileNote) modifiedValue() any {
	switch {
	case n.DateOnly:
		return Day{n.Modified}
	case n.Local:
		return LocalTime{n.Modified}
	}
	return n.Modified
}

// ifKnown returns v if ok is true, else nil.
func ifKnown(ok bool, v any) any {
	if ok {
		return v
	}
	return nil
}

// GroupNote describes a newsgroup (RFC 3977, sections 6.1.1 and 7.6).
type GroupNote struct {
	Low, High   uint64 // the numbers of the first and last article
	Count       uint64 // the estimated number of articles
	Status      byte   // 'y' posting allowed, 'n' not allowed, 'm' moderated, 'x' or 'j' closed, '=' renamed; 0 unknown
	Moved       string // the new name of a renamed group
	Description string // in the server's octets
	Subscribed  bool   // the user has subscribed to the group
	Unknown     bool   // Low, High and Count are unknown
	Unread      uint64 // the estimated number of unread articles of a subscribed group
}

func (n *GroupNote) Row() Row {
	row := Row{Description: n.Description, TextWidth: 36}
	if n.Status != 'y' && n.Status != 0 {
		text := map[byte]string{'m': "moderated", 'n': "no posting", 'x': "closed", 'j': "closed", '=': "now " + n.Moved}[n.Status]
		if start := len(n.Description) - len(text) - 2; text != "" && start >= 0 && strings.EqualFold(n.Description[start:], "("+text+")") {
			row.Description = strings.TrimRight(n.Description[:start], " ") // by convention, a description ends like "Talk. (Moderated)"
		}
		if text != "" {
			row.Description = strings.TrimSuffix(text+"; "+row.Description, "; ")
		}
	}
	return row
}

func (n *GroupNote) Columns() []Column {
	groupCount := ColumnLayout{Width: 8, MinScreen: NarrowScreen, Printed: 9}
	var columns []Column
	if n.Subscribed {
		columns = append(columns, Column{"unread", ifKnown(!n.Unknown, n.Unread), groupCount})
	}
	return append(columns, Column{"articles", ifKnown(!n.Unknown, n.Count), groupCount})
}

func (n *GroupNote) Attributes() []Attribute {
	return []Attribute{
		{"low", ifKnown(!n.Unknown, n.Low)},
		{"high", ifKnown(!n.Unknown, n.High)},
		{"count", ifKnown(!n.Unknown, n.Count)},
		{"status", ifKnown(n.Status != 0, string([]byte{n.Status}))},
		{"moved_to", n.Moved},
		{"description", n.Description},
		{"unread", ifKnown(n.Subscribed && !n.Unknown, n.Unread)},
	}
}

func (n *GroupNote) Memory() int { return noteSize + len(n.Moved) + len(n.Description) }

// ArticleNote describes an article by its overview (RFC 3977, section 8.3).
// The strings are the server's octets, still MIME-encoded.
type ArticleNote struct {
	Number     uint64 // 0 if unknown
	Depth      int    // the level below the first article of the thread
	Subject    string
	From       string
	Date       time.Time  // zero if unknown
	DateText   UnreadDate // the Date field if it cannot be read
	MessageID  string     // without < >
	References []string   // Message-IDs without < >, oldest first; without a References field, the Message-ID in In-Reply-To
	Xref       string     // "server group:number group:number"
	Bytes      int64      // octets, or -1 if unknown
	Lines      int64      // lines of the body, or -1 if unknown
}

func (n *ArticleNote) Row() Row { return Row{Text: n.Subject, Encoded: true, Depth: n.Depth} }

func (n *ArticleNote) Columns() []Column {
	return []Column{
		{Value: ifKnown(n.Number != 0, n.Number), ColumnLayout: ColumnLayout{Width: Hidden, Printed: 9}},
		{Value: n.dateValue(), ColumnLayout: ColumnLayout{Width: Hidden}},
		{Head: "author", Value: Mailbox(n.From)},
		{"lines", ifKnown(n.Lines >= 0, n.Lines), ColumnLayout{Width: 6, MinScreen: WideScreen, Printed: Hidden}},
		{"date", n.dateValue(), dateLayout(WideScreen, Hidden)},
	}
}

func (n *ArticleNote) Attributes() []Attribute {
	return []Attribute{
		{"number", ifKnown(n.Number != 0, n.Number)},
		{"depth", n.Depth},
		{"subject", Encoded(n.Subject)},
		{"from", Encoded(n.From)},
		{"date", n.Date},
		{"date_text", string(n.DateText)},
		{"message_id", n.MessageID},
		{"references", n.References},
		{"bytes", Octets(n.Bytes)},
		{"lines", ifKnown(n.Lines >= 0, n.Lines)},
	}
}

// dateValue returns the date, or the text of a Date field that cannot be read.
func (n *ArticleNote) dateValue() any {
	if n.Date.IsZero() && n.DateText != "" {
		return n.DateText
	}
	return n.Date
}

func (n *ArticleNote) Memory() int {
	size := 2*noteSize + len(n.DateText) + len(n.Subject) + len(n.From) + len(n.MessageID) + len(n.Xref)
	for _, r := range n.References {
		size += 16 + len(r)
	}
	return size
}

// Action is the Note of a line that describes an action. Its value is the name of the action in the
// screen's table of actions. The screen shows the key of the action after the text. ActionMore and
// ActionSetting are not in the table: the user runs them by pressing Enter on the line.
type Action string

// The actions of lines.
const (
	ActionReload  Action = "reload"
	ActionUp      Action = "up a level"
	ActionBack    Action = "back"
	ActionEditURL Action = "URL"
	ActionCopy    Action = "copy"
	ActionSave    Action = "save"
	ActionRestore Action = "restore"
	ActionOutline Action = "outline"
	ActionList    Action = "actions"
	ActionOpen    Action = "open"
	ActionDetails Action = "details"
	ActionForget  Action = "forget"
	ActionExplain Action = "explain item"
	ActionOutside Action = "open outside"
	ActionOlder   Action = "older articles"
	ActionMore    Action = "more results"
	ActionResume  Action = "resume downloads"
	ActionRate    Action = "limit rate"

	ActionLater Action = "read later"
	ActionFetch Action = "fetch articles"

	ActionSetting Action = "setting" // changes the setting that the link of the line leads to

	ActionFollow Action = "follow"
)

func (Action) Row() Row                { return Row{Live: true} } // the screen shows the key after the text
func (Action) Columns() []Column       { return nil }
func (Action) Attributes() []Attribute { return nil }
func (a Action) Memory() int           { return noteSize + len(a) }

// Hypertext is the Note of a line of hypertext, or of a paragraph in format=flowed (RFC 3676).
type Hypertext struct {
	Links    []Hyperlink // in the order of the text; they do not overlap
	IDs      []string    // the fragments of URLs that lead to the line
	Level    int         // the level of a heading, from 1
	Verbatim bool        // preformatted: wrapped only if the user wraps all lines
	Hang     int         // the indentation in cells of the second and later rows of a wrapped line
	Entry    *FeedEntry  // the entry of a feed that begins with the line, or nil
	Feed     bool        // the link of the line leads to a feed of the page
}

// FeedEntry describes an entry of a feed. The strings are UTF-8.
type FeedEntry struct {
	Date     time.Time  // zero if unknown
	DateText UnreadDate // the date if it cannot be read
	Author   string
	ID       string
}

// Hyperlink is a link in the text of a line.
type Hyperlink struct {
	URL      urlcore.URL
	Fragment string // the fragment of the URL as the page writes it; "" for the beginning of the page
	From, To int    // the text of the link is line[From:To], in octets
}

func (n *Hypertext) Row() Row        { return Row{Hang: n.Hang, Verbatim: n.Verbatim} }
func (*Hypertext) Columns() []Column { return nil }

func (n *Hypertext) Attributes() []Attribute {
	attributes := []Attribute{{"level", ifKnown(n.Level > 0, n.Level)}, {"ids", n.IDs}}
	if e := n.Entry; e != nil {
		attributes = append(attributes, Attribute{"date", e.Date}, Attribute{"date_text", string(e.DateText)}, Attribute{"author", e.Author}, Attribute{"entry_id", e.ID})
	}
	return attributes
}

// linkSize is the approximate memory of a Hyperlink without the text of its URL.
const linkSize = 200

func (n *Hypertext) Memory() int {
	size := noteSize
	for _, link := range n.Links {
		size += linkSize + len(link.Fragment)
		if link.URL != nil {
			size += len(link.URL.String())
		}
	}
	for _, id := range n.IDs {
		size += 16 + len(id)
	}
	if e := n.Entry; e != nil {
		size += noteSize + len(e.DateText) + len(e.Author) + len(e.ID)
	}
	return size
}
