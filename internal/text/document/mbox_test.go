package document

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

const mailbox = "From joe@h.example Thu Jan  2 03:04:05 2020\r\nFrom: Joe <joe@h.example>\r\nSubject: One\r\nDate: Thu, 2 Jan 2020 03:04:05 +0000\r\n\r\nFrom the sea, a text.\r\n>From quoted\r\n>>From twice\r\n\r\nFrom here on it is text: no header follows\r\n\r\n" +
	"From ann@h.example  Fri Jan  3 2020\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: ann\n\nsecond\n\n" +
	"From - \nX: y\n\nthird\n"

func messages(t *testing.T, r io.Reader) []string {
	t.Helper()
	var all []string
	for m := NewMailbox(r); ; {
		if err := m.Next(); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		b := fetchtest.Must(io.ReadAll(m))(t)
		all = append(all, string(b))
	}
}

func TestMailbox(t *testing.T) {
	want := []string{
		"From: Joe <joe@h.example>\r\nSubject: One\r\nDate: Thu, 2 Jan 2020 03:04:05 +0000\r\n\r\n" +
			"From the sea, a text.\r\nFrom quoted\r\n>From twice\r\n\r\nFrom here on it is text: no header follows\r\n\r\n",
		"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nFrom: ann\n\nsecond\n\n",
		"X: y\n\nthird\n",
	}
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(mailbox), "octet by octet": iotest.OneByteReader(strings.NewReader(mailbox)),
		"after a text": strings.NewReader("a text\n\n" + mailbox),
	} {
		if got := messages(t, r); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	long := "From joe\nSubject: " + strings.Repeat("x", 3*maxLine) + "\n\nFrom " + strings.Repeat("y", 3*maxLine) + "\n\n"
	if got := messages(t, strings.NewReader(long+mailbox)); len(got) != 4 || "From joe\n"+got[0] != long {
		t.Errorf("long lines: got %d messages, want 4, the first unchanged", len(got))
	}
	const ends = "From joe Thu Jan  2 03:04:05 2020\nSubject: s\n\ntext\n"
	for in, want := range map[string]int{
		ends + ends: 2, ends + "From joe@h Thu Jan 2 03:04:05 2020 +0000\nX: y\n\n": 2, ends + "From joe Thu Jan 2 03:04 PST 2020\nX: y\n\n": 2,
		ends + "From joe\nX: y\n": 1, ends + "From now on, Jan 5 10:30 today\nNote: x\n": 1,
		ends + "From joe Thu Jan  2 03:04:05 2020\nno header\n": 1,
		ends + ">" + ends: 1,
	} {
		fetchtest.Equal(t, len(messages(t, strings.NewReader(in))), want, "messages without an empty line before the From line in %q", in)
	}
	for n := range 300 { // the field after the From line may be outside the first block
		if got := messages(t, strings.NewReader("From "+strings.Repeat("x", n)+"\nSubject: s\n\n"+mailbox)); len(got) != 4 {
			t.Errorf("a From line of %d octets: got %d messages, want 4", n+5, len(got))
		}
	}
	cause := errors.New("broken off")
	m := NewMailbox(io.MultiReader(strings.NewReader(mailbox[:200]), iotest.ErrReader(cause)))
	fetchtest.NoError(t, m.Next())
	fetchtest.FailsWith(t, cause)(io.ReadAll(m))
	fetchtest.ErrorIs(t, m.Next(), cause)
}

// TestMailboxPage opens mailboxes as lists of their messages, whatever their media type.
func TestMailboxPage(t *testing.T) {
	u := urlcore.FTP{Path: "old.mbox"}
	u.Host = "h.example"
	for _, tt := range []struct {
		said, text string
		want       int // number of messages; 0: a text
	}{
		{"application/mbox", mailbox, 3},
		{"text/plain", mailbox, 3},
		{"", mailbox, 3},
		{"message/rfc822", mailbox, 3},
		{"text/plain", mailbox[:strings.LastIndex(mailbox, "\nFrom ")+1], 2},
		{"text/plain", mailbox + "\nFrom joe\nSubject: s\n\n" + strings.Repeat("long\n", maxOneMessage/5), 4},
		{"application/mbox", "no messages\n", 0},
		{"text/plain", "From the sea: a text\n\nis not a message.\n", 0},
		{"text/plain", "From: joe\n\ntext\n", 0},
	} {
		d := fetchtest.Must(Open(protocols.Head{URL: u, Media: tt.said, Size: -1}, iotest.OneByteReader(strings.NewReader(tt.text))))(t)
		n := 0
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			if note, ok := l.Note.(*protocols.ArticleNote); ok {
				n++
				fetchtest.Equal(t, l.Link.String(), fmt.Sprintf("about:message/%d/message.eml?ftp%%3A%%2F%%2Fh.example%%2Fold.mbox", n), "the link")
				if n == 1 && (note.Subject != "One" || note.From != "Joe <joe@h.example>" || note.Date.Day() != 2) {
					t.Errorf("the first message: got %+v, want One by Joe of January 2", note)
				}
			}
		}
		fetchtest.Equal(t, n, tt.want, "%s %.20q: messages", tt.said, tt.text)
	}
}

