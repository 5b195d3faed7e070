package dump

import (
	"slices"

	"gofer/internal/text/document"
	"gofer/protocols"
)

// linker finds the links in the text of documents. If a line ends within a URL, linker delays the line
// until the lines with the rest of the URL have arrived.
type linker struct {
	findsLinks   bool // find links: the page is a text, and the format prints links
	head         protocols.Head
	print        func(l *protocols.Line, links []string) error
	delayedLines []protocols.Line // lines whose last URL may continue in the next line
	lastLine     string           // text of the line before the delayed lines, if there is one
	hasLast      bool
}

func (k *linker) line(l *protocols.Line) error {
	if !k.findsLinks {
		return k.print(l, nil)
	}
	k.delayedLines = append(k.delayedLines, *l)
	return k.drain(false)
}

// end prints the delayed lines.
func (k *linker) end() error { return k.drain(true) }

func (k *linker) drain(all bool) error {
	for len(k.delayedLines) > 0 {
		l := &k.delayedLines[0]
		var found []document.TextLink
		open := false
		if l.Link == nil {
			found, open = document.TextLinks(&k.head, l, func(i int) (string, bool) {
				if i < 0 {
					return k.lastLine, k.hasLast
				}
				if i >= len(k.delayedLines) {
					return "", false
				}
				return k.delayedLines[i].Text, true
			})
		}
		if open && !all {
			return nil
		}
		var links []string
		for _, f := range found {
			if _, unopened := protocols.UnopenedReference(f.URL); !unopened { // such a reference need not be a URL
				links = append(links, protocols.LinkText(f.URL, f.Fragment))
			}
		}
		if err := k.print(l, links); err != nil {
			return err
		}
		k.lastLine, k.hasLast = l.Text, true
		k.delayedLines = slices.Delete(k.delayedLines, 0, 1)
	}
	return nil
}
