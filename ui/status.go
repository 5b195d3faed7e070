package ui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/ui/page"
	"gofer/ui/term"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// drawStatusRow draws the last row: a notice or the URL of the link under the cursor, and the state
// of the load. If there is no horizontal rule above it, the row also has the position in the page.
func (s *screen) drawStatusRow(w *cell.RowWriter) {
	place := ""
	if s.m.regions().foot < 0 && w.Width >= 12 {
		place = s.m.focusedTab().PlaceText()
	}
	w.PadTo(cell.Margin(w.Width))
	if place != "" {
		place = " " + place
	}
	right := w.Width - cell.Margin(w.Width) - s.m.tab.Pager.Cells.Width(place)
	s.drawLeftRow(w, right)
	if right >= w.Col && place != "" {
		w.PadTo(right)
		w.Put(s.m.styles.Dim, place)
	}
}

// drawFootRow draws the horizontal rule above the status line, with the position in the page. If the
// position were in the status line, the terminal would draw all cells between the URL and the position at each
// move of the cursor.
func (s *screen) drawFootRow(w *cell.RowWriter) {
	place := s.m.focusedTab().PlaceText()
	if place != "" {
		place = " " + place + " "
	}
	if more := s.m.moreHint(); more != "" && !s.hasBox() {
		place = " " + more + " " + place
	}
	rule, right := s.m.glyphs.Rule, cell.Margin(w.Width)
	if p := s.m.focusedTab().Session.Page(); p != nil && p.Filter != nil {
		w.Put(s.m.styles.Dim, rule)
		filter, _ := s.m.tab.Pager.Cells.Fit(" & "+clean.Short(p.Filter.Pattern), w.Width/3, s.m.glyphs.Cut)
		w.Put("", filter+" ")
	}
	w.Put(s.m.styles.Dim, strings.Repeat(rule, max(0, w.Width-s.m.tab.Pager.Cells.Width(place)-right-w.Col)))
	w.Put("", place)
	w.Put(s.m.styles.Dim, strings.Repeat(rule, right))
}

// minURLWidth is the smallest width of the item's URL next to the state of a load. minHintedURLWidth is
// its smallest width next to the last hint.
const minURLWidth, minHintedURLWidth = 20, 28

// drawLeftRow draws the status line up to the column in the parameter right: a notice or the URL of
// the item, and the state of loads or the hints.
func (s *screen) drawLeftRow(w *cell.RowWriter, right int) {
	c := s.m.tab.Pager.Cells
	busy, taken := c.Shorten(s.busyText(w.Width), right-w.Col-1, s.m.glyphs.Cut)
	room := right - taken - 4 - w.Col
	notice, _ := s.m.statusNotice()
	if busy != "" && (notice == "" || room >= s.leftWidth()) {
		if n := s.leftWidth(); n > 0 && room >= min(minURLWidth, n) {
			s.drawLeft(w, room)
			w.PadTo(right - taken - 2)
		}
		w.PutMeasured(s.m.styles.Accent, busy, taken)
		return
	}
	if notice != "" && !s.m.sharesRow {
		s.drawLeft(w, right-w.Col-1)
		return
	}
	hints := s.hints()
	fit := func() {
		for hints != "" && w.Col+c.Width(hints)+2 > right {
			_, hints, _ = strings.Cut(hints, hintGap)
		}
	}
	room = right - w.Col - 1
	last := c.Width(hints[strings.LastIndex(hints, hintGap)+1:])
	switch title := s.m.focusedTab().Pager.CutTitle(); {
	case notice == "" && s.m.isBesideDirectory() && title == "": // the row and the bar show the item
		fit()
		if room -= c.Width(hints) + len(hintGap); room < minURLWidth {
			room = 0
		}
	case notice == "" && c.Width(title) > room-last: // the title is worth more than the hints
	case notice != "" || room-last >= minHintedURLWidth:
		room -= last
	}
	if room > 0 {
		s.drawLeft(w, room)
	}
	fit()
	w.PadTo(right - c.Width(hints))
	w.Put(s.m.styles.Dim, hints)
}

