package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gofer/history"
	"gofer/internal/pages/followed"
	"gofer/internal/text/clean"
	"gofer/urlcore"
)

func (p *Program) newCommand() *cobra.Command {
	format, limit, read := listFormat{more: "links"}, 0, false
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
			if err := format.check(cmd); err != nil {
				return err
			}
			st := p.openState(nil)
			defer st.Close()
			if limit <= 0 {
				limit = math.MaxInt32
			}
			entries, err := st.Visits.UnreadEntries(cmd.Context(), limit)
			if err != nil {
				return err
			}
			sources, err := st.Followed(cmd.Context())
			if err != nil {
				return err
			}
			st.Warn(st.DamageError())
			groups := slices.DeleteFunc(sources, func(s history.Source) bool { return !followed.IsGroup(s.URL) || s.Unread == 0 })
			if err := writeNew(p.Out, format.name, entries, groups); err != nil {
				return err
			}
			if len(entries)+len(groups) == 0 {
				return errNothingFound
			}
			if !read {
				return nil
			}
			ids := make([]string, len(entries))
			for i := range entries {
				ids[i] = entries[i].ID
			}
			_, err = st.Visits.MarkRead(cmd.Context(), nil, ids, true)
			return err
		},
	}
	format.add(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "list at most `N` entries")
	cmd.Flags().BoolVar(&read, "mark-read", false, "mark the listed entries as read")
	return cmd
}

// writeNew writes unread entries, after the newsgroups with unread articles.
func writeNew(w io.Writer, format string, entries []history.Entry, groups []history.Source) error {
	if format == "json" {
		if err := writeJSON(w, groups, newGroupObject); err != nil {
			return err
		}
		return writeJSON(w, entries, newEntryObject)
	}
	out := bufio.NewWriter(w)
	for _, g := range groups {
		if format == "links" {
			fmt.Fprintln(out, g.URL)
			continue
		}
		fmt.Fprintf(out, "%10d  %s  %s\n", g.Unread, clean.Text(g.Title), g.URL)
	}
	for i := range entries {
		e := &entries[i]
		link := urlcore.Reference(e.URL, e.Fragment)
		if format == "links" {
			fmt.Fprintln(out, link)
			continue
		}
		fmt.Fprintf(out, "%s  %s  %s\n", entryDay(e), clean.Text(e.Title), link)
	}
	return out.Flush()
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

func newGroupObject(s history.Source) any {
	return struct {
		URL    string `json:"url"`
		Title  string `json:"title"`
		Unread int    `json:"unread"`
	}{s.URL.String(), clean.Text(s.Title), s.Unread}
}

func newEntryObject(e history.Entry) any {
	return struct {
		URL    string     `json:"url"`
		Title  string     `json:"title"`
		Date   *time.Time `json:"date,omitempty"`
		Seen   time.Time  `json:"seen"`
		Source string     `json:"source"`
		ID     string     `json:"id"`
	}{urlcore.Reference(e.URL, e.Fragment), clean.Text(e.Title), knownTime(e.Date), e.Seen.UTC(), e.Source.String(), e.ID}
}
