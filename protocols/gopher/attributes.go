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

// The limits for the attributes of one item.
const (
	maxBlocks      = 100
	maxBlockOctets = 1 << 20 // octets of the lines of all blocks
	maxBlockName   = 80      // octets of "+NAME:" at the start of an answer
)

// block is an attribute of an item: "+NAME: value" and the lines below. On the wire each of these
// lines begins with a blank (Gopher+, section 2.5).
type block struct {
	name, value string
	lines       []string
}

// attributes are the blocks of an item. The block INFO, if any, is the first.
type attributes []block

// readAttributes yields the attributes of each item when they are complete. It omits blocks beyond
// the limits. If reading fails, it yields the error with the incomplete last item.
func readAttributes(r io.Reader) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		var item attributes
		octets, inLongLine := 0, false
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
			line, long := string(b), inLongLine
			if inLongLine = more; long || line == "." {
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

// findBlock returns the first block with the name, or false.
func (a attributes) findBlock(name string) (block, bool) {
	for _, b := range a {
		if b.name == name {
			return b, true
		}
	}
	return block{}, false
}

// field is a line "Name: value" of a block.
type field struct{ name, value string }

func (b block) parseFields() (all []field) {
	for _, l := range b.lines {
		name, value, _ := strings.Cut(l, ":")
		all = append(all, field{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return all
}

// findLastBracketed returns the last text in angle brackets in s, or "".
func findLastBracketed(s string) string {
	start, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if start < 0 || end < start {
		return ""
	}
	return strings.TrimSpace(s[start+1 : end])
}

// view is a media type and a language that the server has for an item.
type view struct {
	media, language string
	size            int64 // the approximate size in octets, or -1 if unknown
}

// String returns the Gopher+ string that requests the view (RFC 1738, section 3.4.8).
func (v view) String() string { return strings.TrimRight("+"+v.media+" "+v.language, " ") }

// parseViews parses the block VIEWS. The view that the server prefers comes first.
func (a attributes) parseViews() (all []view) {
	b, _ := a.findBlock("VIEWS")
	for _, l := range b.lines {
		head, size, _ := strings.Cut(l, ":")
		words := strings.Fields(head)
		if len(words) == 0 || !strings.Contains(words[0], "/") {
			continue
		}
		v := view{media: words[0], size: parseViewSize(size)}
		if len(words) > 1 {
			v.language = words[1]
		}
		all = append(all, v)
	}
	return all
}

// parseViewSize parses a size such as "<56k>" or "<.1k>". It returns -1 for an invalid size, and for
// "<0k>", which means an unknown size.
func parseViewSize(s string) int64 {
	s = strings.ToLower(findLastBracketed(s))
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

// modTime returns the time of the last change, or the zero time.
func (a attributes) modTime() time.Time {
	b, _ := a.findBlock("ADMIN")
	for _, f := range b.parseFields() {
		if strings.EqualFold(f.name, "Mod-Date") {
			return parseModDate(f.value)
		}
	}
	return time.Time{}
}

// parseModDate parses "text <YYYYMMDDhhmmss>" without a time zone. If s has another form, it
// returns the zero time.
func parseModDate(s string) time.Time {
	t, _ := time.Parse("20060102150405", findLastBracketed(s))
	return t
}

// readAttributePage yields lines that show the attributes of g or, for a menu, of several items. The
// parameter chosen is the view that the user chose last.
func readAttributePage(g urlcore.Gopher, r io.Reader, chosen string) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		for a, err := range readAttributes(r) {
			w := attributeWriter{item: g, chosen: chosen}
			if len(a) > 0 {
				w.writeItem(a)
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
	item   urlcore.Gopher // the item that the attributes describe
	chosen string
	lines  []protocols.Line
}

func (w *attributeWriter) addLine(l protocols.Line) { w.lines = append(w.lines, l) }

func (w *attributeWriter) addHeading(text string) {
	w.addLine(protocols.Line{})
	w.addLine(protocols.Line{Kind: protocols.Heading, Text: text})
}

func (w *attributeWriter) addRow(l protocols.Line, name string) {
	l.Text = fmt.Sprintf("%-14s %s", name, l.Text)
	w.addLine(l)
}

func (w *attributeWriter) writeItem(a attributes) {
	info, _ := a.findBlock("INFO")
	w.writeInfo(info.value)
	if admin, ok := a.findBlock("ADMIN"); ok {
		w.writeAdmin(admin)
	}
	if b, ok := a.findBlock("ABSTRACT"); ok {
		w.addHeading("Abstract")
		w.writeBlock(b)
	}
	if all := a.parseViews(); len(all) > 0 {
		w.addHeading("Views")
		w.writeViews(all)
	}
	if _, ok := a.findBlock("ASK"); ok {
		w.addHeading("Form")
		form := w.item
		form.Plus, form.HasPlus, form.HasSearch = "?", true, true
		w.addLine(protocols.Line{Kind: protocols.FormItem, Text: "Fill in the form", Link: form})
	}
	for _, b := range a {
		if !slices.Contains([]string{"INFO", "ADMIN", "ABSTRACT", "VIEWS", "ASK"}, b.name) {
			w.addHeading(formatLabel(b.name))
			w.writeBlock(b)
		}
	}
}

// formatLabel returns the name of a block or field with only its first letter in upper case. It
// does not change a short name, which is an abbreviation.
func formatLabel(name string) string {
	if len(name) <= len("URL") {
		return name
	}
	return strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
}

// writeInfo writes the link to the item, which is also the base of the links to its views.
func (w *attributeWriter) writeInfo(line string) {
	l := (&menuReader{menuSource: menuSource{secure: tlsServer(w.item)}}).parseLine(line)
	if line == "" || l.Link == nil {
		l = protocols.Line{Kind: protocols.GopherKind(w.item.Type), Text: cmp.Or(l.Text, titleOf(w.item)), Link: withoutPlus(w.item)}
	}
	if g, ok := l.Link.(urlcore.Gopher); ok {
		w.item = withoutPlus(g)
	}
	w.addLine(l)
}

// writeAdmin writes the administrator and the date of the item.
func (w *attributeWriter) writeAdmin(b block) {
	w.addLine(protocols.Line{})
	for _, f := range b.parseFields() {
		l := protocols.Line{Text: f.value}
		switch strings.ToLower(f.name) {
		case "admin":
			f.name = "Administrator"
		case "mod-date":
			f.name = "Modified"
			if t := parseModDate(f.value); !t.IsZero() {
				l.Text = t.Format("2006-01-02 15:04")
			}
		case "ttl":
			f.name = "Time to live"
			if n, err := strconv.ParseUint(f.value, 10, 64); err == nil {
				l.Text = protocols.FormatSeconds(n)
			}
		}
		if link := parseMailAddress(f.value); link != nil {
			l.Kind, l.Link = protocols.Mail, link
		}
		w.addRow(l, formatLabel(f.name))
	}
}

// parseMailAddress returns a mailto URL for "Name <address>" or "address", or nil.
func parseMailAddress(s string) urlcore.URL {
	address := cmp.Or(findLastBracketed(s), s)
	if !strings.Contains(address, "@") || strings.ContainsAny(address, " \t/") {
		return nil
	}
	u, _ := urlcore.Canon(urlcore.Mailto{Address: address})
	return u
}

func (w *attributeWriter) writeViews(all []view) {
	for _, v := range all {
		g := w.item
		g.Plus, g.HasPlus, g.HasSearch = v.String(), true, true
		kind := viewKind(v.media)
		if kind == protocols.Other {
			kind = protocols.GopherKind(g.Type)
		}
		w.addLine(protocols.Line{
			Kind: kind, Text: v.media, Link: g,
			Note: &protocols.ViewNote{Language: v.language, Size: v.size, Chosen: g.Plus == w.chosen},
		})
	}
}

// viewKind returns the kind of a view with the media type, or Other.
func viewKind(media string) protocols.Kind {
	if media = strings.ToLower(media); isMenuView(media) {
		return protocols.Menu
	}
	return protocols.KindOfMedia(media)
}

// writeBlock writes the value and the lines of a block. A value that describes an item becomes a
// link.
func (w *attributeWriter) writeBlock(b block) {
	if strings.Contains(b.value, "\t") {
		w.addLine((&menuReader{menuSource: menuSource{secure: tlsServer(w.item)}}).parseLine(b.value))
	} else if b.value != "" {
		w.addLine(protocols.Line{Text: b.value})
	}
	for _, l := range b.lines {
		w.addLine(protocols.Line{Text: l})
	}
}

// readAttributeMenu yields the lines of a menu that the server sent as blocks of attributes.
func readAttributeMenu(ctx context.Context, src menuSource) iter.Seq2[protocols.Line, error] {
	return func(yield func(protocols.Line, error) bool) {
		m := menuReader{ctx: ctx, menuSource: src}
		for a, err := range readAttributes(src.Reader) {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if len(a) > 0 && !m.yieldItem(a, yield) {
				return
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
		}
	}
}

// yieldItem yields the line of an item and the lines of its abstract.
func (m *menuReader) yieldItem(a attributes, yield func(protocols.Line, error) bool) bool {
	if !yield(m.parseItem(a), nil) {
		return false
	}
	b, _ := a.findBlock("ABSTRACT")
	for _, text := range b.lines {
		if text = strings.TrimRight(text, " "); text != "" && !yield(protocols.Line{Kind: protocols.Info, Text: "  " + text}, nil) {
			return false
		}
	}
	return true
}

func (m *menuReader) parseItem(a attributes) protocols.Line {
	info, ok := a.findBlock("INFO")
	if !ok {
		return protocols.Line{Kind: protocols.Problem, Text: "+" + a[0].name + ": " + a[0].value}
	}
	l := m.parseLine(info.value)
	n := &protocols.AttributesNote{Size: -1, Modified: a.modTime()}
	if views := a.parseViews(); len(views) > 0 {
		n.Size = views[0].size
	}
	if b, ok := a.findBlock("ABSTRACT"); ok {
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
