package endtoend

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/nav"
	"gofer/protocols"
	"gofer/protocols/ftp"
	"gofer/protocols/gopher"
	"gofer/protocols/nntp"
	"gofer/urlcore"
)

// TestEndlessAnswers fetches endless answers of all protocols, with lines of all shapes. It checks
// that each page ends at its limit, and takes little more memory than the page reports.
func TestEndlessAnswers(t *testing.T) {
	long, padding := strings.Repeat("x", 60_000), strings.Repeat("x", 1000)
	hosts := new(strings.Builder)
	for i := range 5000 {
		fmt.Fprintf(hosts, "1a\t/\tgopher%d.example.org\t70\r\n", i)
	}
	groups := new(strings.Builder)
	for i := range 5000 {
		fmt.Fprintf(groups, "alt.group.number%d 2 1 y\r\n", i)
	}
	for _, tt := range []struct{ protocol, shape, endless string }{
		{"gopher", "empty lines", "\r\n"},
		{"gopher", "plain items", "0some text of a usual length\t/some/selector/of/it\tgopher.example.org\t70\r\n"},
		{"gopher", "many hosts", hosts.String()},
		{"gopher", "octets to escape", "1a\t/" + strings.Repeat("\xff\x01", 20_000) + "\th\t70\r\n"},
		{"gopher", "a padded line", "iX\t" + padding + "\r\n"},
		{"gopher", "Gopher+ fields", "0a\t/x\th\t70\t+" + padding + "\r\n"},
		{"gopher", "URLs in h items", "ha\tURL:http://h/" + long + "\th\t70\r\n"},
		{"gopher", "telnet items", "8a\t" + long + "\th\t23\r\n"},
		{"gopher", "one line", long},
		{"gopher", "controls", strings.Repeat("\x01\x02", 20_000) + "\r\n"},
		{"text", "empty lines", "\n"},
		{"text", "long lines", long + "\n"},
		{"text", "one line", long},
		{"ftp", "names of control octets", "-rw-r--r-- 1 a b 1 Jan 1 2020 " + strings.Repeat("\x01\x7f", 20_000) + "\r\n"},
		{"ftp", "short names", "-rw-r--r-- 1 a b 1 Jan 1 2020 x\r\n"},
		{"ftp", "links", "lrwxrwxrwx 1 a b 1 Jan 1 2020 x -> " + long + "\r\n"},
		{"ftp", "no lines to show", "total 0\r\n"},
		{"ftp", "one line", long},
		{"nntp", "groups", groups.String()},
		{"nntp", "padded lines", "a.b 2 1 y " + padding + "\r\n"},
		{"nntp", "one line", long},
		{"article", "an attachment", "AAAA\r\n"},
		{"article", "an HTML comment", long},
		{"article", "a header", "  " + long + "\r\n"},
	} {
		t.Run(tt.protocol+" "+tt.shape, func(t *testing.T) {
			const limit = 1 << 20
			f, u := startEndlessAnswer(t, tt.protocol, tt.shape, tt.endless)
			before := measureHeap()
			l := nav.Open(t.Context(), f, protocols.Request{URL: u}, nav.Limit(limit))
			defer l.Cancel()
			page := new(nav.Lines)
			for {
				lines, err := l.Next()
				page.AppendLines(&lines)
				if err == nil {
					continue
				}
				if protocols.ReasonOf(err) != protocols.TooBig {
					t.Errorf("the load ends with %v, want reason TooBig", err)
				}
				break
			}
			<-l.Done()
			if held := measureHeap() - before; held > limit*5/4+(1<<19) {
				t.Errorf("%d lines (%d octets by Bytes) take %d octets of memory, want at most %d", page.Len(), page.Bytes(), held, limit*5/4+(1<<19))
			}
			runtime.KeepAlive(page)
		})
	}
}

// measureHeap returns the size of the heap in use.
func measureHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// startEndlessAnswer starts a server, and returns a Fetcher and a URL. The answer for the URL repeats
// the parameter text without end.
func startEndlessAnswer(t *testing.T, protocol, shape, text string) (protocols.Fetcher, urlcore.URL) {
	t.Helper()
	block := bytes.Repeat([]byte(text), max(1, 64<<10/len(text)))
	answer := func(w io.Writer) {
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	var d wire.Dialer
	switch protocol {
	case "gopher", "text":
		typ := byte('1')
		if protocol == "text" {
			typ = '0'
		}
		addr := startServer(t, func(c net.Conn) {
			_, _ = bufio.NewReader(c).ReadString('\n')
			answer(c)
		})
		return &gopher.Client{Dialer: d}, urlcore.Gopher{HostPort: addr, Type: typ}
	case "ftp":
		return &ftp.Client{Dialer: d}, urlcore.FTP{Server: urlcore.Server{HostPort: startFTPServer(t, answer)}, Type: 'd'}
	}
	intro := ""
	if protocol == "article" {
		intro = map[string]string{
			"an attachment":   "MIME-Version: 1.0\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n",
			"an HTML comment": "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<!--",
			"a header":        "Subject: a\r\n",
		}[shape]
	}
	addr := startServer(t, func(c net.Conn) {
		fmt.Fprint(c, "200 ready\r\n")
		for in := bufio.NewReader(c); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			switch verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
			case strings.TrimSpace(line) == "LIST ACTIVE":
				fmt.Fprint(c, "215 groups follow\r\n")
				answer(c)
			case verb == "ARTICLE":
				fmt.Fprint(c, "220 0 <a@b> follows\r\n"+intro)
				answer(c)
			case verb == "MODE":
				fmt.Fprint(c, "200 ready\r\n")
			default:
				fmt.Fprint(c, "500 what?\r\n")
			}
		}
	})
	server := fmt.Sprintf("%s:%d", addr.Host, addr.Port)
	client := &nntp.Client{Dialer: d, Server: server}
	t.Cleanup(func() { _ = client.Close() })
	if protocol == "article" {
		return client, urlcore.News{MessageID: "a@b"}
	}
	return client, urlcore.News{Group: "*"}
}

// startFTPServer starts an FTP server that calls answer for each LIST.
func startFTPServer(t *testing.T, answer func(io.Writer)) urlcore.HostPort {
	t.Helper()
	data := make(chan struct{}, 1)
	dataAddr := startServer(t, func(c net.Conn) {
		select {
		case <-data:
			answer(c)
		case <-t.Context().Done():
		}
	})
	return startServer(t, func(c net.Conn) {
		fmt.Fprint(c, "220 ready\r\n")
		for in := bufio.NewReader(c); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			switch verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); verb {
			case "USER":
				fmt.Fprint(c, "230 in\r\n")
			case "PWD":
				fmt.Fprint(c, "257 \"/\"\r\n")
			case "TYPE", "CWD", "MODE":
				fmt.Fprint(c, "250 done\r\n")
			case "EPSV":
				fmt.Fprintf(c, "229 here (|||%d|)\r\n", dataAddr.Port)
			case "LIST":
				fmt.Fprint(c, "150 it comes\r\n")
				data <- struct{}{}
			default:
				fmt.Fprint(c, "502 what?\r\n")
			}
		}
	})
}

// startServer calls serve for each connection to a port of loopback, until the test ends.
func startServer(t *testing.T, serve func(net.Conn)) urlcore.HostPort {
	t.Helper()
	addr := netip.MustParseAddrPort(fetchtest.Serve(t, serve))
	return urlcore.HostPort{Host: addr.Addr().String(), Port: addr.Port()}
}
