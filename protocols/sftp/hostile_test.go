package sftp_test

import (
	"context"
	"encoding/binary"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// answerWith returns a server that answers the request number n of each type, as answerRequests does.
func answerWith(reply func(kind byte, n int) (byte, string)) func(io.ReadWriter) {
	return func(rw io.ReadWriter) {
		counts := make(map[byte]int)
		answerRequests(rw, "", func(kind byte, _ []byte) (byte, string) {
			counts[kind]++
			return reply(kind, counts[kind]-1)
		})
	}
}

// answerRequests answers each request with the packet that reply returns: a type and what follows the number of the request.
// No packet ends the session. The server has version 3 with the given extensions.
func answerRequests(rw io.ReadWriter, extensions string, reply func(kind byte, values []byte) (byte, string)) {
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(rw, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head)-1)
		if _, err := io.ReadFull(rw, body); err != nil {
			return
		}
		if head[4] == 1 {
			_, _ = io.WriteString(rw, number(uint32(5+len(extensions)))+"\x02"+number(3)+extensions)
			continue
		}
		kind, rest := reply(head[4], body[4:])
		if kind == 0 {
			return
		}
		p := append(append([]byte{0, 0, 0, 0, kind}, body[:4]...), rest...)
		binary.BigEndian.PutUint32(p, uint32(len(p)-4))
		if _, err := rw.Write(p); err != nil {
			return
		}
	}
}

func text(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }

func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// entries returns an answer to READDIR.
func entries(names ...string) string {
	all := number(uint32(len(names)))
	for _, name := range names {
		all += text(name) + text("-rw-r--r-- 1 o g 1 Jan 1 2020 x") + number(0)
	}
	return all
}

// TestHostileNames checks that names that are not names have no links.
func TestHostileNames(t *testing.T) {
	bad := []string{"../up", "a/b", "nul\x00", "", "/etc"}
	s := startServer(t, func(s *testServer) {
		s.answer = answerWith(func(kind byte, n int) (byte, string) {
			switch {
			case kind == 11: // OPENDIR
				return 102, text("h")
			case kind == 12 && n == 0:
				return 104, entries(append(bad, ".", "..", "good")...)
			}
			return 101, number(1) + text("") + text("")
		})
	})
	c := s.newKnownClient(t)
	_, lines := readLines(t, c, "sftp://joe@"+s.addr+"/;type=d")
	fetchtest.Equal(t, len(lines), len(bad)+1)
	for name, line := range lines {
		fetchtest.Equal(t, line.Link != nil, name == "good", "%q has a link", name)
	}
}

// TestLinksWithoutTargets lists a link whose target the server does not name. It is still a link.
func TestLinksWithoutTargets(t *testing.T) {
	for name, readlink := range map[string]string{"refused": "", "too long": text(strings.Repeat("x", 5000)), "two": text("a") + text("") + number(0) + text("b")} {
		s := startServer(t, func(s *testServer) {
			s.answer = answerWith(func(kind byte, n int) (byte, string) {
				switch {
				case kind == 11: // OPENDIR
					return 102, text("h")
				case kind == 12 && n == 0:
					return 104, number(1) + text("link") + text("") + number(4) + number(0o120777)
				case kind == 17: // STAT
					return 105, number(4) + number(0o040755)
				case kind == 19 && readlink != "":
					return 104, number(uint32(strings.Count(name, "two")+1)) + readlink + text("") + number(0)
				}
				return 101, number(1) + text("") + text("")
			})
		})
		_, lines := readLines(t, s.newKnownClient(t), "sftp://joe@"+s.addr+"/;type=d")
		line := lines["link"]
		fetchtest.Equal(t, line.Kind, protocols.Directory, name)
		fetchtest.Equal(t, line.Note.(*protocols.FileNote).IsLink(), true, "%s: it is a link", name)
	}
}

