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

// deflatedConn is the compressed connection of a server.
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

// keepAll keeps the articles of a group in room octets.
func keepAll(t *testing.T, f *fake, c *Client, group string, room int64) (kept, leftOut int, err error) {
	t.Helper()
	all := func(*protocols.ArticleNote) bool { return true }
	leftOut, err = c.KeepGroup(t.Context(), f.nntp(group), all, &room, func(int) { kept++ })
	return kept, leftOut, err
}

// smallGroup are the answers of a server with a group g of n articles of 5000 octets.
func smallGroup(n int) map[string]string {
	answers := map[string]string{"GROUP g": fmt.Sprintf("211 %d 1 %d g", n, n), "GROUP locked": "480 log in", "DATE": "111 20260101000000", "OVER": "224 here", "ARTICLE": "423 no"}
	for i := 1; i <= n; i++ {
		answers["OVER"] += fmt.Sprintf("\n%d\tSubject\ta@b\t\t<%d@x>\t\t5000\t9", i, i)
		answers[fmt.Sprintf("ARTICLE %d", i)] = fmt.Sprintf("220 %d <%d@x>\nMessage-ID: <%d@x>\n\n%s\n.", i, i, i, strings.Repeat("text ", 1000))
	}
	answers["OVER"] += "\n."
	return answers
}

// TestCompress: a server that does not compress sends the same, and is not asked again.
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
		{"more than the answer", offer, "206 go on\n211 1 1 1 g", false, protocols.Malformed},
	} {
		answers := smallGroup(3)
		answers["CAPABILITIES"], answers["COMPRESS"] = tt.capabilities, tt.answer
		f := startFake(t, answers)
		c := f.keptClient(t.TempDir(), 0)
		kept, _, err := keepAll(t, f, c, "g", 1<<20)
		if protocols.ReasonOf(err) != tt.want || (err == nil) != (kept == 3) {
			t.Errorf("%s: %d kept, %v", tt.name, kept, err)
		}
		if err != nil {
			continue
		}
		if received, plain := c.Compressed(); (received > 0) != tt.compressed || plain < 10*received {
			t.Errorf("%s: %d octets received as %d", tt.name, plain, received)
		}
		// Of an idle connection all answers were read, and a login has a new one.
		kept, _, err = keepAll(t, f, c, "g", 1<<20)
		if kept > 0 || err != nil {
			t.Errorf("%s: again %d kept, %v", tt.name, kept, err)
		}
		if _, _, err = keepAll(t, f, c, "locked", 1<<20); protocols.QuestionOf(err) == nil {
			t.Errorf("%s: got %v, want a login", tt.name, err)
		}
		asked := slices.DeleteFunc(f.said(), func(s string) bool { return s != "CAPABILITIES" })
		fetchtest.Equal(t, len(asked), 1, "%s: requests for capabilities", tt.name)
	}
}

// TestKeptRoom: of articles that do not fit the oldest ones are left out, also when newer ones
// are there already; an article that the server no longer has is passed over.
func TestKeptRoom(t *testing.T) {
	answers := smallGroup(60)
	delete(answers, "ARTICLE 59")
	f := startFake(t, answers)
	c := f.keptClient(t.TempDir(), 0)
	for _, tt := range []struct{ room, kept, left int64 }{{2, 1, 58}, {2, 0, 58}, {5, 3, 55}, {60, 55, 0}, {60, 0, 0}} {
		kept, left, err := keepAll(t, f, c, "g", tt.room*8192+100)
		if err != nil || int64(kept) != tt.kept || int64(left) != tt.left {
			t.Errorf("room for %d: %d kept, %d left out, %v; want %d, %d", tt.room, kept, left, err, tt.kept, tt.left)
		}
	}
	var numbers []string
	for _, s := range f.said() {
		if n, ok := strings.CutPrefix(s, "ARTICLE "); ok && n != "59" {
			numbers = append(numbers, n)
		}
	}
	if want := []string{"60", "56", "57", "58", "1", "2"}; !slices.Equal(numbers[:6], want) || len(numbers) != 59 {
		t.Errorf("asked for %q", numbers)
	}
}

// TestKeepInterrupted: what came before the connection was lost is kept.
func TestKeepInterrupted(t *testing.T) {
	answers := smallGroup(60)
	answers["ARTICLE 31"] = "220 31 <31@x>\nMessage-ID: <31@x>\nclose"
	f := startFake(t, answers)
	c := f.keptClient(t.TempDir(), 0)
	if kept, _, err := keepAll(t, f, c, "g", 1<<30); kept != 30 || protocols.ReasonOf(err) != protocols.Broken {
		t.Errorf("%d kept, %v", kept, err)
	}
	f.set("ARTICLE 31", "423 no")
	if kept, _, err := keepAll(t, f, c, "g", 1<<30); kept != 29 || err != nil {
		t.Errorf("%d kept, %v", kept, err)
	}
}