// drawLeft draws a notice or the URL of the item, or its title if the row cuts it. The parameter room is the number of free cells.
func (s *screen) drawLeft(w *cell.RowWriter, room int) {
	line, _ := s.m.focusedTab().Pager.Current()
	u, st := line.Link, cell.Style("")
	if s.m.bar != nil {
		u = nil // the bar has the typed URL
	}
	notice, noticeURL := s.m.statusNotice()
	if notice != "" {
		u, st = noticeURL, s.m.styles.Bold
		text := clean.Short(notice)
		if u != nil {
			text = s.beforeURL(text, u, room)
		}
		text, taken := s.m.tab.Pager.Cells.Shorten(text, room, s.m.glyphs.Cut)
		w.PutMeasured(st, text, taken)
		room -= taken
	}
	switch {
	case u == nil:
	case notice == "" && s.m.focusedTab().Pager.CutTitle() != "":
		title, _ := s.m.tab.Pager.Cells.Fit(s.m.focusedTab().Pager.CutTitle(), room, s.m.glyphs.Cut)
		w.Put(st, title)
	case notice == "":
		or := ""
		if others := s.m.focusedTab().Pager.OtherURLs(); len(others) > 0 {
			or, _ = s.m.tab.Pager.Cells.Fit("  or: "+shortOther(u, others[0]), room/2, s.m.glyphs.Cut)
		}
		w.Put(st, s.itemText(u, room-s.m.tab.Pager.Cells.Width(or)))
		w.Put(s.m.styles.Dim, or)
	default:
		w.Put(st, s.noticeText(u, room))
	}
}

// statusNotice returns the keys that wait, or else the notice, with the URL that follows it or nil.
func (m *Model) statusNotice() (text string, u urlcore.URL) {
	if q := &m.typeahead; len(q.keys) > 0 && m.now().Sub(q.since) >= tickInterval {
		return "waiting: " + q.names(), nil
	}
	return m.notice, m.noticeURL
}

// beforeURL returns text and a space. It shortens text so that the host of u fits after it. The
// parameter room is the number of cells for both.
func (s *screen) beforeURL(text string, u urlcore.URL, room int) string {
	for _, p := range urlcore.Parts(u) {
		if p.Name == "host" {
			room -= len(p.Text)
		}
	}
	text, taken := s.m.tab.Pager.Cells.Shorten(text, room-minURLWidth/2, s.m.glyphs.Cut)
	if taken == 0 {
		return ""
	}
	return text + " "
}

// leftWidth returns the width of the notice or the URL.
func (s *screen) leftWidth() int {
	w := cell.RowWriter{Builder: new(strings.Builder), Cells: s.m.tab.Pager.Cells, Width: clean.MaxShort}
	s.drawLeft(&w, clean.MaxShort)
	return w.Col
}

const hintGap = "  "

// hints returns a few key hints for new users. They are aligned to the right, and the hints that
// depend on the item come first. The other hints therefore stay in place when the cursor moves.
func (s *screen) hints() string {
	if s.m.bar != nil {
		all := []string{s.m.keys.Hint("page", "help", "F1", "help"), s.m.keys.Hint("bar", "go", "Enter", "open"), s.m.keys.Hint("bar", "next", "Tab", "complete"), s.m.keys.Hint("editing", "cancel", "Esc", "cancel")}
		return strings.Join(slices.DeleteFunc(all, func(hint string) bool { return hint == "" }), hintGap)
	}
	t, names := s.m.tab, s.hintedActions()
	tagged := ""
	if p := t.Session.Page(); p != nil && p.Tags.Count > 0 {
		tagged, names = fmt.Sprintf("%d tagged:%s", p.Tags.Count, hintGap), []string{"save", "copy", "untag all=untag", "help"}
	}
	switch {
	case s.m.isPaneFocused():
		tagged, names = "", []string{"next link=list", "peek=close", "open", "help"}
	case s.m.hasTwoPanes():
		names = append([]string{"next link=pane", "peek=close"}, names[1:]...)
	case s.m.isBesideDirectory() && t.Session.Page().Layout != protocols.LayoutDirectory:
		names = []string{"next link=pane", "pair=close", "copy across=copy", "help"}
	case s.m.isBesideDirectory() && tagged == "":
		names = []string{"compare", "next link=pane", "open=view", "edit file=edit", "make directory=mkdir", "forget=remove", "move across=move", "copy across=copy", "help"}
	case s.m.isBesideDirectory():
		names = []string{"untag all=untag", "forget=remove", "move across=move", "copy across=copy", "help"}
	case s.m.otherPane() != nil:
		names = append([]string{"next link=pane", "pair=close"}, names[1:]...)
	case s.m.panes().paneWidth > 0:
		names[0] = "peek=close"
	}
	var parts []string
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		if key := s.m.keys.keyOf(name); key != "" {
			parts = append(parts, key+" "+cmp.Or(text, name))
		}
	}
	return tagged + strings.Join(parts, hintGap)
}

