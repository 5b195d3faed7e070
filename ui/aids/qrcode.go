package aids

import (
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"rsc.io/qr"

	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// quiet is the margin of a QR code, in modules.
const quiet = 2

// ShowQR shows the URL of the item, or of the page, as a QR code, over the page.
func (a *Aids) ShowQR() tea.Cmd {
	u := a.program.Tab().Here()
	if u == nil {
		return nil
	}
	u = urlcore.Redact(u)
	code, err := qr.Encode(u.String(), qr.L)
	if err != nil {
		return a.program.Say("this URL is too long for a QR code")
	}
	p := &nav.Page{Err: io.EOF}
	p.URL, p.Title, p.Layout, p.Size = u, "QR code", protocols.LayoutPage, -1
	for _, row := range qrRows(code, a.DarkInk(), a.ASCII) {
		p.Lines.Append(protocols.Line{Text: row})
	}
	p.Lines.Append(protocols.Line{}, protocols.Line{Text: u.String(), Link: u})
	a.Cover(a.program.Tab(), p)
	return nil
}

// qrRows draws a code, two modules in a cell or, in ASCII, a module in two. Ink
// is the foreground of the terminal: dark ink draws the black modules, light
// ink the white ones.
func qrRows(code *qr.Code, darkInk, ascii bool) []string {
	ink := func(x, y int) bool { return code.Black(x, y) == darkInk }
	var rows []string
	for y := -quiet; y < code.Size+quiet; y++ {
		var b strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			if ascii {
				b.WriteString(map[bool]string{true: "##", false: "  "}[ink(x, y)])
				continue
			}
			upper, lower := ink(x, y), y+1 < code.Size+quiet && ink(x, y+1)
			switch {
			case upper && lower:
				b.WriteString("█")
			case upper:
				b.WriteString("▀")
			case lower:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		rows = append(rows, b.String())
		if !ascii {
			y++
		}
	}
	return rows
}
