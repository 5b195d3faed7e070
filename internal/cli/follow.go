package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/history/bookmarks"
	"gofer/internal/app"
	"gofer/internal/pages/followed"
	"gofer/internal/text/clean"
	"gofer/internal/userfile/bookmarkfile"
	"gofer/urlcore"
)

// followFlags are the flags of gofer follow.
type followFlags struct {
	format            listFormat
	title, file, from string
}

func (p *Program) followCommand() *cobra.Command {
	f := followFlags{format: listFormat{more: "opml"}}
	cmd := &cobra.Command{
		Use:   "follow [URL...]",
		Short: "follow pages for their new entries, or list the followed pages",
		Long: "follow adds pages to the followed pages: feeds, menus, directories, newsgroups, searches\n" +
			"in newsgroups, texts with dated links, and any other text, for its changes. Of a web page\n" +
			"that names a feed, the feed is read. gofer refresh looks for new entries.\n\n" +
			"Without a URL, follow lists the followed pages:\n\n" +
			"  text   the number of unread entries, the last success, the URL, the title and the failure\n" +
			"  json   one JSON object a line: url, title, followed, checked, succeeded, failure, unread\n" +
			"  opml   for feed readers, and for gofer follow --import",
		Example: "  gofer follow gopher://gopher.example.org/1/phlog https://example.org/\n" +
			"  gofer follow -f opml > followed.opml\n" +
			"  gofer bookmarks export --to opml phlog | gofer follow --import -",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.format.check(cmd); err != nil {
				return err
			}
			if f.from != "" && !slices.Contains(bookmarkfile.Names(), f.from) {
				return usageError(cmd, unknownFormatError(f.from))
			}
			st := p.openState(nil)
			defer st.Close()
			if len(args) == 0 && f.file == "" {
				return p.listFollowed(cmd.Context(), st, f.format.name)
			}
			typed, imported, err := p.pagesToFollow(cmd.Context(), st, args, f)
			if err != nil {
				return err
			}
			return p.follow(cmd.Context(), st, typed, imported)
		},
	}
	f.format.add(cmd)
	cmd.Flags().StringVar(&f.title, "title", "", "the `TITLE`; without it, the page's own")
	cmd.Flags().StringVar(&f.file, "import", "", "also follow the pages in `FILE`, an OPML or bookmark file, or - for standard input")
	addFileFormat(cmd, &f.from, "from", "the `FORMAT` of the file; without it, detected from its beginning")
	return cmd
}

// pagesToFollow returns the pages of the command line, and those of the imported file.
func (p *Program) pagesToFollow(ctx context.Context, st *app.State, args []string, f followFlags) (typed, imported []bookmarks.Bookmark, err error) {
	for _, arg := range args {
		u, err := st.GuessArgument(pathToURL(arg))
		if err != nil {
			return nil, nil, err
		}
		if u.Scheme() == "file" && strings.HasSuffix(strings.ToLower(arg), ".opml") {
			fmt.Fprintf(p.Err, "gofer: %s is followed itself; to follow the pages in it: gofer follow --import FILE\n", clean.Text(arg))
		}
		typed = append(typed, bookmarks.Bookmark{URL: u, Title: f.title})
	}
	if f.file == "" {
		return typed, nil, nil
	}
	imported, skipped, err := p.importFile(ctx, f.file, f.from, bookmarkfile.ReadFollowed)
	if err == nil && len(imported) == 0 {
		err = nothingIn("feeds", f.file)
	}
	if skipped > 0 {
		fmt.Fprintf(p.Err, "gofer: %s without a valid URL left out\n", english.Plural(skipped, "entry", "entries"))
	}
	return typed, imported, err
}

