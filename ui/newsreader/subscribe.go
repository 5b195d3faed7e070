package newsreader

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/ui/room"
	"gofer/urlcore"
)

// groupName returns the group of the page or under the cursor, and the URL of the group or of a page of its server. The
// name is "" if there is none.
func (r *Reader) groupName() (name string, server urlcore.URL) {
	p := r.tab().Session.Page()
	if p == nil {
		return "", nil
	}
	name, server = urlcore.NewsGroup(p.URL).Group, p.URL
	if line, ok := r.tab().Pager.Current(); ok && p.Layout == protocols.LayoutGroups {
		name, server = "", line.Link
		if _, ok := line.Note.(*protocols.GroupNote); ok {
			name = line.Text
		}
	} else if list, _, ok := r.SourceList(r.tab()); ok && r.tab().IsArticle() {
		name, server = urlcore.NewsGroup(list.URL).Group, list.URL
	}
	if name == "*" {
		name = ""
	}
	return name, server
}

// Subscribe subscribes to the group of the page or under the cursor, and follows it. If both were done before, it
// unsubscribes from the group and stops following it.
func (r *Reader) Subscribe() tea.Cmd {
	news := r.Stores().News
	name, server := r.groupName()
	if name == "" || news == nil {
		return r.notify("no group to subscribe to")
	}
	follow := func(bool) (func() error, error) { return nil, nil }
	u := groupURL(server, name)
	if f := r.Following; f != nil && u != nil && !r.program.Private() {
		follow = func(on bool) (func() error, error) { return f.SetFollowed(u, name, on) }
	}
	return r.program.Change(func() (undo *room.Undo, next func() tea.Cmd) {
		on := true
		unfollow, err := follow(true)
		changed, subscribeErr := setSubscription(news, server, name, on)
		if !changed && unfollow == nil && err == nil && subscribeErr == nil {
			on = false
			unfollow, err = follow(false)
			_, subscribeErr = setSubscription(news, server, name, on)
			changed = true
		}
		text := map[bool]string{true: "subscribed to ", false: "unsubscribed from "}[on] + clean.Short(name)
		if !changed {
			text = "following " + clean.Short(name)
		}
		marks := newsMarks{server: server, text: text}
		undo = &room.Undo{Text: text, Revert: func() (func() tea.Cmd, error) {
			var err error
			if changed {
				err = unsetSubscription(news, server, name, on)
			}
			if unfollow != nil && err == nil {
				err = unfollow()
			}
			return func() tea.Cmd { return r.showSubscription(marks) }, err
		}}
		return undo, func() tea.Cmd {
			cmd := r.finishMarks(marks, true, errors.Join(err, subscribeErr))
			if unfollow == nil {
				return cmd
			}
			if on {
				return tea.Batch(cmd, r.Following.ShowFollowed(u))
			}
			return tea.Batch(cmd, r.program.ReloadOwn(about.Entries))
		}
	})
}

// groupURL returns the canonical URL of a group on a server, or nil.
func groupURL(server urlcore.URL, name string) urlcore.URL {
	var u urlcore.URL = urlcore.News{Group: name}
	if group := urlcore.NewsGroup(server); group.Host != "" {
		group.Group, group.Search = name, ""
		u = group
	}
	u, err := urlcore.Canon(u)
	if err != nil {
		return nil
	}
	return u
}

// showSubscription shows a change of a subscription that was undone.
func (r *Reader) showSubscription(marks newsMarks) tea.Cmd {
	return tea.Batch(r.showMarks(marks), r.program.ReloadOwn(about.Entries))
}

// setSubscription subscribes to a group or unsubscribes from it, and reports whether this has changed the file.
func setSubscription(news News, server urlcore.URL, name string, on bool) (changed bool, err error) {
	err = news.Change(server, func(f *newsrc.File) {
		g, _ := f.Group(name)
		changed = g.Subscribed != on
		g.Subscribed = on
		f.Set(g)
	})
	return changed, err
}

// unsetSubscription reverts a change that has made the group subscribed, or not subscribed.
func unsetSubscription(news News, server urlcore.URL, name string, subscribed bool) error {
	changedSince := false
	err := news.Change(server, func(f *newsrc.File) {
		g, _ := f.Group(name)
		if changedSince = g.Subscribed != subscribed; !changedSince {
			g.Subscribed = !subscribed
			f.Set(g)
		}
	})
	if err == nil && changedSince {
		return room.ErrChangedSince
	}
	return err
}
