package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/app"
	"gofer/internal/pages/followed"
	"gofer/internal/text/clean"
	"gofer/urlcore"
)

// newFlags are the flags of gofer new.
type newFlags struct {
	format   listFormat
	limit    int
	markRead bool
}

func (p *Program) newCommand() *cobra.Command {
	f := newFlags{format: listFormat{more: "links"}}
	cmd := &cobra.Command{
		Use:   "new",
		Short: "list the unread entries of the followed pages",
		Long: "new lists the unread entries that gofer refresh has found, the newest first, and the followed\n" +
			"newsgroups with unread articles. An entry is read when its page was opened. Without unread\n" +
			"entries the exit code is 1.\n\n" +
			"  text   the date, the title and the URL\n" +
			"  json   one JSON object a line: url, title, date, seen, source and id; of a newsgroup\n" +
			"         url, title and unread\n" +
			"  links  the URL of each entry, one a line",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.format.check(cmd); err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			return p.listNew(cmd.Context(), st, f)
		},
	}
	f.format.add(cmd)
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 0, "list at most `N` entries")
	cmd.Flags().BoolVar(&f.markRead, "mark-read", false, "mark the listed entries as read")
	return cmd
}

// listNew lists the unread entries, after the newsgroups with unread articles.
func (p *Program) listNew(ctx context.Context, st *app.State, f newFlags) error {
	limit := f.limit
	if limit <= 0 {
		limit = math.MaxInt32
	}
	entries, err := st.Visits.UnreadEntries(ctx, limit)
	if err != nil {
		return err
	}
	sources, err := st.Followed(ctx)
	if err != nil {
		return err
	}
	st.Warn(st.DamageError())
	groups := slices.DeleteFunc(sources, func(s history.Source) bool { return !followed.IsGroup(s.URL) || s.Unread == 0 })
	if err := writeList(p.Out, f.format.name, groups, newGroupItem); err != nil {
		return err
	}
	if err := writeList(p.Out, f.format.name, entries, newEntryItem); err != nil {
		return err
	}
	if len(entries)+len(groups) == 0 {
		return errNothingFound
	}
	if !f.markRead {
		return nil
	}
	ids := app.MapSlice(entries, func(e history.Entry) string { return e.ID })
	_, err = st.Visits.MarkRead(ctx, nil, ids, true)
	return err
}

func newGroupItem(s history.Source) listItem {
	title, link := clean.Text(s.Title), s.URL.String()
	return listItem{link: link, text: fmt.Sprintf("%10d  %s  %s", s.Unread, title, link), object: struct {
		URL    string `json:"url"`
		Title  string `json:"title"`
		Unread int    `json:"unread"`
	}{link, title, s.Unread}}
}

func newEntryItem(e history.Entry) listItem {
	title, link := clean.Text(e.Title), urlcore.Reference(e.URL, e.Fragment)
	return listItem{link: link, text: entryDay(&e) + "  " + title + "  " + link, object: struct {
		URL    string     `json:"url"`
		Title  string     `json:"title"`
		Date   *time.Time `json:"date,omitempty"`
		Seen   time.Time  `json:"seen"`
		Source string     `json:"source"`
		ID     string     `json:"id"`
	}{link, title, knownTime(e.Date), e.Seen.UTC(), e.Source.String(), e.ID}}
}

// entryDay returns the day of an entry in the local time zone, or in UTC if its date is a day without a time.
func entryDay(e *history.Entry) string {
	date := e.Date
	if date.IsZero() {
		date = e.Seen
	}
	if date.Equal(date.Truncate(24 * time.Hour)) {
		date = date.UTC()
	}
	return date.Format(time.DateOnly)
}
