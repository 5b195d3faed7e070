package newsreader

import (
	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/usenet/newsrc"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/ui/viewer"
	"gofer/urlcore"
)

// News stores which articles are read. Its methods may be called from any goroutine.
type News interface {
	// File returns the data for the server of a URL.
	File(u urlcore.URL) (*newsrc.File, error)
	// Change calls edit with the data for the server of u, and stores the result. It may call edit
	// more than once.
	Change(u urlcore.URL, edit func(*newsrc.File)) error
}

// unread is the read state of the articles on a page, which is a group or a list of groups.
type unread struct {
	page  *nav.Page
	files map[string]*newsrc.File // by server; "" is the default server
	done  int                     // number of lines that were examined
	notes unreadNotes

	sorted bool // the page was sorted by its unread articles, if that is its order; later counts do not sort it again
}

// LoadReadState returns the command that loads which articles of the page of t are read.
func (r *Reader) LoadReadState(t *viewer.Viewer) tea.Cmd {
	p, news := t.Session.Page(), r.Stores().News
	if news == nil || p == nil || p.Failed != nil || p.Layout != protocols.LayoutArticles && p.Layout != protocols.LayoutGroups {
		return nil
	}
	servers := map[string]urlcore.URL{serverOf(p.URL): p.URL}
	if IsOwnList(t) {
		if p.IsLoading() {
			return nil // the lines name the servers
		}
		for i := range p.Lines.Len() {
			if line := p.Lines.At(i); line.Kind == protocols.Group && line.Link != nil {
				servers[serverOf(line.Link)] = line.Link
			}
		}
	}
	load := r.program.RunInBackground(func() func() tea.Cmd {
		files := make(map[string]*newsrc.File)
		var failed error
		for name, u := range servers {
			file, err := news.File(u)
			if files[name] = file; err != nil {
				failed = err
			}
		}
		if failed != nil {
			return r.noticeResult("read articles not loaded: " + failed.Error())
		}
		return func() tea.Cmd {
			if t.Session.Page() != p {
				return nil
			}
			state := r.stateOf(t)
			if old := state.unread.page; old != nil && old != p {
				old.WithUnread = nil // these counts would be outdated when the page is shown again
			}
			state.unread = unread{page: p, files: files, notes: make(unreadNotes), sorted: state.unread.page == p && state.unread.sorted}
			r.ShowUnread(t, true)
			return r.MarkKilled(t)
		}
	})
	if t != r.tab() {
		return load
	}
	return r.program.HoldKeys(load)
}

// IsOwnList reports whether the page is a list of groups made by gofer itself. Its lines name the servers.
func IsOwnList(t *viewer.Viewer) bool {
	p := t.Session.Page()
	return p != nil && p.Layout == protocols.LayoutGroups && t.OwnPage().Name != ""
}

// serverOf returns the server of a URL, or "" for the default server.
func serverOf(u urlcore.URL) string {
	addr, _ := urlcore.Addr(u)
	return addr
}

// ShowUnread marks the unread lines of the page of t. Unless the parameter all is set, it examines
// only the lines that were added since the last call. It reports whether the screen may have changed.
func (r *Reader) ShowUnread(t *viewer.Viewer, all bool) (changed bool) {
	u := &r.stateOf(t).unread
	p := t.Session.Page()
	if p == nil || u.page != p {
		return false
	}
	if all {
		u.done = 0
		clear(u.notes)
	}
	var read newsrc.Numbers
	if p.Layout == protocols.LayoutArticles {
		g, _ := u.files[serverOf(p.URL)].Group(urlcore.NewsGroup(p.URL).Group)
		read = g.Read
		defer func() { changed = r.openAtUnread(t) || changed }()
	}
	n := p.Lines.Len()
	for ; u.done < n; u.done++ {
		line := p.Lines.WithoutLink(u.done)
		state := p.Lines.State(u.done) &^ nav.Unread
		switch note := line.Note.(type) {
		case *protocols.ArticleNote:
			if note.Number > 0 && !read.Has(note.Number) {
				state |= nav.Unread
			}
		case protocols.Readable:
			continue // the line began as unread
		case *protocols.GroupNote:
			u.count(u.done, note)
			if u.notes.copyOf(note).(*protocols.GroupNote).Unread > 0 {
				state |= nav.Unread
			}
		}
		if state != p.Lines.State(u.done) {
			p.Lines.SetState(u.done, state)
			changed = true
		}
	}
	if p.Layout == protocols.LayoutGroups {
		t.Pager.Invalidate() // the lists have a column of unread articles
		changed = true
		if p.WithUnread = nil; len(u.notes) > 0 {
			p.WithUnread = u.notes.copyOf
		}
		if !u.sorted && !p.IsLoading() {
			if u.sorted = true; p.CurrentOrder().By == nav.ByUnread {
				p.SortAgain()
				t.ShowRearranged(p)
			}
		}
	}
	return changed
}

