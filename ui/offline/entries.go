package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/clean"
	"gofer/internal/transfer/keep"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// keepEntries keeps copies of the pages of the tagged entries, or of all unread entries, and of the unread articles of the
// groups among them.
func (o *Offline) keepEntries() tea.Cmd {
	pages, groups := o.entriesToKeep()
	stores := o.Stores()
	keepPage, fetchGroups := stores.KeepPages, stores.FetchNews
	switch {
	case o.program.Private() || keepPage == nil || len(groups) > 0 && fetchGroups == nil:
		return o.program.Notify("no copies are kept")
	case len(pages)+len(groups) == 0:
		return o.program.Notify("no entries to keep")
	}
	return o.runKeepJob(o.program.ScreenTab().Session.Page().URL, func(ctx context.Context, report func(string)) (string, error) {
		summary, err := keepAll(ctx, report, pages, keepPage)
		if len(groups) > 0 && ctx.Err() == nil {
			articles, failed := fetchGroups(ctx, report, groups...)
			summary, err = strings.TrimPrefix(summary+"; "+articles, "; "), errors.Join(err, failed)
		}
		return summary, err
	})
}

// entriesToKeep returns the pages and the newsgroups of the tagged lines, or of the unread lines if no line is tagged.
func (o *Offline) entriesToKeep() (pages, groups []urlcore.URL) {
	p, tagged := o.program.ScreenTab().Session.Page(), o.program.ScreenTab().Items()
	add := func(line *protocols.Line) {
		switch line.Note.(type) {
		case *protocols.GroupNote:
			groups = append(groups, line.Link)
		case *protocols.EntryNote, *protocols.SourceNote:
			if line.Link != nil && keep.CanKeep(line.Link) {
				pages = append(pages, line.Link)
			}
		}
	}
	if tagged.Tagged {
		for i := range tagged.Lines {
			add(&tagged.Lines[i])
		}
		return pages, groups
	}
	for i := range p.Lines.Len() {
		if line := p.Lines.At(i); p.Lines.State(i)&nav.Unread != 0 {
			add(&line)
		}
	}
	return pages, groups
}

// keepAll keeps copies of pages without the pages that they link to. It goes on after an error; the error that it returns counts the
// pages that were not kept.
func keepAll(ctx context.Context, report func(string), pages []urlcore.URL, keepPage func(context.Context, func(string), urlcore.URL, int) (string, error)) (summary string, err error) {
	var failures []error
	var last urlcore.URL // of a failure
	for i, u := range pages {
		report(fmt.Sprintf("page %d of %d", i+1, len(pages)))
		_, failed := keepPage(ctx, func(string) {}, u, 0)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case failed != nil:
			failures, last = append(failures, failed), u
		}
	}
	switch n := len(failures); {
	case len(pages) == 0:
		return "", nil
	case n == 0:
		return fmt.Sprintf("kept: %d of %d pages", len(pages), len(pages)), nil
	case n == 1:
		return "", fmt.Errorf("1 of %d pages not kept: %s: %s", len(pages), clean.Short(last.String()), shortReason(failures[0]))
	default:
		return "", fmt.Errorf("%d of %d pages not kept: %s", n, len(pages), commonReason(failures))
	}
}

// commonReason returns the reason of several failures in a few words: a notice has no room for all of them.
func commonReason(failures []error) string {
	network, reasons := 0, []string(nil)
	for _, err := range failures {
		if reason := protocols.ReasonOf(err); reason == protocols.Offline || protocols.ContactOf(err) == protocols.ContactNone {
			network++
		}
		if text := shortReason(err); !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	switch n := len(reasons); {
	case network == len(failures) && network > 1:
		return "no network"
	case n > 2:
		return fmt.Sprintf("%s, %s, and %s", reasons[0], reasons[1], english.Plural(n-2, "other reason", ""))
	}
	return strings.Join(reasons, ", ")
}

func shortReason(err error) string {
	if reason := protocols.ReasonOf(err); reason != protocols.Unknown {
		return reason.String()
	}
	return clean.Short(err.Error())
}
