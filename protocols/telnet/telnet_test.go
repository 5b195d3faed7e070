package telnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// parseStream returns the data that a parser finds in a stream. Options are in brackets, and
// subnegotiations in braces.
func parseStream(t *testing.T, binary bool, size int, in string) (string, error) {
	t.Helper()
	var out []byte
	p := parser{
		negotiate: func(verb, opt byte) {
			out = append(out, '[', map[byte]byte{will: 'W', wont: 'w', do: 'D', dont: 'd'}[verb], opt+'0', ']')
		},
		sub:    func(opt byte, data []byte) { out = append(append(append(out, '{', opt+'0', ' '), data...), '}') },
		binary: func() bool { return binary },
	}
	for len(in) > 0 {
		n := min(size, len(in))
		data, err := p.feed(out, []byte(in[:n])) // the callbacks also append to out
		if len(data) > len(out) {
			out = data
		}
		if err != nil {
			return string(out), err
		}
		in = in[n:]
	}
	return string(out), nil
}

func TestParser(t *testing.T) {
	for _, tt := range []struct {
		in     string
		want   string
		binary bool
	}{
		{"hello\r\n", "hello\r\n", false},
		{"a\r\x00b\x00", "a\rb\x00", false},
		{"a\r\x00b", "a\r\x00b", true},
		{"a\xff\xffb", "a\xffb", false},
		{"a\r\xff\xff", "a\r\xff", false},
		{"a\xff\xfb\x01b", "a[W1]b", false},
		{"\xff\xfc\x01\xff\xfd\x03\xff\xfe\x03", "[w1][D3][d3]", false},
		{"a\xff\xf9b\xff\xf1c", "abc", false}, // go-ahead and NOP
		{"\xff\xfa\x18\x01\xff\xf0x", "{H \x01}x", false},
		{"\xff\xfa\x18\xff\xff\xff\xf0x", "{H \xff}x", false},
		{"\xff\xfa\x18\x01\xff\xfb\x01x", "[W1]x", false}, // the SE is missing
		{"\xff\xfa\x18" + strings.Repeat("a", 200) + "\xff\xf0x", "{H " + strings.Repeat("a", maxKept) + "}x", false},
		{"\xff", "", false},
	} {
		fetchtest.Returns(t, tt.want, "%q", tt.in)(parseStream(t, tt.binary, 1, tt.in))
	}
	fetchtest.FailsWith(t, errEndless, "a subnegotiation without end")(parseStream(t, false, 4096, "\xff\xfa\x18"+
		strings.Repeat("a", maxSub+1)))
}

// FuzzParser checks that the result is the same if the stream is split into chunks of any size.
func FuzzParser(f *testing.F) {
	f.Add([]byte("a\r\x00\xff\xff\xff\xfb\x01\xff\xfa\x18\x01\xff\xff\xff\xf0b"), 3)
	f.Add([]byte("\xff\xfa\x18\xff\xfb\xff\xff\r\xff"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		size = max(1, size&0xff)
		parse := func(size int) (data, options string, err error) {
			var out []byte
			p := parser{
				negotiate: func(verb, opt byte) { options += fmt.Sprint(verb, " ", opt, "; ") },
				sub:       func(opt byte, data []byte) { options += fmt.Sprintf("%d %q; ", opt, data) },
				binary:    func() bool { return false },
			}
			for chunk := range slices.Chunk(in, size) {
				if out, err = p.feed(out, chunk); err != nil {
					break
				}
			}
			return string(out), options, err
		}
		data, options, err := parse(size)
		wantData, wantOptions, wantErr := parse(1)
		if data != wantData || options != wantOptions || err != wantErr {
			t.Errorf("%q in chunks of %d octets: got %q, %q, %v; want %q, %q, %v", in, size, data, options, err, wantData, wantOptions, wantErr)
		}
	})
}

