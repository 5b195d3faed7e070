package document

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Bounds of a chunk of Markdown. The time to parse a paragraph grows faster than the number of its marks, so that
// a chunk ends within a block that has too many of them.
const (
	goodChunk   = 16 << 10 // a chunk of this size ends at the next end of a block
	largeChunk  = 64 << 10 // a chunk of this size ends at the next empty line
	maxChunk    = 96 << 10 // octets
	maxMarks    = 1000     // marks in lines without an empty line between them
	maxNesting  = 100      // marks of quotes and lists at the beginning of a line
	maxTableRow = 100      // cells of a table row
	maxCells    = 50_000   // cells of a table
	maxAllCells = 1 << 20  // cells of the tables of a document; the rows after them are texts
	maxMetadata = 100      // lines of metadata at the beginning of a document
	maxFence    = 100      // backticks or tildes that begin a block of code
)

// chunk is a part of a document.
type chunk struct {
	text []byte
	html bool // it is HTML: the rest of a block of HTML that did not fit in the chunk before
}

// chunker divides the lines of a Markdown document into chunks of whole blocks.
type chunker struct {
	chunk    []byte
	isHTML   bool   // the chunk began within a block of HTML
	htmlEnd  string // what ends the open block of HTML, in lower case: "" if none is open, "\n" for an empty line
	fence    fence
	reopened bool // the chunk began within the open fence
	blank    bool // the last line was empty
	marks    int  // marks since the last empty line
	head     string
	table    string // header rows of the open table, or ""
	cells    int    // cells of the open table so far
	width    int    // cells of a row of the open table
	allCells int    // cells of all tables so far, including the ones that short rows lack
}

