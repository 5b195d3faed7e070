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
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Sent: true, With: true, Text: "again"})
		transcript.Add(protocols.TranscriptLine{Peer: "example.org:70", Text: "iHello\t\t\t"})
		transcript.Skip(1234)
		r, err := answer(ctx, req)
		r.Security = security
		return r, err
	}
	d := drive(t, w, Options{Start: home.String()}, 80, 40)
	d.press("down", "down", "I")
	for _, want := range []string{
		"Page information", "URL          gopher://gopher.example.org/1/", "Media type   application/gopher-menu",
		"Charset      UTF-8: ", "Security     none: sent in the clear",
		"Server       example.org:70", "4.2 kB (4200 octets)", "- example.org:70", "> /␛", "+ again", "... 1234 more lines",
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
	security = protocols.Security{Protocol: "TLS 1.3", Trust: protocols.Pinned, Fingerprint: "SHA-256 0a\x1b", Identity: "oscar"}
	d.press("r", "I").wantShown("Security     TLS 1.3, certificate pinned", "Certificate  SHA-256 0a␛", "Identity     oscar")
	security = protocols.Security{Protocol: "SSH 2.0", Proof: "host key", Trust: protocols.Verified, Fingerprint: "SHA256:ab"}
	d.press("left", "r", "I").wantShown("Security     SSH 2.0, host key verified", "Host key     SHA256:ab")
	w[home] = func(ctx context.Context, _ protocols.Request) (*protocols.Resource, error) {
		protocols.ProgressFrom(ctx).Enter(protocols.Connecting, "example.org:70", time.Minute)
		return nil, protocols.NewError(protocols.Denied, "log in", "no")
	}
	d.press("left", "r", "I").wantShown("Server       example.org:70").wantNotShown("in the clear")
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
