package gopher

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// Bounds of the attributes of one item.
const (
	maxBlocks      = 100
	maxBlockOctets = 1 << 20 // octets of the lines of all blocks
)

// block is an attribute of an item: "+NAME: value", and lines that each begin with
// a blank on the wire (Gopher+, section 2.5).
type block struct {
	name, value string
	lines       []string
}

// attributes are the blocks of an item. The first one is INFO if the item has it.
type attributes []block

// readAttributes yields the attributes of each item as soon as they are complete. It omits blocks
// beyond the bounds, and yields an error with the incomplete last item.
func readAttributes(r io.Reader) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		var item attributes
		octets, rest := 0, false // rest: the next octets belong to a line that is too long
		lines := wire.NewLineReader(r)
		for {
			b, more, err := lines.Next()
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				if len(item) > 0 || err != nil {
					yield(item, err)
				}
				return
			}
			line, long := string(b), rest
			if rest = more; long || line == "." {
				continue
			}
			if info, ok := cutInfo(line); ok {
				line = "+INFO: " + info
			}
			name, value, isBlock := strings.Cut(line, ":")
			if isBlock = isBlock && strings.HasPrefix(name, "+") && !strings.ContainsAny(name, " \t"); isBlock && name == "+INFO" && len(item) > 0 {
				if !yield(item, nil) {
					return
				}
				item, octets = nil, 0
			}
			if octets += len(line); octets > maxBlockOctets {
				continue
			}
			switch n := len(item); {
			case isBlock && n < maxBlocks:
				item = append(item, block{name: name[1:], value: strings.TrimPrefix(value, " ")})
			case !isBlock && n > 0:
				item[n-1].lines = append(item[n-1].lines, strings.TrimPrefix(line, " "))
			}
		}
	}
}

// find returns the first block with a name; it may have no lines.
func (a attributes) find(name string) (block, bool) {
	for _, b := range a {
		if b.name == name {
			return b, true
		}
	}
	return block{}, false
}

// field is a line "Name: value" of a block.
type field struct{ name, value string }

