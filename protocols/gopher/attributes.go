package gopher

import (
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"gofer/internal/wire"
)

// Bounds of the attributes of one item.
const (
	maxBlocks      = 100
	maxBlockOctets = 1 << 20 // of the lines of all blocks
)

// block is an attribute of an item: "+NAME: value", and lines that each begin with
// a blank on the wire (Gopher+, section 2.5).
type block struct {
	name, value string
	lines       []string
}

// attributes are the blocks of an item. The first one is INFO if the item has it.
type attributes []block

// readAttributes yields the attributes of each item as soon as they are complete. It
// omits blocks beyond the bounds. An error comes with the incomplete last item.
func readAttributes(r io.Reader) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		var item attributes
		octets, rest := 0, false // rest: of a line that is too long
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

// of returns the first block of that name; it may have no lines.
func (a attributes) of(name string) (block, bool) {
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

// bracketed returns the last text between "<" and ">" in s, or "".
func bracketed(s string) string {
	from, to := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if from < 0 || to < from {
		return ""
	}
	return strings.TrimSpace(s[from+1 : to])
}

// view is a representation of an item.
type view struct {
	media, language string
	size            int64 // approximately, in octets; -1 if unknown
}

// String returns the Gopher+ string that requests the view (RFC 1738, section 3.4.8).
func (v view) String() string { return strings.TrimRight("+"+v.media+" "+v.language, " ") }

// views parses the VIEWS block. The server prefers the first one.
func (a attributes) views() (all []view) {
	b, _ := a.of("VIEWS")
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
	s = strings.ToLower(bracketed(s))
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
	b, _ := a.of("ADMIN")
	for _, f := range b.fields() {
		if strings.EqualFold(f.name, "Mod-Date") {
			return modDate(f.value)
		}
	}
	return time.Time{}
}

// modDate parses "text <YYYYMMDDhhmmss>" in an unknown zone, or returns zero.
func modDate(s string) time.Time {
	t, _ := time.Parse("20060102150405", bracketed(s))
	return t
}