// count counts the unread articles in the group of line i, if the file of its server has been read.
// It does not change the note of the page, because other goroutines may read that note.
func (u *unread) count(i int, note *protocols.GroupNote) {
	p := u.page
	line, name := p.Lines.WithoutLink(i), ""
	isAbout := p.URL.Scheme() == "about"
	if isAbout {
		line = p.Lines.At(i)
	}
	if name = serverOf(p.URL); isAbout && line.Link != nil {
		name = serverOf(line.Link)
	}
	file := u.files[name]
	if file == nil {
		return
	}
	g, _ := file.Group(line.Text)
	counted := *note
	counted.Subscribed, counted.Unread = g.Subscribed || about.OwnPageOf(p.URL).Items == about.Entries, 0
	if counted.Subscribed && !note.Unknown {
		counted.Unread = g.Unread(note.Low, note.High, note.Count)
	}
	if counted != *note {
		u.notes[note] = &counted
	}
}

// unreadNotes maps the notes of groups on a page to copies with the number of unread articles.
type unreadNotes map[*protocols.GroupNote]*protocols.GroupNote

// copyOf returns the copy of note with the number of unread articles, or note itself if there is no
// copy.
func (n unreadNotes) copyOf(note protocols.Note) protocols.Note {
	if group, ok := note.(*protocols.GroupNote); ok && n[group] != nil {
		return n[group]
	}
	return note
}

// openAtUnread moves the cursor in a newly opened group to the first unread article, with some rows
// above the article. If all articles are read and the oldest come first, it moves the cursor to the
// last article. It reports whether it has moved the cursor.
func (r *Reader) openAtUnread(t *viewer.Viewer) bool {
	p, v := t.Session.Page(), &t.Pager
	if !t.To.Unread || p.Lines.Len() == 0 {
		return false
	}
	t.To.Unread = p.IsLoading()
	i := v.WithFolds().NextUnread(0)
	if i < 0 && !p.IsLoading() && p.CurrentOrder().IsOldestFirst() {
		i = v.WithFolds().FindLink(p.Lines.Len()-1, 0)
	}
	if i < 0 {
		return false
	}
	if p.Cursor = i; p.Folded {
		v.MoveOutOfFolds()
		i = p.Cursor
	}
	v.OpenFold(i)
	if first, last := v.VisibleLines(); i < first || i > last {
		v.ScrollTo(i, min(r.program.Config().ReadBeforeUnread, v.Height/3))
	}
	return true
}

// newsMarks are marks to set in the data of a server.
type newsMarks struct {
	server urlcore.URL               // URL that names the server
	text   string                    // notice when the marks are set, or ""
	read   bool                      // mark as read, else as unread
	groups map[string]newsrc.Numbers // article numbers by group name
	killed bool                      // the articles were killed by score rules
	rule   *addedRule                // rule whose undo also reverts these marks, or nil
	list   *nav.Page                 // list whose next unread article is selected or opened afterwards, or nil
	leave  *nav.Page                 // page to leave for the next group afterwards, or nil
}