// hintedActions returns the names of the actions for the hints on the page and on the line under the
// cursor. A name may be "action=text of the hint".
func (s *screen) hintedActions() []string {
	t := s.m.tab
	line, onLink := t.Pager.Current()
	names := []string{"URL", "next link", "help"}
	switch {
	case t.Picture() != nil:
		names = []string{"save", "zoom in", "help"}
	case onLink:
		names = []string{"save", "open", "help"}
		if !viewer.IsSavable(line.Kind) {
			names[0] = "URL"
			if _, ok := urlcore.Up(t.Session.Page().URL); ok {
				names[0] = "up a level"
			}
		}
		if n, ok := line.Note.(interface{ HasAttributes() bool }); ok && n.HasAttributes() {
			names = slices.Insert(names, 1, "attributes")
		}
	default:
		if !t.Pager.HasLinksInText() || !t.Pager.HasLinksOnScreen() {
			names = []string{"save", "URL", "help"}
			if p := t.Session.Page(); p == nil || p.Failed != nil || t.OwnPage().Name != "" {
				names[0] = "reload"
			}
			if t.Session.CanGoBack() {
				names = []string{"URL", "back", "help"}
			}
		}
		if !t.Pager.IsAtEnd() {
			names[0] = "read on=more"
		}
	}
	if hint := s.m.enterOn(&line).hint; onLink && hint != "" {
		names = []string{"URL", "open=" + hint, "help"}
	}
	p := t.Session.Page()
	if _, ok := s.m.news.Entry(&t.Viewer); ok && !t.IsArticle() {
		return append(names[:len(names)-1:len(names)-1], "catch up and go=mark source", "next new=next unread", "help")
	}
	if s.m.isInbox() && onLink {
		return inboxHints(p, &line)
	}
	if s.m.opts.News != nil && p != nil && p.Failed == nil {
		switch {
		case t.IsArticle() && !onLink:
			names = []string{names[1], "next new=next unread", "up a level=group", "help"}
		case p.Layout == protocols.LayoutArticles && onLink:
			names = []string{"save", "next new=next unread", "open", "help"}
		case p.Layout == protocols.LayoutGroups && onLink:
			if g, ok := line.Note.(*protocols.GroupNote); ok && !g.Subscribed {
				names = []string{names[0], "follow", "open", "help"}
			}
		}
	}
	return names
}

