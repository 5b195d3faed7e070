package nntp

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gofer/protocols"
)

// sortKey determines the position of the article with the given index. For a part of a series, unix and
// first are the date and the index of the first part found. For other articles, unix and first are the
// date and the index of the article, and part is 0.
type sortKey struct {
	unix               int64
	first, part, index int32
}

// sortBySeries sorts articles, given in the order of their numbers, by date. Articles with a subject
// like "x (2/5)" are parts of a series. sortBySeries puts the parts of a series together and in order. A
// repeated part begins another series. An article without a credible date gets the date of the article
// before it.
func sortBySeries(articles []*protocols.ArticleNote) []*protocols.ArticleNote {
	type series struct{ rest, from string }
	type foundParts struct {
		sortKey
		parts []int32
	}
	latest := make(map[series]*foundParts)
	list, future, unix := make([]sortKey, len(articles)), time.Now().Add(24*time.Hour).Unix(), int64(0)
	for i, a := range articles {
		if seconds := a.Date.Unix(); seconds > 0 && seconds < future {
			unix = seconds
		}
		list[i] = sortKey{unix: unix, first: int32(i), index: int32(i)}
		if p := partOf(a); p.Part > 0 {
			key, part := series{p.Rest, a.From}, int32(p.Part) //nolint:gosec // at most protocols.MaxParts
			s := latest[key]
			if s == nil || slices.Contains(s.parts, part) {
				s = &foundParts{sortKey: list[i]}
				latest[key] = s
			}
			s.parts = append(s.parts, part)
			list[i].unix, list[i].first, list[i].part = s.unix, s.first, part
		}
	}
	order := func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(a.unix, b.unix), cmp.Compare(a.first, b.first), cmp.Compare(a.part, b.part))
	}
	if slices.IsSortedFunc(list, order) {
		return articles
	}
	slices.SortFunc(list, order)
	sorted := make([]*protocols.ArticleNote, len(list))
	for i, p := range list {
		sorted[i] = articles[p.index]
	}
	return sorted
}

// partOf returns the part number in the subject of an article. It returns zero for a reply, and for a
// subject without a part number.
func partOf(a *protocols.ArticleNote) (p protocols.SubjectPart) {
	if _, reply := protocols.BaseSubject(a.Subject); !reply && strings.ContainsAny(a.Subject, "0123456789=") {
		p = protocols.PartOfSubject(decodeSubject(a.Subject))
	}
	return p
}