// mark sets marks in the background.
func (r *Reader) mark(marks newsMarks) tea.Cmd {
	news := r.Stores().News
	if news == nil || len(marks.groups) == 0 {
		return r.notify("the numbers of these articles are not known")
	}
	return r.program.Change(func() (undo *room.Undo, next func() tea.Cmd) {
		reverse, err := marks.set(news)
		undoable := len(reverse.groups) > 0 && marks.text != ""
		switch {
		case undoable && marks.rule != nil:
			undoable = marks.rule.addMarks(reverse)
		case undoable && marks.killed:
			undoable = false // the rules would kill the articles again
		case undoable:
			undo = &room.Undo{Text: marks.text, Revert: func() (func() tea.Cmd, error) {
				reverted, err := reverse.set(news)
				if err == nil && len(reverted.groups) == 0 {
					err = room.ErrChangedSince
				}
				return func() tea.Cmd { return r.showMarks(reverse) }, err
			}}
		}
		return undo, func() tea.Cmd { return r.finishMarks(marks, undoable, err) }
	})
}

// set stores the marks. It returns the marks that revert the change.
func (marks *newsMarks) set(news News) (reverse newsMarks, err error) {
	reverse = newsMarks{server: marks.server, text: marks.text, read: !marks.read, groups: make(map[string]newsrc.Numbers)}
	err = news.Change(marks.server, func(f *newsrc.File) {
		clear(reverse.groups) // the function may be called again
		for name, numbers := range marks.groups {
			g, _ := f.Group(name)
			old := g.Read
			changed := numbers.Subtract(old)
			if g.Read = old.Union(numbers); !marks.read {
				g.Read, changed = old.Subtract(numbers), numbers.Subtract(changed)
			}
			if f.Set(g); len(changed) > 0 {
				reverse.groups[name] = changed
			}
		}
	})
	return reverse, err
}

// showMarks shows the marks in every tab.
func (r *Reader) showMarks(marks newsMarks) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range r.program.Tabs() {
		cmds = append(cmds, r.LoadReadState(t))
		if list, _, ok := r.SourceList(t); ok && marks.text != "" && serverOf(list.URL) == serverOf(marks.server) {
			marks.show(list)
		}
	}
	r.changed = true
	return tea.Batch(append(cmds, r.program.ReloadOwn(about.ReadMarks))...)
}

// finishMarks shows the marks and a notice, and then goes on as the marks say.
func (r *Reader) finishMarks(marks newsMarks, undoable bool, err error) tea.Cmd {
	shown, text := r.showMarks(marks), marks.text
	switch {
	case err != nil:
		return tea.Batch(shown, r.notify("read articles not saved: "+err.Error()))
	case undoable && text != "":
		text += r.undoHint()
	}
	return tea.Batch(shown, r.announce(text, func() tea.Cmd { return r.goOn(&marks) }))
}

// goOn goes to where the user reads on after the marks were set.
func (r *Reader) goOn(marks *newsMarks) tea.Cmd {
	switch list, p := marks.list, r.tab().Session.Page(); {
	case marks.leave != nil && marks.leave == p:
		markGroupRead(r.tab())
		return r.OpenNextGroup()
	case list == nil:
		return nil
	default:
		marks.show(list)
		if list == p {
			return r.MoveToNew(1)
		} else if r.tab().IsArticle() {
			return r.openNextUnread()
		}
	}
	return nil
}

// undoHint returns the end of a notice that names the key for undo.
func (r *Reader) undoHint() string { return " (" + r.program.KeyOf("undo") + " to undo)" }

// show shows the marks on the articles of a list.
func (marks *newsMarks) show(list *nav.Page) {
	numbers := marks.groups[urlcore.NewsGroup(list.URL).Group]
	for i := range list.Lines.Len() {
		note, ok := list.Lines.WithoutLink(i).Note.(*protocols.ArticleNote)
		if !ok || !numbers.Has(note.Number) {
			continue
		}
		state := list.Lines.State(i) &^ nav.Unread
		if !marks.read {
			state |= nav.Unread
		}
		list.Lines.SetState(i, state)
	}
}
