package nav

import (
	"errors"
	"io"
	"iter"
	"slices"

	"gofer/protocols"
	"gofer/urlcore"
)

// Session holds the pages and the current load of a tab. The zero value is empty and ready. It is
// not safe for concurrent use, and it never waits for the network.
type Session struct {
	// Dots makes directories show names that begin with a dot. [protocols.Request.Hidden] requests
	// them from servers; see [Session.ShowDots].
	Dots bool
	// Folded makes lists of articles fold threads, and Killed makes them show killed articles. See
	// [Session.FoldThreads] and [Session.ShowKilled].
	Folded, Killed bool
	// Orders are the orders of the pages that are opened from now on, by [Page.Kind]. Sessions may share the map.
	Orders map[string]Order

	memory    *Memory // shared memory limit, or nil
	stack     stack[*Page]
	overlay   *Page // page shown in place of the current page but not in the stack, such as an error page
	load      *Load
	reloading bool            // load is a reload
	page      *Page           // page that is filled by load, nil before the answer
	ending    []*Load         // earlier loads that Close waits for
	folders   map[string]bool // by link: whether the folder is folded
}

// Begin makes l the session's load and stops the previous one. The page on the screen stays until
// the server has answered.
func (s *Session) Begin(l *Load) {
	s.leave()
	s.load, s.reloading, s.page = l, false, nil
}

// Reload is like Begin, but the answer replaces the current page and keeps the place in it.
func (s *Session) Reload(l *Load) {
	s.Begin(l)
	s.reloading = true
	if p, ok := s.stack.Current(); ok {
		p.Cut = false // also if the reload fails or the user stops it, so that it is tried once
	}
}

// Answer makes a page of the server's answer to l and goes to it. If the new page has the URL of
// the current page, it replaces that page in the history. Answer returns nil if l is not the
// session's load, or has been answered before.
func (s *Session) Answer(l *Load, h protocols.Head) *Page {
	if l == nil || l != s.load || s.page != nil {
		return nil
	}
	p := &Page{Head: h, Asked: l.URL, Typed: l.request.Typed, Started: l.Started, Progress: l.Progress, Transcript: l.Transcript, memory: s.memory}
	if p.URL == nil {
		p.URL = l.URL
	}
	p.Cursor = h.Start
	p.Order, p.Dots, p.Folded, p.Killed = s.Orders[p.Kind()], s.Dots, s.Folded, s.Killed
	cur, ok := s.stack.Current()
	switch {
	case ok && s.reloading:
		p.keepPlace(cur)
		p.Dots, p.Folded, p.Killed = s.Dots, s.Folded, s.Killed
		if len(s.Orders) == 0 && p.Order.By != "" { // the order of a restored tab
			s.SetOrder(p.Kind(), p.Order)
		}
		s.stack.Replace(p)
	case ok && cur.URL == p.URL:
		p.Tags = tagsOf(cur)
		s.stack.Replace(p)
	default:
		s.stack.Push(p)
		if ok {
			cur.LearnKind(p)
		}
	}
	s.overlay, s.page = nil, p
	p.setDeclaredCharset()
	return p
}

// Append adds the results of [Load.Next] to the page of l. It does nothing and
// returns false when l is not the session's load, or has not been answered.
func (s *Session) Append(l *Load, lines Lines, err error) bool {
	if l == nil || l != s.load || s.page == nil {
		return false
	}
	p := s.page
	from := p.Lines.n
	if lines.replace {
		p.replacePreview(lines)
		from = 0
	} else {
		p.appendLines(&lines)
	}
	p.restoreTags(from, errors.Is(err, io.EOF))
	if p.Layout == protocols.LayoutArticles && lines.n > 0 {
		p.updateArticles(from)
	}
	if p.Layout == protocols.LayoutPage && len(s.folders) > 0 {
		s.foldFolders(p, from)
	}
	p.findAnchor(from)
	if errors.Is(err, io.EOF) {
		p.Content, p.Source = l.Content(), l.source.bytes()
	}
	if from == 0 && p.Layout == protocols.LayoutText && p.Lines.Len() > 0 {
		if h, ok := p.Lines.WithoutLink(0).Note.(*protocols.ArticleHeader); ok {
			s.memory.learnAuthor(h)
		}
	}
	p.learnCharset(from, err != nil)
	p.learnTitle(from)
	if err == nil {
		s.trim() // which may stop l
		return true
	}
	p.Err = err
	p.Notes = append(slices.Clip(p.Notes), l.LateNotes()...)
	if errors.Is(err, io.EOF) {
		p.sortEntries()
		p.endAnchor()
	} else if !errors.Is(err, ErrStopped) {
		p.Lines.Append(endLines(p.URL, err)...)
	}
	if last := max(p.Lines.Len()-1, 0); p.Content == nil && (p.Cursor > last || p.Top > last) {
		p.Cursor, p.Top, p.TopRow = min(p.Cursor, last), min(p.Top, last), 0
	}
	s.detach()
	s.trim()
	return true
}

// Fail shows an error page for l. The error page is not part of the history, so GoBack leads to the page
// that was shown before. Fail returns nil if l is not the session's load, or was answered or stopped.
func (s *Session) Fail(l *Load, err error) *Page {
	if l == nil || l != s.load || s.page != nil {
		return nil
	}
	s.detach()
	if errors.Is(err, ErrStopped) {
		return nil
	}
	from, _ := s.stack.Current()
	p := newErrorPage(l.URL, err, mirrorLines(from, l.URL), l.OtherURLs, l.Guessed)
	p.Asked, p.Typed, p.Started, p.Progress, p.Transcript = l.URL, l.request.Typed, l.Started, l.Progress, l.Transcript
	s.overlay = p
	return p
}

