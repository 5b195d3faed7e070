package fetchtest

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// toyFetcher is a Fetcher for a minimal Gopher, with a bug that the suite must find.
type toyFetcher struct {
	dialer wire.Dialer
	bug    string

	mu     sync.Mutex
	leaked []io.Closer // references that keep the garbage collector from closing the sockets
}

func (f *toyFetcher) Fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	g := req.URL.(urlcore.Gopher)
	inner := ctx
	if f.bug == "ignores cancel" {
		inner = context.WithoutCancel(ctx)
	}
	conn, err := f.dialer.Dial(inner, g.Addr())
	if err != nil {
		if f.bug == "unnamed errors" {
			return nil, fmt.Errorf("dial: %v", err)
		}
		return nil, err
	}
	res, err := f.answer(conn, g)
	if err != nil {
		_ = conn.Close()
	}
	return res, err
}

func (f *toyFetcher) answer(conn *wire.Conn, g urlcore.Gopher) (*protocols.Resource, error) {
	if _, err := io.WriteString(conn, g.Selector+"\r\n"); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	if first, err := r.Peek(1); err != nil && err != io.EOF {
		return nil, err
	} else if string(first) == "3" && f.bug != "missing is found" {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch"}
	}
	res := &protocols.Resource{Head: protocols.Head{URL: g, Size: -1}, Closer: conn}
	switch f.bug {
	case "leaks a socket":
		res.Closer = io.NopCloser(nil)
		f.mu.Lock()
		f.leaked = append(f.leaked, conn)
		f.mu.Unlock()
	case "leaks a goroutine":
		go func() { <-make(chan struct{}) }()
	case "leaks until its context ends":
		go func() { <-conn.Context().Done() }()
	case "leaks until a time limit": // both this limit and leakPatience are a hundredth of the usual time
		go func() { time.Sleep(cmp.Or(f.dialer.FirstByte, wire.DefaultFirstByte) / 100) }()
	case "sets Lines and Body":
		res.Body = r
	}
	if g.Type == '1' {
		res.Layout = protocols.LayoutMenu
		res.Lines = f.lines(conn, r, g)
		return res, nil
	}
	res.Body = &toyBody{r: r, conn: conn, bug: f.bug}
	if f.bug == "takes a document for a menu" {
		res.Layout = protocols.LayoutMenu
	}
	return res, nil
}

// toyBody is the body of a document.
type toyBody struct {
	r    io.Reader
	conn *wire.Conn
	bug  string
}

func (s *toyBody) Read(p []byte) (int, error) {
	if s.conn.Context().Err() != nil {
		return 0, context.Cause(s.conn.Context())
	}
	n, err := s.r.Read(p)
	switch {
	case s.bug == "swallows errors" && err != nil:
		err = io.EOF
	case s.bug == "wrong octets" && n > 0:
		p[0] = '?'
	}
	return n, err
}

func (f *toyFetcher) lines(conn *wire.Conn, r io.Reader, g urlcore.Gopher) func(func(protocols.Line, error) bool) {
	return func(yield func(protocols.Line, error) bool) {
		lines := wire.NewLineReader(r)
		var whole string
		for {
			b, more, err := lines.Next()
			if conn.Context().Err() != nil {
				err = context.Cause(conn.Context())
			}
			if err == io.EOF || err != nil && f.bug == "swallows errors" {
				return
			}
			if err != nil {
				yield(protocols.Line{}, err)
				return
			}
			whole += string(b)
			if more && (f.bug == "endless lines" || len(whole) < wire.MaxLine) {
				if len(whole) > 2<<20 {
					yield(protocols.Line{Text: whole}, nil)
					return
				}
				continue
			}
			if more {
				yield(protocols.Line{}, &protocols.Error{Reason: protocols.TooBig})
				return
			}
			text, selector, _ := strings.Cut(whole, "\t")
			whole = ""
			if !yield(f.line(text, selector, g), nil) {
				return
			}
		}
	}
}

func (f *toyFetcher) line(text, selector string, g urlcore.Gopher) protocols.Line {
	if selector == "" {
		return protocols.Line{Text: text}
	}
	u, err := urlcore.NewGopherItem(selector[0], selector[1:], g.Host, g.Port)
	if err != nil {
		return protocols.Line{Kind: protocols.Problem, Text: text}
	}
	if item, ok := u.(urlcore.Gopher); ok && f.bug == "links are not canonical" {
		item.Port, item.Host = 70, "EXAMPLE.invalid"
		u = item
	}
	return protocols.Line{Kind: protocols.Text, Text: text, Link: u}
}

// serveToy serves the toy protocol until the test ends.
func serveToy(t *testing.T) (addr string) {
	t.Helper()
	return Serve(t, func(c net.Conn) {
		request, _ := bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, toyAnswer(strings.TrimRight(request, "\r\n")))
	})
}