// add adds a line. If the line begins a new chunk, add returns the chunk before it.
func (c *chunker) add(line string) (done chunk) {
	blank := isBlankLine(line)
	if blank && c.htmlEnd == "\n" {
		c.htmlEnd = ""
	}
	inHTML := c.htmlEnd != ""
	open := c.fence.mark
	inFence := !inHTML && c.fence.add(line)
	if !inFence {
		open = ""
	}
	if !inFence && !inHTML {
		line = limitNesting(line)
	}
	marks := countMarks(line)
	if c.isHTML && !inHTML || c.ends(line, blank, marks, open != "") {
		done = c.cut(open, inHTML)
	}
	if inHTML {
		c.marks += marks
		c.chunk = append(append(c.chunk, line...), '\n')
		c.endHTML(line)
		c.blank = blank
		return done
	}
	if c.reopened && c.fence.mark == "" {
		line, c.reopened = strings.TrimLeft(line, " "), false // the fence was reopened at the beginning of the line
	}
	if !inFence {
		c.beginHTML(line)
		if isFootnote(line) {
			line = "\n\\" + line // not the definition of a link
		}
	}
	switch {
	case blank:
		c.marks, c.table, c.cells, c.head = 0, "", 0, ""
	case isBullet(line):
		c.marks = marks
	default:
		c.marks += marks
	}
	if wasTable := c.table != ""; c.addRow(line) { // too wide for a table
		line = `\` + strings.TrimLeft(line, " ")
	} else if wasTable && c.table == "" { // too many cells
		line = "\n" + line
	}
	c.chunk = append(append(c.chunk, line...), '\n')
	c.blank = blank
	return done
}

// beginHTML records that a line begins a block of HTML (CommonMark 0.31, section 4.6).
func (c *chunker) beginHTML(line string) {
	rest, ok := strings.CutPrefix(line, "<")
	if !ok {
		return
	}
	rest = strings.ToLower(strings.TrimPrefix(rest, "/"))
	name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz0123456789-"))]
	switch {
	case strings.HasPrefix(rest, "!--"):
		c.htmlEnd = "-->"
	case name == "pre", name == "script", name == "style", name == "textarea":
		c.htmlEnd = "</" + name + ">"
	case name != "" && strings.Trim(rest[len(name):][:min(1, len(rest)-len(name))], " \t/>") == "" && isBlockOfHTML(atom.Lookup([]byte(name))):
		c.htmlEnd = "\n"
	}
	c.endHTML(line)
}

// endHTML records that a line ends the open block of HTML, if it does.
func (c *chunker) endHTML(line string) {
	if c.htmlEnd != "" && strings.Contains(strings.ToLower(line), c.htmlEnd) {
		c.htmlEnd = ""
	}
}

// isBlockOfHTML reports whether a tag may begin a block of HTML that ends with an empty line.
func isBlockOfHTML(tag atom.Atom) bool {
	switch tag {
	case atom.Table, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Blockquote, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return isBlock(tag)
}

// isFootnote reports whether a line begins a footnote, as GitHub writes them.
func isFootnote(line string) bool {
	return strings.HasPrefix(line, "[^") && strings.Contains(line, "]:")
}

// ends reports whether the chunk ends before a line.
func (c *chunker) ends(line string, blank bool, marks int, inFence bool) bool {
	switch size := len(c.chunk); {
	case size == 0:
		return false
	case size+len(line) > maxChunk, !blank && c.marks+marks > maxMarks, c.cells > maxCells:
		return true
	case inFence, !c.blank, blank:
		return false
	case size > largeChunk:
		return true
	default:
		return size > goodChunk && line[0] != ' ' && line[0] != '\t' && !isListItem(line)
	}
}

// cut returns the chunk and begins a new one, which continues a table, the fence with the mark open, or HTML.
func (c *chunker) cut(open string, inHTML bool) chunk {
	done := chunk{c.chunk, c.isHTML}
	c.chunk, c.marks, c.cells = nil, 0, 0
	c.reopened, c.isHTML = open != "", inHTML
	switch {
	case inHTML:
	case open != "":
		c.chunk = append(c.chunk, open+"\n"...)
	case c.table != "":
		c.chunk = append(c.chunk, c.table...)
	}
	return done
}

// rest returns the last chunk, which may be empty.
func (c *chunker) rest() chunk {
	done := chunk{c.chunk, c.isHTML}
	c.chunk = nil
	return done
}

// addRow records the rows of a table. It reports whether the line has too many cells for the header of a table.
func (c *chunker) addRow(line string) (tooWide bool) {
	if strings.Trim(line, " \t|:-") == "" && strings.Contains(line, "-") {
		n := strings.Count(line, "|") + 1
		if n > maxTableRow || n > 1 && c.allCells > maxAllCells {
			return true
		}
		if n > 1 && c.table == "" && len(c.head)+len(line) < maxChunk/4 {
			c.table, c.width = c.head+"\n"+line+"\n", n
		}
	}
	if c.table != "" {
		c.cells += c.width
		if c.allCells += c.width; c.allCells > maxAllCells {
			c.table = ""
		}
	}
	c.head = line
	return false
}

func countMarks(line string) (n int) {
	for i := range len(line) {
		if strings.IndexByte(markCharacters, line[i]) >= 0 {
			n++
		}
	}
	return n
}

// cutMarks returns the length of the beginning of a line that has at most maxMarks marks, and maxChunk/2 octets.
func cutMarks(line string) int {
	end := min(len(line), maxChunk/2)
	for i, marks := 0, 0; i < end; i++ {
		if strings.IndexByte(markCharacters, line[i]) >= 0 {
			if marks++; marks > maxMarks {
				end = i
			}
		}
	}
	if end == len(line) {
		return end
	}
	return cut([]byte(line), end)
}

// markCharacters may begin or end an emphasis, a link or code.
const markCharacters = "[]*_`<!&~\\("

func isBlankLine(line string) bool { return strings.Trim(line, " \t") == "" }

// isBullet reports whether a line begins an item of a list in any context.
func isBullet(line string) bool {
	text := strings.TrimLeft(line, " ")
	return len(line)-len(text) <= 3 && len(text) > 2 && strings.IndexByte("-*+", text[0]) >= 0 && text[1] == ' ' && !isBlankLine(text[2:])
}

// isListItem reports whether a line may be an item of a list.
func isListItem(line string) bool {
	return isBullet(line) || len(line) > 0 && line[0] >= '0' && line[0] <= '9'
}

// limitNesting escapes the mark of a quote or a list after maxNesting marks at the beginning of a line.
func limitNesting(line string) string {
	if len(line) <= maxNesting {
		return line
	}
	n := 0
	for i := range len(line) {
		switch strings.IndexByte(">-*+.) \t0123456789", line[i]) {
		case -1:
			return line
		case 0, 1, 2, 3, 4, 5:
			if n++; n > maxNesting {
				return line[:i] + `\` + line[i:]
			}
		}
	}
	return line
}

// fence is an open block of code between lines of backticks or tildes. Fences in quotes are not found.
type fence struct {
	mark  string // the backticks or tildes that began it, or "" if none is open
	items []int  // indents of the texts of the list items that contain it or the last line
}

// add reads a line. It reports whether the line belongs to a fence.
func (f *fence) add(line string) bool {
	if isBlankLine(line) {
		return f.mark != ""
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	for n := len(f.items); n > 0 && indent < f.items[n-1]; n-- { // the end of an item, and of the fence in it
		f.items, f.mark = f.items[:n-1], ""
	}
	if f.mark == "" {
		text, indent = f.addItems(text, indent)
	}
	if n := len(f.items); n > 0 {
		indent -= f.items[n-1]
	}
	run := len(text) - len(strings.TrimLeft(text, text[:1]))
	switch {
	case run < 3 || text[0] != '`' && text[0] != '~' || indent > 3:
	case f.mark == "" && run <= maxFence && (text[0] == '~' || !strings.Contains(text[run:], "`")):
		f.mark = text[:run]
		return true
	case f.mark != "" && run >= len(f.mark) && text[0] == f.mark[0] && isBlankLine(text[run:]):
		f.mark = ""
		return true
	}
	return f.mark != ""
}

// addItems records the items of lists that begin with the line. It returns the text in the innermost one and its indent.
func (f *fence) addItems(text string, indent int) (string, int) {
	for len(f.items) < maxNesting {
		n := itemMark(text)
		if n == 0 {
			break
		}
		rest := strings.TrimLeft(text[n:], " ")
		if blanks := len(text) - n - len(rest); blanks <= 4 {
			n += blanks
		} else {
			n++
		}
		indent, text = indent+n, text[n:]
		f.items = append(f.items, indent)
	}
	return text, indent
}

// itemMark returns the length of the mark at the beginning of a line if the line begins an item of a list, or 0.
func itemMark(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch n := digits + 1; {
	case len(text) <= n || text[n] != ' ' || isBlankLine(text[n:]) || digits > 9:
		return 0
	case digits == 0 && strings.IndexByte("-*+", text[0]) >= 0, digits > 0 && strings.IndexByte(".)", text[digits]) >= 0:
		return n
	}
	return 0
}

// quoteMetadata makes the metadata at the beginning of a document a block of code: lines of YAML between "---", or of
// TOML between "+++". It replaces the first and the last line of the metadata.
func quoteMetadata(lines []string) {
	for mark, format := range map[string][2]string{"---": {"yaml", ":"}, "+++": {"toml", "="}} {
		n := metadataLength(lines, mark)
		if n < 3 || !beginsMetadata(lines[1:n-1], format[1]) {
			continue
		}
		ticks := 3
		for _, line := range lines[1 : n-1] {
			text := strings.TrimLeft(line, " ")
			ticks = max(ticks, len(text)-len(strings.TrimLeft(text, "`"))+1)
		}
		if ticks <= maxFence {
			lines[0], lines[n-1] = strings.Repeat("`", ticks)+format[0], strings.Repeat("`", ticks)
		}
	}
}

// metadataLength returns the number of lines from a mark at the beginning of a document up to the next one, or 0.
func metadataLength(lines []string, mark string) int {
	for i, line := range lines[:min(len(lines), maxMetadata)] {
		switch text := strings.TrimRight(line, " \t"); {
		case i == 0 && text != mark:
			return 0
		case i > 0 && (text == mark || text == "..."):
			return i + 1
		}
	}
	return 0
}

// beginsMetadata reports whether the first line that is not a comment gives a value to a name, unlike a text after a
// horizontal rule.
func beginsMetadata(lines []string, sign string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, _, ok := strings.Cut(strings.TrimSpace(line), sign)
		name = strings.TrimSpace(name)
		return ok && name != "" && !strings.ContainsAny(name, " \t*[<")
	}
	return false
}