// TestOptions checks that each change and each refusal is answered once (RFC 1143). Answers to
// gofer's own requests are not answered.
func TestOptions(t *testing.T) {
	const ask = "\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f"
	for _, tt := range []struct {
		name  string
		asked bool
		in    []string // verb and option
		want  string
	}{
		{"echo and no go-aheads", false, []string{"\xfb\x01", "\xfb\x03"}, "\xff\xfd\x01\xff\xfd\x03"},
		{"again and again", false, []string{"\xfb\x01", "\xfb\x01", "\xfb\x01"}, "\xff\xfd\x01"},
		{"type and size", false, []string{"\xfd\x18", "\xfd\x1f"}, "\xff\xfb\x18\xff\xfb\x1f"},
		{"asked for", true, []string{"\xfb\x03", "\xfd\x18", "\xfd\x1f"}, ask},
		{"asked for and refused", true, []string{"\xfc\x03", "\xfe\x18"}, ask},
		{"refused, and wanted later", true, []string{"\xfe\x18", "\xfd\x18"}, ask + "\xff\xfb\x18"},
		{"unknown", false, []string{"\xfb\x63", "\xfb\x63", "\xfc\x63", "\xfb\x63"}, "\xff\xfe\x63"},
		{"environment", false, []string{"\xfd\x27", "\xfd\x24", "\xfd\x27"}, "\xff\xfc\x27\xff\xfc\x24"},
		{"taken back", false, []string{"\xfb\x01", "\xfc\x01", "\xfc\x01", "\xfb\x01"}, "\xff\xfd\x01\xff\xfe\x01\xff\xfd\x01"},
		{"never agreed", false, []string{"\xfc\x01", "\xfe\x18"}, ""},
		{"echo of ours", false, []string{"\xfd\x01"}, "\xff\xfc\x01"},
		{"binary", false, []string{"\xfb\x00", "\xfd\x00", "\xfd\x03"}, "\xff\xfd\x00\xff\xfb\x00\xff\xfb\x03"},
		{"timing mark", false, []string{"\xfd\x06", "\xfd\x06"}, "\xff\xfc\x06"},
	} {
		o := newOptions()
		var got []byte
		if tt.asked {
			got = o.initialRequests()
		}
		for _, in := range tt.in {
			reply, _ := o.negotiate(in[0], in[1])
			got = append(got, reply...)
		}
		fetchtest.Equal(t, string(got), tt.want, "%s", tt.name)
	}
}

