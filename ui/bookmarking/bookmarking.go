// Package bookmarking adds, edits and removes bookmarks.
package bookmarking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// Bookmarks has the actions on the user's bookmarks.
type Bookmarks struct {
	program room.Program
	Options
}

// Options are what bookmarks need besides the program.
type Options struct {
	Store *bookmarks.Store // nil if no bookmarks are kept
	// Following is which pages the user follows; nil: none can be followed.
	Following Following
	// NotifyURL shows a notice about a URL, which may be nil.
	NotifyURL func(text string, u urlcore.URL) tea.Cmd
	// Editor calls begin, opens a file in the user's editor, and then calls ended; nil if there is no editor.
	Editor func(path string, begin func() error, ended func(err error) tea.Cmd) tea.Cmd
}

// Following is which pages the user follows.
type Following interface {
	// CanFollow reports whether pages can be followed now. If not, the other methods must not be called.
	CanFollow() bool
	Follows(ctx context.Context, u urlcore.URL) (bool, error)
	// SetFollowed follows u or stops following it. The function undo is nil if nothing has changed.
	SetFollowed(u urlcore.URL, title string, on bool) (undo func() error, err error)
	// ShowFollowed looks for the entries of pages that are followed now, and shows them.
	ShowFollowed(added ...urlcore.URL) tea.Cmd
}

// New returns Bookmarks for a program.
func New(p room.Program, o Options) *Bookmarks { return &Bookmarks{program: p, Options: o} }

// errNoBookmarks reports that there is no store of bookmarks.
var errNoBookmarks = errors.New("no bookmarks are kept")

// BookmarkPage opens the prompt that bookmarks the page.
func (bm *Bookmarks) BookmarkPage() tea.Cmd {
	if bm.program.Tab().OwnPage().Items == about.Bookmarks {
		return bm.BookmarkItem() // not the page of bookmarks itself
	}
	u, title := bm.program.Tab().PageURL()
	fragment := ""
	if p := bm.program.Tab().Session.Page(); p != nil {
		if fragment = p.Fragment; p.Failed != nil {
			title = ""
		}
	}
	return bm.bookmark(u, fragment, title)
}

// BookmarkItem opens the prompt that bookmarks the tagged items or the item under the cursor. For a
// folder of bookmarks, it opens the prompt that renames the folder.
func (bm *Bookmarks) BookmarkItem() tea.Cmd {
	if bm.program.Tab().Items().Tagged {
		return bm.bookmarkTagged()
	}
	line, ok := bm.program.Tab().Pager.Current()
	if !ok {
		return bm.program.Notify("no item under the cursor")
	}
	if folder, ok := about.Folder(line.Link); ok && bm.program.Tab().OwnPage().Items == about.Bookmarks {
		return bm.askFolder(folder)
	}
	return bm.bookmark(line.Link, bm.program.Tab().CurrentFragment(), strings.TrimSpace(bm.program.Tab().Pager.LineText(&line)))
}

// noStandardInput is the notice for the page of standard input, which is removed when the program ends.
const noStandardInput = "standard input cannot be bookmarked"

// bookmarkTagged opens the prompt that bookmarks the tagged items.
func (bm *Bookmarks) bookmarkTagged() tea.Cmd {
	items := bm.program.Tab().Items()
	if bm.Store == nil {
		return bm.program.Notify(errNoBookmarks.Error())
	}
	if slices.ContainsFunc(items.Links(), urlcore.IsStandardInput) {
		return bm.program.Notify(noStandardInput)
	}
	p := ask.NewForm(ask.Head{Title: "Bookmark " + items.Description()}, "Save", bm.folderField(""), bm.tagsField(nil))
	p.Short = true
	p.Finish = func(answers []string) tea.Cmd {
		var list []bookmarks.Bookmark
		text := "bookmarked " + items.Description()
		for i, u := range items.Links() {
			title := cmp.Or(strings.TrimSpace(items.Text(i)), urlcore.Host(u))
			list = append(list, bookmarks.Bookmark{URL: urlcore.Outward(u), Fragment: items.Lines[i].Fragment(), Title: title, Folder: answers[0], Tags: tagsOf(answers[1])})
		}
		return bm.change(func(b *bookmarks.Store) (notice, error) {
			added, err := b.Add(list...)
			if added < len(list) {
				text += fmt.Sprintf(", %d of them bookmarked before", len(list)-added)
			}
			return notice{text: text, changed: text}, err
		}, func() { items.Untag(items.Links()...) })
	}
	return items.View.Ask(p)
}

