package ftp

import (
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestReplyTooMany lists a directory of a server that once replies twice to the CWD before it. The second reply must not make
// the directory look empty. If the server always does so, the listing fails.
func TestReplyTooMany(t *testing.T) {
	const twice = "250 please read README\r\n250 there"
	for _, always := range []bool{false, true} {
		for _, greeting := range []string{"220 like vsftpd", "220 hello"} {
			f := startFake(t, &fake{
				replies: map[string]string{"greeting": greeting}, data: map[string]string{"MLSD": "type=file; a\r\n"},
			})
			c := newClient(t)
			_, _, _, err := get(t, c, f.url(""))
			fetchtest.NoError(t, err)
			f.setReply(map[bool]string{true: "CWD d", false: "0 CWD d"}[always], twice)
			_, lines, _, err := get(t, c, f.url("d/"))
			if always {
				fetchtest.Reason(t, err, protocols.Broken)
			} else {
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, strings.Join(lines, "|"), "binary a /d/a", "lines")
			}
			fetchtest.Equal(t, c.serverAt(f.ln.Addr().String()).current().Pipelining, pipelineFails, "learned")
		}
	}
}

// TestNothingThere lists a directory of a server that replies at once that there is nothing. The reply is believed only over a
// connection on which nothing else was in flight, and if the data connection ends without an octet.
func TestNothingThere(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"MLSD": "226 nothing there"}})
	c := newClient(t)
	for want := range 2 { // no session is kept
		fetchtest.Returns(t, "")(getBody(t, c, f.url("")))
		fetchtest.Equal(t, f.connections(), 2+want, "connections")
	}
}

// TestNothingThereOpenData lists a directory of a server that replies 226 but leaves the data connection open.
func TestNothingThereOpenData(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"MLSD": "250 nothing there"}})
	c := newClient(t)
	c.Dialer.QuickReply = time.Millisecond
	c.serverAt(f.ln.Addr().String()).learn(func(h *habits) { h.Pipelining = pipelineFails })
	_, err := getBody(t, c, f.url(""))
	fetchtest.Reason(t, err, protocols.Broken)
}

// TestFailedTransfer checks that a transfer that has failed stays failed, whatever reply follows.
func TestFailedTransfer(t *testing.T) {
	for _, tt := range []struct {
		greeting, final, probe string
		want                   int
	}{
		{"220 like vsftpd", "426 aborted\r\n226 closing", "", 426},
		{"220 like vsftpd", "451 read error\r\n226 closing", "", 451},
		{"220 like vsftpd", "452 full\r\n226 closing", "", 452},
		{"220 like vsftpd", "552 full\r\n226 closing", "", 552},
		{"220 hello", "426 aborted\r\n226 closing", "", 426},
		{"220 hello", "451 read error", "250 NOOP ok", 451},
		{"220 hello", "500 read error", "250 NOOP ok", 500},
		{"220 hello", "451 read error", early + "250 NOOP ok", 451},
	} {
		f := startFake(t, &fake{
			probe: tt.probe, finalReply: tt.final, replies: map[string]string{"greeting": tt.greeting},
			data: map[string]string{"RETR": "half", "MLSD": "type=file; a\r\n"},
		})
		for _, path := range []string{"f", ""} {
			_, err := getBody(t, newClient(t), f.url(path))
			fetchtest.Equal(t, replyCode(err), tt.want, "code after %q, %q, %q", tt.greeting, tt.final, tt.probe)
		}
	}
}

// TestReplyTooManyBeforeChange removes a file after a reply too many. The reply must not be taken for that to the removal.
func TestReplyTooManyBeforeChange(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"0 CWD d": "250 read README\r\n250 there", "DELE": "550 no such file", "RMD": "550 no"}})
	_, err := newClient(t).Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: parse(t, f.url("d/a"))})
	fetchtest.Equal(t, replyCode(err), 550, "code")
}

// TestReplyTooManyAfterTransfer removes a file after a transfer that the server has ended with two replies. The second is not the
// reply to the request of the next port.
func TestReplyTooManyAfterTransfer(t *testing.T) {
	for _, greeting := range []string{"220 like vsftpd", "220 hello"} {
		f := startFake(t, &fake{
			finalReply: "226 done\r\n226 done again", data: map[string]string{"RETR": "abc"},
			replies: map[string]string{"greeting": greeting, "SIZE": "213 3", "DELE": "550 no", "RMD": "550 no"},
		})
		c := newClient(t)
		fetchtest.Returns(t, "abc")(getBody(t, c, f.url("f")))
		_, err := c.Change(t.Context(), &protocols.Change{Kind: protocols.Remove, URL: parse(t, f.url("f"))})
		fetchtest.Equal(t, replyCode(err), 550, "code")
		fetchtest.Equal(t, f.connections() > 1, true, "another connection")
	}
}

// TestBadOwedReply stores two files. The reply to MFMT of the first is bad or missing, which must not make the second fail.
// A server that is silent is not asked again.
func TestBadOwedReply(t *testing.T) {
	for _, reply := range []string{"hello, I set it", strings.Repeat("213-\r\n", maxReply/6) + "213 x", "..."} {
		f := startFake(t, &fake{replies: map[string]string{"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": reply}})
		c := newClient(t)
		if reply == "..." {
			c.Dialer.FirstByte = time.Second
		}
		var ups []*protocols.Upload
		for _, name := range []string{"a", "b", "c"} {
			up := &protocols.Upload{
				Body: strings.NewReader("abc"), Size: 3, Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
				Listed: true, Replace: true, Unchecked: true,
			}
			fetchtest.NoError(t, c.Put(t.Context(), parse(t, f.url("d/"+name)), up))
			ups = append(ups, up)
		}
		for _, up := range ups {
			if up.Finish != nil {
				up.Finish(t.Context())
			}
			fetchtest.Equal(t, up.DateKept, false, "the date is kept")
		}
		if n := strings.Count(strings.Join(f.commands(), "|"), "MFMT "); reply == "..." {
			fetchtest.Equal(t, n, 1, "MFMT commands to a silent server")
		}
	}
}

// TestSilentSTAT lists directories of a server that does not answer STAT. It is asked once.
func TestSilentSTAT(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"FEAT": "211-\r\n MLST UNIX.groupname*;\r\n211 End", "STAT": "..."},
		data:    map[string]string{"MLSD": "type=file; a\r\n"},
	})
	c := newClient(t)
	c.Dialer.FirstByte = time.Second
	for range 3 {
		_, lines, _, err := get(t, c, f.url(""))
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, strings.Join(lines, "|"), "binary a /a", "lines")
	}
	fetchtest.Equal(t, strings.Count(strings.Join(f.commands(), "|"), statAll), 1, "STAT commands")
}
