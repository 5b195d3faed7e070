package download

import (
	"context"
	"io/fs"
	"time"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// itemAttributes are the Gopher+ attributes that tell that a document has changed.
type itemAttributes struct {
	Modified time.Time `json:"modified,omitzero"` // in the unknown time zone of the server; zero if unknown
	Size     int64     `json:"size"`              // in octets, as the server rounds it; -1 if unknown
}

// differFrom reports whether a and b are not of the same version of a document. An unknown value differs from no value.
func (a itemAttributes) differFrom(b itemAttributes) bool {
	return !a.Modified.IsZero() && !b.Modified.IsZero() && !a.Modified.Equal(b.Modified) || a.Size >= 0 && b.Size >= 0 && a.Size != b.Size
}

// complete returns a with the values of earlier in place of unknown values.
func (a itemAttributes) complete(earlier itemAttributes) itemAttributes {
	if a.Modified.IsZero() {
		a.Modified = earlier.Modified
	}
	if a.Size < 0 {
		a.Size = earlier.Size
	}
	return a
}

// learnAttributes learns the attributes of the documents of a menu. If the menu marks documents of the mirror as Gopher+
// items but has no attributes of them, learnAttributes asks the server for the attributes of all items, as "$" does.
// It returns an error only if ctx ends.
func (w *walker) learnAttributes(ctx context.Context, f queuedDir, page []protocols.Line) error {
	if !w.addAttributes(page) {
		return nil
	}
	menu, _ := f.url.(urlcore.Gopher)
	u, ok := menu.MenuAttributes()
	switch {
	case !ok:
		return nil
	case w.withoutAnswer:
		w.untoldMenus++
		return nil
	case !mirror.Sleep(ctx, w.delay):
		return context.Cause(ctx)
	}
	_, answer, err := w.startReading(ctx, protocols.Request{URL: u})()
	if answer != nil {
		w.addAttributes(answer)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if reason := protocols.ReasonOf(err); err != nil && reason != protocols.NotSupported {
		w.untoldMenus++
		w.withoutAnswer = reason.IsNetworkFailure()
	}
	return nil
}

// addAttributes adds the attributes in a menu to the tree. It reports whether the menu marks a document of the mirror as
// a Gopher+ item, and the attributes of the document are not known yet.
func (w *walker) addAttributes(page []protocols.Line) (incomplete bool) {
	for _, line := range page {
		u, ok := w.inMirror(line.Link)
		if !ok || u.Type == '1' || !w.seenItems[itemKey(u)] {
			continue
		}
		path := w.tree.index.Items[itemKey(u)]
		switch note := line.Note.(type) {
		case *protocols.AttributesNote:
			w.tree.attributes[path] = itemAttributes{storableDate(note.Modified), note.Size}
		case *protocols.ItemNote:
			_, known := w.tree.attributes[path]
			incomplete = incomplete || !known && note.HasAttributes()
		}
	}
	return incomplete
}

// noteUntold adds a note about the menus whose attributes the server did not send.
func (w *walker) noteUntold() {
	if w.untoldMenus > 0 {
		w.addNote("the server did not tell the dates of the documents in " + english.Plural(w.untoldMenus, "menu", "") + ": changes there are not noticed")
	}
}

// changedAtServer reports whether the attributes of the document at path in the mirror show that it has changed since it
// was saved. Without attributes of the saved document, its date decides, which info has.
func (s *treeSaver) changedAtServer(path string, info fs.FileInfo) bool {
	now, ok := s.item.tree.attributes[path]
	if !ok {
		return false
	}
	if saved, ok := s.item.tree.index.Attributes[path]; ok {
		return now.differFrom(saved)
	}
	const zones = 24 * time.Hour // more than the difference of two time zones
	return now.Modified.After(info.ModTime().Add(-zones))
}

// rememberAttributes records the attributes of the document at path in the index. The parameter kept means that the
// document was saved earlier, and has the attributes that it had then.
func (s *treeSaver) rememberAttributes(path string, kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remembered := s.item.tree.index.Attributes
	now, told := s.item.tree.attributes[path]
	saved, known := remembered[path]
	switch {
	case told && kept && known:
		remembered[path] = now.complete(saved)
	case told:
		remembered[path] = now
	case !kept:
		delete(remembered, path)
	}
}