func toyAnswer(selector string) string {
	var b strings.Builder
	switch selector {
	case "menu":
		for i := range 40 {
			fmt.Fprintf(&b, "item %d\t0text%d\r\n", i, i)
		}
	case "slow":
		return strings.Repeat("0123456789abcde\n", 1<<19)
	case "missing":
		return "3there is none\r\n"
	default:
		fmt.Fprintf(&b, "This is %s.\n", selector)
	}
	return b.String()
}

func toyTarget(addr, bug string) Target {
	base := "gopher://" + addr + "/"
	return Target{
		New: func(d wire.Dialer) protocols.Fetcher { return &toyFetcher{dialer: d, bug: bug} },
		Pages: []Page{
			{URL: base + "1menu", Layout: protocols.LayoutMenu, Lines: 40, Contains: []string{"item 39"}, Streams: true},
			{URL: base + "0text", Contains: []string{"This is text."}, Streams: true},
		},
		Large:    base + "9slow",
		Missing:  []string{base + "0missing"},
		WalkFrom: []string{base + "1menu"},
		Known: func(u urlcore.URL) ([]byte, bool) {
			return []byte(toyAnswer(u.(urlcore.Gopher).Selector)), true
		},
	}
}

func TestGoodFetcher(t *testing.T) { Run(t, toyTarget(serveToy(t), "")) }

// recorder is a testing.TB that records failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) addFailure(s string) {
	r.mu.Lock()
	r.failures = append(r.failures, s)
	r.mu.Unlock()
}

func (r *recorder) Helper()                      {}
func (r *recorder) Logf(string, ...any)          {}
func (r *recorder) Errorf(f string, args ...any) { r.addFailure(fmt.Sprintf(f, args...)) }
func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	r.cleanups = append(r.cleanups, f)
	r.mu.Unlock()
}

func (r *recorder) Fatal(args ...any) { r.addFailure(fmt.Sprint(args...)); runtime.Goexit() }

func (r *recorder) Fatalf(f string, args ...any) {
	r.addFailure(fmt.Sprintf(f, args...))
	runtime.Goexit()
}

// runCheck runs the check called name and returns its failures.
func runCheck(t *testing.T, name string, target Target) []string {
	t.Helper()
	return runRecorded(t, func(r *recorder) {
		for _, c := range checks() {
			if c.name == name {
				c.runAndFindLeaks(r, target)
				return
			}
		}
		r.addFailure("there is no such check")
	})
}

// runRecorded runs f with a recorder and returns the failures.
func runRecorded(t *testing.T, f func(*recorder)) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(r.cleanups) - 1; i >= 0; i-- {
				r.cleanups[i]()
			}
		}()
		f(r)
	}()
	<-done
	return r.failures
}

// TestComparisons checks that each comparison fails if the values differ, and only then.
func TestComparisons(t *testing.T) {
	lost := &protocols.Error{Reason: protocols.Broken, Op: "read"}
	read := func(err error) (string, error) { return "a", err }
	for _, test := range []struct {
		good, bad func(t *recorder)
		want      string
	}{
		{func(t *recorder) { Equal(t, 1, 1) }, func(t *recorder) { Equal(t, 1, 2, "n of %d", 3) }, "n of 3: got 1, want 2"},
		{func(t *recorder) { EqualSlices(t, []int{1}, []int{1}) }, func(t *recorder) { EqualSlices(t, []int{1}, nil) }, "got [1], want []"},
		{func(t *recorder) { DeepEqual(t, []int{}, []int{}) }, func(t *recorder) { DeepEqual(t, []int{}, []int(nil)) }, "got [], want []"},
		{func(t *recorder) { Contains(t, "ab", "b") }, func(t *recorder) { Contains(t, "ab", "c") }, `got "ab", want "c" in it`},
		{func(t *recorder) { Contains(t, "", "") }, func(t *recorder) { Contains(t, "a\nb", "c") }, "got \"a\\n\"\n\"b\", want \"c\" in it"},
		{func(t *recorder) { NotContains(t, "ab", "c") }, func(t *recorder) { NotContains(t, "ab", "b") }, `got "ab", want no "b" in it`},
		{func(t *recorder) { Returns(t, "a")(read(nil)) }, func(t *recorder) { Returns(t, "b")(read(nil)) }, `got "a", want "b"`},
		{
			func(t *recorder) { ReturnsText(t, "a")([]byte("a"), nil) },
			func(t *recorder) { ReturnsText(t, "a")([]byte("a"), lost) }, "got a, read: connection lost",
		},
		{
			func(t *recorder) { CheckCanonical(t, urlcore.News{Group: "a"}) },
			func(t *recorder) { CheckCanonical(t, URL("gopher://H/")) }, "want gopher://H/",
		},
		{func(t *recorder) { Fails(t, protocols.Broken)(read(lost)) }, func(t *recorder) { Fails(t, protocols.Broken)(read(nil)) }, "got <nil>"},
		{
			func(t *recorder) { Fails(t, protocols.Unknown)(read(io.EOF)) },
			func(t *recorder) { Fails(t, protocols.Unknown)(read(nil)) }, "got <nil>",
		},
		{func(t *recorder) { FailsWith(t, lost)(read(lost)) }, func(t *recorder) { FailsWith(t, lost)(read(io.EOF)) }, "got the error EOF"},
		{func(t *recorder) { ErrorIs(t, lost, lost) }, func(t *recorder) { FailsWith(t, nil)(read(nil)) }, "got the error <nil>"},
		{collectLines(Menu(new(atomic.Int32), nil)), collectLines(File(new(atomic.Int32), "", nil)), "x:: got a document"},
		{
			func(t *recorder) { Returns(t, "ab", "read")(readText("ab", 2)) },
			func(t *recorder) { Returns(t, "ab", "read")(readText("abc", 2)) }, "larger than 2 octets",
		},
		{func(t *recorder) { As[*protocols.Error](t, lost) }, func(t *recorder) { As[*protocols.Login](t, lost) }, "want a *protocols.Login"},
		{func(t *recorder) { NoError(t, nil) }, func(t *recorder) { NoError(t, io.EOF, "x") }, "x: EOF"},
	} {
		if good, bad := runRecorded(t, test.good), runRecorded(t, test.bad); len(good) != 0 || len(bad) != 1 ||
			!strings.Contains(bad[0], test.want) {
			t.Errorf("for equal values got failures %q, want none; for others got %q, want one that contains %q", good, bad, test.want)
		}
	}
}