// follow follows pages, and prints those that cannot be followed, and the imported files of this machine.
func (p *Program) follow(ctx context.Context, st *app.State, typed, imported []bookmarks.Bookmark) error {
	added, known, left := 0, 0, 0
	var refused error
	for i, b := range slices.Concat(typed, imported) {
		isTyped := i < len(typed)
		isNew, err := st.Follow(ctx, b.URL, b.Text(), isTyped)
		if err == nil {
			err = st.Subscribe(b.URL, true)
		}
		if _, isFile := b.URL.(urlcore.File); isFile && isNew && !isTyped {
			fmt.Fprintf(p.Err, "gofer: follows a file of this machine: %s\n", clean.Text(b.URL.String()))
		}
		switch {
		case errors.Is(err, app.ErrPageless), errors.Is(err, history.ErrOwnPage), errors.Is(err, history.ErrLongURL), errors.Is(err, history.ErrManySources):
			fmt.Fprintf(p.Err, "gofer: %s: %s\n", clean.Text(urlcore.Redact(b.URL).String()), errorLine(err))
			left++
			if refused = errRefused; errors.Is(err, history.ErrManySources) {
				return refused
			}
		case err != nil:
			return err
		case isNew:
			added++
		default:
			known++
		}
	}
	text := "following " + english.Plural(added, "more page", "")
	if known > 0 {
		text += fmt.Sprintf(", %d followed already", known)
	}
	if left > 0 {
		text += fmt.Sprintf(", %d refused", left)
	}
	if added > 0 {
		text += "; gofer refresh looks for their entries"
	}
	fmt.Fprintf(p.Err, "gofer: %s\n", text)
	return refused
}

func (p *Program) listFollowed(ctx context.Context, st *app.State, format string) error {
	list, err := st.Followed(ctx)
	if err != nil {
		return err
	}
	st.Warn(st.DamageError())
	if format == "opml" {
		feeds := make(map[urlcore.URL]bool)
		return bookmarkfile.WriteFollowed(p.Out, app.MapSlice(list, func(s history.Source) bookmarks.Bookmark {
			b := bookmarks.Bookmark{URL: s.URL, Title: s.Title}
			if feed := followed.FeedOf(&s); feed != nil {
				b.URL, feeds[feed] = feed, true
			}
			return b
		}), func(u urlcore.URL) bool { return feeds[u] })
	}
	return writeList(p.Out, format, list, sourceItem)
}

func sourceItem(s history.Source) listItem {
	title, failure, last := clean.Text(s.Title), clean.Text(s.Failure), "never"
	if !s.Succeeded.IsZero() {
		last = s.Succeeded.Format("2006-01-02 15:04")
	}
	text := strings.TrimRight(fmt.Sprintf("%5d  %-16s  %s  %s", s.Unread, last, s.URL, title), " ")
	if failure != "" {
		text += "\n       " + failure
	}
	return listItem{text: text, object: struct {
		URL       string     `json:"url"`
		Title     string     `json:"title"`
		Followed  time.Time  `json:"followed"`
		Checked   *time.Time `json:"checked,omitempty"`
		Succeeded *time.Time `json:"succeeded,omitempty"`
		Failure   string     `json:"failure,omitempty"`
		Unread    int        `json:"unread"`
	}{s.URL.String(), title, s.Followed.UTC(), knownTime(s.Checked), knownTime(s.Succeeded), failure, s.Unread}}
}

// knownTime returns t in UTC, or nil if it is zero.
func knownTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func (p *Program) unfollowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unfollow URL...",
		Short: "stop following pages, and remove their entries",
		Args:  checkArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			followed, err := p.followedArguments(cmd.Context(), st, args)
			if err != nil {
				return err
			}
			for _, u := range followed {
				if _, err := st.Visits.Unfollow(cmd.Context(), u); err != nil {
					return err
				}
				if err := st.Subscribe(u, false); err != nil {
					return err
				}
			}
			return st.Visits.Overwrite(cmd.Context()) // titles of pages are as private as visits
		},
	}
}

// followedArguments returns the URLs of followed pages that the arguments name.
func (p *Program) followedArguments(ctx context.Context, st *app.State, args []string) (list []urlcore.URL, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	if list, err = guessArguments(st, args); err != nil {
		return nil, err
	}
	sources, err := st.Visits.Sources(ctx)
	if err != nil {
		return nil, err
	}
	for i, u := range list {
		list[i] = urlcore.Redact(u)
		if !slices.ContainsFunc(sources, func(s history.Source) bool { return s.URL == list[i] }) {
			return nil, refusedError(list[i].String() + " is not followed: gofer follow lists the followed pages")
		}
	}
	return list, nil
}