// TestEndBeforeNames lists a directory whose end is reported before its last names, because the server answers in another order.
func TestEndBeforeNames(t *testing.T) {
	for name, late := range map[string]func() (byte, string){
		"names": func() (byte, string) { return 104, entries("b", "c") },
		"error": func() (byte, string) { return 101, number(4) + text("") + text("") },
	} {
		s := startServer(t, func(s *testServer) {
			s.answer = answerWith(func(kind byte, n int) (byte, string) {
				switch {
				case kind == 11:
					return 102, text("h")
				case kind == 12 && n == 0:
					return 104, entries("a")
				case kind == 12 && n == 2:
					return late()
				}
				return 101, number(1) + text("") + text("")
			})
		})
		res := fetchtest.Must(s.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/;type=d")}))(t)
		var err error
		lines := 0
		for _, err = range res.Lines {
			lines++
		}
		_ = res.Close()
		fetchtest.Equal(t, lines, map[string]int{"names": 3, "error": 2}[name], "%s: lines", name)
		fetchtest.Equal(t, err != nil, name == "error", "%s: %v", name, err)
	}
}

// TestReplacedBeforeOpen fetches a file that takes the place of another one after its size was asked for. The whole new file is read.
func TestReplacedBeforeOpen(t *testing.T) {
	for name, tt := range map[string]struct {
		old      uint32
		noFstat  bool
		wantSize int64
	}{
		"shorter": {3, false, 17}, "longer": {99999, false, 17}, "empty": {0, false, 17}, "the same": {17, false, 17},
		"shorter, without FSTAT": {3, true, -1}, "longer, without FSTAT": {99999, true, -1},
	} {
		const content = "NEWFILE-WITH-MORE"
		s := startServer(t, func(s *testServer) {
			s.answer = func(rw io.ReadWriter) {
				answerRequests(rw, "", func(kind byte, values []byte) (byte, string) {
					switch {
					case kind == 17: // STAT
						return 105, number(9) + number(0) + number(tt.old) + number(1) + number(1)
					case kind == 8 && !tt.noFstat:
						return 105, number(9) + number(0) + number(uint32(len(content))) + number(2) + number(2)
					case kind == 3:
						return 102, text("h")
					case kind == 5:
						at, n := binary.BigEndian.Uint64(values[5:]), binary.BigEndian.Uint32(values[13:])
						if at < uint64(len(content)) {
							return 103, text(content[at:min(uint64(len(content)), at+uint64(n))])
						}
						return 101, number(1) + text("") + text("")
					}
					return 101, number(8) + text("") + text("")
				})
			}
		})
		c, u := s.newKnownClient(t), fetchtest.Parse(t, "sftp://joe@"+s.addr+"/f")
		for _, begin := range []int64{0, 2} {
			req := protocols.Request{URL: u, Offset: begin}
			fetch := c.Fetch
			if begin > 0 {
				fetch = c.Resume
			}
			res := fetchtest.Must(fetch(t.Context(), req))(t)
			fetchtest.Equal(t, res.Size, max(-1, tt.wantSize-begin), "%s: size", name)
			fetchtest.Equal(t, !res.Modified.IsZero() && res.Modified.Unix() != 2, false, "%s: the date of the old file", name)
			fetchtest.ReturnsText(t, content[begin:])(io.ReadAll(res.Body))
			fetchtest.NoError(t, res.Close())
		}
	}
}

// TestHostilePackets checks the error for answers that do not follow the protocol.
func TestHostilePackets(t *testing.T) {
	status := func(code uint32) (byte, string) { return 101, number(code) + text("x\x1b[2J") + text("") }
	for name, tt := range map[string]struct {
		reply func(kind byte, n int) (byte, string)
		want  protocols.Reason
	}{
		"a read with more octets than requested": {func(kind byte, _ int) (byte, string) {
			switch kind {
			case 3:
				return 102, text("h")
			case 5:
				return 103, text(strings.Repeat("x", 11))
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"an empty piece": {func(kind byte, _ int) (byte, string) {
			switch kind {
			case 3:
				return 102, text("h")
			case 5:
				return 103, text("")
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"a status OK without data": {func(kind byte, _ int) (byte, string) {
			switch kind {
			case 3:
				return 102, text("h")
			case 5:
				return status(0)
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"octets after the data": {func(kind byte, n int) (byte, string) {
			switch {
			case kind == 3:
				return 102, text("h")
			case kind == 5 && n == 0:
				return 103, text("x") + "y"
			case kind == 5:
				return 103, text("123456789")
			}
			return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
		}, protocols.Malformed},
		"octets after the attributes": {func(byte, int) (byte, string) { return 105, number(0) + "x" }, protocols.Malformed},
		"a handle that is too long": {func(kind byte, _ int) (byte, string) {
			if kind == 3 {
				return 102, text(strings.Repeat("h", 257))
			}
			return 105, number(0)
		}, protocols.Malformed},
		"an extended attribute without end": {func(byte, int) (byte, string) { return 105, number(1<<31) + number(1<<32-1) }, protocols.Malformed},
		"a huge status":                     {func(byte, int) (byte, string) { return 101, number(4) + text(strings.Repeat("x", 200<<10)) }, protocols.Malformed},
		"a truncated string":                {func(byte, int) (byte, string) { return 105, "\xff" }, protocols.Malformed},
		"another type":                      {func(byte, int) (byte, string) { return 104, number(1) }, protocols.Malformed},
		"a huge packet":                     {func(byte, int) (byte, string) { return 105, strings.Repeat("x", 300<<10) }, protocols.Malformed},
		"an unknown status":                 {func(byte, int) (byte, string) { return status(99) }, protocols.ServerFailed},
		"a status of no file":               {func(byte, int) (byte, string) { return status(2) }, protocols.NotFound},
		"a status of no right":              {func(byte, int) (byte, string) { return status(3) }, protocols.Denied},
		"no answer":                         {func(byte, int) (byte, string) { return 0, "" }, protocols.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) { s.answer = answerWith(tt.reply) })
			c := s.newKnownClient(t)
			res, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/a")})
			if err == nil {
				_, err = io.ReadAll(res.Body)
				_ = res.Close()
			}
			fetchtest.Reason(t, err, tt.want)
		})
	}
}

// TestHostileDirectories checks the error for lists of entries that do not follow the protocol.
func TestHostileDirectories(t *testing.T) {
	for name, answer := range map[string]string{
		"no entries":              number(0),
		"fewer entries than said": number(2) + entries("a")[4:],
		"more entries than said":  number(1) + entries("a", "b")[4:],
		"a count without end":     number(1<<32 - 1),
		"a name without end":      number(1) + number(1<<31) + strings.Repeat("x", 20),
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) {
				s.answer = answerWith(func(kind byte, n int) (byte, string) {
					switch {
					case kind == 11:
						return 102, text("h")
					case kind == 12 && n < 100:
						return 104, answer
					}
					return 101, number(1) + text("") + text("")
				})
			})
			c := s.newKnownClient(t)
			res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/;type=d")}))(t)
			defer res.Close()
			var err error
			for _, err = range res.Lines {
			}
			fetchtest.Reason(t, err, protocols.Malformed)
		})
	}
}

// TestHostileNumbers checks the error for answers to requests that were not sent, or that were answered before.
func TestHostileNumbers(t *testing.T) {
	for name, packets := range map[string]string{
		"a number never used": "\x00\x00\x00\x09\x65\x00\x00\xff\xff\x00\x00\x00\x00",
		"a number used twice": strings.Repeat("\x00\x00\x00\x0d\x69\x00\x00\x00\x01"+number(4)+number(0o40755), 2),
		"no number":           "\x00\x00\x00\x02\x65\x00",
		"an empty packet":     "\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(s *testServer) {
				s.answer = func(rw io.ReadWriter) {
					asked := 0
					answerRequests(rw, "", func(byte, []byte) (byte, string) {
						if asked++; asked == 1 {
							_, _ = io.WriteString(rw, packets)
						}
						return 102, text("h")
					})
				}
			})
			_, err := s.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/d")})
			fetchtest.Reason(t, err, protocols.Malformed)
		})
	}
}