// TestMailboxOfOneMessage checks that a file with one message is shown as a text if its end has been read.
func TestMailboxOfOneMessage(t *testing.T) {
	one := "From joe@h.example Thu Jan  2 03:04:05 2020\r\nFrom: Joe <joe@h.example>\r\nSubject: One\r\n\r\nA text.\r\n" +
		strings.Repeat("More.\r\n", 2000)
	broken := errors.New("reset")
	for name, tt := range map[string]struct {
		r    io.Reader
		want string
	}{
		"at once":             {strings.NewReader(one), "text/plain"},
		"octet by octet":      {iotest.OneByteReader(strings.NewReader(one)), "text/plain"},
		"short":               {strings.NewReader(one[:strings.Index(one, "More")+7]), "text/plain"},
		"two":                 {strings.NewReader(one + "\r\n" + one), MediaMailbox},
		"broken off":          {io.MultiReader(strings.NewReader(one), iotest.ErrReader(broken)), MediaMailbox},
		"longer than is read": {strings.NewReader(one + strings.Repeat("More.\r\n", maxOneMessage/7)), MediaMailbox},
	} {
		d := fetchtest.Must(Open(protocols.Head{Media: "text/plain", Size: -1}, tt.r))(t)
		fetchtest.Equal(t, d.Media, tt.want, "%s", name)
		fetchtest.Equal(t, d.Layout, protocols.LayoutText, "%s", name)
		var text []string
		for l, err := range d.Lines() {
			if err != nil && !errors.Is(err, broken) {
				t.Fatal(err)
			}
			text = append(text, l.Text)
		}
		if got := strings.Join(text, "\n"); tt.want == "text/plain" &&
			!strings.HasPrefix(got, "From joe@h.example Thu Jan  2 03:04:05 2020\nFrom: Joe <joe@h.example>\nSubject: One\n\nA text.\nMore.") {
			t.Errorf("%s: got the text %.200q, want the whole message with its From line", name, got)
		}
	}
}

// TestSlowMailbox checks that a mailbox is shown as a list if its second message arrives soon, and
// otherwise as a text. It also checks that no octet is lost.
func TestSlowMailbox(t *testing.T) {
	header, third := mailbox[:strings.Index(mailbox, "\r\n\r\n")+4], strings.LastIndex(mailbox, "From ")
	for _, tt := range []struct {
		name   string
		pauses []time.Duration // pauses before the pieces after the header
		pieces []string
		media  string
		wait   time.Duration
	}{
		{"nothing more for long", []time.Duration{time.Hour}, []string{mailbox[len(header):]}, "text/plain", maxMailboxWait},
		{"soon", []time.Duration{maxMailboxWait - 1}, []string{mailbox[len(header):]}, MediaMailbox, maxMailboxWait - 1},
		{
			"in small pieces",
			[]time.Duration{1, 1, maxMailboxWait},
			strings.SplitAfterN(mailbox[len(header):], "\n", 3), "text/plain", maxMailboxWait,
		},
		{"two and then nothing", []time.Duration{1, time.Hour}, []string{"\n" + mailbox[third:], "more"}, MediaMailbox, maxMailboxWait},
		{
			"without pause", slices.Repeat([]time.Duration{mailboxPause - 1}, 200),
			slices.Repeat([]string{strings.Repeat("x\n", maxOneMessage/400)}, 200), "text/plain",
			200 * (mailboxPause - 1),
		},
		{
			"octet by octet", slices.Repeat([]time.Duration{mailboxPause - 1}, 400), slices.Repeat([]string{"x"}, 400),
			"text/plain", maxMailboxTime,
		},
		{"one, soon", []time.Duration{1}, []string{"text\n"}, "text/plain", 1},
		{"panic", []time.Duration{time.Hour}, []string{"panic"}, "text/plain", maxMailboxWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				_, _ = io.WriteString(w, header)
				for i, pause := range tt.pauses {
					time.Sleep(pause)
					_, _ = io.WriteString(w, tt.pieces[i])
				}
				_ = w.Close()
			}()
			begun := time.Now()
			d := fetchtest.Must(Open(protocols.Head{Media: "text/plain", Size: -1}, panicReader{r}))(t)
			fetchtest.Equal(t, fmt.Sprint(d.Media, " ", time.Since(begun)), fmt.Sprint(tt.media, " ", tt.wait), "%s", tt.name)
			defer func() {
				if v := recover(); (v != nil) != (tt.name == "panic") {
					t.Errorf("%s: got panic %v, want a panic only in the case \"panic\"", tt.name, v)
				}
				_, _ = io.Copy(io.Discard, r)
			}()
			got := fetchtest.Must(io.ReadAll(iotest.HalfReader(d)))(t)
			fetchtest.Equal(t, string(got), header+strings.Join(tt.pieces, ""), "%s: the text", tt.name)
		})
	}
}

