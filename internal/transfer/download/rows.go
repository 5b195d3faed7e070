package download

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/userfile"
	"gofer/protocols"
	"gofer/urlcore"
)

// Row is the Note of a line of the downloads page. It reads the status when it is drawn, so the page needs
// no reload.
type Row struct{ Item *Item }

func (r Row) Row() protocols.Row {
	s := r.Item.Status()
	var about []string
	if s.Task != nil {
		about = append(about, "to "+urlcore.Redact(s.Task.Target()).String())
	}
	if (s.Tree && s.Path != "" || s.Task != nil) && s.TotalFiles > 1 || s.Tree && s.Path != "" && s.TotalFiles > 0 {
		about = append(about, fmt.Sprintf("%d of %s", s.Files, english.Plural(s.TotalFiles, "file", "")))
	}
	if wait := s.Wait.String(); wait != "" {
		about = append(about, wait)
	}
	switch s.SavedBy {
	case QueueProcess:
		about = append(about, "in the background")
	case OtherScreen:
		about = append(about, "by another gofer")
	case ThisRun:
	}
	row := protocols.Row{Text: s.Name(), Live: true, Hang: 2}
	if len(about) > 0 {
		words := strings.Join(about, "  ")
		row.Text, row.Apart = row.Text+"  "+words, len(words)
	}
	return row
}

func (r Row) Columns() []protocols.Column {
	s := r.Item.Status()
	rate, speed := "", 0
	if _, n := r.Item.m.Active(); n == 0 {
		speed = protocols.Hidden // the names get the room
	}
	if s.Rate > 0 {
		rate = protocols.Octets(s.Rate).PerSecond()
	}
	return []protocols.Column{
		{Head: "state", Value: s.StateText(), ColumnLayout: protocols.ColumnLayout{Width: 10, MinScreen: protocols.NarrowScreen, Left: true, Printed: 10}},
		{Head: "received", Value: s.amountText(), ColumnLayout: protocols.ColumnLayout{Width: 16, MinScreen: 60, Printed: 18}},
		{Head: "rate", Value: rate, ColumnLayout: protocols.ColumnLayout{Width: cmp.Or(speed, 9), MinScreen: 72, Printed: protocols.Hidden}},
		{Head: "left", Value: formatDuration(s.timeLeft()), ColumnLayout: protocols.ColumnLayout{Width: cmp.Or(speed, 7), MinScreen: 72, Printed: protocols.Hidden}},
	}
}

func (r Row) Attributes() []protocols.Attribute {
	s := r.Item.Status()
	return []protocols.Attribute{
		{Name: "state", Value: stateNames[s.State]},
		{Name: "path", Value: s.Path},
		{Name: "received", Value: protocols.Octets(s.Received)},
		{Name: "size", Value: protocols.Octets(s.Size)},
	}
}

func (r Row) Memory() int { return 64 }

var stateNames = [...]string{
	Queued: "queued", Running: "saving", Paused: "paused", Failed: "failed", Interrupted: "unfinished", Counted: "counted", Saved: "saved",
	Removed: "canceled",
}

// Name returns the name of the file or directory, or of the Task.
func (s *Status) Name() string {
	if s.Task != nil {
		return s.Task.Name()
	}
	name := FileName(s.URL)
	if s.Path != "" {
		name = filepath.Base(s.Path)
	}
	if s.Tree {
		name += string(filepath.Separator)
	}
	return name
}

// StateText returns the percentage received. If the percentage is unknown or the Item is not running, StateText
// returns the state.
func (s *Status) StateText() string {
	if s.State == Running && s.Tree && s.Path == "" {
		return "counting"
	}
	if s.State == Running && s.Size > 0 && s.Received <= s.Size {
		return strconv.Itoa(int(float64(s.Received)/float64(s.Size)*100)) + "%"
	}
	if s.Task != nil && (s.State == Running || s.State == Saved) {
		return s.Task.Participle(s.State == Saved)
	}
	return stateNames[s.State]
}

// participle returns the past participle of what the Item does.
func (s *Status) participle() string {
	if s.Task != nil {
		return s.Task.Participle(true)
	}
	return stateNames[Saved]
}

// amountText returns the size received and the total size, as in "3 MB/34 MB". If the total size is not known, or the
// download is complete, it returns only the size received. While a tree is listed, it returns the number of files.
func (s *Status) amountText() string {
	onlyDone := s.Size < 0 || s.State == Saved || s.Received > s.Size
	switch {
	case s.Tree && s.State == Running && s.Path == "":
		return english.Plural(s.TotalFiles, "file", "")
	case onlyDone && s.Received == 0 && s.State != Saved:
		return ""
	case onlyDone:
		return humanize.Bytes(uint64(s.Received))
	}
	return humanize.Bytes(uint64(s.Received)) + "/" + humanize.Bytes(uint64(s.Size))
}

// Failure returns a short text of the error, or "". The result may contain text of the server that is not cleaned.
func (s *Status) Failure() string {
	var e *protocols.Error
	switch {
	case s.Err == nil:
		return ""
	case !errors.As(s.Err, &e) || s.Tree || s.Task != nil || errors.Is(s.Err, ErrDiskFull):
		return strings.ReplaceAll(s.Err.Error(), "\n", "; ")
	case e.Text != "":
		return e.Reason.String() + ": " + e.Text
	case e.Err != nil:
		return e.Reason.String() + ": " + e.Err.Error()
	}
	return e.Reason.String()
}

