package ui

import (
	"context"
	"strings"
	"testing"

	"gofer/protocols"
)

// TestRaw checks that a key shows the received octets of a page, and that the same key goes back.
func TestRaw(t *testing.T) {
	w := library()
	home := item('1', "/")
	answer := w[home]
	const octets = "i    Welcome to the hole. It has been here since 1993.\tfake\t(NULL)\t0\r\n1M\xf6re\x1b\t/\th\t70\t+\n.\r\n"
	w[home] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		protocols.TranscriptFrom(ctx).Receive([]byte(octets))
		return answer(ctx, req)
	}
	d := drive(t, w, Options{Start: home.String()}, 80, 24)
	d.press("down", "\\")
	for _, want := range []string{
		`i    Welcome to the hole. It has been here since 1993.\tfake\t(NULL)\t0\r\n`, `1M\xF6re\x1B\t/\th\t70\t+\n`,
		`.\r\n`,
	} {
		d.wantShown(want)
	}
	d.press("\\").wantShown("A hole in the ground")
	if d.Model.tab.Session.Page().Cursor == 0 {
		t.Error("the cursor is on the first line after going back, want its old line")
	}
	d.press("r", "\\", "left").wantShown("A hole in the ground")

	// The transcript of this document contains only the dialogue, so the octets of its lines are shown.
	text := item('0', "/text")
	w[text] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		protocols.TranscriptFrom(ctx).Receive([]byte("220 Hello\r\n"))
		return &protocols.Resource{
			Head: protocols.Head{URL: text, Media: "text/plain", Size: -1}, Body: strings.NewReader("a\tb\x07\n"),
			Closer: d,
		}, nil
	}
	d.run(d.visit(text)).press("\\").wantShown(`a\tb\x07`).wantNotShown("220 Hello")

	// The octets of a hypertext are its source, which has no line of the page as it is shown.
	source := item('0', "/read.md")
	w[source] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		const octets = "* **One** [item](a)\n"
		protocols.TranscriptFrom(ctx).Receive([]byte(octets))
		return &protocols.Resource{
			Head: protocols.Head{URL: source, Media: "text/markdown", Size: -1}, Body: strings.NewReader(octets),
			Closer: d,
		}, nil
	}
	d.run(d.visit(source)).wantShown("* One item").press("\\").wantShown(`* **One** [item](a)\n`)

	// The octets of this list are not known.
	list := item('1', "/list")
	w[list] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		protocols.TranscriptFrom(ctx).Receive([]byte("220 Hello\r\n"))
		return answer(ctx, req)
	}
	d.run(d.visit(list)).press("\\").wantShown("the octets of this page are not kept")

	// Only the beginning of a long answer is kept.
	long := item('1', "/long")
	w[long] = func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
		protocols.TranscriptFrom(ctx).Receive([]byte(octets))
		for range 3 {
			protocols.TranscriptFrom(ctx).Receive([]byte(strings.Repeat("x", 1<<20)))
		}
		return answer(ctx, req)
	}
	d.run(d.visit(long)).press("\\", "end").wantShown("The first 262144 of 3145817 octets.")
	d.press("?", "?", "\\").wantShown("this page has no octets of a server")
}

// Close makes a driver an io.Closer for resources.
func (d *driver) Close() error { return nil }
