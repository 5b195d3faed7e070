package protocols

import "time"

// Readable is the note of an item of a list that the user reads from page to page.
type Readable interface {
	Note
	// ReadMarks reports whether the item was unread or read when its line was made. Neither is set if it cannot be read yet.
	ReadMarks() (unread, read bool)
}

// EntryNote describes an entry of a page that the user follows. The strings are UTF-8.
type EntryNote struct {
	ID        string // identity of the entry in its source
	Source    string // title of the source
	SourceURL string // the source in canonical form
	Fragment  string // place in the page of the entry, or ""
	Date      time.Time
	Seen      time.Time // when the entry was found
	Below     bool      // the line is below the line of its source
}

// ReadMarks reports that the entry is unread: others are not listed.
func (*EntryNote) ReadMarks() (unread, read bool) { return true, false }

func (*EntryNote) Row() Row { return Row{} }

func (n *EntryNote) Columns() []Column {
	source := Column{"source", n.Source, ColumnLayout{Width: 20, MinScreen: 64, Left: true, Printed: 20}}
	if n.Below {
		source.Width, source.Printed = Hidden, Hidden
	}
	return []Column{source, {"date", n.day(), dateLayout(WideScreen, len(DayLayout))}}
}

// day returns the date, or when the entry was found if the date is unknown. A date at midnight in UTC has no time of day.
func (n *EntryNote) day() any {
	switch {
	case n.Date.IsZero():
		return n.Seen
	case n.Date.Equal(n.Date.Truncate(24 * time.Hour)):
		return Day{n.Date.UTC()}
	}
	return n.Date
}

func (n *EntryNote) Attributes() []Attribute {
	return []Attribute{{"date", n.Date}, {"seen", n.Seen}, {"source", n.Source}, {"source_url", n.SourceURL}, {"id", n.ID}}
}

func (n *EntryNote) Memory() int { return noteSize + len(n.ID) }

// SourceNote describes a page that the user follows, other than a newsgroup. The strings are UTF-8.
type SourceNote struct {
	URL       string // in canonical form
	Title     string
	Unread    uint64
	Checked   time.Time // the last attempt to look for new entries; zero: never
	Succeeded time.Time // the last successful attempt; zero: never
	Failure   string    // why the last attempt failed, or ""
	Heading   bool      // the entries of the source follow
}

func (*SourceNote) Row() Row { return Row{} }

func (n *SourceNote) Columns() []Column {
	if n.Heading {
		return nil
	}
	return []Column{
		{"unread", n.Unread, ColumnLayout{Width: 8, MinScreen: NarrowScreen, Printed: 9}},
		{"checked", n.Succeeded, dateLayout(MinuteScreen, len(DayLayout))},
	}
}

func (n *SourceNote) Attributes() []Attribute {
	return []Attribute{
		{"source_url", n.URL}, {"unread", n.Unread}, {"checked", n.Checked}, {"succeeded", n.Succeeded}, {"failure", n.Failure},
	}
}

func (n *SourceNote) Memory() int { return noteSize + len(n.URL) + len(n.Failure) }
