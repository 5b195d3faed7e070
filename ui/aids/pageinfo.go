package aids

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/pages/about"
	"gofer/internal/text/clean"
	"gofer/internal/text/sentence"
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// ShowInfo shows information about the page, over the page.
func (a *Aids) ShowInfo() tea.Cmd {
	p := a.program.Tab().Session.Page()
	if p == nil || p.Asked == nil {
		return a.program.Notify("no information about this page")
	}
	file := new(protocols.FileNote)
	pages, _ := a.program.Tab().Session.Pages()
	for list := range pages {
		if i := list.Lines.IndexLink(p.Asked, 0); i >= 0 {
			note, _ := list.Lines.WithoutLink(i).Note.(*protocols.FileNote)
			file = cmp.Or(note, file)
		}
	}
	a.pushOverlay(a.program.Tab(), infoPage(p, file, a.Zone))
	return nil
}

// infoWriter writes the lines of a page with information.
type infoWriter struct {
	page *nav.Page
	zone *time.Location
}

// infoPage returns a page with information about p. It shows the URLs, the transfer and the transcript
// of p, and the owner and the mode of its file, if known. The parameter zone is the time zone of the times.
func infoPage(p *nav.Page, file *protocols.FileNote, zone *time.Location) *nav.Page {
	w := infoWriter{page: aboutPage(p.URL, "Page information"), zone: zone}
	w.writeURLs(p, file)
	w.writeTransfer(p)
	w.writeTranscript(p.Transcript)
	return w.page
}

func (w *infoWriter) writeLine(l protocols.Line) { w.page.Lines.Append(l) }

func (w *infoWriter) writeHeading(text string) {
	if w.page.Lines.Len() > 0 {
		w.writeLine(protocols.Line{})
	}
	w.writeLine(protocols.Line{Kind: protocols.Heading, Text: text})
}

// writeRow writes a name and a value, unless the value is "".
func (w *infoWriter) writeRow(name, value string) {
	if value != "" {
		w.writeLine(protocols.Line{Text: fmt.Sprintf("%-12s %s", name, value)})
	}
}

func (w *infoWriter) writeURLs(p *nav.Page, file *protocols.FileNote) {
	w.writeHeading("Page")
	w.writeRow("Title", p.Reading().Short(p.Title))
	if urlcore.IsStandardInput(p.URL) {
		w.writeRow("URL", "none: standard input")
	} else {
		w.writeRow("URL", clean.Text(urlcore.Redact(p.URL).String()))
	}
	if requested := urlcore.Redact(p.Asked); requested != urlcore.Redact(p.URL) {
		w.writeRow("Asked for", clean.Text(requested.String()))
	}
	w.writeRow("Media type", clean.Text(p.MediaType()))
	if c, ok := p.CharsetChoice(); ok {
		doubt := ""
		if !c.Sure {
			doubt = "perhaps "
		}
		w.writeRow("Charset", doubt+c.Charset.Name()+": "+c.Why)
	}
	if !p.CopiedAt.IsZero() {
		w.writeRow("Copy of", p.CopiedAt.In(w.zone).Format("2006-01-02 15:04"))
	}
	if p.FreeSpace != "" {
		w.writeRow("Free space", clean.Text(p.FreeSpace))
	}
	for _, note := range p.Notes {
		w.writeRow("Note", clean.Text(note))
	}
	for _, right := range file.Rights() {
		w.writeRow(right.Head, clean.Short(fmt.Sprint(right.Value)))
	}
	if !urlcore.IsStandardInput(p.URL) {
		w.writeLine(protocols.Line{Text: "Explain the URL", Link: about.ExplainURL(p.URL)})
	}
}

// writeSecurity writes how the transfer was protected. That of a page about an error is not known.
func (w *infoWriter) writeSecurity(p *nav.Page) {
	switch proof := cmp.Or(p.Security.Proof, "certificate"); {
	case p.Security.Protocol != "":
		w.writeRow("Security", clean.Text(p.Security.Protocol)+", "+proof+" "+p.Security.Trust.String())
		w.writeRow(strings.ToUpper(proof[:1])+proof[1:], clean.Text(p.Security.Fingerprint))
	case p.Failed == nil:
		w.writeRow("Security", "none: sent in the clear")
	}
	switch {
	case p.Security.Identity != "":
		w.writeRow("Identity", clean.Text(p.Security.Identity))
	case p.Security.AsksIdentity:
		w.writeRow("Identity", "none: the server asks for one")
	}
}

// writeTransfer writes the server, the security, the speed and the result of the transfer of p.
func (w *infoWriter) writeTransfer(p *nav.Page) {
	s := p.Progress.State()
	if s.Peer == "" {
		return
	}
	w.writeHeading("Transfer")
	w.writeRow("Server", clean.Text(s.Peer))
	w.writeSecurity(p)
	w.writeRow("Started", p.Started.In(w.zone).Format("2006-01-02 15:04:05 MST"))
	if !s.Begun.IsZero() {
		w.writeRow("First byte", "after "+durationText(s.Begun.Sub(p.Started)))
		took := s.Since.Sub(p.Started)
		w.writeRow("Received", exactText(s.Bytes)+" in "+durationText(took)+cell.Rate(s.Bytes, took))
	}
	if p.Size >= 0 {
		w.writeRow("Announced", exactText(p.Size))
	}
	switch {
	case p.Failed != nil:
		w.writeRow("Result", sentence.Of(p.Failed))
	case p.IsLoading():
		w.writeRow("Result", "loading")
	case p.Err != nil && p.Err != io.EOF:
		w.writeRow("Result", "incomplete: "+sentence.Of(p.Err))
	}
}

// writeTranscript writes the dialogue with the server, with ">" before each sent line, or "+" if it was sent together
// with the line before.
func (w *infoWriter) writeTranscript(t *protocols.Transcript) {
	first, last, omitted := t.Lines()
	if len(first) == 0 {
		return
	}
	w.writeHeading("Transcript")
	peer := ""
	binary := false // skip received lines until the next sent line
	for i, s := range append(first, last...) {
		if binary && !s.Sent {
			continue
		}
		if i == len(first) && omitted > 0 {
			w.writeLine(protocols.Line{Kind: protocols.Quote, Text: fmt.Sprintf("  ... %d lines are not kept", omitted)})
		}
		if s.Peer != peer {
			peer = s.Peer
			w.writeLine(protocols.Line{Kind: protocols.Quote, Text: "- " + clean.Text(peer)})
		}
		sign := "  "
		switch {
		case s.With:
			sign = "+ "
		case s.Sent:
			sign = "> "
		}
		switch binary = !s.Sent && strings.ContainsRune(s.Text, 0); {
		case binary:
			w.writeLine(protocols.Line{Kind: protocols.Quote, Text: "  (binary octets)"})
			continue
		case s.Sent && s.Text == "":
			w.writeLine(protocols.Line{Text: sign + "(an empty line)"})
		default:
			w.writeLine(protocols.Line{Text: strings.TrimRight(sign+clean.Line(s.Text), " ")})
		}
		if s.More > 0 {
			w.writeLine(protocols.Line{Kind: protocols.Quote, Text: fmt.Sprintf("  ... %d more lines", s.More)})
		}
	}
}

// durationText formats a duration as "12 ms" or "3.4 s".
func durationText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// exactText formats a number of octets with all digits.
func exactText(n int64) string {
	if n < 1000 {
		return cell.Size(n)
	}
	return fmt.Sprintf("%s (%d octets)", cell.Size(n), n)
}
