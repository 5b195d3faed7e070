package nntp

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gofer/protocols"
)

// ordered returns articles, given in the order of their numbers, by date, and the parts of
// a series, "(2/5)", in their order behind each other. An article without a credible date
// has the date of the article before it.
func ordered(articles []*protocols.ArticleNote) []*protocols.ArticleNote {
	type dated struct {
		unix int64
		at   int32
	}
	order := func(a, b dated) int { return cmp.Or(cmp.Compare(a.unix, b.unix), cmp.Compare(a.at, b.at)) }
	list, future, unix := make([]dated, len(articles)), time.Now().Add(24*time.Hour).Unix(), int64(0)
	for i, a := range articles {
		if at := a.Date.Unix(); at > 0 && at < future {
			unix = at
		}
		list[i] = dated{unix, int32(i)}
	}
	if !slices.IsSortedFunc(list, order) {
		slices.SortFunc(list, order)
		byNumber := articles
		articles = make([]*protocols.ArticleNote, len(list))
		for i, d := range list {
			articles[i] = byNumber[d.at]
		}
	}
	return withSeries(articles)
}

// part is an article of a series. All have the same author, and the same Subject without
// the number of the part.
type part struct{ series, number, at int32 }

// withSeries returns articles with the parts of each series at the place of its first
// one. A part that is there again begins another series, as of a FAQ that is posted
// every month.
func withSeries(articles []*protocols.ArticleNote) []*protocols.ArticleNote {
	parts := partsOf(articles)
	instead := make(map[int32][]part) // of the article at the place of a series
	moved, seen := make(map[int32]bool), make(map[int32]bool)
	for len(parts) > 0 {
		n := 0
		for clear(seen); n < len(parts) && parts[n].series == parts[0].series && !seen[parts[n].number]; n++ {
			seen[parts[n].number] = true
		}
		series := parts[:n]
		parts = parts[n:]
		first, last := series[0].at, series[n-1].at
		slices.SortFunc(series, func(a, b part) int { return cmp.Compare(a.number, b.number) })
		if int(last-first) < n && slices.IsSortedFunc(series, func(a, b part) int { return cmp.Compare(a.at, b.at) }) {
			continue // as they are
		}
		for instead[first] = series; len(series) > 0; series = series[1:] {
			moved[series[0].at] = true
		}
	}
	if len(moved) == 0 {
		return articles
	}
	list := make([]*protocols.ArticleNote, 0, len(articles))
	for i, a := range articles {
		for _, p := range instead[int32(i)] {
			list = append(list, articles[p.at])
		}
		if !moved[int32(i)] {
			list = append(list, a)
		}
	}
	return list
}

// partsOf returns the articles that are parts of series, by series and then in their order.
func partsOf(articles []*protocols.ArticleNote) (parts []part) {
	type series struct{ rest, from string }
	var known map[series]int32
	for i, a := range articles {
		if _, reply := protocols.BaseSubject(a.Subject); reply || !strings.ContainsAny(a.Subject, "([=") {
			continue
		}
		if p := protocols.PartOfSubject(decoded(a.Subject)); p.Part > 0 {
			if known == nil {
				known = make(map[series]int32)
			}
			of := series{p.Rest, a.From}
			if _, ok := known[of]; !ok {
				known[of] = int32(len(known))
			}
			parts = append(parts, part{known[of], int32(p.Part), int32(i)}) //nolint:gosec // at most protocols.MaxParts
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.series, b.series), cmp.Compare(a.at, b.at)) })
	return parts
}
