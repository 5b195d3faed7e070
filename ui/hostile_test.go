package ui

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gofer/protocols"
	"gofer/ui/match"
	"gofer/urlcore"
)

// checkView checks that the screen has the right size, and no escape sequences except styles.
func checkView(t *testing.T, d *driver, width, height int) {
	t.Helper()
	v := d.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) != max(height, 1) && width > 0 {
		t.Fatalf("%dx%d: the screen has %d rows", width, height, len(lines))
	}
	if d.checkedWidth != width || d.checked == nil {
		d.checkedWidth, d.checked = width, make(map[string]bool)
	}
	for y, line := range lines {
		if d.checked[line] {
			continue
		}
		d.checked[line] = true
		rest := line
		for {
			i := strings.IndexByte(rest, 0x1b)
			if i < 0 {
				break
			}
			end := strings.IndexByte(rest[i:], 'm')
			if end < 0 || strings.Trim(rest[i+1:i+end], "[0123456789;") != "" || rest[i+1] != '[' {
				t.Fatalf("%dx%d, row %d: an escape sequence that is not a style: %q", width, height, y, rest[i:])
			}
			rest = rest[:i] + rest[i+end+1:]
		}
		checkText(t, rest)
		if w := d.Model.tab.Pager.Cells.Width(rest); w > width {
			t.Fatalf("%dx%d: row %d takes %d cells: %q", width, height, y, w, line)
		}
		if w := d.Model.tab.Pager.Cells.Method.StringWidth(line); w > width {
			t.Fatalf("%dx%d: row %d takes %d cells for the renderer: %q", width, height, y, w, line)
		}
		if d.terminals != nil && width <= maxEmulated && !isASCII(rest) {
			d.terminals.check(t, d.Model.tab.Pager.Cells.Method, rest, width)
		}
	}
	checkText(t, v.WindowTitle)
	if c := v.Cursor; c != nil && (c.X < 0 || c.X >= width || c.Y < 0 || c.Y >= height) {
		t.Fatalf("%dx%d: the cursor is at %d, %d", width, height, c.X, c.Y)
	}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func checkText(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("got %q, want valid UTF-8", s)
	}
	for _, r := range s {
		switch {
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x061c, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f:
			t.Fatalf("got the control character %U in %q", r, s)
		}
	}
}

// hostileTexts returns texts that a malicious server might send.
func hostileTexts() []string {
	return []string{
		"\x1b[2J\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x1b\\", "\x9b31mred\x9d0;x\x9c", "\u009b31mred", "\u202eevil\u2066x",
		"a\rb\nc\x00d\x7fe\x08f", "\xff\xfe\x80\x81", "tab\there\tand\tthere", strings.Repeat("x", 70_000),
		strings.Repeat("世界", 500), "a" + strings.Repeat("\u0301", 5000), strings.Repeat("\u200d", 300) + "👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f 👍🏽 ｶﾞ",
		"=?UTF-8?B?G1sySg==?= =?x-no-such?Q?=1B[2J?= =?ISO-8859-1?Q?=9B2J?=", "", " ", "\u2028\u2029\ufeff",
		"e\u0301\u0301 \u1160\u1160\u1160 ᄀ\u1160",
		"\x1b[31m" + strings.Repeat("\x1b", 300), "🇩🇪🇩 🇪", strings.Repeat("word ", 3000),
	}
}

// addHostilePage adds a page at u with each text in each place of a line.
func addHostilePage(w web, u urlcore.URL, layout protocols.Layout, texts []string) {
	var lines []protocols.Line
	bad := urlcore.Generic{Name: "x-odd", Rest: "//h\u202eost/" + strings.Repeat("long", 100)}
	for i, s := range texts {
		kind := protocols.Kind(i % 30)
		lines = append(lines,
			protocols.Line{Kind: kind, Text: s},
			protocols.Line{Kind: kind, Text: s, Link: bad},
			protocols.Line{Kind: kind, Text: s, Link: bad, Note: &protocols.FileNote{
				Size: 1 << 62, Modified: time.Unix(1<<55, 0), Target: s, Mode: s, Owner: s, Group: s,
			}},
			protocols.Line{Kind: kind, Text: s, Link: bad, Note: &protocols.FileNote{Modified: time.Unix(1<<55, 0), Local: true}},
			protocols.Line{Kind: kind, Text: s, Link: bad, Note: &protocols.GroupNote{Count: 1 << 63, Description: s, Status: 0x1b}},
			protocols.Line{Kind: kind, Text: s, Link: bad, Note: &protocols.ArticleNote{
				Depth: i * 1000, Subject: s, From: s + " <" + s + ">", Lines: -5, Date: time.Unix(-1<<50, 0),
			}},
			protocols.Line{Kind: kind, Link: bad, Note: &protocols.ArticleNote{Depth: -3, Subject: s, From: `"` + s, Lines: 1 << 62}},
			protocols.Line{Kind: kind, Text: s, Note: &protocols.Hypertext{
				Links: []protocols.Hyperlink{{URL: bad, To: len(s) / 3}, {URL: bad, Fragment: s, From: len(s) / 3, To: len(s)}},
				IDs:   []string{s}, Level: i * 100, Hang: i * 7,
			}},
		)
	}
	w.addPage(u, layout, strings.Join(texts, " "), lines...)
}

var layouts = []protocols.Layout{
	protocols.LayoutMenu, protocols.LayoutDirectory, protocols.LayoutGroups,
	protocols.LayoutArticles, protocols.LayoutPage, protocols.LayoutText,
}

// FuzzScreen draws a page with an arbitrary text in each place, at any size.
func FuzzScreen(f *testing.F) {
	for i, s := range hostileTexts() {
		f.Add(s[:min(len(s), 200)], uint8(i*13), uint8(i), "down")
	}
	f.Fuzz(func(t *testing.T, text string, width, height uint8, key string) {
		w := web{}
		addHostilePage(w, item('1', "/"), layouts[int(width)%len(layouts)], []string{text, text + text})
		d := drive(t, w, Options{}, int(width), int(height))
		if key != "" {
			d.press(key)
		}
		d.Model.tab.Finder.Pattern, _ = match.New(match.Fold(key), false)
		d.drawn = false
		if width > 0 && height > 0 {
			checkView(t, d, int(width), int(height))
		}
		first, _, _ := d.Model.tab.Pager.Text(0)
		rows := d.Model.tab.Pager.Cells.Wrap(first, max(int(width), 2), 0)
		for i := 1; i < len(rows); i++ {
			if rows[i] <= rows[i-1] {
				t.Errorf("Wrap(%q, %d): rows begin at %v, want ascending places", first, width, rows)
			}
		}
	})
}
