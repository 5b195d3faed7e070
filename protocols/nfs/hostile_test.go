package nfs

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// reply returns a reply with results, without its mark and xid.
func reply(values ...any) string {
	accepted := appendXDR(nil, uint32(1), uint32(0), uint32(0), "", uint32(0))
	return string(appendXDR(accepted, values...))
}

func attributes(kind uint32, size uint64) string {
	return string(appendXDR(nil, uint32(1), kind, uint32(0o644), uint32(1), uint32(0), uint32(0), size, size, uint64(0), uint64(1), uint64(2),
		uint64(0), uint64(0), uint64(0)))
}

func found(kind uint32, size uint64) string {
	return reply(uint32(0), "handle") + attributes(kind, size) + "\x00\x00\x00\x00"
}

func listed(ended uint32, cookie uint64, names ...string) string {
	r := reply(uint32(0), uint32(0), uint64(7))
	for _, name := range names {
		r += string(appendXDR(nil, uint32(1), uint64(1), name, cookie)) + attributes(kindRegular, 3) + "\x00\x00\x00\x00"
	}
	return r + string(appendXDR(nil, uint32(0), ended))
}

// linksListed is a part of a listing with symbolic links, whose handles are their names.
func linksListed(ended uint32, names ...string) string {
	r := reply(uint32(0), uint32(0), uint64(7))
	for i, name := range names {
		r += string(appendXDR(nil, uint32(1), uint64(1), name, uint64(i+1))) + attributes(kindLink, 1) + string(appendXDR(nil, uint32(1), name))
	}
	return r + string(appendXDR(nil, uint32(0), ended))
}

func pieceOf(data string, ended uint32) string {
	return reply(uint32(0), uint32(0), uint32(len(data)), ended, data)
}

// refusal is a reply with a status.
func refusal(status uint32) string { return reply(status, uint32(0), uint32(0)) }

// startReplay starts a server that answers each request with the next of the answers, and closes the connection after the last one.
// An answer that begins with "raw:" has its mark and xid.
func startReplay(t *testing.T, answers ...string) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for _, a := range answers {
			var header [8]byte
			if _, err := io.ReadFull(in, header[:]); err != nil {
				return
			}
			_, _ = in.Discard(int(binary.BigEndian.Uint32(header[:])&^(1<<31)) - 4)
			raw, isRaw := strings.CutPrefix(a, "raw:")
			if !isRaw {
				raw = string(appendXDR(nil, 1<<31|uint32(len(a)+4))) + string(header[4:]) + a
			}
			if _, err := io.WriteString(c, raw); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, in) // until the client has read the last answer
	})
}

// fetchText returns the names and links of a listing, or the octets of a file, and then its error.
func fetchText(t *testing.T, u string) string {
	t.Helper()
	c := new(Client)
	defer c.Close()
	r, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, u)})
	if err != nil {
		return "error: " + err.Error()
	}
	defer r.Close()
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return string(data) + "error: " + err.Error()
		}
		return string(data)
	}
	text := ""
	for l, err := range r.Lines {
		if err != nil {
			return text + "error: " + err.Error()
		}
		text += l.Text
		if l.Link != nil {
			text += " -> " + strings.TrimPrefix(l.Link.String(), u)
		}
		text += "\n"
	}
	return text
}

