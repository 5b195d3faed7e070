package ui

import (
	"context"
	"testing"
	"time"

	"gofer/protocols"
)

func TestPageInfo(t *testing.T) {
	w := library()
	home := item('1', "/")
	answer := w[home]
	var security protocols.Security
	w[home] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		progress, transcript := protocols.ProgressFrom(ctx), protocols.TranscriptFrom(ctx)
		progress.Enter(protocols.Connecting, "example.org:70", time.Minute)
		progress.AddReceived(4200, time.Minute)
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Sent: true, Text: "/\x1b"})
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Text: "iHello\t\t\t"})
		transcript.Skip(1234)
		r, err := answer(ctx, req)
		r.Security = security
		return r, err
	}
	d := drive(t, w, Options{Start: home.String()}, 80, 40)
	d.press("down", "down", "I")
	for _, want := range []string{
		"Page information", "URL          gopher://gopher.example.org/1/", "Media type   application/gopher-menu", "Charset      UTF-8: ", "Security     none: sent in the clear",
		"Server       example.org:70", "4.2 kB (4200 octets)", "- example.org:70", "> /␛", "... 1234 more lines",
	} {
		d.wantShown(want)
	}
	d.press("I").wantShown("no information about this page")
	d.press("left").wantURL(home)
	d.press("I", "r").wantURL(home).wantShown("A hole in the ground")
	d.press("I", "left")
	if got := d.Model.tab.Session.Page().Cursor; got == 0 {
		t.Error("the cursor is on the first line after going back, want its old line")
	}
	security = protocols.Security{Protocol: "TLS 1.3", Trust: protocols.Pinned, Fingerprint: "SHA-256 0a\x1b"}
	d.press("r", "I").wantShown("Security     TLS 1.3, certificate pinned", "Certificate  SHA-256 0a␛")
}

// TestErrorPageInfo checks that going back from the information about an error page shows the error
// page again.
func TestErrorPageInfo(t *testing.T) {
	home := item('1', "/")
	d := drive(t, web{}, Options{Start: home.String()}, 80, 24)
	failed := d.Model.tab.Session.Page()
	d.press("I").wantShown("Page information")
	d.press("Q", "left").wantShown("Page information")
	d.press("left")
	if d.Model.tab.Session.Page() != failed {
		t.Errorf("going back from the page information showed %q, want the error page", d.Model.tab.Session.Page().Title)
	}
	d.press("left").wantShown("no previous page")
}

// TestTranscriptOfOctets checks that a transcript does not show binary data or an empty line as text.
func TestTranscriptOfOctets(t *testing.T) {
	w := library()
	home := item('1', "/")
	answer := w[home]
	w[home] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		transcript := protocols.TranscriptFrom(ctx)
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Sent: true})
		for _, text := range []string{"\x89PNG\x00\x01", "more of it"} {
			transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Text: text})
		}
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Sent: true, Text: "QUIT"})
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Text: "205 bye"})
		return answer(ctx, req)
	}
	d := drive(t, w, Options{Start: home.String()}, 80, 40)
	d.press("I")
	for _, want := range []string{"> (an empty line)", "  (binary octets)", "> QUIT", "  205 bye"} {
		d.wantShown(want)
	}
	for _, not := range []string{"PNG", "more of it"} {
		d.wantNotShown(not)
	}
}

// TestFileInfo checks the owner, the group and the mode that a directory listing gives for a file.
func TestFileInfo(t *testing.T) {
	w := web{}
	for _, f := range []struct {
		note *protocols.FileNote
		want []string
	}{
		{&protocols.FileNote{Size: 5, Mode: "rw-r--r--", Owner: "ann\x1b", Group: "staff"}, []string{"Owner        ann␛:staff", "Mode         rw-r--r--"}},
		{&protocols.FileNote{Size: 5, Owner: "1000"}, []string{"Owner        1000\n"}},
	} {
		w.addPage(file("pub"), protocols.LayoutDirectory, "pub", protocols.Line{Kind: protocols.Text, Text: "a.txt", Link: file("pub/a.txt"), Note: f.note})
		w.addText(file("pub/a.txt"), "a.txt", "hello")
		d := drive(t, w, Options{Home: file("pub")}, 80, 24)
		d.press("I").wantNotShown("Owner ").press("left", "enter", "I").wantShown(f.want...)
	}
}
