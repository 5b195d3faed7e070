package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// plusItem returns the URL of an item with a Gopher+ string.
func plusItem(typ byte, selector, plus string) urlcore.URL {
	g := item(typ, selector).(urlcore.Gopher)
	g.Plus, g.HasPlus, g.HasSearch = plus, true, true
	return g
}

// TestAttributes opens the attributes of an item and of the whole menu, and selects a view.
func TestAttributes(t *testing.T) {
	w := library()
	about, survey := plusItem('0', "/about", "+"), plusItem('0', "/survey", "?")
	lines := []protocols.Line{
		{Kind: protocols.Text, Text: "About", Link: about, Note: &protocols.ItemNote{Plus: "+"}},
		{Kind: protocols.FormItem, Text: "Survey", Link: survey, Note: &protocols.ItemNote{Plus: "?"}},
		link(protocols.Text, "Plain", item('0', "/plain")),
	}
	w.addPage(item('1', "/"), protocols.LayoutMenu, "Hole", slices.Clone(lines)...)
	german := plusItem('0', "/about", "+text/plain De_DE")
	w.addPage(plusItem('0', "/about", "!"), protocols.LayoutMenu, "About",
		lines[0],
		link(protocols.Mail, "Administrator  Ann <ann@example.org>", urlcore.Mailto{Address: "ann@example.org"}),
		protocols.Line{Kind: protocols.Heading, Text: "Views"},
		protocols.Line{
			Kind: protocols.Text, Text: "text/plain", Link: german,
			Note: &protocols.ViewNote{Language: "De_DE", Size: 56 << 10, Chosen: true},
		},
	)
	w.addText(german, "About", "auf deutsch")
	lines[0].Note = &protocols.AttributesNote{
		ItemNote: protocols.ItemNote{Plus: "+"}, Size: 1234, Modified: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Abstract: "what it is\nand more",
	}
	w.addPage(plusItem('1', "/", "$"), protocols.LayoutMenu, "All", slices.Insert(lines, 1, info("  what it is"))...)
	d := drive(t, w, Options{}, 80, 24)
	d.wantShown("About"+strings.Repeat(" ", 70)+"+", "= Survey", "form", "! attributes")
	d.press("p").press("down").wantShown("form: press Enter to fill it in").press("p", "up")
	d.press("!").wantURL(plusItem('0', "/about", "!"))
	checkGolden(t, "attributes-80x24.txt", d.screen())
	d.press("down", "down", "enter").wantShown("auf deutsch")
	d.press("h", "h", "$").wantURL(plusItem('1', "/", "$"))
	checkGolden(t, "attributes-menu-80x24.txt", d.screen())
	d.press("h", "down", "down", "$").wantURL(plusItem('1', "/", "$"))
	w.addText(file("readme.txt"), "Readme", "x")
	d.run(d.visit(file("readme.txt"))).press("!").wantShown("only the items of Gopher servers have attributes")
	d.press("$").wantShown("only the items of a Gopher menu have attributes")
}