// panicReader is a reader that panics when it reads "panic".
type panicReader struct{ io.Reader }

func (r panicReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if string(p[:n]) == "panic" {
		panic("panic")
	}
	return n, err
}

// TestCancelSlowMailbox checks that Wait ends the background read.
func TestCancelSlowMailbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, mailbox[:strings.Index(mailbox, "\r\n\r\n")+4]) }()
		d := fetchtest.Must(Open(protocols.Head{Media: "text/plain", Size: -1}, r))(t)
		d.Wait(func() { _ = r.Close() })
		_, err := d.Read(make([]byte, 1<<10))
		fetchtest.NoError(t, err, "the first message")
		_, err = d.Read(make([]byte, 1))
		fetchtest.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

func FuzzMailbox(f *testing.F) {
	f.Add(mailbox)
	f.Fuzz(func(t *testing.T, text string) {
		octets := 0
		for _, m := range messages(t, strings.NewReader(text)) {
			octets += len(m)
		}
		if octets > len(text) {
			t.Errorf("the messages have %d octets, want at most the %d octets of the mailbox", octets, len(text))
		}
	})
}

// TestInside checks the links from archives and compressed files to their content.
func TestInside(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar, "a.txt")
	copy(tar[124:], "00000000000")
	copy(tar[148:], "        ")
	sum := 0
	for _, c := range tar {
		sum += int(c)
	}
	copy(tar[148:], fmt.Sprintf("%06o\x00 ", sum))
	const gz = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x54\x28\x49\xad\x28\xe1\x02\x00\x6f\xd4\xf2\x8b\x07\x00\x00\x00"
	for _, tt := range []struct {
		name, data, want string
		size             int64 // 0: the size of data
	}{
		{"a.tar", string(tar), "Open the archive about:archive?ftp%3A%2F%2Fh.example%2Fa.tar", 0},
		{"a.zip", "PK\x03\x04xxxx", "Open the archive about:archive?ftp%3A%2F%2Fh.example%2Fa.zip", 0},
		{"a.TAR.gz", gz, "Open the archive about:archive?ftp%3A%2F%2Fh.example%2Fa.TAR.gz", 0},
		{"a.tgz", gz, "Open the archive about:archive?ftp%3A%2F%2Fh.example%2Fa.tgz", 0},
		{"a.txt.gz", gz, "Open the uncompressed content about:entry/1/a.txt?ftp%3A%2F%2Fh.example%2Fa.txt.gz", 0},
		{"a.exe", "\x7fELF\x00\x00", "", 0},
		{"a.zip", "PK\x03\x04xxxx", "Open the archive about:archive?ftp%3A%2F%2Fh.example%2Fa.zip", maxSizeInside},
		{"a.zip", "PK\x03\x04xxxx", "", maxSizeInside + 1},
	} {
		u := urlcore.FTP{Path: tt.name}
		u.Host = "h.example"
		d := fetchtest.Must(Open(protocols.Head{URL: u, Size: cmp.Or(tt.size, int64(len(tt.data)))}, strings.NewReader(tt.data)))(t)
		got := ""
		for l := range d.Lines() {
			if l.Link != nil && l.Link != urlcore.URL(u) {
				got += l.Text + " " + l.Link.String()
			}
		}
		fetchtest.Equal(t, got, tt.want, "%s", tt.name)
	}
}
