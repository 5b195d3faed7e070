package conformance

import (
	"flag"
	"fmt"
	"strings"
)

var update = flag.Bool("update", false, "write docs/conformance.md")

var statusWords = map[string]string{"yes": "yes", "part": "in part", "no": "no", "none": "no behavior"}

// formatPage returns the page of the manual about the statements.
func formatPage(all []*statement) []byte {
	count := make(map[string]map[string]int)
	var documents []string
	for _, s := range all {
		if count[s.document] == nil {
			count[s.document] = make(map[string]int)
			documents = append(documents, s.document)
		}
		count[s.document][s.status]++
	}
	var b strings.Builder
	b.WriteString(`# Conformance

` + "`go test ./internal/testbed/conformance`" + ` checks each statement of the documents that define URLs. With ` + "`-update`" + ` it writes
this page. The documents and the reasons are in [The drafts](drafts.md).

"Checked" is the first check of a row. It begins with the dialect, and has what gofer reads, and after the arrow what it makes of
it (` + "`!`" + ` is an error); or after ` + "`wire`" + ` what a server receives; or the test that checks the row. "No behavior" is what no program
does: a property of servers, or advice to authors.

| document | yes | in part | no | no behavior |
|---|---|---|---|---|
`)
	sum := make(map[string]int)
	for _, d := range documents {
		c := count[d]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", d, c["yes"], c["part"], c["no"], c["none"])
		for status, n := range c {
			sum[status] += n
		}
	}
	fmt.Fprintf(&b, "| all %d | %d | %d | %d | %d |\n", len(all), sum["yes"], sum["part"], sum["no"], sum["none"])
	document, section := "", "-"
	for _, s := range all {
		if s.document != document {
			document, section = s.document, "-"
			b.WriteString("\n## " + document + "\n")
		}
		if s.section != section {
			section = s.section
			if section != "" {
				b.WriteString("\n### " + section + "\n")
			}
			b.WriteString("\n| statement | checked | |\n|---|---|---|\n")
		}
		status := statusWords[s.status]
		if s.why != "" {
			status += ": " + s.why
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(s.text), checkCell(s), cell(status))
	}
	return []byte(b.String())
}

// cell formats a text for a cell of a table in Markdown. Words with characters that mean something in Markdown
// are code.
func cell(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if w = strings.ReplaceAll(w, "`", "grave accent"); strings.ContainsAny(w, `<>*_[]\|`) {
			w = "`" + strings.ReplaceAll(w, "|", `\|`) + "`"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// maxChecked is the maximal length of a check on the page.
const maxChecked = 110

// checkCell shows the first check of a row.
func checkCell(s *statement) string {
	if len(s.checks) == 0 {
		return ""
	}
	c := s.checks[0]
	if rest, ok := strings.CutPrefix(c, "test "); ok {
		folder, name, _ := strings.Cut(rest, " ")
		return "`" + name + "` in `" + folder + "`"
	}
	c = strings.NewReplacer("`", "GRAVE", "|", `\|`).Replace(strings.Replace(c, " -> ", " → ", 1))
	if runes := []rune(c); len(runes) > maxChecked {
		c = string(runes[:maxChecked-1]) + "…"
	}
	return "`" + c + "`"
}
