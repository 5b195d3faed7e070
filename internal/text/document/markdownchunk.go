package document

import "strings"

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
	maxMetadata = 100      // lines of metadata at the beginning of a document
)

// chunker divides the lines of a Markdown document into chunks of whole blocks.
type chunker struct {
	lines int // number of lines of the document so far
	meta  bool

	chunk []byte
	fence fence
	blank bool // the last line was empty
	marks int  // marks since the last empty line
	head  string
	table string // header rows of the open table, or ""
	cells int    // cells of the open table so far
	width int    // cells of a row of the open table
}

// add adds a line. If the line begins a new chunk, add returns the chunk before it.
func (c *chunker) add(line string) (chunk []byte) {
	c.lines++
	if c.lines == 1 && strings.TrimRight(line, " \t") == "---" { // metadata, shown as it is
		c.meta = true
		line = "```yaml"
	} else if c.meta && (strings.TrimRight(line, " \t") == "---" || c.lines > maxMetadata) {
		c.meta = false
		line = "```"
	}
	open := c.fence
	inFence := c.fence.add(line)
	if !inFence {
		line = limitNesting(line)
	}
	marks := countMarks(line)
	blank := isBlankLine(line)
	if c.ends(line, blank, marks, open.mark != "") {
		chunk = c.cut(open)
	}
	switch {
	case blank:
		c.marks, c.table, c.cells, c.head = 0, "", 0, ""
	case isBullet(line):
		c.marks = marks
	default:
		c.marks += marks
	}
	if c.addRow(line) { // too wide for a table
		line = `\` + strings.TrimLeft(line, " ")
	}
	c.chunk = append(append(c.chunk, line...), '\n')
	c.blank = blank
	return chunk
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

// cut returns the chunk and begins a new one, which continues an open fence or table.
func (c *chunker) cut(open fence) []byte {
	chunk := c.chunk
	c.chunk, c.marks, c.cells = nil, 0, 0
	switch {
	case open.mark != "":
		c.chunk = append(c.chunk, open.mark+"\n"...)
	case c.table != "":
		c.chunk = append(c.chunk, c.table...)
	}
	return chunk
}

// rest returns the last chunk, which may be empty.
func (c *chunker) rest() []byte {
	chunk := c.chunk
	c.chunk = nil
	return chunk
}

// addRow records the rows of a table. It reports whether the line has too many cells for the header of a table.
func (c *chunker) addRow(line string) (tooWide bool) {
	if strings.Trim(line, " \t|:-") == "" && strings.Contains(line, "-") {
		n := strings.Count(line, "|") + 1
		if n > maxTableRow {
			return true
		}
		if n > 1 && c.table == "" && len(c.head)+len(line) < maxChunk/4 {
			c.table, c.width = c.head+"\n"+line+"\n", n
		}
	}
	if c.table != "" {
		c.cells += c.width
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

// fence is an open block of code between lines of backticks or tildes at the beginning of the line.
type fence struct {
	mark string // the backticks or tildes that began it, or "" if none is open
}

// add reads a line. It reports whether the line belongs to a fence.
func (f *fence) add(line string) bool {
	run := len(line) - len(strings.TrimLeft(line, "`"))
	if strings.HasPrefix(line, "~") {
		run = len(line) - len(strings.TrimLeft(line, "~"))
	}
	switch {
	case f.mark == "" && run >= 3 && run <= 100 && (line[0] == '~' || !strings.Contains(line[run:], "`")):
		f.mark = line[:run]
		return true
	case f.mark != "" && run >= len(f.mark) && line[0] == f.mark[0] && isBlankLine(line[run:]):
		f.mark = ""
		return true
	}
	return f.mark != ""
}