// bookmark opens the prompt that adds a bookmark for u and a fragment, which may be "", or edits the bookmark if u has one.
func (bm *Bookmarks) bookmark(u urlcore.URL, fragment, title string) tea.Cmd {
	if u == nil {
		return nil
	}
	if urlcore.IsStandardInput(u) {
		return bm.program.Notify(noStandardInput)
	}
	b, page := bm.Store, bm.program.Tab().Session.Page()
	if b == nil {
		return bm.program.Notify(errNoBookmarks.Error())
	}
	ctx, following := bm.program.Context(), bm.Following
	if following != nil && !following.CanFollow() {
		following = nil
	}
	return bm.program.AskInBackground(func() func() tea.Cmd {
		old, known, err := b.Find(u)
		if !known {
			old = bookmarks.Bookmark{URL: urlcore.Outward(u), Fragment: fragment, Title: cmp.Or(title, urlcore.Host(u))}
		}
		followed := false
		if following != nil && err == nil {
			followed, err = following.Follows(ctx, old.URL)
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return bm.program.Notify("bookmarks not read: " + err.Error())
			case page != bm.program.Tab().Session.Page() || bm.program.PromptOpen():
				return nil // the user has opened another page or prompt
			}
			return bm.askBookmark(old, known, following, followed)
		}
	})
}

// askBookmark opens the form for the bookmark in the parameter old. The form edits the bookmark if the
// parameter known is true, and otherwise adds it. Unless following is nil, the form also asks whether to follow the page.
func (bm *Bookmarks) askBookmark(old bookmarks.Bookmark, known bool, following Following, followed bool) tea.Cmd {
	title := "Bookmark"
	if known {
		title = "Edit bookmark"
	}
	t := bm.program.Tab()
	fields := []ask.Field{
		{Label: "Title", Value: old.Title},
		bm.folderField(old.Folder), bm.tagsField(old.Tags),
		{Label: "URL", Value: urlcore.Reference(old.URL, old.Fragment)},
	}
	if following != nil {
		fields = append(fields, followField(followed))
	}
	p := ask.NewForm(ask.Head{Title: title}, "Save", fields...)
	p.Short = true
	p.Finish = func(answers []string) tea.Cmd {
		u, err := bm.program.Guess(strings.TrimSpace(answers[3]))
		if err != nil {
			t.Prompt = p
			p.Reopen(3)
			return bm.program.Notify("not a URL: " + clean.Short(err.Error()))
		}
		edited := bookmarks.Bookmark{URL: urlcore.Outward(u), Fragment: urlcore.TypedFragment(u, answers[3]), Title: answers[0], Folder: answers[1], Tags: tagsOf(answers[2])}
		n := notice{text: "bookmarked", url: edited.URL}
		if known {
			n.text = "bookmark changed:"
		}
		n.changed = n.text + " " + clean.Short(edited.Title)
		follow := following != nil && answers[4] == "1"
		return bm.change(func(b *bookmarks.Store) (notice, error) {
			err := b.Put(old.URL, edited)
			if err == nil && following != nil && (follow || followed) {
				n.unfollow, err = setFollowed(following, &old, &edited, follow)
				n.followed = follow
			}
			return n, err
		}, nil)
	}
	t.Prompt = p
	return nil
}

// followField returns the field that asks whether to follow the page.
func followField(followed bool) ask.Field {
	f := ask.Field{Label: "Follow", Input: protocols.InputCheck, Value: "0"}
	if followed {
		f.Value = "1"
	}
	return f
}

// setFollowed follows the page of an edited bookmark, or stops following it. The function undo is nil if nothing has changed.
func setFollowed(f Following, old, edited *bookmarks.Bookmark, follow bool) (undo func() error, err error) {
	undoOld := func() error { return nil }
	if old.URL != edited.URL || !follow {
		if undo, err = f.SetFollowed(old.URL, old.Title, false); err != nil || !follow {
			return undo, err
		}
		if undo != nil {
			undoOld = undo
		}
	}
	undo, err = f.SetFollowed(edited.URL, edited.Title, true)
	if undo == nil {
		return nil, err
	}
	return func() error { return errors.Join(undo(), undoOld()) }, err
}

// folderField returns the field for the folder of a bookmark. It completes the folders in the file.
func (bm *Bookmarks) folderField(folder string) ask.Field {
	return ask.Field{Label: "Folder", Value: folder, Complete: bm.complete("", func(b *bookmarks.Bookmark) []string { return []string{b.Folder} })}
}

// tagsField returns the field for the tags of a bookmark, with a blank after them for the next one. It completes the
// last tag.
func (bm *Bookmarks) tagsField(tags []string) ask.Field {
	f := ask.Field{Label: "Tags", Complete: bm.complete(" ,#", func(b *bookmarks.Bookmark) []string { return b.Tags })}
	if len(tags) > 0 {
		f.Value = "#" + strings.Join(tags, " #") + " "
	}
	return f
}

// complete completes the last word of a text with the words that the function of returns for each
// bookmark in the file. The parameter separators has the characters between the words.
func (bm *Bookmarks) complete(separators string, of func(*bookmarks.Bookmark) []string) ask.CompleteFunc {
	words := sync.OnceValue(func() (words []string) {
		list, _ := bm.Store.List() // an error is shown when the bookmark is written
		for i := range list {
			words = append(words, of(&list[i])...)
		}
		slices.Sort(words)
		return slices.DeleteFunc(slices.Compact(words), func(s string) bool { return s == "" })
	})
	return func(_ context.Context, typed string) []ask.Completion {
		begin := strings.LastIndexAny(typed, separators) + 1
		used := strings.FieldsFunc(typed[:begin], func(r rune) bool { return strings.ContainsRune(separators, r) })
		unused := slices.DeleteFunc(slices.Clone(words()), func(s string) bool { return slices.Contains(used, s) })
		offers := ask.Matches(unused, typed[begin:])
		for i := range offers {
			offers[i].Text = typed[:begin] + offers[i].Text
		}
		return offers
	}
}