func TestLine(t *testing.T) {
	lines, keys := mode{editing: true, echo: true}, mode{}
	for _, tt := range []struct {
		mode       mode
		typed      string
		send, show string
	}{
		{lines, "look\r", "look\r\n", "look\r\n"},
		{lines, "lo\x7fx\x15say h\x7fi\r", "say i\r\n", "lo\b \bx\b \b\b \bsay h\b \bi\r\n"},
		{lines, "say old\x17new", "", "say old\b \b\b \b\b \bnew"},
		{lines, "say old \x17new", "", "say old \b \b\b \b\b \b\b \bnew"},
		{lines, "a\tb\x01\r", "a\tb\r\n", "a\tb\r\n"},
		{lines, "ab\x04\x7f", "ab\x04", "ab"},
		{lines, "a\x15\x7f\x17b\r", "b\r\n", "a\b \bb\r\n"},
		{lines, "abc\x1cd\r", "\xff\xf3d\r\n", "abcd\r\n"},
		{lines, strings.Repeat("a", maxLine+1) + "\r", strings.Repeat("a", maxLine) + "\r\n", strings.Repeat("a", maxLine) + "\a\r\n"},
		{lines, "日\x7f", "", "日\b \b\b \b"},
		{lines, "\x1b[A", "", ""},
		{lines, "abc\x03", "\xff\xf4", "abc"},
		{lines, "abc\x1a", "\xff\xed", "abc"},
		{lines, "x\xff\r", "x\xff\xff\r\n", "x\xff\r\n"},
		{mode{editing: true}, "secret\r", "secret\r\n", ""},
		{keys, "ls\r\x1a\x03\x1b[A", "ls\r\x00\x1a\x03\x1b[A", ""},
		{keys, "\xffa", "\xff\xffa", ""},
		{mode{binary: true}, "a\r", "a\r", ""},
		{mode{binary: true, editing: true}, "a\r", "a\r", ""},
		{mode{echo: true}, "a \b\x7f\r\x1b", "a \b\x7f\r\x00\x1b", "a \b\r\n"},
	} {
		var l line
		send, show := l.handleKeys([]byte(tt.typed), tt.mode)
		if string(send) != tt.send || show != tt.show {
			t.Errorf("handleKeys(%q, %+v) = %q, %q; want %q, %q", tt.typed, tt.mode, send, show, tt.send, tt.show)
		}
	}
	var l line
	l.handleKeys([]byte("half"), lines)
	if send, _ := l.handleKeys([]byte("x"), keys); string(send) != "halfx" {
		t.Errorf("handleKeys of the key x, after an incomplete line: got %q; want \"halfx\"", send)
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct {
		in, before, after string
		found             bool
	}{
		{"abc", "abc", "", false},
		{"a\x1dc", "a", "c", true},
		{"\x1b[93;5u", "", "", true},
		{"x\x1b[27;5;93~\x1dc", "x", "\x1dc", true},
	} {
		before, after, found := cutEscape([]byte(tt.in))
		if string(before) != tt.before || string(after) != tt.after || found != tt.found {
			t.Errorf("cutEscape(%q) = %q, %q, %v; want %q, %q, %v", tt.in, before, after, found, tt.before, tt.after, tt.found)
		}
	}
}

func TestAlternate(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "\x1b[?1049h": true, "\x1b[?25;1049h text": true, "\x1b[?1049h\x1b[?1049l": false,
		"\x1b[?47h\x1b[?25l": true, "\x1b[1049h": false, "\x1b[?1049;25l": false,
		"\x1b[?1047h": true, "\x1b[?48h": false, "\x1b[?1049x;47h": false, "\x1b[?1049;25h": true, "\x1b?47h": false, "[?47h": false,
	} {
		var a altScreen
		for i := range in {
			a.update([]byte(in[i : i+1]))
		}
		fetchtest.Equal(t, a.on, want, "%q", in)
	}
}

// screen is a terminal in memory.
type screen struct {
	mu    sync.Mutex
	shown bytes.Buffer
	grown chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Write(p)
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return len(p), nil
}

// testTimeout is how long a test waits before it fails.
const testTimeout = time.Minute

// waitFor waits until text has been shown.
func (s *screen) waitFor(t *testing.T, text string) {
	t.Helper()
	limit := time.After(testTimeout)
	for {
		s.mu.Lock()
		got := s.shown.String()
		s.mu.Unlock()
		if strings.Contains(got, text) {
			return
		}
		select {
		case <-s.grown:
		case <-limit:
			t.Fatalf("got the output %q; want %q in it", got, text)
		}
	}
}

// testSession is a session with the server of a test.
type testSession struct {
	*screen
	server net.Conn
	input  chan []byte
	resize chan os.Signal
	size   [2]int
	mu     sync.Mutex
	ended  chan error
}

