package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPages checks that each page has a topic, and uses only the Markdown that the
// program shows: marks end on their line, and links lead to pages or are absolute.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) != len(Topics()) {
		t.Errorf("%d pages, %v, want %d", len(files), err, len(Topics()))
	}
	link := regexp.MustCompile(`\]\(([^)]*)\)`)
	for _, topic := range Topics() {
		text := Page(topic)
		if !strings.HasPrefix(text, "# "+Title(topic)+"\n\n`") {
			t.Errorf("%s.md has no title with a command behind it", topic)
		}
		fenced := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			} else if !fenced && (strings.Count(line, "`")%2 != 0 || strings.Count(line, "](") != len(link.FindAllString(line, -1))) {
				t.Errorf("%s.md: a mark is not closed: %s", topic, line)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if to, ok := strings.CutSuffix(m[1], ".md"); !strings.Contains(m[1], ":") && (!ok || !slices.Contains(Topics(), to)) {
					t.Errorf("%s.md leads to %s", topic, m[1])
				}
			}
		}
		if fenced {
			t.Errorf("%s.md: a block of code is not closed", topic)
		}
	}
	if Page("docs") != "" || Page("../README") != "" {
		t.Error("there is a page that is no topic")
	}
}