// tagsOf returns the tags in s. They are separated by blanks or commas, and may begin with "#".
func tagsOf(s string) []string {
	tags := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '#' })
	slices.Sort(tags)
	return slices.Compact(tags)
}

// askFolder asks for a new name for a folder.
func (bm *Bookmarks) askFolder(folder string) tea.Cmd {
	p := ask.NewLine(ask.Head{Title: "Rename folder"}, bm.folderField(folder))
	p.Finish = func(answers []string) tea.Cmd {
		newName := strings.TrimSpace(answers[0])
		text := "folder " + clean.Short(folder) + " renamed to " + clean.Short(newName)
		return bm.change(func(b *bookmarks.Store) (notice, error) {
			return notice{text: text, changed: text}, b.RenameFolder(folder, newName)
		}, nil)
	}
	bm.program.Tab().Prompt = p
	return nil
}

// Remove removes the bookmark under the cursor, or the folder under the cursor with its bookmarks.
func (bm *Bookmarks) Remove() tea.Cmd {
	line, ok := bm.program.Tab().Pager.Current()
	undo := " (" + bm.program.KeyOf("undo") + " to undo)"
	if folder, isFolder := about.Folder(line.Link); ok && isFolder {
		return bm.change(func(b *bookmarks.Store) (notice, error) {
			n, err := b.RemoveFolder(folder)
			text := fmt.Sprintf("removed folder %s and its bookmarks: %d", clean.Short(folder), n)
			return notice{text: text + undo, changed: text}, err
		}, nil)
	}
	if !ok || line.Link.Scheme() == "about" {
		return bm.program.Notify("no bookmark under the cursor")
	}
	n := notice{text: "bookmark removed" + undo + ":", url: line.Link, changed: "bookmark removed: " + clean.Short(line.Text)}
	return bm.change(func(b *bookmarks.Store) (notice, error) { return n, b.Remove(line.Link) }, nil)
}

// notice is what the user is told about a change.
type notice struct {
	text    string
	url     urlcore.URL // shown after text, or nil
	changed string      // what was changed, see [room.Undo.Text]

	unfollow func() error // undoes a change of what is followed; nil: there is none
	followed bool         // the page is followed since the change
}

// change calls the function do in the background. It then calls the function done, unless it is nil or do has failed, and
// shows the notice.
func (bm *Bookmarks) change(do func(*bookmarks.Store) (notice, error), done func()) tea.Cmd {
	b := bm.Store
	if b == nil {
		return bm.program.Notify(errNoBookmarks.Error())
	}
	return bm.program.Change(func() (undo *room.Undo, next func() tea.Cmd) {
		var c bookmarks.Change
		n, err := do(b.Recording(&c))
		if c.Size() > 0 || n.unfollow != nil {
			undo = &room.Undo{Text: n.changed, Size: c.Size(), Revert: func() (func() tea.Cmd, error) {
				err := error(nil)
				if c.Size() > 0 {
					err = b.Revert(&c)
				}
				if errors.Is(err, bookmarks.ErrChangedSince) {
					err = room.ErrChangedSince
				}
				if err == nil && n.unfollow != nil {
					err = n.unfollow()
				}
				return func() tea.Cmd { return bm.program.ReloadOwn(about.Bookmarks | about.Entries) }, err
			}}
		}
		return undo, func() tea.Cmd {
			if err == nil && done != nil {
				done()
			}
			cmd := bm.ShowChange(n.text, n.url, err)
			switch {
			case n.unfollow == nil:
			case n.followed:
				cmd = tea.Batch(cmd, bm.Following.ShowFollowed(n.url))
			default:
				cmd = tea.Batch(cmd, bm.program.ReloadOwn(about.Entries))
			}
			return cmd
		}
	})
}

// ShowChange shows the result of a change to the bookmarks, and reloads the pages that list bookmarks.
// The parameter text describes the change. The notice also has u, unless u is nil.
func (bm *Bookmarks) ShowChange(text string, u urlcore.URL, err error) tea.Cmd {
	if err != nil {
		return bm.program.Notify("bookmarks not changed: " + err.Error())
	}
	return tea.Batch(bm.NotifyURL(text, u), bm.program.ReloadOwn(about.Bookmarks))
}

// Edit opens the file of bookmarks in the user's editor.
func (bm *Bookmarks) Edit() tea.Cmd {
	if bm.Store == nil || bm.Editor == nil {
		return bm.program.Notify(errNoBookmarks.Error())
	}
	return bm.Editor(bm.Store.File(), bm.Store.Create, func(err error) tea.Cmd {
		return bm.ShowChange("bookmarks reloaded", nil, err)
	})
}
