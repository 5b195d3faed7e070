package aids

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"rsc.io/qr"

	"gofer/protocols"
	"gofer/urlcore"
)

// qrMargin is the margin of a QR code in modules.
const qrMargin = 2

// ShowQR shows the URL of the item under the cursor, or of the page, as a QR code over the page.
func (a *Aids) ShowQR() tea.Cmd {
	u := a.program.Tab().CurrentURL()
	if u == nil {
		return nil
	}
	if urlcore.IsStandardInput(u) {
		return a.program.Notify("standard input has no URL")
	}
	u = urlcore.Redact(u)
	text := protocols.LinkText(u, a.program.Tab().CurrentFragment())
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return a.program.Notify("this URL is too long for a QR code")
	}
	p := aboutPage(u, "QR code")
	for _, row := range qrRows(code, a.DarkInk(), a.program.Config().ASCII) {
		p.Lines.Append(protocols.Line{Text: row})
	}
	p.Lines.Append(protocols.Line{}, protocols.Line{Text: text, Link: u})
	a.pushOverlay(a.program.Tab(), p)
	return nil
}

// halfBlocks has the character for each cell, by whether its upper and its lower half are drawn.
var halfBlocks = map[[2]bool]string{{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " "}

// qrRows draws a code with two modules in each cell or, in ASCII, with one module in two cells. Dark
// ink draws the black modules. Light ink draws the white modules.
func qrRows(code *qr.Code, darkInk, ascii bool) []string {
	ink := func(x, y int) bool { return code.Black(x, y) == darkInk }
	var rows []string
	for y := -qrMargin; y < code.Size+qrMargin; y++ {
		var b strings.Builder
		for x := -qrMargin; x < code.Size+qrMargin; x++ {
			upper, lower := ink(x, y), y+1 < code.Size+qrMargin && ink(x, y+1)
			if ascii {
				b.WriteString(map[bool]string{true: "##", false: "  "}[upper])
			} else {
				b.WriteString(halfBlocks[[2]bool{upper, lower}])
			}
		}
		rows = append(rows, b.String())
		if !ascii {
			y++
		}
	}
	return rows
}
