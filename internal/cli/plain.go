package cli

import (
	"context"
	"errors"

	"gofer/history/bookmarks"
	"gofer/internal/app"
	"gofer/internal/pages/plain"
	"gofer/internal/program/job"
	"gofer/internal/text/charset"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

func (p *Program) runPlain(ctx context.Context, st *app.State, start string, flags browseFlags) error {
	fetcher := st.Fetchers(app.Way{Use: app.Plain})
	o := plain.Options{
		Open: func(ctx context.Context, req protocols.Request) *nav.Load {
			req.FirstArticle = st.FirstArticle(req.URL)
			return nav.Open(ctx, fetcher, req, append(st.CollectText(), nav.Shown(nav.Show{PreferHTML: st.Config.PreferHTML}))...)
		},
		Guess: st.GuessArgument,
		Questions: func(ctx context.Context, u urlcore.URL, pages *nav.Session, fetch func(urlcore.URL) error) error {
			readingOf := func(u urlcore.URL) clean.Reading {
				if r := pages.CharsetOf(u); r.Charset != charset.Auto {
					return r
				}
				return st.ReadingOf(u)
			}
			err := p.withForm(ctx, u, readingOf, func(u urlcore.URL) error {
				return p.withLogin(ctx, func() error { return app.RetryWithConsent(func() error { return fetch(u) }, p.askConsent) })
			})
			var message *protocols.Compose
			if !errors.As(err, &message) || !p.canAsk() {
				return err
			}
			if err := p.writeMessage(ctx, message); err != nil {
				return err
			}
			return plain.ErrNoPage
		},
		Reading: st.ReadingOf,
		Unread:  st.UnreadFilter,
		Save: func(ctx context.Context, u urlcore.URL) error {
			return p.get(ctx, st, []string{u.String()}, &getOptions{dir: st.Config.Downloads.Folder, quiet: true})
		},
		In: p.In, Out: p.Out, Lend: p.signals.Lend, Size: p.terminalSize,
		Suspend: func() {
			tty, _ := terminalFile(p.In)
			_ = job.Suspend(ctx, tty)
		},
	}
	if st.Config.Restrict.Enabled {
		o.Save, o.Suspend = nil, nil
	}
	if !flags.private {
		o.MarkRead = st.MarkRead
		o.Visit, o.KeepText = st.RecordVisit, st.KeepText
	}
	if st.Bookmarks != nil && !st.Config.Restrict.Enabled {
		o.Bookmark = func(u urlcore.URL, fragment, title string) error {
			_, err := st.Bookmarks.Add(bookmarks.Bookmark{URL: u, Fragment: fragment, Title: title})
			return err
		}
	}
	return plain.Run(ctx, o, start)
}

// terminalSize returns the size of the terminal, or 0 if input or output is not a terminal. A terminal that does not
// report a usable size counts as 80 by 24.
func (p *Program) terminalSize() (width, height int) {
	if !isTerminal(p.Out) || !isTerminal(p.In) {
		return 0, 0
	}
	if width, height = screenSize(p.Out); width < 1 || height < 2 {
		return 80, 24
	}
	return width, height
}
