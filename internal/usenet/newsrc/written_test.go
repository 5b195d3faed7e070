package newsrc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestFilesOfOtherReaders reads files written by slrn, by tin, and by both in turn. It checks that
// changing one group leaves every octet of the other lines unchanged.
func TestFilesOfOtherReaders(t *testing.T) {
	for name, want := range map[string]string{
		"slrn-1.0.3": "test.general: 2,5-6,10 test.threads: 13-24,29 " +
			"test.many: 1,4,7,10,31-40,61-70,91-100,121-130,151-160,181-190,211-220,241-250,271-280,291-300",
		"tin-2.6.2": "test.general: 2,5,7 test.many: 11-20,41-50 test.mime:",
		"tin-2.6.2-after-slrn": "test.general: 1-25 test.mime: 1-3 test.headers: " +
			"test.many: 1-5,7,10-20,31-50,61-80,91-110,121-140,151-170,181-200,211-230,241-260,271-300 test.c++:",
		"slrn-1.0.3-after-tin": "test.general: 1-25 test.mime: 1-4,6,8 test.headers: " +
			"test.many: 1-5,7,10-20,31-50,61-80,91-110,121-140,151-170,181-200,211-230,241-260,271-300 test.c++:",
	} {
		data := fetchtest.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
		file := string(data)
		lines := strings.SplitAfter(file, "\n")
		var subscribed []string
		for i, g := range Parse(data).Groups() {
			if g.Subscribed {
				subscribed = append(subscribed, strings.TrimSpace(g.Name+": "+g.Read.String()))
			}
			f := Parse(data)
			f.Set(g)
			fetchtest.Equal(t, string(f.Bytes()), file, "%s: after setting %s to what it is", name, g.Name)
			before := g.Read
			g.Read = before.Union(Numbers{{1000, 1000}})
			f.Set(g)
			marked := strings.SplitAfter(string(f.Bytes()), "\n")
			if len(marked) != len(lines) || !strings.HasSuffix(marked[i], "1000\n") {
				t.Fatalf("%s: %s is marked: got %q", name, g.Name, marked)
			}
			for k := range lines {
				if k != i && marked[k] != lines[k] {
					t.Errorf("%s: %s is marked: got %q, want %q", name, g.Name, marked[k], lines[k])
				}
			}
			g.Read = before
			f.Set(g)
			if got, _ := Parse(f.Bytes()).Group(g.Name); got.Read.String() != before.String() || got.Subscribed != g.Subscribed {
				t.Errorf("%s: %s is marked and unmarked: got %+v, want %s", name, g.Name, got, before)
			}
		}
		fetchtest.Equal(t, strings.Join(subscribed, " "), want, "%s: subscribed", name)
	}
}