func startSession(ctx context.Context, t *testing.T, text string) *testSession {
	t.Helper()
	l := fetchtest.CloseAtEnd(net.Listen("tcp", "127.0.0.1:0"))(t)
	u := fetchtest.Parse(t, strings.Replace(text, "HOST", l.Addr().String(), 1))
	c := &Client{Dialer: wire.Dialer{FirstByte: time.Nanosecond, Idle: time.Minute}} // silence is not an error
	var confirm *protocols.Confirm
	if _, err := c.Fetch(ctx, protocols.Request{URL: u}); !errors.As(err, &confirm) {
		t.Fatalf("got %v, want a *Confirm", err)
	}
	confirm.GiveConsent()
	res := fetchtest.Must(c.Fetch(ctx, protocols.Request{URL: u}))(t)
	server := fetchtest.Must(l.Accept())(t)
	r := &testSession{
		screen: &screen{grown: make(chan struct{}, 1)}, server: server,
		input: make(chan []byte), resize: make(chan os.Signal), size: [2]int{80, 24}, ended: make(chan error, 1),
	}
	go func() {
		r.ended <- res.Session.Run(ctx, protocols.Terminal{
			Input: r.input, Output: r.screen, Resized: r.resize, Type: "xterm-256color",
			Size: func() (int, int) {
				r.mu.Lock()
				defer r.mu.Unlock()
				return r.size[0], r.size[1]
			},
		})
		_ = res.Close()
	}()
	t.Cleanup(func() { _ = server.Close() })
	return r
}

// send makes the server send text.
func (r *testSession) send(t *testing.T, text string) {
	t.Helper()
	fetchtest.Must(io.WriteString(r.server, text))(t)
}

// wantSent checks that text is the next text that the session sends.
func (r *testSession) wantSent(t *testing.T, text string) {
	t.Helper()
	_ = r.server.SetReadDeadline(time.Now().Add(testTimeout))
	got := make([]byte, len(text))
	n, err := io.ReadFull(r.server, got)
	if string(got) != text {
		t.Fatalf("the session sent %q, %v; want %q", got[:n], err, text)
	}
}

func (r *testSession) endSession(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(testTimeout):
		t.Fatal("the session did not end")
		return nil
	}
}

func TestSession(t *testing.T) {
	r := startSession(t.Context(), t, "telnet://guest:pass@HOST/")
	r.resize <- os.Interrupt
	r.input <- []byte("look\r")
	r.wantSent(t, "look\r\n") // nothing is sent about options that were not agreed on
	r.screen.waitFor(t, "look\r\n")

	r.send(t, "\xff\xfa\x18\x01\xff\xf0\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f\xff\xfd\x18")
	r.wantSent(t, "\xff\xfd\x01\xff\xfd\x03\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0\xff\xfb\x18")
	for _, name := range []string{"xterm-256color", "xterm", "xterm", "xterm-256color"} {
		r.send(t, "\xff\xfa\x18\x01\xff\xf0")
		r.wantSent(t, "\xff\xfa\x18\x00"+name+"\xff\xf0")
	}
	r.send(t, "\xff\xfa\x18\xff\xf0\xff\xfa\x18\x00x\xff\xf0\xff\xfa\x1f\x01\xff\xf0") // none of these requests the type
	r.mu.Lock()
	r.size = [2]int{255, 43}
	r.mu.Unlock()
	r.resize <- os.Interrupt
	r.wantSent(t, "\xff\xfa\x1f\x00\xff\xff\x00\x2b\xff\xf0")

	r.input <- []byte("x\r\x1a")
	r.wantSent(t, "x\r\x00\x1a")
	r.input <- []byte("\x1d")
	r.screen.waitFor(t, "c  close session")
}

