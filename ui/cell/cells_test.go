package cell

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
)

func TestCutLongClusters(t *testing.T) {
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		c := Cells{Method: method}
		for _, s := range []string{
			strings.Repeat("ᄀ", 5000), strings.Repeat("क्", 5000) + "क",
			strings.Repeat("👍", 3) + strings.Repeat("ᄀ", 5000),
		} {
			seen, taken, more := c.Cut(s, 0, 20)
			if strings.Contains(seen, " ") || taken < 19 || !more {
				t.Errorf("%v: Cut(%.20q..., 0, 20) = %q, %d, %v; want 19 or 20 cells without blanks, and more", method, s, seen, taken, more)
			}
		}
	}
}

func TestCutAndWrap(t *testing.T) {
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		c := Cells{Method: method}
		for _, s := range []string{
			"plain words only, and a few of them", "世界 wide 世界", "e\u0301e\u0301e\u0301", "x👍🏽y",
			"averylongwordwithoutanyblank",
		} {
			for width := 2; width < 40; width++ {
				rows := c.Wrap(s, width, 0)
				for i, from := range rows {
					to := len(s)
					if i+1 < len(rows) {
						to = rows[i+1]
					}
					if to <= from {
						t.Errorf("Wrap(%q, %d): empty row in %v", s, width, rows)
					}
					row := strings.TrimRight(s[from:to], " ")
					if w := c.Width(row); w > width && len([]rune(row)) > 4 {
						t.Errorf("Wrap(%q, %d): row %q takes %d cells", s, width, row, w)
					}
				}
				seen, taken, more := c.Cut(s, 0, width)
				if got := c.Width(seen); got != taken || taken > width {
					t.Errorf("Cut(%q, 0, %d) = %q, %d, want the width %d", s, width, seen, taken, got)
				}
				fetchtest.Equal(t, more, c.Width(s) > width, "Cut(%q, 0, %d): more", s, width)
			}
		}
	}
}
