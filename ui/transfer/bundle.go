package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/transfer/download"
	"gofer/internal/userfile"
	"gofer/ui/ask"
	"gofer/ui/room"
	"gofer/urlcore"
)

// SaveBundle saves pages as a bundle at path. It calls report with the URL that it fetches. The summary says what was saved.
type SaveBundle func(ctx context.Context, urls []urlcore.URL, path string, overwrite bool, report func(u string)) (summary string, err error)

// Bundle asks for the name of a bundle, and saves the tagged items, or else the page, with what is below them.
func (cs *Changes) Bundle() tea.Cmd {
	t := cs.program.Tab()
	var urls []urlcore.URL
	if items := t.Items(); items.Tagged {
		for _, l := range items.Lines {
			if l.Link != nil {
				urls = append(urls, l.Link)
			}
		}
	} else if u, _ := t.PageURL(); u != nil {
		urls = append(urls, u)
	}
	if len(urls) == 0 || cs.SaveBundle == nil {
		return cs.program.Notify("there is nothing to save as a bundle")
	}
	if own := t.OwnPage(); own.Name != "" && own.Items != about.Bookmarks && len(urls) == 1 && urls[0].Scheme() == "about" {
		return cs.program.Notify("this page is gofer's own: a bundle has pages of servers, or a list of bookmarks")
	}
	folder, title := cs.program.Config().Downloads.Folder, "Save the page and what is below it as a bundle"
	if len(urls) > 1 {
		title = "Save " + english.Plural(len(urls), "tagged item", "") + " as a bundle"
	}
	p := ask.NewLine(ask.Head{Title: title}, ask.SaveAs(folder, download.FileName(urls[0])+".zip"))
	p.Changed = func(string) (tea.Cmd, error) { return nil, nil } // typing clears the error
	p.Finish = func(answers []string) tea.Cmd {
		if strings.TrimSpace(answers[0]) == "" {
			return nil
		}
		return cs.beginBundle(&bundleSave{urls: urls, path: ask.AbsolutePath(folder, answers[0]), prompt: p})
	}
	return t.Ask(p)
}

// bundleSave describes how to save a bundle.
type bundleSave struct {
	urls      []urlcore.URL
	path      string
	overwrite bool
	prompt    *ask.Line // asked for the path; nil after a question about its folder
}

// beginBundle checks the path of a bundle, and begins to save the bundle.
func (cs *Changes) beginBundle(s *bundleSave) tea.Cmd {
	if cs.program.Config().Restrict.Enabled {
		return cs.program.Notify(room.NotAllowed)
	}
	return cs.program.HoldKeysBriefly(cs.program.RunInBackground(func() func() tea.Cmd {
		_, folderErr := os.Stat(filepath.Dir(s.path))
		info, err := os.Lstat(s.path)
		return func() tea.Cmd {
			switch {
			case errors.Is(folderErr, fs.ErrNotExist) && s.prompt != nil:
				p := s.prompt
				s.prompt = nil
				return room.AskFolder(cs.program, p, filepath.Dir(s.path), func() tea.Cmd { return cs.beginBundle(s) })
			case err == nil && !info.Mode().IsRegular():
				return cs.program.Notify("not saved: it already exists and is not a file")
			case err == nil && !s.overwrite:
				return cs.program.Tab().Ask(ask.NewQuestion("Overwrite "+clean.Name(userfile.ShortPath(s.path))+"?", true, func() tea.Cmd {
					s.overwrite = true
					return cs.beginBundle(s)
				}))
			}
			return cs.runBundle(s)
		}
	}))
}

func (cs *Changes) runBundle(s *bundleSave) tea.Cmd {
	var at atomic.Value
	at.Store("the list of its pages")
	name, summary := clean.Short(filepath.Base(s.path)), ""
	return cs.RunJob(cs.program.Tab(), about.Page("downloads"), func() string { return "saving " + name + ": " + clean.Short(at.Load().(string)) }, func(ctx context.Context) (err error) {
		summary, err = cs.SaveBundle(ctx, s.urls, s.path, s.overwrite, func(u string) { at.Store(u) })
		return err
	}, func(failed error) string {
		if failed != nil {
			return "not saved: " + name + ": " + clean.Short(failed.Error())
		}
		return "saved " + name + ": " + clean.Short(summary) + " (in " + clean.Short(userfile.ShortPath(filepath.Dir(s.path))) + ")"
	})
}