// TestMenu checks that the keys of the menu send the commands that the menu shows. Other keys must
// send nothing.
func TestMenu(t *testing.T) {
	r := startSession(t.Context(), t, "telnet://guest:pa%FFss@HOST/")
	for _, tt := range []struct{ typed, sent string }{
		{"\x1db", "\xff\xf3"},
		{"\x1di", "\xff\xf4"},
		{"\x1do", "\xff\xf5"},
		{"\x1da", "\xff\xf6"},
		{"\x1de", "\xff\xf7"},
		{"\x1dk", "\xff\xf8"},
		{"\x1d]", "\x1d"},
		{"\x1d\x1d", "\x1d"},
		{"\x1du", "guest\r\n"},
		{"\x1dp", "pa\xff\xffss\r\n"},
		{"\x1dx\x1b[1;5Aya", "\xff\xf6"},
		{"\x1d\rafter\r", "after\r\n"},
		{"\x1d\x1bx\r", "x\r\n"},
		{"y\x1d \x1d\nz\r", "yz\r\n"},
	} {
		r.input <- []byte(tt.typed)
		r.wantSent(t, tt.sent)
	}
	r.screen.waitFor(t, "lines sent on Enter, local echo")
	r.screen.waitFor(t, "u  type the user guest")
	r.screen.waitFor(t, "p  type the password of the URL")
	r.send(t, "\xff\xfb\x01\xff\xfb\x03\xff\xfd\x00\xff\xfd\x1f\x1b[?1049hfull screen")
	r.wantSent(t, "\xff\xfd\x01\xff\xfd\x03\xff\xfb\x00\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0")
	r.screen.waitFor(t, "full screen") // not for the sequence before these words, which the menu has shown, too
	r.input <- []byte("\x1d\r")        // a change of size makes the remote program redraw its screen
	r.wantSent(t, "\xff\xfa\x1f\x00\x50\x00\x17\xff\xf0\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0")
	r.screen.waitFor(t, "keys sent at once, remote echo, size, binary")
}

// TestMenuFits checks that the menu fits the terminal and shows the user and password of the URL.
func TestMenuFits(t *testing.T) { synctest.Test(t, testMenuFits) }

func testMenuFits(t *testing.T) {
	for _, tt := range []struct {
		columns, rows int
		url, want     string
	}{
		{80, 3, "telnet://h/", "telnet h:23|open for 0s, 0 bytes received, 0 sent|lines sent on Enter, local echo"},
		{8, 2, "telnet://h/", "telnet |open fo"},
		{0, 1, "telnet://h/", ""},
		{
			12, 20, "telnet://joe@h/",
			"telnet h:23|open for 0s|lines sent ||Enter  cont|b  send bre|a  are you |e  erase ch|]  send Ctr|u  type the",
		},
	} {
		s := &session{
			options: newOptions(), begun: time.Now(), url: fetchtest.Parse(t, tt.url).(urlcore.Telnet),
			terminal: protocols.Terminal{Size: func() (int, int) { return tt.columns, tt.rows }},
		}
		_, text, _ := strings.Cut(s.openMenu(), "\x1b[2J")
		var got []string
		for i, row := range strings.Split(text, "\x1b[")[1:] {
			position, row, _ := strings.Cut(row, "H")
			fetchtest.Equal(t, position, fmt.Sprintf("%d;1", i+1), "%+v: the place of row %d", tt, i+1)
			got = append(got, row)
		}
		fetchtest.Equal(t, strings.Join(got, "|"), tt.want, "%+v", tt)
	}
}

func TestSequence(t *testing.T) {
	for in, want := range map[string]int{
		"a": 1, "\x1b": 1, "\x1b[": 1, "\x1b[A": 3, "\x1bOPx": 3, "\x1b[1;5Ax": 6, "\x1b[12": 4, "\x1bxyz": 1,
		"\x1b[@x": 3, "\x1b[1~x": 4, "x[A": 1,
	} {
		fetchtest.Equal(t, keyLength([]byte(in)), want, "%q", in)
	}
}

func TestTypeNames(t *testing.T) {
	long := strings.Repeat("x", maxType)
	for in, want := range map[string]string{
		"xterm-256color": "xterm-256color xterm", "vt100": "vt100", "-x": "-x", "~": "~", long: long,
		"": "UNKNOWN", "a b": "UNKNOWN", "é": "UNKNOWN", "x\x7f": "UNKNOWN", long + "x": "UNKNOWN",
	} {
		fetchtest.Equal(t, strings.Join(typeNames(in), " "), want)
	}
}

