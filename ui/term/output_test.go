package term

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"gofer/internal/testbed/fetchtest"
)

// TestOutputToATerminalThatDoesNotRead checks that Write returns although the terminal reads nothing.
// When the terminal reads again, everything must be written in order.
func TestOutputToATerminalThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		out := &output{w: w}
		first, second := strings.Repeat("a", 3*chunkSize), strings.Repeat("b", 10)
		for _, s := range []string{first, second} {
			if n, err := io.WriteString(out, s); n != len(s) || err != nil {
				t.Errorf("Write: got %d, %v, want %d, nil", n, err, len(s))
			}
		}
		idle := false
		out.callWhenReady(func() { idle = true })
		if idle {
			t.Error("the output is ready before the terminal has read it")
		}
		got := make([]byte, len(first+second))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != first+second {
			t.Errorf("the terminal read %q, %v, want the written text", got, err)
		}
		synctest.Wait()
		if !idle {
			t.Error("the output does not become ready")
		}
		out.callWhenReady(func() { idle = false })
		if idle {
			t.Error("callWhenReady did not call the function at once")
		}
	})
}

// faultyWriter is a writer that fails once with each of its errors and then works.
type faultyWriter struct {
	bytes.Buffer
	errs []error
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	if len(w.errs) == 0 {
		return w.Buffer.Write(p)
	}
	err := w.errs[0]
	w.errs = w.errs[1:]
	n, _ := w.Buffer.Write(p[:1])
	return n, err
}

func TestOutputErrors(t *testing.T) {
	for _, test := range []struct {
		err      error
		want     string
		failures int
	}{
		{syscall.EAGAIN, "screen", 0},
		{errors.New("no terminal"), "s", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			failures := 0
			w := &faultyWriter{errs: []error{test.err}}
			out := &output{w: w, onFailure: func() { failures++ }}
			_, _ = io.WriteString(out, "scr")
			_, _ = io.WriteString(out, "een")
			if got := w.String(); got != test.want || failures != test.failures {
				t.Errorf("%v: got %q and %d failures, want %q and %d", test.err, got, failures, test.want, test.failures)
			}
		})
	}
}

func TestOutputDisablesWrapping(t *testing.T) {
	const frame = "\x1b[?25l\x1b[24;80H\x1b[?7lx\x1b[?7h"
	var w bytes.Buffer
	out := &output{w: &w}
	_, _ = io.WriteString(out, "\x1b[?1049h"+frame)
	_, _ = io.WriteString(out, frame)
	_, _ = io.WriteString(out, "\x1b[?1049l\x1b[?25h")
	drawn := strings.TrimSuffix(frame, "\x1b[?7h")
	fetchtest.Equal(t, w.String(), "\x1b[?1049h\x1b[?7l"+drawn+drawn+"\x1b[?1049l\x1b[?7h\x1b[?25h")
}

// TestOutputSavesTitle checks that the title of the window is saved before the first title of the program, and restored
// when the program removes its title or resets the terminal.
func TestOutputSavesTitle(t *testing.T) {
	const push, pop, none = "\x1b[22;2t", "\x1b[23;2t", "\x1b]2;\a"
	var w bytes.Buffer
	out := &output{w: &w}
	for _, s := range []string{"a\x1b]2;one\ab", "\x1b]2;two\a", none + "c", none, "\x1b]2;three\a"} {
		_, _ = io.WriteString(out, s)
	}
	fetchtest.Equal(t, w.String(), "a"+push+"\x1b]2;one\ab\x1b]2;two\a"+none+pop+"c"+none+push+"\x1b]2;three\a")
	w.Reset()
	out.reset()
	fetchtest.Equal(t, strings.TrimPrefix(w.String(), resetTerminal), none+pop, "after the reset")
}

// TestRequests checks which sequences are requests, and that they are not written when the program leaves the terminal.
func TestRequests(t *testing.T) {
	const others = "\x1b[?2026h\x1b[22;2t\x1b]8;;http://h/?\x1b\\\x1b]2;what?\a\x1b[4m?\x1b[1;1H\x1b_Ga=T,f=100;AAAA\x1b\\\x1b[2 q\x1b[>1u\x1b]11;#000000\a\x1b[10S"
	for _, request := range []string{
		ansi.RequestPrimaryDeviceAttributes, ansi.RequestBackgroundColor, ansi.RequestForegroundColor,
		ansi.RequestCursorColor, ansi.RequestNameVersion,
		ansi.RequestModeSynchronizedOutput, ansi.RequestModeUnicodeCore, ansi.RequestKittyKeyboard,
		ansi.RequestSystemClipboard, ansi.RequestTermcap("RGB"),
		ansi.RequestCursorPositionReport, ansi.WindowOp(16), "\x1b[?2;4;0S", "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", "\x1b]4;1;?\a",
	} {
		var w bytes.Buffer
		out := &output{w: &w}
		_, _ = io.WriteString(out, request)
		if out.asked.IsZero() {
			t.Errorf("%q is not taken for a request", request)
		}
		fetchtest.Equal(t, w.String(), request)
		out.paused = true
		w.Reset()
		_, _ = io.WriteString(out, "a"+request+others)
		fetchtest.Equal(t, w.String(), "a"+strings.Replace(others, "\x1b]2;", "\x1b[22;2t\x1b]2;", 1), "%q at the end", request)
	}
}
