package score

import "strings"

// block is a rule in a file, from the line with its score to its last test.
type block struct {
	text       string // the section and the rule, as [NewRule.Lines] writes them
	first, end int    // index of the first line of the rule, and of the line after its last test
	section    int    // index of the line with the "[" of the section
}

// Split returns the text of each rule in a file, with the rule's section. Rules that differ only in
// empty lines and in white space at the ends of lines have the same text. Split does not read included files.
func Split(file []byte) (rules []string) {
	for _, b := range findBlocks(strings.SplitAfter(string(file), "\n")) {
		rules = append(rules, b.text)
	}
	return rules
}

func findBlocks(lines []string) (list []block) {
	section, within := -1, false // within a rule
	for i, line := range lines {
		text := strings.TrimSpace(line)
		lower := strings.ToLower(text)
		switch {
		case text == "" || text[0] == '%':
		case text[0] == '[':
			section, within = i, false
		case strings.HasPrefix(lower, "include ") || strings.HasPrefix(lower, "include\t"):
			within = false
		case strings.HasPrefix(lower, "score:") && section >= 0:
			within = true
			list = append(list, block{first: i, end: i + 1, section: section})
		case within:
			list[len(list)-1].end = i + 1
		}
	}
	for k := range list {
		b := &list[k]
		head, _, _ := strings.Cut(strings.TrimSpace(lines[b.section]), "]")
		text := []string{head + "]\n"}
		for _, line := range lines[b.first:b.end] {
			if line = strings.TrimSpace(line); line != "" {
				text = append(text, "  "+line+"\n")
			}
		}
		b.text = strings.Join(text, "")
	}
	return list
}

// Merge returns the file without the rules that the function keep rejects, and with the rules in add
// at the end. Other lines stay. Merge removes a section if no rule is left in it.
func Merge(file []byte, keep func(rule string) bool, add []string) []byte {
	lines := strings.SplitAfter(string(file), "\n")
	used := make(map[int]bool) // sections in which rules are left
	all := findBlocks(lines)
	for _, b := range all {
		used[b.section] = used[b.section] || keep(b.text)
	}
	for _, b := range all {
		if !keep(b.text) {
			clear(lines[b.first:b.end])
			if !used[b.section] {
				lines[b.section] = ""
			}
		}
	}
	out := []byte(strings.Join(lines, ""))
	if len(add) > 0 {
		out = Add(out, strings.Join(add, "\n"))
	}
	return out
}
