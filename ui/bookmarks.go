package ui

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/program"
	"gofer/internal/text/clean"
	"gofer/ui/ask"
	"gofer/ui/term"
	"gofer/urlcore"
)

// errNoBookmarks says that Options has none.
var errNoBookmarks = errors.New("no bookmarks are kept")

func (m *Model) bookmarkPage() tea.Cmd {
	if m.tab.OwnPage() == "bookmarks" {
		return m.bookmarkItem() // nobody bookmarks the bookmarks
	}
	u, title := m.tab.PageHere()
	if p := m.tab.Session.Page(); p != nil && p.Failed != nil {
		title = ""
	}
	return m.bookmark(u, title)
}

func (m *Model) bookmarkItem() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	if !ok {
		return m.say("there is no item under the cursor")
	}
	if folder, ok := about.Folder(line.Link); ok && m.tab.OwnPage() == "bookmarks" {
		return m.askFolder(folder)
	}
	return m.bookmark(line.Link, strings.TrimSpace(m.tab.Pager.LineText(&line)))
}

// bookmark looks u up, to ask how it is to be kept.
func (m *Model) bookmark(u urlcore.URL, title string) tea.Cmd {
	if u == nil {
		return nil
	}
	if title == "" {
		title = urlcore.Host(u)
	}
	b, page := m.opts.Bookmarks, m.tab.Session.Page()
	if b == nil {
		return m.say(errNoBookmarks.Error())
	}
	return m.holdKeys(func() resultFunc {
		old, known, err := b.Find(u)
		if !known {
			old = bookmarks.Bookmark{URL: urlcore.Redact(u), Title: title}
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return m.say("the bookmarks cannot be read: " + err.Error())
			case page != m.tab.Session.Page() || m.context() != reading:
				return nil // the reader has gone on
			}
			return m.askBookmark(old, known)
		}
	})
}

// askBookmark asks how a URL is to be kept, with what is known of it.
func (m *Model) askBookmark(old bookmarks.Bookmark, known bool) tea.Cmd {
	rest := " (" + m.keys.In("prompt", "next field", "Tab") + ": folder, tags, URL)"
	tags := ""
	if len(old.Tags) > 0 {
		tags = "#" + strings.Join(old.Tags, " #")
	}
	title := "Bookmark"
	if known {
		title = "Edit bookmark"
	}
	t := m.tab
	p := ask.NewLine(ask.Head{Title: title + rest},
		ask.Field{Label: "Title", Value: old.Title},
		ask.Field{Label: "Folder", Value: old.Folder},
		ask.Field{Label: "Tags", Value: tags},
		ask.Field{Label: "URL", Value: old.URL.String()})
	p.Short = true
	p.Finish = func(answers []string) tea.Cmd {
		u, err := m.opts.Guess(strings.TrimSpace(answers[3]))
		if err != nil {
			t.Prompt = p
			p.Replace(3, "not a URL: "+clean.Short(err.Error()))
			return nil
		}
		now := bookmarks.Bookmark{URL: urlcore.Redact(u), Title: answers[0], Folder: answers[1], Tags: tagsOf(answers[2])}
		text := "bookmarked"
		if known {
			text = "bookmark changed:"
		}
		return m.change(text, now.URL, func(b *bookmarks.Store) error { return b.Put(old.URL, now) })
	}
	t.Prompt = p
	return nil
}

// tagsOf reads tags that are separated by blanks or commas, with or without "#".
func tagsOf(s string) []string {
	tags := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '#' })
	slices.Sort(tags)
	return slices.Compact(tags)
}

// askFolder asks for another name of a folder.
func (m *Model) askFolder(folder string) tea.Cmd {
	p := ask.NewLine(ask.Head{Title: "Rename folder"}, ask.Field{Label: "Folder", Value: folder})
	p.Finish = func(answers []string) tea.Cmd {
		to := strings.TrimSpace(answers[0])
		return m.change("renamed to "+to, nil, func(b *bookmarks.Store) error { return b.RenameFolder(folder, to) })
	}
	m.tab.Prompt = p
	return nil
}

// removeBookmark removes the bookmark or the folder under the cursor.
func (m *Model) removeBookmark() tea.Cmd {
	line, ok := m.tab.Pager.Current()
	undo := " (" + m.keys.keyOf("undo") + " to undo)"
	if folder, isFolder := about.Folder(line.Link); ok && isFolder {
		return m.changeText(func(b *bookmarks.Store) (string, error) {
			n, err := b.RemoveFolder(folder)
			return fmt.Sprintf("removed folder %s, bookmarks: %d%s", clean.Short(folder), n, undo), err
		}, nil)
	}
	if !ok || line.Link.Scheme() == "about" {
		return m.say("no bookmark under the cursor")
	}
	return m.change("bookmark removed"+undo+":", line.Link, func(b *bookmarks.Store) error { return b.Remove(line.Link) })
}

func (m *Model) undoBookmarks() tea.Cmd {
	return m.change("undone: the bookmarks are as before the last change", nil, (*bookmarks.Store).Undo)
}

// change changes the bookmarks in the background and says so.
func (m *Model) change(text string, u urlcore.URL, do func(*bookmarks.Store) error) tea.Cmd {
	return m.changeText(func(b *bookmarks.Store) (string, error) { return text, do(b) }, u)
}

func (m *Model) changeText(do func(*bookmarks.Store) (string, error), u urlcore.URL) tea.Cmd {
	b := m.opts.Bookmarks
	if b == nil {
		return m.say(errNoBookmarks.Error())
	}
	return m.keep(func() resultFunc {
		text, err := do(b)
		return func() tea.Cmd { return m.bookmarksChanged(text, u, err) }
	})
}

// bookmarksChanged tells what has changed, perhaps for a URL, and shows it.
func (m *Model) bookmarksChanged(text string, u urlcore.URL, err error) tea.Cmd {
	if errors.Is(err, bookmarks.ErrNothingToUndo) {
		return m.say(bookmarks.ErrNothingToUndo.Error())
	}
	if err != nil {
		return m.say("the bookmarks were not changed: " + err.Error())
	}
	return tea.Batch(m.sayOf(text, u), m.refreshOwn("bookmarks"), m.refreshOwn("home"))
}

// editBookmarks opens the file of bookmarks in the reader's editor.
func (m *Model) editBookmarks() tea.Cmd {
	if m.opts.Bookmarks == nil || m.opts.Editor == nil {
		return m.say(errNoBookmarks.Error())
	}
	editor := program.Program{Argv: m.opts.Editor(m.opts.Bookmarks.File()), Name: "the editor", Env: os.Environ()}
	begin := m.opts.Bookmarks.Begin
	return m.terminal.LendTo(m.ctx, func(l *term.Loan) error {
		if err := begin(); err != nil {
			return err
		}
		return l.Program(editor)
	}, func(err error) tea.Msg {
		return resultFunc(func() tea.Cmd { return m.bookmarksChanged("the bookmarks were read again", nil, err) })
	})
}