// busyText returns the state of the load, of a change, or of a download, or "".
func (s *screen) busyText(width int) string {
	if l := s.m.tab.Session.Loading(); l != nil {
		return s.loadText(l, width)
	}
	if s.m.trial != nil {
		return "trying " + s.m.trial.server + " (" + s.m.keys.keyOf("stop") + " stops)"
	}
	if text := cmp.Or(s.m.changes.Text(), s.m.inbox.Text()); text != "" {
		return text
	}
	item, n := s.m.downloads.Active()
	if n == 0 {
		return ""
	}
	state := item.Status()
	text := "saving " + s.savingName(&state, width)
	if state.Task != nil {
		text = state.Task.Participle(false) + " " + clean.Short(state.Name())
	}
	wait := state.Wait.String()
	counting := state.StateText() == "counting"
	switch {
	case wait != "":
		text = clean.Short(state.Name()) + ": " + wait
	case counting:
		text = "counting " + clean.Short(state.Name()) + ": " + english.Plural(state.TotalFiles, "file", "")
	case state.Tree && state.TotalFiles > 0, state.TotalFiles > 1:
		text += fmt.Sprintf(" %d of %d", state.Files, state.TotalFiles)
	}
	if !counting {
		text += " " + cell.Amount(state.Received, state.Size)
	}
	if state.Rate > 0 {
		text += " " + protocols.Octets(state.Rate).PerSecond()
	}
	if n > 1 {
		text += fmt.Sprintf(" and %d more", n-1)
	}
	if s.m.downloads.CanUndo(item) {
		folder := s.m.opts.Config.Downloads.Folder
		if state.Path != "" {
			folder = filepath.Dir(state.Path)
		}
		folder, _ = s.m.tab.Pager.Cells.ShortenMiddle(clean.Short(userfile.ShortPath(folder)), width/3, s.m.glyphs.Cut)
		text += " in " + folder + " (" + s.m.keys.keyOf("undo") + ": stop and remove)"
	}
	return text
}

// savingName returns the name of a download's file, or its URL if the name is not known yet.
func (s *screen) savingName(state *download.Status, width int) string {
	if state.Path != "" {
		return clean.Short(state.Name())
	}
	return s.m.glyphs.URL(state.URL, max(minURLWidth, width/3))
}

func (s *screen) loadText(l *nav.Load, width int) string {
	state := l.Progress.State()
	now := s.m.now()
	since := now.Sub(state.Since)
	to := ""
	if width >= page.KindScreen && state.Peer != "" {
		to = " to " + s.m.glyphs.Host(state.Peer, width/3)
	}
	switch state.Phase {
	case protocols.Connecting:
		return "connecting" + to + limitText(since, state.Limit) + s.stopHint(width)
	case protocols.Waiting:
		return "waiting" + strings.Replace(to, " to ", " for ", 1) + limitText(since, state.Limit) + s.stopHint(width)
	case protocols.Receiving:
		size := int64(-1)
		if p := s.m.tab.Session.Page(); p != nil && p.IsLoading() {
			size = p.Size
		}
		text := cell.Amount(state.Bytes, size)
		if state.Articles > 0 {
			text = fmt.Sprintf("%d of %d articles, %s", state.Searched, state.Articles, text)
		}
		if took := now.Sub(state.Begun); took > 0 {
			text += cell.Rate(state.Bytes, took) + " " + seconds(took)
		}
		if since >= 2*time.Second {
			text = "no data" + strings.Replace(limitText(since, state.Limit), ",", " for", 1) + ", " + text
		}
		return text
	}
	return "opening"
}

// stopHint returns the hint for the key that stops a load, or "" on a narrow screen.
func (s *screen) stopHint(width int) string {
	if width < page.KindScreen {
		return ""
	}
	return ", " + s.m.keys.keyOf("stop") + " stops"
}

// limitText returns a text like ", 3 of 15 s".
func limitText(since, limit time.Duration) string {
	if since < 0 || since > 1000*time.Hour {
		return ""
	}
	if limit <= 0 {
		return ", " + seconds(since)
	}
	return ", " + strconv.Itoa(int(since/time.Second)) + " of " + seconds(limit)
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d/time.Second)) + " s" }

// progressBar returns the progress that the terminal shows in its tab or task bar (OSC 9;4). It
// returns nil if no page loads and no download runs, or if the terminal may show OSC 9 as a
// notification.
func (s *screen) progressBar() *tea.ProgressBar {
	if !s.m.showsProgress {
		return nil
	}
	if l := s.m.tab.Session.Loading(); l != nil {
		if p := s.m.tab.Session.Page(); p != nil && p.IsLoading() && p.Size > 0 {
			return term.Progress(l.Progress.State().Bytes, p.Size)
		}
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	if item, n := s.m.downloads.Active(); n > 0 {
		state := item.Status()
		return term.Progress(state.Received, state.Size)
	}
	return nil
}
