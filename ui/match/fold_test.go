package match

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestClassify sorts the choices of lists by their class.
func TestClassify(t *testing.T) {
	for _, tt := range []struct{ typed, choices, want string }{
		{"t", "author,subject,thread", "thread,author,subject"},
		{"100", "kill,score -100,score 100", "score 100,score -100"},
		{"-100", "score 100,score -100", "score -100"},
		{"DOWN", "page down,Download,down,countdown,slow downloads,top", "down,page down,Download,slow downloads,countdown"},
		{"age", "-age,storage,age,agenda", "age,agenda,-age,storage"},
		{"8859", "ISO-8859-1,18859", "ISO-8859-1,18859"},
		{"link prev", "link preview,previous link,link", "link preview,previous link"},
		{"page d", "half page down,page down", "page down,half page down"},
		{"page  down", "page down now,page down", "page down,page down now"},
		{"ü", "grün,über", "über,grün"},
		{"", "b,a", "b,a"},
	} {
		all := strings.Split(tt.choices, ",")
		slices.SortStableFunc(all, func(a, b string) int { return int(Classify(a, tt.typed) - Classify(b, tt.typed)) })
		all = slices.DeleteFunc(all, func(s string) bool { return Classify(s, tt.typed) == None })
		fetchtest.Equal(t, strings.Join(all, ","), tt.want, "%q", tt.typed)
	}
}
