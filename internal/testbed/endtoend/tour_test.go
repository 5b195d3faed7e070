package endtoend

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/ui"
)

// tourStep matches a line of the tour with a key and a description.
var tourStep = regexp.MustCompile(`(?m)^  (\S+) +(.+)$`)

// TestTourKeys checks that the table of keys contains each key of the tour. The description of the key
// in the tour must begin with the name of the action.
func TestTourKeys(t *testing.T) {
	pages := fetchtest.Must(filepath.Glob("../../demo/world/gopher/tour/*/gophermap"))(t)
	for _, page := range append(pages, "../../demo/world/gopher/tour/1-moving.txt") {
		steps := tourStep.FindAllStringSubmatch(string(fetchtest.Must(os.ReadFile(page))(t)), -1)
		if len(steps) < 4 {
			t.Errorf("%s has %d steps, want 4 or more", page, len(steps))
		}
		for _, step := range steps {
			if !slices.ContainsFunc(ui.Keys(nil), func(k ui.KeyHelp) bool {
				return slices.Contains([]string{"page", "news"}, k.Context) && slices.Contains(k.Keys, step[1]) && strings.HasPrefix(step[2], k.Name)
			}) {
				t.Errorf("%s: no action is on %q for %q", page, step[1], step[2])
			}
		}
	}
}