func (b block) fields() (all []field) {
	for _, l := range b.lines {
		name, value, _ := strings.Cut(l, ":")
		all = append(all, field{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return all
}

// lastBracketed returns the last text between "<" and ">" in s, or "".
func lastBracketed(s string) string {
	start, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if start < 0 || end < start {
		return ""
	}
	return strings.TrimSpace(s[start+1 : end])
}

// view is a representation of an item.
type view struct {
	media, language string
	size            int64 // the approximate size in octets, or -1 if unknown
}

// String returns the Gopher+ string that requests the view (RFC 1738, section 3.4.8).
func (v view) String() string { return strings.TrimRight("+"+v.media+" "+v.language, " ") }

// views parses the VIEWS block. The server prefers the first view.
func (a attributes) views() (all []view) {
	b, _ := a.find("VIEWS")
	for _, l := range b.lines {
		head, size, _ := strings.Cut(l, ":")
		words := strings.Fields(head)
		if len(words) == 0 || !strings.Contains(words[0], "/") {
			continue
		}
		v := view{media: words[0], size: viewSize(size)}
		if len(words) > 1 {
			v.language = words[1]
		}
		all = append(all, v)
	}
	return all
}

// viewSize parses "<56k>" or "<.1k>". "<0k>" is an unknown size.
func viewSize(s string) int64 {
	s = strings.ToLower(lastBracketed(s))
	unit := 1.0
	if n := len(s); n > 0 {
		if i := strings.IndexByte("bkmg", s[n-1]); i >= 0 {
			unit, s = float64(int64(1)<<(10*i)), s[:n-1]
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n == 0 && unit > 1 || !(n*unit >= 0 && n*unit < 1<<62) {
		return -1
	}
	return int64(n * unit)
}

// modified returns the time of the last change, or zero.
func (a attributes) modified() time.Time {
	b, _ := a.find("ADMIN")
	for _, f := range b.fields() {
		if strings.EqualFold(f.name, "Mod-Date") {
			return modDate(f.value)
		}
	}
	return time.Time{}
}

// modDate parses "text <YYYYMMDDhhmmss>" in an unknown zone, or returns zero.
func modDate(s string) time.Time {
	t, _ := time.Parse("20060102150405", lastBracketed(s))
	return t
}

// attributePage yields lines with the attributes of g, perhaps of several items. chosen is the view
// that the user chose last.
func attributePage(g urlcore.Gopher, r io.Reader, chosen string) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for a, err := range readAttributes(r) {
			w := attributeWriter{item: g, chosen: chosen}
			if len(a) > 0 {
				w.write(a)
			}
			for _, l := range w.lines {
				if !yield(l, nil) {
					return
				}
			}
			if err != nil {
				yield(protocols.Line{}, err)
			}
		}
	}
}

type attributeWriter struct {
	item   urlcore.Gopher // the item with these attributes
	chosen string
	lines  []protocols.Line
}

func (w *attributeWriter) line(l protocols.Line) { w.lines = append(w.lines, l) }

func (w *attributeWriter) heading(text string) {
	w.line(protocols.Line{})
	w.line(protocols.Line{Kind: protocols.Heading, Text: text})
}

func (w *attributeWriter) row(l protocols.Line, name string) {
	l.Text = fmt.Sprintf("%-14s %s", name, l.Text)
	w.line(l)
}

func (w *attributeWriter) write(a attributes) {
	info, _ := a.find("INFO")
	w.writeInfo(info.value)
	if admin, ok := a.find("ADMIN"); ok {
		w.writeAdmin(admin)
	}
	if b, ok := a.find("ABSTRACT"); ok {
		w.heading("Abstract")
		w.writeBlock(b)
	}
	if all := a.views(); len(all) > 0 {
		w.heading("Views")
		w.views(all)
	}
	if _, ok := a.find("ASK"); ok {
		w.heading("Form")
		form := w.item
		form.Plus, form.HasPlus, form.HasSearch = "?", true, true
		w.line(protocols.Line{Kind: protocols.FormItem, Text: "Fill in the form", Link: form})
	}
	for _, b := range a {
		if !slices.Contains([]string{"INFO", "ADMIN", "ABSTRACT", "VIEWS", "ASK"}, b.name) {
			w.heading(label(b.name))
			w.writeBlock(b)
		}
	}
}

// label returns the name of a block or field with a capital first letter and small other letters. It
// does not change short names, which are abbreviations.
func label(name string) string {
	if len(name) <= len("URL") {
		return name
	}
	return strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
}

// writeInfo writes the item itself, the base of the views.
func (w *attributeWriter) writeInfo(line string) {
	l := (&menuReader{menuSource: menuSource{secure: tlsServer(w.item)}}).line(line)
	if line == "" || l.Link == nil {
		l = protocols.Line{Kind: protocols.GopherKind(w.item.Type), Text: cmp.Or(l.Text, title(w.item)), Link: withoutPlus(w.item)}
	}
	if g, ok := l.Link.(urlcore.Gopher); ok {
		w.item = withoutPlus(g)
	}
	w.line(l)
}

// writeAdmin writes the administrator and the date of the item.
func (w *attributeWriter) writeAdmin(b block) {
	w.line(protocols.Line{})
	for _, f := range b.fields() {
		l := protocols.Line{Text: f.value}
		switch strings.ToLower(f.name) {
		case "admin":
			f.name = "Administrator"
		case "mod-date":
			f.name = "Modified"
			if t := modDate(f.value); !t.IsZero() {
				l.Text = t.Format("2006-01-02 15:04")
			}
		case "ttl":
			f.name = "Time to live"
			if n, err := strconv.ParseUint(f.value, 10, 64); err == nil {
				l.Text = protocols.SecondsText(n)
			}
		}
		if link := mailAddress(f.value); link != nil {
			l.Kind, l.Link = protocols.Mail, link
		}
		w.row(l, label(f.name))
	}
}

// mailAddress returns the address in "Name <address>" or "address", or nil.
func mailAddress(s string) urlcore.URL {
	address := cmp.Or(lastBracketed(s), s)
	if !strings.Contains(address, "@") || strings.ContainsAny(address, " \t/") {
		return nil
	}
	u, _ := urlcore.Canon(urlcore.Mailto{Address: address})
	return u
}

func (w *attributeWriter) views(all []view) {
	for _, v := range all {
		g := w.item
		g.Plus, g.HasPlus, g.HasSearch = v.String(), true, true
		kind := viewKind(v.media)
		if kind == protocols.Other {
			kind = protocols.GopherKind(g.Type)
		}
		w.line(protocols.Line{
			Kind: kind, Text: v.media, Link: g,
			Note: &protocols.ViewNote{Language: v.language, Size: v.size, Chosen: g.Plus == w.chosen},
		})
	}
}

// viewKind returns the kind of a view with a media type, or Other.
func viewKind(media string) protocols.Kind {
	if media = strings.ToLower(media); isMenuView(media) {
		return protocols.Menu
	}
	return protocols.KindOfMedia(media)
}

// writeBlock writes the lines of a block. The descriptor of an item becomes a link.
func (w *attributeWriter) writeBlock(b block) {
	if strings.Contains(b.value, "\t") {
		w.line((&menuReader{menuSource: menuSource{secure: tlsServer(w.item)}}).line(b.value))
	} else if b.value != "" {
		w.line(protocols.Line{Text: b.value})
	}
	for _, l := range b.lines {
		w.line(protocols.Line{Text: l})
	}
}

// attributeMenu reads a menu that has blocks of attributes in place of items.
func attributeMenu(ctx context.Context, src menuSource) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		m := menuReader{ctx: ctx, menuSource: src}
		for a, err := range readAttributes(src.Reader) {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if len(a) > 0 && !m.yieldDescribed(a, yield) {
				return
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
		}
	}
}

// yieldDescribed yields the line of an item and its abstract.
func (m *menuReader) yieldDescribed(a attributes, yield func(protocols.Line, error) bool) bool {
	if !yield(m.item(a), nil) {
		return false
	}
	b, _ := a.find("ABSTRACT")
	for _, text := range b.lines {
		if text = strings.TrimRight(text, " "); text != "" && !yield(protocols.Line{Kind: protocols.Info, Text: "  " + text}, nil) {
			return false
		}
	}
	return true
}

func (m *menuReader) item(a attributes) protocols.Line {
	info, ok := a.find("INFO")
	if !ok {
		return protocols.Line{Kind: protocols.Problem, Text: "+" + a[0].name + ": " + a[0].value}
	}
	l := m.line(info.value)
	n := &protocols.AttributesNote{Size: -1, Modified: a.modified()}
	if views := a.views(); len(views) > 0 {
		n.Size = views[0].size
	}
	if b, ok := a.find("ABSTRACT"); ok {
		n.Abstract = strings.Join(b.lines, "\n")
	}
	if n.Size < 0 && n.Modified.IsZero() && n.Abstract == "" || l.Link == nil {
		return l
	}
	if item, ok := l.Note.(*protocols.ItemNote); ok {
		n.ItemNote = *item
	}
	l.Note = n
	return l
}
