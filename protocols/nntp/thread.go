package nntp

import (
	"cmp"
	"slices"
	"strings"

	"gofer/protocols"
)

const (
	maxChain     = 64   // references of one article that are looked at
	maxMissing   = 1000 // articles that are not at hand, and four times as many as are
	maxAncestors = 2000 // steps up before a thread is taken for a loop
)

// node is a place in a thread: an article, or one that others refer to but
// that is not at hand.
type node struct {
	article  *protocols.ArticleNote
	parent   *node
	children []*node
	newest   uint64 // highest number here and below
	first    uint64 // number that it is ordered by among its siblings
	depth    int
	above    bool // it is some node's parent
	live     bool // there is an article here or below
	looseRe  bool
}

// threaded orders articles, given in the order of their numbers, by threads
// and sets their Depth: the thread with the newest article comes first, and
// within it each article stands before its answers. The rules are those of Jamie
// Zawinski's "message threading"; numbers order siblings, since dates lie.
func threaded(articles []*protocols.ArticleNote) []*protocols.ArticleNote {
	nodes := link(articles)
	joinSubjects(nodes)
	var roots []*node
	for _, n := range nodes {
		if n.parent == nil {
			roots = append(roots, n)
		} else {
			n.parent.children = append(n.parent.children, n)
		}
	}
	order := make([]*node, 0, len(nodes))
	for stack := slices.Clone(roots); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], n.children...)
		order = append(order, n)
	}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if n.article != nil {
			n.newest, n.first, n.live = max(n.newest, n.article.Number), n.article.Number, true
		}
		n.children = slices.DeleteFunc(n.children, func(c *node) bool { return !c.live })
		if p := n.parent; p != nil {
			p.newest, p.live = max(p.newest, n.newest), p.live || n.live
			if n.live && (p.first == 0 || n.first < p.first) {
				p.first = n.first
			}
		}
	}
	return flatten(roots, len(articles))
}

// link makes the tree of References. The nodes come in the order in which they
// were first named.
func link(articles []*protocols.ArticleNote) []*node {
	byID := make(map[string]*node, len(articles))
	nodes := make([]*node, 0, len(articles))
	at := func(id string) *node {
		n := byID[id]
		if n == nil {
			n = new(node)
			byID[id] = n
			nodes = append(nodes, n)
		}
		return n
	}
	own := make([]*node, len(articles))
	for i, a := range articles {
		var n *node
		if a.MessageID != "" {
			n = at(a.MessageID)
		}
		if n == nil || n.article != nil {
			n = new(node)
			nodes = append(nodes, n)
		}
		n.article, own[i] = a, n
	}
	for i, a := range articles {
		n := own[i]
		n.looseRe = len(a.References) == 0
		var above *node
		for _, id := range chain(a.References) {
			if byID[id] == nil && len(nodes) > maxMissing+5*len(articles) {
				continue // too many are not at hand
			}
			next := at(id)
			if next == n {
				continue
			}
			if above != nil && next.parent == nil && next.article == nil && !below(above, next) {
				next.parent, above.above = above, true
			}
			above = next
		}
		if above != nil && !below(above, n) {
			n.parent, above.above = above, true
		}
	}
	return nodes
}

// chain returns the references that are looked at: the first, and the last.
func chain(ids []string) []string {
	if len(ids) <= maxChain {
		return ids
	}
	return append([]string{ids[0]}, ids[len(ids)-maxChain+1:]...)
}

// below reports whether n is top or stands somewhere under it.
func below(n, top *node) bool {
	if !top.above { // as of most articles in the order of their numbers
		return n == top
	}
	for steps := 0; n != nil; n = n.parent {
		if n == top || steps == maxAncestors {
			return true
		}
		steps++
	}
	return false
}

// joinSubjects puts answers that have no References under the oldest article of
// the same subject.
func joinSubjects(nodes []*node) {
	first := make(map[string]*node)
	for _, n := range nodes {
		if n.article == nil {
			continue
		}
		if subject, re := baseSubject(n.article.Subject); !re && subject != "" && first[subject] == nil {
			first[subject] = n
		}
	}
	for _, n := range nodes {
		if n.article == nil || !n.looseRe || n.parent != nil {
			continue
		}
		subject, re := baseSubject(n.article.Subject)
		if top := first[subject]; re && top != nil && !below(top, n) {
			n.parent, top.above = top, true
		}
	}
}

// baseSubject takes the "Re:" off.
func baseSubject(s string) (base string, re bool) {
	for s = strings.TrimSpace(s); len(s) >= 3 && strings.EqualFold(s[:3], "re:"); s = strings.TrimSpace(s[3:]) {
		re = true
	}
	return s, re
}

// flatten walks the trees. A missing article gives its place to the oldest of
// those that refer to it, the others stand under that one.
func flatten(roots []*node, size int) []*protocols.ArticleNote {
	slices.SortStableFunc(roots, func(a, b *node) int { return cmp.Compare(b.newest, a.newest) })
	list := make([]*protocols.ArticleNote, 0, size)
	stack := make([]*node, 0, len(roots))
	for _, n := range slices.Backward(roots) {
		stack = append(stack, n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		slices.SortStableFunc(n.children, func(a, b *node) int { return cmp.Compare(b.first, a.first) })
		below := n.depth + 1
		if n.article != nil {
			n.article.Depth = n.depth
			list = append(list, n.article)
		}
		for i, child := range n.children {
			child.depth = below
			if n.article == nil && i == len(n.children)-1 {
				child.depth = n.depth
			}
		}
		stack = append(stack, n.children...)
	}
	return list
}
