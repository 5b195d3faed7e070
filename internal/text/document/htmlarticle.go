package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gofer/protocols"
)

// The bounds of a hypertext whose article is searched for. The search builds a tree and walks over it many times; the work
// grows with the octets below each element.
const (
	MaxArticle     = 4 << 20 // octets
	maxArticleTags = 15_000
	maxArticleDeep = 200
	maxArticleWork = 32 << 20 // the sum of the octets of texts, each multiplied by its depth
	maxArticleName = 300      // octets of a title or of the content of a meta element, which are compared with all headings
)

// ErrNoArticle reports that a hypertext has no text that is clearly its article.
var ErrNoArticle = errors.New("no article was found in this page")

// errArticleTooBig reports that a hypertext exceeds a bound.
func errArticleTooBig(bound string) error {
	return fmt.Errorf("the page is too large for the article view: it has more than %s", bound)
}

// ArticleLines returns the lines of the article of a hypertext that has been fetched, see [Document.Article].
func ArticleLines(head protocols.Head, r io.Reader, tableWidth int) ([]protocols.Line, error) {
	d, err := Open(head, r)
	if err != nil {
		return nil, err
	}
	d.TableWidth = tableWidth
	lines, err := d.Article()
	for i := range lines {
		head.LeadLine(&lines[i])
	}
	return lines, err
}

// Article returns the lines of the article of a hypertext: its title, and its text without navigation, banners and footers.
// It reads the whole hypertext, within bounds.
func (d *Document) Article() ([]protocols.Line, error) {
	octets, err := io.ReadAll(io.LimitReader(utf8Reader(d), MaxArticle+1))
	if err != nil {
		return nil, err
	}
	if len(octets) > MaxArticle {
		return nil, errArticleTooBig(fmt.Sprintf("%d MiB", MaxArticle>>20))
	}
	base, err := measure(octets)
	if err != nil {
		return nil, err
	}
	article, err := extract(octets)
	if err != nil {
		return nil, err
	}
	lines, empty := []protocols.Line(nil), true
	h := newHTMLReader(d.URL, func(l protocols.Line) bool {
		empty = empty && strings.TrimSpace(l.Text) == ""
		lines = append(lines, l)
		return true
	})
	h.page, h.article, h.tableWidth = d.URL, articleOf(d.URL), d.TableWidth
	if err := h.read(io.MultiReader(strings.NewReader(base), bytes.NewReader(article))); err != nil {
		return nil, err
	}
	if empty {
		return nil, ErrNoArticle
	}
	return lines, nil
}

// measure checks the bounds of a hypertext, and returns its base element or "".
func measure(octets []byte) (base string, err error) {
	z := html.NewTokenizer(bytes.NewReader(octets))
	tags := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return base, nil
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			if atom.Lookup(name) == atom.Base && base == "" && hasAttr {
				base = string(z.Raw())
			}
			if tags++; tags > maxArticleTags {
				return "", errArticleTooBig(fmt.Sprintf("%d elements", maxArticleTags))
			}
		}
	}
}

// extract returns the article of a hypertext as a hypertext.
func extract(octets []byte) (article []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = protocols.PanicError("find the article", v)
		}
	}()
	tree, err := html.Parse(bytes.NewReader(octets))
	if err != nil { // too many open elements
		return nil, errArticleTooBig(fmt.Sprintf("%d levels", maxArticleDeep))
	}
	if err := tame(tree); err != nil {
		return nil, err
	}
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	found, err := parser.ParseAndMutate(tree, nil)
	if err != nil {
		return nil, fmt.Errorf("the article cannot be found: %w", err)
	}
	if found.Node == nil {
		return nil, ErrNoArticle
	}
	var b bytes.Buffer
	for _, part := range [...]struct{ tag, text string }{{"h1", found.Title()}, {"p", found.Byline()}} {
		if text := strings.TrimSpace(part.text); text != "" {
			fmt.Fprintf(&b, "<%s>%s</%s>\n", part.tag, html.EscapeString(text), part.tag)
		}
	}
	err = found.RenderHTML(&b)
	return b.Bytes(), err
}

// tame cuts long titles in a tree, and returns an error if the tree exceeds a bound. It does not recurse.
func tame(top *html.Node) error {
	depth, work := 0, 0
	for n := top; n != nil; {
		switch {
		case depth > maxArticleDeep:
			return errArticleTooBig(fmt.Sprintf("%d levels", maxArticleDeep))
		case n.Type == html.TextNode && n.Parent.DataAtom == atom.Title:
			n.Data = strings.ToValidUTF8(n.Data[:min(len(n.Data), maxArticleName)], "")
		case n.Type == html.TextNode:
			work += depth * len(n.Data)
		case n.DataAtom == atom.Meta:
			for i := range n.Attr {
				v := &n.Attr[i].Val
				*v = strings.ToValidUTF8((*v)[:min(len(*v), maxArticleName)], "")
			}
		}
		if work > maxArticleWork {
			return errArticleTooBig("the search can read")
		}
		if n.FirstChild != nil {
			n, depth = n.FirstChild, depth+1
			continue
		}
		for n != top && n.NextSibling == nil {
			n, depth = n.Parent, depth-1
		}
		if n == top {
			return nil
		}
		n = n.NextSibling
	}
	return nil
}