// TestLateHandle cancels a fetch before the server has opened the file, and checks that it is closed.
func TestLateHandle(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	returned, closed := make(chan struct{}), make(chan struct{})
	s := startServer(t, func(s *testServer) {
		s.answer = answerWith(func(kind byte, n int) (byte, string) {
			switch kind {
			case 3:
				cancel()
				<-returned
				return 102, text("h")
			case 4:
				close(closed)
				return 101, number(0)
			}
			return 105, number(0)
		})
	})
	_, err := s.newKnownClient(t).Fetch(ctx, protocols.Request{URL: fetchtest.Parse(t, s.url("/a"))})
	fetchtest.ErrorIs(t, err, context.Canceled)
	close(returned)
	<-closed
}

// TestVersions checks the error for servers with another version of the protocol, and that extensions change nothing.
func TestVersions(t *testing.T) {
	for version, want := range map[uint32]protocols.Reason{0: protocols.NotSupported, 2: protocols.NotSupported, 3: protocols.NotFound, 6: protocols.NotSupported} {
		s := startServer(t, func(s *testServer) {
			s.answer = func(rw io.ReadWriter) {
				_, _ = io.ReadFull(rw, make([]byte, 9))
				all := "\x02" + number(version) + strings.Repeat(text("x@example.org")+text("1"), 10_000) + "\xff"
				_, _ = io.WriteString(rw, number(uint32(len(all)))+all)
				answerRequests(rw, "", func(byte, []byte) (byte, string) { return 101, number(2) + text("") + text("") })
			}
		})
		_, err := s.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/a"))})
		fetchtest.Reason(t, err, want, "version ", strconv.Itoa(int(version)))
	}
}