// TestPlan checks that the plan sends the options first on the default port, and nothing on other
// ports.
func TestPlan(t *testing.T) {
	for url, want := range map[string]string{"telnet://h/": "\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f", "telnet://h:4000/": ""} {
		u := fetchtest.Parse(t, url).(urlcore.Telnet)
		steps, err := new(Client).Plan(u)
		if err != nil || len(steps) != 1 || steps[0].Peer != u.Addr() || steps[0].Send != want {
			t.Errorf("Plan(%s) = %q, %v; want one step that sends %q", url, steps, err, want)
		}
	}
}

func TestSessionEnds(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name string
		do   func(r *testSession, cancel context.CancelCauseFunc)
		want error
	}{
		{"menu", func(r *testSession, _ context.CancelCauseFunc) { r.input <- []byte("\x1dc") }, nil},
		{"server", func(r *testSession, _ context.CancelCauseFunc) { _ = r.server.Close() }, io.EOF},
		{"context", func(_ *testSession, cancel context.CancelCauseFunc) { cancel(errStop) }, errStop},
		{"context in the menu", func(r *testSession, cancel context.CancelCauseFunc) {
			r.input <- []byte("\x1d")
			cancel(errStop)
		}, errStop},
		{"terminal", func(r *testSession, _ context.CancelCauseFunc) { close(r.input) }, errNoTerminal},
		{"endless", func(r *testSession, _ context.CancelCauseFunc) {
			_, _ = io.WriteString(r.server, "\xff\xfa\x18"+strings.Repeat("x", maxSub+1))
		}, errEndless},
		{"flood", func(r *testSession, _ context.CancelCauseFunc) {
			ask := strings.Repeat("\xff\xfa\x18\x01\xff\xf0", 10_000)
			_, _ = io.WriteString(r.server, "\xff\xfd\x18")
			for range 1000 { // the server does not read the answers
				if _, err := io.WriteString(r.server, ask); err != nil {
					return
				}
			}
		}, errFlood},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			r := startSession(ctx, t, "telnet://HOST/")
			tt.do(r, cancel)
			if err := r.endSession(t); !errors.Is(err, tt.want) {
				t.Errorf("Run = %v; want %v", err, tt.want)
			}
		})
	}
}

// TestOptionLoop checks that a server that repeats requests for options gets only one answer for
// each change.
func TestOptionLoop(t *testing.T) {
	r := startSession(t.Context(), t, "telnet://HOST/")
	r.send(t, strings.Repeat("\xff\xfb\x63\xff\xfd\x63\xff\xfb\x01", 10_000)+"\xff\xfd\x06")
	r.wantSent(t, "\xff\xfe\x63\xff\xfc\x63\xff\xfd\x01\xff\xfc\x06")
}

func TestConfirm(t *testing.T) {
	u := fetchtest.Parse(t, "telnet://guest:s3cret@mud.example.org:4000/")
	_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: u})
	confirm := fetchtest.As[*protocols.Confirm](t, err)
	text := confirm.Question + confirm.Reason + strings.Join(confirm.Details, "\n")
	for _, want := range []string{"mud.example.org", "4000", "guest", "****"} {
		fetchtest.Contains(t, text, want)
	}
	fetchtest.NotContains(t, text, "s3cret", "the password")
	for _, bad := range []urlcore.URL{
		urlcore.Telnet{Name: "telnet", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}, User: "a\x00b", HasUser: true}},
		urlcore.Telnet{Name: "rlogin", Server: urlcore.Server{HostPort: urlcore.HostPort{Host: "h"}}},
		urlcore.Generic{Name: "telnet", Rest: "x"},
	} {
		var failure *protocols.Error
		if _, err := new(Client).Fetch(t.Context(), protocols.Request{URL: bad}); !errors.As(err, &failure) {
			t.Errorf("Fetch(%#v): got %v; want an *Error", bad, err)
		}
	}
}