func TestHostileAnswers(t *testing.T) {
	const huge = uint32(1<<31 - 1)
	link := reply(uint32(0), uint32(0), "loop")
	noExports := string(appendXDR(nil, uint32(1), uint32(0), uint32(0), "", uint32(acceptNoProcedure)))
	toMounted := reply(uint32(0), uint32(0), "/b/x")
	fsinfo := reply(uint32(0), uint32(0), uint32(4), uint32(4))
	var loops []string
	for range maxLinks + 1 {
		loops = append(loops, found(kindLink, 4), link)
	}
	for _, tt := range []struct {
		name, path string
		answers    []string
		want       string
	}{
		{"another protocol", "a", []string{"raw:220 ftp server ready\r\n"}, "more than 132096 octets"},
		{"huge record", "a", []string{"raw:\xff\xff\xff\xff"}, "more than 132096 octets"},
		{"endless fragments", "a", []string{"raw:" + strings.Repeat("\x00\x00\x00\x00", maxFragments)}, "more than 64 fragments"},
		{"another xid", "a", []string{"raw:\x80\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01"}, "not asked for"},
		{"huge handle", "a", []string{reply(uint32(0), huge)}, "malformed"},
		{"empty handle", "a", []string{reply(uint32(0), "") + attributes(1, 0) + "\x00\x00\x00\x00"}, "malformed"},
		{"octets after the reply", "a", []string{found(kindRegular, 1) + "\x00\x00\x00\x00"}, "malformed"},
		{"kind 0", "a", []string{found(0, 1)}, "malformed"},
		{"impossible size", "a", []string{found(kindRegular, 1<<63)}, "no possible size"},
		{"device", "a", []string{found(3, 0)}, "neither a file nor a directory"},
		{"links without end", "a", loops, "too many symbolic links"},
		{
			"link from the root of the server", "a",
			[]string{found(kindLink, 4), reply(uint32(0), uint32(0), "/b"), refusal(statusAccess), found(kindRegular, 4), fsinfo, pieceOf("seal", 1)},
			"seal",
		},
		{"link to a URL", "a", []string{found(kindLink, 4), reply(uint32(0), uint32(0), "nfs://other.example/b")}, "a symbolic link to a URL"},
		{"empty target", "a", []string{found(kindLink, 0), reply(uint32(0), uint32(0), "")}, "malformed"},
		{"size beyond the end", "a", []string{found(kindRegular, 1<<50), fsinfo, pieceOf("abc", 1)}, "has become shorter"},
		{"more than asked", "a", []string{found(kindRegular, 4), fsinfo, pieceOf("abcdefgh", 1)}, "malformed"},
		{"no progress", "a", []string{found(kindRegular, 4), fsinfo, pieceOf("", 0)}, "malformed"},
		{"short pieces", "a", []string{found(kindRegular, 4), fsinfo, pieceOf("ab", 0), pieceOf("c", 0), pieceOf("d", 1)}, "abcd"},
		{"the count lies", "a", []string{found(kindRegular, 4), fsinfo, reply(uint32(0), uint32(0), uint32(9), uint32(1), "abcd")}, "malformed"},
		{"not permitted", "a", []string{found(kindRegular, 4), fsinfo, refusal(statusPerm)}, "insecure"},
		{"same cookie", "", []string{found(kindDirectory, 0), listed(0, 5, "a"), listed(0, 5, "b")}, "does not end"},
		{"no entries", "", []string{found(kindDirectory, 0), listed(0, 0)}, "malformed"},
		{"bad cookie", "", []string{found(kindDirectory, 0), listed(0, 5, "a"), refusal(statusBadCookie)}, "a -> a\nerror: list the directory"},
		{"endless entries", "", []string{found(kindDirectory, 0), reply(uint32(0), uint32(0), uint64(7), uint32(1), uint64(1), huge)}, "malformed"},
		{
			"unsafe names", "",
			[]string{found(kindDirectory, 0), listed(1, 5, "../x", "a/b", "n\x00ul", "", ".", "..", "\x1b[2J", "\xff\r\n")},
			"../x\na/b\nn\x00ul\n\n\x1b[2J -> %1B%5B2J\n\xff\r\n -> %FF%0D%0A\n",
		},
		{"endless exports", "a", []string{refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), huge)}, "malformed"},
		{"export without slash", "a", []string{refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "a", uint32(0), uint32(0))}, "malformed"},
		{
			"mount refused", "a/b",
			[]string{refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "/a", uint32(0), uint32(0)), reply(uint32(statusAccess))},
			`insecure"`,
		},
		{
			"Kerberos", "a/b",
			[]string{refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "/a", uint32(0), uint32(0)), reply(uint32(0), "h", uint32(1), uint32(6))},
			"Kerberos",
		},
		{
			"other exports", "b",
			[]string{refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "/c", uint32(0), uint32(1), "/a", uint32(0), uint32(0))},
			`the server exports "/a", "/c" only`,
		},
		{
			"unmounted", "a/b",
			[]string{
				refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "/a", uint32(0), uint32(0)), reply(uint32(0), "h", uint32(1), uint32(1)),
				reply(), reply(uint32(0)) + attributes(kindDirectory, 0)[4:], found(kindRegular, 4), fsinfo, pieceOf("seal", 1),
			},
			"seal",
		},
		{
			"links to the same", "", // it is asked for once
			[]string{found(kindDirectory, 0), linksListed(0, "a", "b"), link, link, found(kindDirectory, 0), listed(1, 9, "z")},
			"a -> a/\nb -> b/\nz -> z\n",
		},
		{
			"links to a refused export", "a/", // it is asked for once
			[]string{
				refusal(statusBadHandle), refusal(statusBadHandle), reply(uint32(1), "/a", uint32(0), uint32(1), "/b", uint32(0), uint32(0)),
				reply(uint32(0), "h", uint32(0)), reply(), reply(uint32(0)) + attributes(kindDirectory, 0)[4:],
				linksListed(0, "c", "d"), toMounted, toMounted, reply(uint32(statusAccess)), listed(1, 9, "z"),
			},
			"c -> c\nd -> d\nz -> z\n",
		},
		{
			"end between replies", "", // which nobody waits for again
			[]string{found(kindDirectory, 0), linksListed(0, strings.Split("abcdefghijklmnopqrstuvwxyz", "")...), "raw:\x80\x00\x00\x08" + strings.Repeat("\x00", 8)},
			"error: read from",
		},
		{
			"malformed target", "",
			[]string{found(kindDirectory, 0), linksListed(1, "a", "b"), link, link, reply(uint32(0), "")},
			"malformed",
		},
		{
			"malformed link on the way", "",
			[]string{found(kindDirectory, 0), linksListed(1, "a"), link, found(kindLink, 0), reply(uint32(0), uint32(0), "")},
			"malformed",
		},
		{
			"mounts without end", strings.Repeat("a/", maxMounts), // and one of the root
			append([]string{refusal(statusBadHandle), refusal(statusBadHandle), noExports}, slices.Repeat([]string{reply(uint32(statusAccess))}, maxMounts)...),
			"too many names",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fetchtest.Contains(t, fetchText(t, "nfs://"+startReplay(t, tt.answers...)+"/"+tt.path), tt.want, tt.name)
		})
	}
}