// collectLines returns a test that fetches a page from f.
func collectLines(f protocols.Fetcher) func(*recorder) {
	return func(t *recorder) {
		_, _, err := CollectLines(t.Context(), t, f, protocols.Request{URL: URL("x:")})
		NoError(t, err)
	}
}

func readText(text string, limit int64) (string, error) {
	b, err := readAll(strings.NewReader(text), limit)
	return string(b), err
}

// TestBadFetchers checks that the suite finds the bugs of toyFetcher.
func TestBadFetchers(t *testing.T) {
	for _, test := range []struct{ bug, check, want string }{
		{"ignores cancel", "CanceledBefore", "want the cause"},
		{"swallows errors", "Stall", "want a timeout"},
		{"swallows errors", "BreakOff", "no error"},
		{"swallows errors", "CancelStalled", "want the cause"},
		{"leaks a socket", "Pages", "sockets remain"},
		{"leaks a goroutine", "Pages", "(*toyFetcher).answer.func1"},
		{"leaks a goroutine", "CloseSlow", "(*toyFetcher).answer.func1"},
		{"leaks until its context ends", "Pages", "(*toyFetcher).answer.func2"},
		{"leaks until a time limit", "Pages", "(*toyFetcher).answer.func3"},
		{"leaks until a time limit", "CloseSlow", "(*toyFetcher).answer.func3"},
		{"sets Lines and Body", "Pages", "exactly one"},
		{"takes a document for a menu", "Pages", "the layout of a document needs Body"},
		{"wrong octets", "Walk", "want 15 octets"},
		{"wrong octets", "Pages", "is not in the page"},
		{"links are not canonical", "Walk", "is read as"},
		{"missing is found", "Missing", "want one of reason NotFound"},
		{"unnamed errors", "Refused", "want one of reason Refused"},
		{"endless lines", "Flood", "a line of"},
	} {
		t.Run(test.bug+"/"+test.check, func(t *testing.T) {
			addr := serveToy(t)
			target := toyTarget(addr, test.bug)
			if strings.HasPrefix(test.bug, "leaks") {
				target.leakPatience = leakPatience / 100 // makes the test shorter
			}
			found := strings.Join(runCheck(t, test.check, target), "\n")
			if !strings.Contains(found, test.want) {
				t.Errorf("%s of a fetcher that %s: got %q, want %q in it", test.check, test.bug, found, test.want)
			}
			if clean := runCheck(t, test.check, toyTarget(addr, "")); len(clean) > 0 {
				t.Errorf("%s of a good fetcher: %q", test.check, clean)
			}
		})
	}
}

// TestLeakOfVariant runs a check as [RunVariants] does. The comparison at the end must find a leak if
// only the end of the context releases a resource.
func TestLeakOfVariant(t *testing.T) {
	for _, bug := range []string{"", "leaks until its context ends"} {
		target := toyTarget(serveToy(t), bug)
		target.ctx = t.Context()
		before := takeLeakSnapshot()
		EqualSlices(t, runCheck(t, "Pages", target), nil, "a check of a fetcher that %s", bug)
		r := &recorder{TB: t}
		before.compare(r, leakPatience/100)
		Equal(t, len(r.failures) > 0, bug != "", "%q: leaks found", bug)
	}
}
