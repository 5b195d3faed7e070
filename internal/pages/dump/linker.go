package dump

import (
	"slices"

	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// linker finds the links in the text of documents. If a line ends within a URL, linker delays the line
// until the lines with the rest of the URL have arrived.
type linker struct {
	text    bool // find links: the page is a text, and the format prints links
	head    protocols.Head
	print   func(l *protocols.Line, links []urlcore.URL) error
	delayed []protocols.Line // delayed lines
}

func (k *linker) line(l *protocols.Line) error {
	if !k.text {
		return k.print(l, nil)
	}
	k.delayed = append(k.delayed, *l)
	return k.drain(false)
}

// end prints the delayed lines.
func (k *linker) end() error { return k.drain(true) }

func (k *linker) drain(all bool) error {
	for len(k.delayed) > 0 {
		l := &k.delayed[0]
		var found []document.TextLink
		open := false
		if l.Link == nil {
			found, open = document.TextLinks(&k.head, l, func(i int) (string, bool) {
				if i >= len(k.delayed) {
					return "", false
				}
				return k.delayed[i].Text, true
			})
		}
		if open && !all {
			return nil
		}
		var links []urlcore.URL
		for _, f := range found {
			links = append(links, f.URL)
		}
		if err := k.print(l, links); err != nil {
			return err
		}
		k.delayed = slices.Delete(k.delayed, 0, 1)
	}
	return nil
}
