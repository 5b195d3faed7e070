package ui

import (
	"testing"

	"gofer/protocols"
)

// latinSurvey returns a form whose texts are in ISO 8859-1.
func latinSurvey() *survey {
	return &survey{charset: "UTF-8", fields: []protocols.Field{
		{ServerLabel: "Gr\xf6\xdfe", Value: "\xdcber \x1b"},
		{ServerLabel: "Text", Value: "Sch\xf6ne\nGr\xfc\xdfe", Input: protocols.InputText},
		{ServerLabel: "Datei", Value: "\xdcber.txt"},
		{ServerLabel: "Farbe", Choices: []string{"Rot", "Gr\xfcn"}, Value: "Rot", Input: protocols.InputChoice},
	}}
}

// TestFormInLatin1 checks that default values are decoded like labels. Unedited values must be sent
// octet for octet, and typed answers in the same charset.
func TestFormInLatin1(t *testing.T) {
	s := latinSurvey()
	d := openSurvey(t, s, 80, 24)
	for _, text := range []string{`"Größe"  [Über `, "Schöne", "Grüße", `"Datei"  [Über.txt`, "‹ Rot ›"} {
		d.wantShown(text)
	}
	d.press("ctrl+s")
	s.check(t, "\xdcber \x1b", "Sch\xf6ne\nGr\xfc\xdfe", "\xdcber.txt", "Rot")

	s = latinSurvey()
	d = openSurvey(t, s, 80, 24)
	d.press("ctrl+u").typeText("Jörg").press("tab", "tab", "end").typeText("ä").press("tab", "right", "ctrl+s")
	s.check(t, "J\xf6rg", "Sch\xf6ne\nGr\xfc\xdfe", "\xdcber.txt\xe4", "Gr\xfcn")

	d.run(d.visit(item('0', "/survey"))) // proposes the answers sent before
	d.wantShown("[Jörg")
	d.press("ctrl+s")
	s.check(t, "J\xf6rg", "Sch\xf6ne\nGr\xfc\xdfe", "\xdcber.txt\xe4", "Gr\xfcn")
}

// TestFormRefusesALetter checks that the form refuses a letter that is not in the charset. It must
// name the letter, move the cursor to its field, and keep all answers.
func TestFormRefusesALetter(t *testing.T) {
	for _, private := range []bool{false, true} {
		s := latinSurvey()
		w := library()
		w.addForm(item('0', "/survey"), s)
		d := drive(t, w, Options{Private: private}, 80, 24)
		d.run(d.visit(item('0', "/survey"))).press("ctrl+u").typeText("Großer Жук").press("tab", "tab", "ctrl+u").typeText("Ärger").press("ctrl+s")
		d.wantShown(`windows-1252 has no "Ж" (U+0416): replace it, or change the server's charset`, "[Großer Жук", "[Ärger", "field 1 of 4")
		s.check(t)
		d.press("backspace", "backspace", "backspace").typeText("Käfer").press("ctrl+s")
		s.check(t, "Gro\xdfer K\xe4fer", "Sch\xf6ne\nGr\xfc\xdfe", "\xc4rger", "Rot")
	}
}

// latinHole returns a Gopher hole with a menu in ISO 8859-1 that links to a search.
func latinHole(s *survey) web {
	w := library()
	w.addPage(
		item('1', "/latin"), protocols.LayoutMenu, "", link(protocols.Text, "Gr\xf6\xdfe", item('0', "/a")),
		link(protocols.Search, "Suche", item('7', "/suche")),
	)
	s.fields, s.charset = []protocols.Field{{Label: "Search for"}}, "UTF-8"
	w.addForm(item('7', "/suche"), s)
	return w
}

// TestSearchInLatin1 checks that search words are sent in the charset of the page that links to the
// search.
func TestSearchInLatin1(t *testing.T) {
	for _, private := range []bool{false, true} {
		s := &survey{}
		d := drive(t, latinHole(s), Options{Home: item('1', "/latin"), Private: private}, 80, 24)
		d.press("tab").submit("enter", "jörg Жук")
		s.check(t)
		d.wantShown(`windows-1252 has no "Ж" (U+0416): replace it, or change the server's charset`, "Search for: jörg Жук")
		d.press("backspace", "backspace", "backspace", "backspace", "enter")
		s.check(t, "j\xf6rg")
		d.wantShown("thank you")
	}
}