// TestAnonymous checks that the numbers of the user are not sent while the client is anonymous, not even over an idle connection.
func TestAnonymous(t *testing.T) {
	sent := make(chan string, 2)
	addr := fetchtest.Serve(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			var mark [4]byte
			if _, err := io.ReadFull(in, mark[:]); err != nil {
				return
			}
			request := make([]byte, binary.BigEndian.Uint32(mark[:])&^(1<<31))
			_, _ = io.ReadFull(in, request)
			sent <- string(request)
			a := string(request[:4]) + found(kindRegular, 0)
			_, _ = io.WriteString(c, string(appendXDR(nil, 1<<31|uint32(len(a))))+a)
		}
	})
	anonymous := false
	c := &Client{Anonymous: func() bool { return anonymous }}
	defer c.Close()
	for _, anonymous = range []bool{false, true, false} {
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "nfs://"+addr+"/f")}))(t)
		fetchtest.NoError(t, r.Close())
		ofNobody := string(appendXDR(nil, "gofer", uint32(nobody), uint32(nobody), uint32(0)))
		fetchtest.Equal(t, strings.Contains(<-sent, ofNobody), anonymous || os.Getuid() < 0, "the request of an anonymous client (%v) is that of nobody", anonymous)
	}
}

// TestMissingPaths checks that only the first path that is missing asks whether the server has the public file handle. The server
// of the test has no further answer.
func TestMissingPaths(t *testing.T) {
	c := new(Client)
	defer c.Close()
	addr := startReplay(t, refusal(statusAccess), found(kindDirectory, 0), refusal(statusAccess))
	for _, path := range []string{"a", "b"} {
		err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: fetchtest.Parse(t, "nfs://"+addr+"/"+path)})
		fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Denied, "%v", err)
	}
}
