package download

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
	"gofer/urlcore"
)

// Row is the Note of a line of the page of downloads. It shows the status at the time of
// drawing, so the page needs no reload.
type Row struct{ Item *Item }

func (r Row) Row() protocols.Row {
	s := r.Item.Status()
	text := s.Name()
	if s.Tree && s.Path != "" && s.Last > 0 {
		text += fmt.Sprintf("  %d of %s", s.Files, english.Plural(s.Last, "file", ""))
	}
	if wait := s.Wait.String(); wait != "" {
		text += "  " + wait
	}
	return protocols.Row{Text: text, Live: true}
}

func (r Row) Columns() []protocols.Column {
	s := r.Item.Status()
	rate := ""
	if s.Rate > 0 {
		rate = humanize.Bytes(uint64(s.Rate)) + "/s"
	}
	return []protocols.Column{
		{Name: "download state", Head: "state", Value: s.StateText()},
		{Name: "download received", Head: "received", Value: s.amount()},
		{Name: "download rate", Head: "rate", Value: rate},
		{Name: "download left", Head: "left", Value: clock(s.Left())},
	}
}

func (r Row) Attributes() []protocols.Attribute {
	s := r.Item.Status()
	return []protocols.Attribute{
		{Name: "state", Value: stateNames[s.State]},
		{Name: "path", Value: s.Path},
		{Name: "received", Value: protocols.Octets(s.Done)},
		{Name: "size", Value: protocols.Octets(s.Size)},
	}
}

func (r Row) Memory() int { return 64 }

var stateNames = [...]string{
	Queued: "queued", Running: "saving", Paused: "paused", Failed: "failed", Left: "unfinished", Counted: "counted", Saved: "saved",
	Removed: "cancelled",
}

// Name returns the name of the file.
func (s *Status) Name() string {
	name := FileName(s.URL)
	if s.Path != "" {
		name = filepath.Base(s.Path)
	}
	if s.Tree {
		name += string(filepath.Separator)
	}
	return name
}

// StateText returns the state in a word, or the percentage received.
func (s *Status) StateText() string {
	if s.State == Running && s.Tree && s.Path == "" {
		return "counting"
	}
	if s.State == Running && s.Size > 0 && s.Done <= s.Size {
		return strconv.Itoa(int(float64(s.Done)/float64(s.Size)*100)) + "%"
	}
	return stateNames[s.State]
}

// amount returns the size received and the whole size.
func (s *Status) amount() string {
	whole := s.Size < 0 || s.State == Saved || s.Done > s.Size
	switch {
	case s.Tree && s.State == Running && s.Path == "":
		return english.Plural(s.Last, "file", "")
	case whole && s.Done == 0 && s.State != Saved:
		return ""
	case whole:
		return humanize.Bytes(uint64(s.Done))
	}
	return humanize.Bytes(uint64(s.Done)) + "/" + humanize.Bytes(uint64(s.Size))
}

// Failure returns the error in a few words with the words of the server, not cleaned, or "".
func (s *Status) Failure() string {
	var e *protocols.Error
	switch {
	case s.Err == nil:
		return ""
	case !errors.As(s.Err, &e) || s.Tree || errors.Is(s.Err, ErrDiskFull):
		return strings.ReplaceAll(s.Err.Error(), "\n", "; ")
	case e.Text != "":
		return e.Reason.String() + ": " + e.Text
	case e.Err != nil:
		return e.Reason.String() + ": " + e.Err.Error()
	}
	return e.Reason.String()
}

// Extent returns the size of a tree: "212 files, 34 MB".
func (s *Status) Extent() string {
	text := english.Plural(s.Last, "file", "")
	switch {
	case s.Unknown == s.Last:
		return text + " of unknown size"
	case s.Unknown > 0:
		return fmt.Sprintf("%s, %s and %d of unknown size", text, humanize.Bytes(uint64(s.Size)), s.Unknown)
	}
	return text + ", " + humanize.Bytes(uint64(max(s.Size, 0)))
}

// clock formats a duration as clocks do, or returns "".
func clock(d time.Duration) string {
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

// maxShown is the most omissions, and the most notes, that the page of the downloads shows of one.
const maxShown = 5

// line returns the line of the Item on the pages of the downloads.
func (it *Item) line(s *Status) protocols.Line {
	kind := protocols.KindOf(s.URL)
	if s.Tree {
		kind = protocols.Directory
	}
	return protocols.Line{Kind: kind, Text: s.Name(), Link: urlcore.Redact(s.URL), Note: Row{it}}
}

// Details returns the URL of the page that lists the items that were not saved, for Lines.
func (it *Item) Details() urlcore.URL {
	return urlcore.Generic{Name: "about", Rest: "downloads?" + strconv.Itoa(it.number)}
}

// details returns the page of one download, by its number: all omissions, with links to try them
// alone, and all notes. It returns nil if there is no such download.
func (m *Manager) details(number string) (lines []protocols.Line) {
	for _, it := range m.Items() {
		s := it.Status()
		if strconv.Itoa(it.number) != number || s.Private {
			continue
		}
		lines = append(lines, it.line(&s))
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

// Lines returns the page of the downloads, the latest first, with those that other
// programs left unfinished; or the page of one, see [Item.Details].
func (m *Manager) Lines(number string) []protocols.Line {
	if number != "" {
		return m.details(number)
	}
	m.Recover()
	var lines []protocols.Line
	text := func(kind protocols.Kind, s string) { lines = append(lines, protocols.Line{Kind: kind, Text: s}) }
	for _, it := range slices.Backward(m.Items()) {
		s := it.Status()
		if s.Private {
			continue
		}
		lines = append(lines, it.line(&s))
		if s.Err != nil {
			text(protocols.Failure, "  "+s.Failure())
		}
		list := func(n int, what string, kind protocols.Kind, item func(i int) string) {
			if n > maxShown {
				lines = append(lines, protocols.Line{Text: fmt.Sprintf("  %d %s", n, what), Link: it.Details(), Note: protocols.ActionDetails})
				return
			}
			for i := range n {
				text(kind, "  "+item(i))
			}
		}
		list(len(s.Notes), "notes", protocols.Info, func(i int) string { return s.Notes[i] })
		list(len(s.LeftOut), "not saved", protocols.Failure, func(i int) string { return "not saved: " + s.LeftOut[i].String() })
	}
	if len(lines) == 0 {
		text(protocols.Info, "Nothing is being saved.")
		return append(lines, protocols.Line{Text: "Save the item under the cursor, or a page", Note: protocols.ActionSave})
	}
	text(protocols.Info, "")
	folder := m.Folder
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	text(protocols.Info, "Files are saved in "+folder+".")
	return append(lines,
		protocols.Line{Text: "Pause or resume a download, or open a saved one", Note: protocols.ActionOpen},
		protocols.Line{Text: "All that can be done with it", Note: protocols.ActionExplain},
		protocols.Line{Text: "List what was not saved of it", Note: protocols.ActionDetails},
		protocols.Line{Text: "Cancel or remove it", Note: protocols.ActionForget})
}
