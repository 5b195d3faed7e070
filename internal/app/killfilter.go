package app

import (
	"context"
	"fmt"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// killFilter is a Fetcher that leaves out killed articles, except with [protocols.Request.Hidden].
type killFilter struct {
	Fetcher
	scores *scoreFile
	warn   func(error) // reports errors in score rules
}

func (f killFilter) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	r, err := f.Fetcher.Fetch(ctx, req)
	if err != nil || r.Layout != protocols.LayoutArticles || req.Hidden {
		return r, err
	}
	rules, err := f.scores.Rules(r.URL, urlcore.NewsGroup(r.URL).Group)
	if err != nil {
		f.warn(err)
	}
	if rules.IsEmpty() {
		return r, nil
	}
	lines := r.Lines
	r.Preview, r.Lines = nil, func(yield func(protocols.Line, error) bool) {
		var depths nav.Depths
		for line, err := range lines {
			if note, ok := line.Note.(*protocols.ArticleNote); ok {
				n := *note
				if n.Depth = depths.Next(note.Depth, rules.Score(note) > nav.KillScore); n.Depth < 0 {
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

func (st *State) warnOfScores(err error) {
	fmt.Fprintf(st.start.Err, "gofer: score file: %s\n", st.start.ErrorLine(err))
}