// Extent returns the number of files and the size of a tree, as in "212 files, 34 MB".
func (s *Status) Extent() string {
	text := english.Plural(s.TotalFiles, "file", "")
	switch {
	case s.UnknownSizes == s.TotalFiles:
		return text + " of unknown size"
	case s.UnknownSizes > 0:
		return fmt.Sprintf("%s, %s and %d of unknown size", text, humanize.Bytes(uint64(s.Size)), s.UnknownSizes)
	}
	return text + ", " + humanize.Bytes(uint64(max(s.Size, 0)))
}

// formatDuration formats a duration like a clock, as in "1:02:03". It returns "" if d is not positive, and
// ">4 days" for 100 hours or more.
func formatDuration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d <= 0:
		return ""
	case d >= 100*time.Hour:
		return ">4 days"
	case d >= time.Hour:
		return fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d/time.Minute%60, d/time.Second%60)
	}
	return fmt.Sprintf("%d:%02d", d/time.Minute, d/time.Second%60)
}

// maxShown limits the notes, and the items not saved, that the downloads page shows for a download. If there are
// more, it shows a link to the page of the download instead.
const maxShown = 5

// pageLine returns the line of the Item on the downloads page.
func (item *Item) pageLine(s *Status) protocols.Line {
	kind := protocols.KindOf(s.URL)
	if s.Tree {
		kind = protocols.Directory
	}
	link := s.URL
	if s.Task != nil {
		kind, link = protocols.Directory, s.Task.Target()
	}
	return protocols.Line{Kind: kind, Text: s.Name(), Link: urlcore.Redact(link), Note: Row{item}}
}

// DetailsURL returns the URL of the page of the Item, which lists the items that were not saved.
func (item *Item) DetailsURL() urlcore.URL {
	return urlcore.Generic{Name: "about", Rest: "downloads?" + strconv.Itoa(item.number)}
}

// detailLines returns the page of the download with the given number: all items that were not saved, with links
// to them, and all notes. It returns nil if there is no such download.
func (m *Manager) detailLines(number string) (lines []protocols.Line) {
	for _, it := range m.Items() {
		s := it.Status()
		if strconv.Itoa(it.number) != number || s.Private {
			continue
		}
		lines = append(lines, it.pageLine(&s))
		if s.Err != nil {
			lines = append(lines, protocols.Line{Kind: protocols.Failure, Text: "  " + s.Failure()})
		}
		for _, left := range s.LeftOut {
			line := protocols.Line{Kind: protocols.Failure, Text: left.String()}
			if left.URL != nil {
				line.Kind, line.Link = protocols.KindOf(left.URL), urlcore.Redact(left.URL)
			}
			lines = append(lines, line)
		}
		for _, note := range s.Notes {
			lines = append(lines, protocols.Line{Kind: protocols.Info, Text: note})
		}
	}
	return lines
}

// Lines returns the downloads page, with the latest download first. The page also has the downloads that
// earlier runs of gofer did not finish. If number is not "", Lines returns the page of the download with this number; see
// [Item.DetailsURL].
func (m *Manager) Lines(number string) []protocols.Line {
	if number != "" {
		return m.detailLines(number)
	}
	m.Recover()
	var lines []protocols.Line
	addText := func(kind protocols.Kind, s string) { lines = append(lines, protocols.Line{Kind: kind, Text: s}) }
	for _, it := range slices.Backward(m.Items()) {
		s := it.Status()
		if s.Private {
			continue
		}
		lines = append(lines, it.pageLine(&s))
		if s.Err != nil {
			addText(protocols.Failure, "  "+s.Failure())
		}
		addList := func(n int, label string, kind protocols.Kind, item func(i int) string) {
			if n > maxShown {
				lines = append(lines, protocols.Line{Text: fmt.Sprintf("  %d %s", n, label), Link: it.DetailsURL(), Note: protocols.ActionDetails})
				return
			}
			for i := range n {
				addText(kind, "  "+item(i))
			}
		}
		addList(len(s.Notes), "notes", protocols.Info, func(i int) string { return s.Notes[i] })
		leftOut := "not " + s.participle()
		addList(len(s.LeftOut), leftOut, protocols.Failure, func(i int) string { return leftOut + ": " + s.LeftOut[i].String() })
	}
	if len(lines) == 0 {
		addText(protocols.Info, "Nothing is being saved.")
		return append(lines, protocols.Line{Text: "Save the item under the cursor, or a page", Note: protocols.ActionSave})
	}
	addText(protocols.Info, "")
	text := "Files are saved in " + userfile.ShortPath(m.Folder) + "."
	if rate := m.RateLimit(); rate > 0 {
		text += " Limit: " + protocols.Octets(rate).PerSecond() + "."
	}
	addText(protocols.Info, text)
	addAction := func(s string, name protocols.Action) {
		lines = append(lines, protocols.Line{Kind: protocols.Menu, Text: s, Note: name})
	}
	addAction("Resume all unfinished downloads", protocols.ActionResume)
	addAction("Limit the rate of the downloads", protocols.ActionRate)
	addAction("Pause or resume a download, or open a saved one", protocols.ActionOpen)
	addAction("Show the actions of a download", protocols.ActionExplain)
	addAction("List the items that were not saved", protocols.ActionDetails)
	addAction("Cancel or remove a download", protocols.ActionForget)
	return lines
}
