package cli

import (
	"context"
	"fmt"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// killFilter leaves out killed articles, unless hidden lines are wanted.
type killFilter struct {
	protocols.Fetcher
	scores *scoreFile
	warn   func(error) // gets the faults of rules
}

func (f killFilter) Fetch(ctx context.Context, u urlcore.URL) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(ctx, u)
	if err != nil || r.Layout != protocols.LayoutArticles || protocols.WantsHidden(ctx) {
		return r, err
	}
	rules, err := f.scores.Rules(r.URL, urlcore.NewsGroup(r.URL).Group)
	if err != nil {
		f.warn(err)
	}
	if rules.Empty() {
		return r, nil
	}
	all := r.Lines
	r.Preview, r.Lines = nil, func(yield func(protocols.Line, error) bool) {
		var shown nav.Depths
		for line, err := range all {
			if note, ok := line.Note.(*protocols.ArticleNote); ok {
				n := *note
				if n.Depth = shown.Next(note.Depth, rules.Score(note) > nav.KillScore); n.Depth < 0 {
					continue
				}
				line.Note = &n
			}
			if !yield(line, err) {
				return
			}
		}
	}
	return r, nil
}

func (st *state) hideKilled(f protocols.Fetcher) protocols.Fetcher {
	return killFilter{f, st.scores, func(err error) { fmt.Fprintf(st.err, "gofer: score file: %s\n", line(err)) }}
}
