package download

import (
	"path/filepath"
	"strings"
	"testing"

	"gofer/urlcore"
)

// FuzzUniquePaths assigns paths to the items of a listing, one name a line. It checks that no two different items
// get paths that a file system may confuse, that no path leaves the folder, and that the order of the listing does not matter.
func FuzzUniquePaths(f *testing.F) {
	f.Add("a\nA\na.part\n..\n.\n\nCON\nnul.txt\n", "linux")
	f.Add("x/../../y\n\xe9\n\u00e9\ne\u0301\na\\b\nC:x\n", "windows")
	f.Add(strings.Repeat("n", 300)+"\n"+strings.Repeat("n", 301)+"\n", "darwin")
	f.Fuzz(func(t *testing.T, listing, system string) {
		serverNames := strings.Split(listing, "\n")
		paths := newNames(system).uniquePaths("dir", serverNames, func(s string) string { return s })
		item := make(map[string]string)
		for i, p := range paths {
			if !filepath.IsLocal(p) || filepath.Dir(filepath.FromSlash(p)) != "dir" {
				t.Errorf("the name %q gets the path %q, want one in dir", serverNames[i], p)
			}
			key := foldPath(system, p)
			if other, taken := item[key]; taken {
				t.Errorf("the names %q and %q get the same path %q", other, serverNames[i], p)
			}
			item[key] = serverNames[i]
		}
	})
}

// FuzzGophermap writes lines of a menu as lines of a gophermap. It checks that each is one line within the bound
// of servers, with the type of the item and its fields.
func FuzzGophermap(f *testing.F) {
	f.Add("A title", "/1/sel", "h.example", "1")
	f.Add("a\tb\r\nc\x00", "URL:http://h/\r\n0x", "::1", "h")
	f.Add(strings.Repeat("ä", 900), strings.Repeat("s", 1200), "", "0")
	f.Fuzz(func(t *testing.T, text, selector, host, typ string) {
		if len(typ) != 1 {
			return
		}
		u, err := urlcore.NewGopherItem(typ[0], selector, host, 70)
		lines := []menuLine{{text: text}, {text: text, isError: true}}
		if err == nil {
			lines = append(lines, menuLine{text: text, link: u})
		}
		written := string((&menu{lines: lines}).encode(
			urlcore.Gopher{HostPort: urlcore.HostPort{Host: "mirror.example"}},
			func(urlcore.Gopher) string { return "" },
		))
		rows := strings.SplitAfter(written, "\n")
		if len(rows) != len(lines)+1 || strings.ContainsAny(written, "\r\x00") {
			t.Fatalf("%d lines are written as %q", len(lines), written)
		}
		for _, row := range rows[:len(lines)] {
			if len(row) > maxMapLine || strings.Count(row, "\t") < 1 || strings.Count(row, "\t") > 3 {
				t.Errorf("the line %q of a gophermap has %d octets and %d tabs", row, len(row), strings.Count(row, "\t"))
			}
		}
	})
}
