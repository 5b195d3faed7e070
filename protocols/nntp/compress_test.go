package nntp

import (
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// deflatedConn is the server's end of a compressed connection.
type deflatedConn struct {
	net.Conn
	in  io.Reader
	out *flate.Writer
}

func deflate(c net.Conn) net.Conn {
	out, err := flate.NewWriter(c, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	return deflatedConn{c, flate.NewReader(c), out}
}

func (c deflatedConn) Read(p []byte) (int, error) { return c.in.Read(p) }

func (c deflatedConn) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	return n, errors.Join(err, c.out.Flush())
}

// keepGroup calls KeepGroup for all articles of a group. The parameter room limits their octets. It
// returns the number of articles fetched and the number of articles left out.
func keepGroup(t *testing.T, f *fake, c *Client, group string, room int64) (fetched, leftOut int, err error) {
	t.Helper()
	all := func(*protocols.ArticleNote) bool { return true }
	leftOut, err = c.KeepGroup(t.Context(), protocols.Request{URL: f.groupURL(group)}, all, &room, func(int) { fetched++ })
	return fetched, leftOut, err
}

// smallGroupAnswers returns the answers of a server with a group g of n articles of 5000 octets.
func smallGroupAnswers(n int) map[string]string {
	answers := map[string]string{
		"GROUP g": fmt.Sprintf("211 %d 1 %d g", n, n), "GROUP locked": "480 log in", "DATE": "111 20260101000000",
		"OVER": "224 here", "ARTICLE": "423 no",
	}
	for i := 1; i <= n; i++ {
		answers["OVER"] += fmt.Sprintf("\n%d\tSubject\ta@b\t\t<%d@x>\t\t5000\t9", i, i)
		answers[fmt.Sprintf("ARTICLE %d", i)] = fmt.Sprintf("220 %d <%d@x>\nMessage-ID: <%d@x>\n\n%s\n.", i, i, i, strings.Repeat("text ", 1000))
	}
	answers["OVER"] += "\n."
	return answers
}

// TestCompress keeps a group from servers with and without compression. KeepGroup must fetch all articles,
// unless octets follow the answer to COMPRESS. The capabilities must be requested only once.
func TestCompress(t *testing.T) {
	const offer = "101 hello\nVERSION 2\nCOMPRESS SHRINK DEFLATE\nREADER\n."
	for _, tt := range []struct {
		name, capabilities, answer string
		compressed                 bool
		want                       protocols.Reason
	}{
		{"offered", offer, "206 go on", true, protocols.Unknown},
		{"no such command", "500 what", "", false, protocols.Unknown},
		{"not offered", "101 hello\nVERSION 2\n.", "", false, protocols.Unknown},
		{"another algorithm", "101 hello\nCOMPRESS SHRINK\nXDEFLATE DEFLATE\n.", "", false, protocols.Unknown},
		{"refused", offer, "403 not now", false, protocols.Unknown},
		{"octets after the answer", offer, "206 go on\n211 1 1 1 g", false, protocols.Malformed},
	} {
		answers := smallGroupAnswers(3)
		answers["CAPABILITIES"], answers["COMPRESS"] = tt.capabilities, tt.answer
		f := startFake(t, answers)
		c := f.keptClient(t.TempDir(), 0)
		kept, _, err := keepGroup(t, f, c, "g", 1<<20)
		if protocols.ReasonOf(err) != tt.want || (err == nil) != (kept == 3) {
			t.Errorf("%s: KeepGroup fetched %d articles, error %v; want 3 articles or reason %v", tt.name, kept, err, tt.want)
		}
		if err != nil {
			continue
		}
		if received, plain := c.Compressed(); (received > 0) != tt.compressed || plain < 10*received {
			t.Errorf("%s: Compressed() = %d, %d; want compression to a tenth: %v", tt.name, received, plain, tt.compressed)
		}
		// The idle connection can be reused. A login needs a new connection.
		kept, _, err = keepGroup(t, f, c, "g", 1<<20)
		if kept > 0 || err != nil {
			t.Errorf("%s: the second KeepGroup fetched %d articles, error %v; want none", tt.name, kept, err)
		}
		if _, _, err = keepGroup(t, f, c, "locked", 1<<20); protocols.QuestionOf(err) == nil {
			t.Errorf("%s: KeepGroup of a group that requires a login = %v; want the question for a login", tt.name, err)
		}
		requests := slices.DeleteFunc(f.sentCommands(), func(s string) bool { return s != "CAPABILITIES" })
		fetchtest.Equal(t, len(requests), 1, "%s: requests for capabilities", tt.name)
	}
}

// TestKeepGroupRoom checks that the oldest articles are left out if there is not enough room, and that an
// expired article is skipped.
func TestKeepGroupRoom(t *testing.T) {
	answers := smallGroupAnswers(60)
	delete(answers, "ARTICLE 59")
	f := startFake(t, answers)
	c := f.keptClient(t.TempDir(), 0)
	for _, tt := range []struct{ room, kept, left int64 }{{2, 1, 58}, {2, 0, 58}, {5, 3, 55}, {60, 55, 0}, {60, 0, 0}} {
		kept, left, err := keepGroup(t, f, c, "g", tt.room*8192+100)
		if err != nil || int64(kept) != tt.kept || int64(left) != tt.left {
			t.Errorf(
				"KeepGroup with room for %d articles: %d fetched, %d left out, error %v; want %d, %d", tt.room, kept,
				left, err, tt.kept, tt.left,
			)
		}
	}
	var numbers []string
	for _, s := range f.sentCommands() {
		if n, ok := strings.CutPrefix(s, "ARTICLE "); ok && n != "59" {
			numbers = append(numbers, n)
		}
	}
	if want := []string{"60", "56", "57", "58", "1", "2"}; !slices.Equal(numbers[:6], want) || len(numbers) != 59 {
		t.Errorf("requested %d articles, %q; want 59, first %q", len(numbers), numbers, want)
	}
}

// TestKeepInterrupted checks that the articles fetched before the connection was lost are kept.
func TestKeepInterrupted(t *testing.T) {
	answers := smallGroupAnswers(60)
	answers["ARTICLE 31"] = "220 31 <31@x>\nMessage-ID: <31@x>\nclose"
	f := startFake(t, answers)
	c := f.keptClient(t.TempDir(), 0)
	if kept, _, err := keepGroup(t, f, c, "g", 1<<30); kept != 30 || protocols.ReasonOf(err) != protocols.Broken {
		t.Errorf("interrupted KeepGroup fetched %d articles, error %v; want 30, Broken", kept, err)
	}
	f.setAnswer("ARTICLE 31", "423 no")
	if kept, _, err := keepGroup(t, f, c, "g", 1<<30); kept != 29 || err != nil {
		t.Errorf("the next KeepGroup fetched %d articles, error %v; want 29", kept, err)
	}
}
