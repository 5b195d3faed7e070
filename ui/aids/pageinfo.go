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
	"gofer/nav"
	"gofer/protocols"
	"gofer/ui/cell"
	"gofer/urlcore"
)

// ShowInfo shows information about the page, over it.
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
	a.PushOverlay(a.program.Tab(), infoPage(p, file, a.Zone))
	return nil
}

// infoWriter writes the lines of a page with information.
type infoWriter struct {
	page *nav.Page
	zone *time.Location
}

// infoPage returns a page with information about p: its URLs, its transfer and its transcript, and
// the owner and the mode of its file, if known. Times are in zone.
func infoPage(p *nav.Page, file *protocols.FileNote, zone *time.Location) *nav.Page {
	w := infoWriter{page: aboutPage(p.URL, "Page information"), zone: zone}
	w.urls(p, file)
	w.transfer(p)
	w.transcript(p.Transcript)
	return w.page
}

func (w *infoWriter) line(l protocols.Line) { w.page.Lines.Append(l) }

func (w *infoWriter) heading(text string) {
	if w.page.Lines.Len() > 0 {
		w.line(protocols.Line{})
	}
	w.line(protocols.Line{Kind: protocols.Heading, Text: text})
}

// row writes a name and its clean value, unless the value is "".
func (w *infoWriter) row(name, value string) {
	if value != "" {
		w.line(protocols.Line{Text: fmt.Sprintf("%-12s %s", name, value)})
	}
}

func (w *infoWriter) urls(p *nav.Page, file *protocols.FileNote) {
	w.heading("Page")
	w.row("Title", p.Reading().Short(p.Title))
	w.row("URL", clean.Text(urlcore.Redact(p.URL).String()))
	if requested := urlcore.Redact(p.Asked); requested != urlcore.Redact(p.URL) {
		w.row("Asked for", clean.Text(requested.String()))
	}
	w.row("Media type", clean.Text(p.MediaType()))
	if c, ok := p.CharsetChoice(); ok {
		sure := ""
		if !c.Sure {
			sure = "perhaps "
		}
		w.row("Charset", sure+c.Charset.Name()+": "+c.Why)
	}
	if !p.Kept.IsZero() {
		w.row("Copy of", p.Kept.In(w.zone).Format("2006-01-02 15:04"))
	}
	for _, note := range p.Notes {
		w.row("Note", clean.Text(note))
	}
	w.row("Owner", strings.Trim(clean.Short(file.Owner)+":"+clean.Short(file.Group), ":"))
	w.row("Mode", clean.Short(file.Mode))
	w.line(protocols.Line{Text: "Explain the URL", Link: about.ExplainURL(p.URL)})
}

// transfer writes the server, the size and the speed of the transfer.
func (w *infoWriter) transfer(p *nav.Page) {
	s := p.Progress.State()
	if s.Peer == "" {
		return
	}
	w.heading("Transfer")
	w.row("Server", clean.Text(s.Peer))
	if p.Security.Protocol == "" {
		w.row("Security", "none: sent in the clear")
	} else {
		w.row("Security", clean.Text(p.Security.Protocol)+", certificate "+p.Security.Trust.String())
		w.row("Certificate", clean.Text(p.Security.Fingerprint))
	}
	w.row("Started", p.Started.In(w.zone).Format("2006-01-02 15:04:05 MST"))
	if !s.Begun.IsZero() {
		w.row("First byte", "after "+durationText(s.Begun.Sub(p.Started)))
		took := s.Since.Sub(p.Started)
		w.row("Received", exactText(s.Bytes)+" in "+durationText(took)+cell.Rate(s.Bytes, took))
	}
	if p.Size >= 0 {
		w.row("Announced", exactText(p.Size))
	}
	switch {
	case p.Failed != nil:
		w.row("Result", nav.Sentence(p.Failed))
	case p.Loading():
		w.row("Result", "loading")
	case p.Err != nil && p.Err != io.EOF:
		w.row("Result", "incomplete: "+nav.Sentence(p.Err))
	}
}

// transcript writes the dialogue, with ">" before a sent line.
func (w *infoWriter) transcript(t *protocols.Transcript) {
	first, last, omitted := t.Lines()
	if len(first) == 0 {
		return
	}
	w.heading("Transcript")
	peer, binary := "", false // while binary is true, received lines are skipped; a sent line ends that
	for i, s := range append(first, last...) {
		if binary && !s.Sent {
			continue
		}
		if i == len(first) && omitted > 0 {
			w.line(protocols.Line{Kind: protocols.Quote, Text: fmt.Sprintf("  ... %d lines are not kept", omitted)})
		}
		if s.Peer != peer {
			peer = s.Peer
			w.line(protocols.Line{Kind: protocols.Quote, Text: "- " + clean.Text(peer)})
		}
		sign := "  "
		if s.Sent {
			sign = "> "
		}
		switch binary = !s.Sent && strings.ContainsRune(s.Text, 0); {
		case binary:
			w.line(protocols.Line{Kind: protocols.Quote, Text: "  (binary octets)"})
			continue
		case s.Sent && s.Text == "":
			w.line(protocols.Line{Text: sign + "(an empty line)"})
		default:
			w.line(protocols.Line{Text: strings.TrimRight(sign+clean.Line(s.Text), " ")})
		}
		if s.More > 0 {
			w.line(protocols.Line{Kind: protocols.Quote, Text: fmt.Sprintf("  ... %d more lines", s.More)})
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

// exactText formats a number of octets, with all of its digits.
func exactText(n int64) string {
	if n < 1000 {
		return cell.Size(n)
	}
	return fmt.Sprintf("%s (%d octets)", cell.Size(n), n)
}