// TestNoSFTP checks the error for a server whose shell prints text.
func TestNoSFTP(t *testing.T) {
	s := startServer(t, func(s *testServer) {
		s.answer = func(rw io.ReadWriter) { _, _ = io.WriteString(rw, "Welcome to this machine!\n") }
	})
	_, err := s.newKnownClient(t).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, s.url("/a"))})
	fetchtest.Reason(t, err, protocols.Malformed)
	fetchtest.Contains(t, err.Error(), "start-up file")
}

// TestEndlessDirectory reads many entries of a directory that has no end, and checks the memory that they need.
func TestEndlessDirectory(t *testing.T) {
	names := make([]string, 2000)
	for i := range names {
		names[i] = "name"
	}
	all := entries(names...)
	s := startServer(t, func(s *testServer) {
		s.answer = answerWith(func(kind byte, _ int) (byte, string) {
			if kind == 11 {
				return 102, text("h")
			}
			return 104, all
		})
	})
	c := s.newKnownClient(t)
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/;type=d")}))(t)
	defer res.Close()
	n := 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, err := range res.Lines {
		fetchtest.NoError(t, err)
		if n++; n == 200_000 {
			break
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap has grown by %d octets, want at most 16 MB", grown)
	}
}

// TestDeadIdleConnection checks that a connection that was lost while it was idle is replaced soon.
func TestDeadIdleConnection(t *testing.T) {
	var connections atomic.Int32
	end := make(chan struct{})
	s := startServer(t, func(s *testServer) {
		s.answer = func(rw io.ReadWriter) {
			first := connections.Add(1) == 1
			answerWith(func(kind byte, n int) (byte, string) {
				if first && n > 0 {
					<-end
				}
				return 105, number(1) + "\x00\x00\x00\x00\x00\x00\x00\x0a"
			})(rw)
		}
	})
	defer close(end)
	c := s.newKnownClient(t)
	c.Dialer = wire.Dialer{QuickReply: 50 * time.Millisecond}.LimitedTo(time.Minute)
	for range 2 {
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "sftp://joe@"+s.addr+"/a"), Facts: true}))(t)
		fetchtest.Equal(t, res.Size, 10)
		fetchtest.NoError(t, res.Close())
	}
	fetchtest.Equal(t, connections.Load(), 2)
}
