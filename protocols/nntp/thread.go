package nntp

import (
	"mime"
	"slices"
	"strings"

	"gofer/protocols"
)

const (
	maxChain   = 64   // maximal number of references used for one article
	maxMissing = 1000 // maximal number of missing articles, in addition to four for each article
)

// none is the index that means no node or article.
const none = -1

// node is a position in a thread. It belongs to an article, or to a missing article that other articles
// refer to. Its fields are indexes and not pointers, to save memory in large groups.
type node struct {
	article             int32 // the article, or none
	parent              int32 // the parent, or none
	child, next         int32 // the first child and the next sibling, or none
	firstArticle        int32 // the article, or the first article below a missing article, or none
	unprocessedChildren int32 // the number of children that findFirstArticles has not processed yet
	depth               int32
}

// threader arranges articles in threads. The articles are in the order of [sortBySeries].
type threader struct {
	articles []*protocols.ArticleNote
	nodes    []node // the nodes of the articles in the same order, then the nodes of missing articles
	byID     map[string]int32
}

// sortByThread sorts articles by threads and sets their Depth. The articles must be in the order of
// their numbers. The thread that began first comes first. Each article comes before its answers. The
// answers to an article are in the order of [sortBySeries]. The rules follow Jamie Zawinski's "message
// threading". The time is linear in the number of articles and references if the dates rise.
func sortByThread(articles []*protocols.ArticleNote) []*protocols.ArticleNote {
	articles = sortBySeries(articles)
	t := &threader{articles: articles, byID: make(map[string]int32, len(articles)), nodes: make([]node, len(articles), len(articles)+len(articles)/16)}
	for i, a := range articles {
		t.nodes[i] = node{article: int32(i), parent: none, child: none, next: none, firstArticle: int32(i)}
		if _, ok := t.byID[a.MessageID]; !ok && a.MessageID != "" {
			t.byID[a.MessageID] = int32(i)
		}
	}
	for i, a := range articles {
		t.linkReferences(int32(i), a.References)
	}
	t.joinSubjects()
	t.cutLoops()
	t.findFirstArticles()
	return t.listArticles()
}

// linkReferences makes the node of the last reference the parent of article i. If the article of that
// node is missing, the parent of the node is the previous reference, and so on up to an article that is
// not missing.
func (t *threader) linkReferences(i int32, references []string) {
	below := i
	for k := len(references) - 1; k >= max(0, len(references)-maxChain); k-- {
		above, ok := t.byID[references[k]]
		switch {
		case !ok && len(t.nodes) > maxMissing+5*len(t.articles):
			continue // too many missing articles
		case !ok:
			above = int32(len(t.nodes))
			t.byID[references[k]] = above
			t.nodes = append(t.nodes, node{article: none, parent: none, child: none, next: none, firstArticle: none})
		case above == i || above == below:
			continue
		}
		if t.nodes[below].parent == none {
			t.nodes[below].parent = above
		}
		if below = above; ok {
			return
		}
	}
}

// joinSubjects makes each reply without References a child of the earlier article that began the
// subject.
func (t *threader) joinSubjects() {
	latest := make(map[string]int32) // subject -> the latest article that began the subject, or none
	looseReply := func(a *protocols.ArticleNote) (string, bool) {
		if len(a.References) > 0 || len(a.Subject) < len("Re:x") {
			return "", false
		}
		subject, reply := plainSubject(a.Subject)
		return subject, reply && subject != ""
	}
	for _, a := range t.articles {
		if subject, ok := looseReply(a); ok {
			latest[subject] = none
		}
	}
	if len(latest) == 0 {
		return
	}
	subject, reply := "", false
	for i, a := range t.articles {
		if i == 0 || a.Subject != t.articles[i-1].Subject { // articles of a thread are often adjacent
			subject, reply = plainSubject(a.Subject)
		}
		top, wanted := latest[subject]
		switch {
		case !wanted:
		case !reply, top == none:
			latest[subject] = int32(i)
		case len(a.References) == 0 && t.nodes[i].parent == none:
			t.nodes[i].parent = top
		}
	}
}

// plainSubject returns a subject for comparison: decoded, in lower case, with single spaces, and without
// "Re:". The result reply reports whether the subject began with "Re:".
func plainSubject(s string) (subject string, reply bool) {
	s, reply = protocols.BaseSubject(decodeSubject(s))
	return strings.ToLower(strings.Join(strings.Fields(s), " ")), reply
}

// decodeSubject returns a subject without encoded words, if the standard library knows their
// charset.
func decodeSubject(s string) string {
	if strings.Contains(s, "=?") {
		if text, err := new(mime.WordDecoder).DecodeHeader(s); err == nil {
			return text
		}
	}
	return s
}

// cutLoops removes the parent of the last article of each loop.
func (t *threader) cutLoops() {
	walks := make([]int32, len(t.nodes)) // the number of the walk that reached each node; 0 if none has
	for i := range t.nodes {
		walk := int32(i) + 1
		n := int32(i)
		for n != none && walks[n] == 0 {
			walks[n] = walk
			n = t.nodes[n].parent
		}
		if n == none || walks[n] != walk {
			continue
		}
		last := n
		for k := t.nodes[n].parent; k != n; k = t.nodes[k].parent {
			if t.nodes[k].article > t.nodes[last].article {
				last = k
			}
		}
		t.nodes[last].parent = none
	}
}

// findFirstArticles sets firstArticle in the nodes of missing articles.
func (t *threader) findFirstArticles() {
	for i := range t.nodes {
		if p := t.nodes[i].parent; p != none {
			t.nodes[p].unprocessedChildren++
		}
	}
	for i := range t.nodes {
		for n := int32(i); n != none && t.nodes[n].unprocessedChildren == 0; {
			t.nodes[n].unprocessedChildren = none // processed
			child, up := t.nodes[n], t.nodes[n].parent
			if up == none {
				break
			}
			p := &t.nodes[up]
			if p.article == none && child.firstArticle != none && (p.firstArticle == none || child.firstArticle < p.firstArticle) {
				p.firstArticle = child.firstArticle
			}
			p.unprocessedChildren--
			n = up
		}
	}
}

// listArticles returns the articles of all threads, each article before its answers. The oldest child of
// a missing article takes the position of the missing article, before the other children.
func (t *threader) listArticles() []*protocols.ArticleNote {
	roots := make([]int32, 0, len(t.articles)/4+1) // in reverse order
	for i := len(t.articles) - 1; i >= 0; i-- {    // siblings in the order of their first articles
		for n := int32(i); ; {
			up := t.nodes[n].parent
			if up == none {
				roots = append(roots, n)
				break
			}
			t.nodes[n].next, t.nodes[up].child = t.nodes[up].child, n
			if t.nodes[up].article != none || t.nodes[up].firstArticle != int32(i) {
				break
			}
			n = up
		}
	}
	list := make([]*protocols.ArticleNote, 0, len(t.articles))
	stack := make([]int32, 0, 64)
	for _, root := range slices.Backward(roots) {
		for stack = append(stack, root); len(stack) > 0; {
			n := t.nodes[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			if n.next != none {
				stack = append(stack, n.next)
			}
			below := n.depth + 1
			if n.article != none {
				a := t.articles[n.article]
				a.Depth = int(n.depth)
				list = append(list, a)
			}
			for c := n.child; c != none; c = t.nodes[c].next {
				t.nodes[c].depth = below
			}
			if n.child != none {
				if n.article == none {
					t.nodes[n.child].depth = n.depth
				}
				stack = append(stack, n.child)
			}
		}
	}
	return list
}