// Jump makes GoBack return to the present place in the current page. It has no effect if the page is
// loading, Dropped or covered by another page.
func (s *Session) Jump() {
	if p, ok := s.stack.Current(); ok && s.overlay == nil && p.Err != nil && !p.Dropped {
		again := *p
		s.stack.Push(&again)
	}
}

// PushOverlay shows p in place of the page on the screen. GoBack returns to that page. p does not become
// part of the history.
func (s *Session) PushOverlay(p *Page) {
	p.covered = s.overlay
	s.overlay = p
}

// Restore sets the stack of an empty session. pages[current] is the current page. All pages are
// Dropped and keep their places.
func (s *Session) Restore(pages []*Page, current int) {
	for _, p := range pages {
		p.drop()
		s.stack.Push(p)
	}
	for s.stack.CanGoBack() && s.stack.at > current+1 {
		s.stack.GoBack()
	}
	if p, ok := s.stack.Current(); ok {
		s.Dots, s.Folded, s.Killed = p.Dots, p.Folded, p.Killed
	}
}

// Pages returns the pages of the stack, the oldest first, and the index of the
// current one, -1 if there is none.
func (s *Session) Pages() (pages iter.Seq[*Page], current int) { return s.stack.All(), s.stack.at - 1 }

// ShowError covers the current page with an error page for err, as [Session.Fail] does, but the session
// keeps its load.
func (s *Session) ShowError(u urlcore.URL, err error) *Page {
	s.overlay = ErrorPage(u, err)
	return s.overlay
}

// Page returns the page on the screen, or nil before the first page.
func (s *Session) Page() *Page {
	if s.overlay != nil {
		return s.overlay
	}
	p, _ := s.stack.Current()
	return p
}

// GoToPage makes the newest page of u the newest page of the history, goes to it and returns it. It returns
// nil if the history has no page of u that is not Dropped.
func (s *Session) GoToPage(u urlcore.URL) *Page {
	for i, p := range slices.Backward(s.stack.items) {
		if p.URL == u && !p.Dropped {
			s.stack.items, s.stack.at = append(slices.Delete(s.stack.items, i, i+1), p), len(s.stack.items)
			s.overlay = nil
			return p
		}
	}
	return nil
}

// Loading returns the load that is under way, or nil.
func (s *Session) Loading() *Load { return s.load }

// IsWaiting reports whether the current load has not been answered yet.
func (s *Session) IsWaiting() bool { return s.load != nil && s.page == nil }

// CanGoBack reports whether GoBack would move.
func (s *Session) CanGoBack() bool {
	if s.overlay != nil {
		return s.overlay.covered != nil || s.stack.Len() > 0
	}
	return s.stack.CanGoBack()
}

// canGoForward reports whether GoForward would move.
func (s *Session) canGoForward() bool { return s.stack.CanGoForward() }

// leave stops the load because another page is opened or shown. A list that was loading, or that was incomplete and
// was being reloaded, is then Cut. Stopping is simpler than letting the list load on, which would take a second
// connection to its server; and the user may not come back.
func (s *Session) leave() {
	p := s.page
	if p == nil && s.reloading {
		p, _ = s.stack.Current()
	}
	s.Stop()
	if p != nil && !p.Layout.IsDocument() && !errors.Is(p.Err, io.EOF) {
		p.Cut = true
	}
}

// GoBack stops the load and goes to the previous page. A Dropped or Cut page must be reloaded.
func (s *Session) GoBack() bool {
	if !s.CanGoBack() {
		return false
	}
	s.leave()
	if s.overlay != nil {
		s.overlay = s.overlay.covered
		return true
	}
	s.stack.GoBack()
	s.trim()
	return true
}

// GoForward stops the load and goes to the next page. A Dropped or Cut page must be reloaded.
func (s *Session) GoForward() bool {
	if !s.canGoForward() {
		return false
	}
	s.leave()
	s.overlay = nil
	s.stack.GoForward()
	s.trim()
	return true
}

// Stop ends the current load, if any, without waiting for it. Its page keeps the received lines.
func (s *Session) Stop() {
	if s.load == nil {
		return
	}
	if s.page != nil && s.page.Err == nil {
		s.page.Err = ErrStopped
	}
	s.load.Stop()
	s.detach()
}

// Close ends all loads and waits until their goroutines are gone.
func (s *Session) Close() {
	s.Stop()
	for _, l := range s.ending {
		l.Cancel()
	}
	s.ending = nil
}

// detach removes the load from the session. Close still waits for it.
func (s *Session) detach() {
	s.ending = append(s.ending, s.load)
	kept := s.ending[:0]
	for _, l := range s.ending {
		select {
		case <-l.Done():
		default:
			kept = append(kept, l)
		}
	}
	clear(s.ending[len(kept):])
	s.ending, s.load, s.page, s.reloading = kept, nil, nil, false
}

// trim lets the memory of the session drop lines until all pages fit.
func (s *Session) trim() {
	if s.memory == nil {
		new(Memory).Use(s)
	}
	s.memory.trim()
}
