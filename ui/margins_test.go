package ui

import (
	"fmt"
	"strings"
	"testing"

	"gofer/protocols"
)

// TestMargins checks that a text has a margin of one column, like the bar and the status line. It has no
// margin if one of its lines needs the whole width, or on a narrow screen.
func TestMargins(t *testing.T) {
	w := library()
	w.addText(item('0', "/art"), "Art", strings.Repeat("x", 20)+"\n"+strings.Repeat("\u2550", 80)+"\nend\n")
	prose := strings.Repeat("many words ", 20)
	table := "name" + strings.Repeat(" ", 90) + "size"
	w.addText(item('0', "/wide"), "Wide", prose+"\n"+table+"\n")
	for _, tt := range []struct {
		at    string
		width int
		want  []string
	}{
		{"/about.txt", 80, []string{"\n About\n", "\n common screen"}},
		{"/art", 80, []string{"\nxxxx", "\n" + strings.Repeat("\u2550", 80) + "\n", "\nend\n"}},
		{"/art", 81, []string{"\n xxxx", "\n " + strings.Repeat("\u2550", 80) + "\n", "\n end\n"}},
		{"/wide", 132, []string{"\n " + prose[:76] + "\n", "\n " + table + "\n"}},
		{"/about.txt", 20, []string{"\nAbout\n"}},
	} {
		t.Run(fmt.Sprint(tt.at, tt.width), func(t *testing.T) {
			d := drive(t, w, Options{Home: item('0', tt.at)}, tt.width, 24)
			for _, want := range tt.want {
				d.wantShown(want)
			}
		})
	}
}

// TestWideMenus checks that the columns of a menu stay near the text on a wide screen.
func TestWideMenus(t *testing.T) {
	d := drive(t, library(), Options{}, 200, 24)
	d.wantShown(" ◙ Sunset, June" + strings.Repeat(" ", 52-len("   Sunset, Juneimage")) + "image")
	w := web{}
	for _, layout := range []protocols.Layout{protocols.LayoutDirectory, protocols.LayoutArticles} {
		w.addPage(item('1', "/"), layout, "Files", protocols.Line{
			Kind: protocols.Text, Text: "README", Link: file("README"),
			Note: &protocols.FileNote{Size: 104, Modified: day},
		})
		d = drive(t, w, Options{}, 200, 24)
		end := " 104 B  2025-03-14 15:09"
		d.wantShown("• README" + strings.Repeat(" ", 69-len("   README"+end)) + end)
	}
}
