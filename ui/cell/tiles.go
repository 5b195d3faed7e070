package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The private-use characters of tiles. Every table of widths gives them one cell.
const firstTile, lastTile = 0xf0000, 0xffffd

// Tiles lets a library lay out text that the library would measure otherwise than Cells. Each cell of a
// character that is not ASCII becomes a tile, a private-use character.
type Tiles struct {
	Cells Cells

	tiles []tile
	first map[string]rune // the tile of the first cell of a character
}

// tile is a cell of a character.
type tile struct {
	character string // "" for a cell that is not the first one
	width     int
}

// Tile returns s, which may contain escape sequences, with tiles in place of its characters. If there
// are too many different characters, the last ones become blanks.
func (t *Tiles) Tile(s string) string {
	var b strings.Builder
	for s != "" {
		n := 1
		switch {
		case s[0] == ansi.ESC:
			_, _, n, _ = ansi.DecodeSequence(s, ansi.NormalState, nil)
			b.WriteString(s[:n])
		case s[0] < ' ':
			b.WriteByte(s[0])
		default:
			var width int
			if n, width = t.Cells.Next(s); n == 1 && s[0] < utf8.RuneSelf {
				b.WriteByte(s[0])
			} else {
				b.WriteString(t.tile(s[:n], width))
			}
		}
		s = s[n:]
	}
	return b.String()
}

// tile returns the tiles of a character.
func (t *Tiles) tile(character string, width int) string {
	from, known := t.first[character]
	if !known {
		if from = firstTile + rune(len(t.tiles)); int(from)+width > lastTile {
			return strings.Repeat(" ", width)
		}
		if t.first == nil {
			t.first = make(map[string]rune)
		}
		t.first[character] = from
		for i := range width {
			t.tiles = append(t.tiles, tile{width: width})
			if i == 0 {
				t.tiles[len(t.tiles)-1].character = character
			}
		}
	}
	var b strings.Builder
	for i := range width {
		b.WriteRune(from + rune(i))
	}
	return b.String()
}

// Untile returns s with the characters in place of their tiles. The cells of a character that is not
// whole become blanks.
func (t *Tiles) Untile(s string) string {
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch i := int(r) - firstTile; {
		case i < 0 || i >= len(t.tiles):
			b.WriteString(s[:n])
		case t.tiles[i].character == "":
			b.WriteByte(' ')
		default:
			if all := t.tile(t.tiles[i].character, t.tiles[i].width); strings.HasPrefix(s, all) {
				b.WriteString(t.tiles[i].character)
				n = len(all)
			} else {
				b.WriteByte(' ')
			}
		}
		s = s[n:]
	}
	return b.String()
}
