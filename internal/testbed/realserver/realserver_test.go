package realserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
)

// ask sends requests to a server. Before each request except the first, it reads one line of the
// answer. It returns the rest of the answer.
func ask(t *testing.T, addr string, requests ...string) string {
	t.Helper()
	c := fetchtest.Must(net.Dial("tcp", addr))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	r := bufio.NewReader(c)
	for i, request := range requests {
		if i > 0 {
			if _, err := r.ReadSlice('\n'); err != nil {
				t.Fatalf("before %q: %v", request, err)
			}
		}
		fetchtest.Must(io.WriteString(c, request))(t)
	}
	answer, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%q: %v", requests, err)
	}
	return string(answer)
}

func TestGopherServers(t *testing.T) {
	for name, server := range map[string]func(testing.TB) *Server{"gophernicus": Gophernicus, "pygopherd": Pygopherd} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			for _, test := range []struct{ request, want string }{
				{"\r\n", "\t127.0.0.1\t" + strconv.Itoa(int(s.Port))},
				{"/docs/utf8.txt\r\n", "кофе"},
				{"/docs/dots.txt\r\n", "lone dot:"},
				{"/media/octets.bin\r\n", string(allOctets())},
				{"/many\r\n", "item0999.txt"},
				{
					map[string]string{"gophernicus": "/cgi-bin/echo", "pygopherd": "/search.sh"}[name] + "\tsome words\r\n",
					"You searched for: some words",
				},
			} {
				if got := ask(t, s.Addr, test.request); !strings.Contains(got, test.want) {
					t.Errorf("%q: answer without %q: %.300q", test.request, test.want, got)
				}
			}
			if got, want := ask(t, s.Addr, "/large/50MB.bin\r\n"), makeNumberedLines(50<<20); !bytes.Equal([]byte(got), want) {
				t.Errorf("/large/50MB.bin: got %d octets, which are not the %d octets of the file", len(got), len(want))
			}
		})
	}
}

func TestFTPServers(t *testing.T) {
	for name, server := range map[string]func(testing.TB) *Server{"vsftpd": Vsftpd, "proftpd": Proftpd} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			c := fetchtest.Must(textproto.Dial("tcp", s.Addr))(t)
			defer c.Close()
			if _, _, err := c.ReadResponse(220); err != nil {
				t.Fatal(err)
			}
			say := func(want int, format string, args ...any) string {
				t.Helper()
				fetchtest.Must(c.Cmd(format, args...))(t)
				_, text, err := c.ReadResponse(want)
				if err != nil {
					t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
				}
				return text
			}
			say(331, "USER %s", s.User)
			say(230, "PASS %s", s.Password)
			if got := say(257, "PWD"); !strings.Contains(got, s.Home) {
				t.Errorf("PWD: got %q, want %q", got, s.Home)
			}
			say(250, "CWD %s", filepath.Join(s.Root, "pub", "names"))
			say(200, "TYPE I")
			for _, name := range OddNames() {
				if got, want := say(213, "SIZE %s", name), strconv.Itoa(len("name: "+name+"\n")); got != want {
					t.Errorf("SIZE %s: got %s, want %s", name, got, want)
				}
			}
			say(250, "CWD %s", filepath.Join(s.Root, "pub", "many"))
			text := say(229, "EPSV")
			_, rest, _ := strings.Cut(text, "|||")
			port, _, _ := strings.Cut(rest, "|")
			data := fetchtest.Must(net.Dial("tcp", "127.0.0.1:"+port))(t)
			say(150, "NLST")
			names, err := io.ReadAll(data)
			_ = data.Close() // proftpd waits ten seconds for the client to close before it sends 226
			fetchtest.NoError(t, err)
			if n := bytes.Count(names, []byte("\n")); n != 10000 {
				t.Errorf("NLST: got %d names, want 10000", n)
			}
			if _, _, err := c.ReadResponse(226); err != nil {
				t.Error(err)
			}
			say(221, "QUIT")
		})
	}
}

func TestAnonymousFTP(t *testing.T) {
	for name, server := range map[string]func(testing.TB) *Server{"vsftpd": Vsftpd, "proftpd": Proftpd} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			got := ask(t, s.Addr, "USER anonymous\r\nPASS a@b\r\nCWD /pub/large\r\nSIZE 1MB.bin\r\nQUIT\r\n")
			for _, want := range []string{"\r\n230", "\r\n250", "\r\n221"} {
				if !strings.Contains(got, want) {
					t.Errorf("answer without %q: %q", want, got)
				}
			}
		})
	}
}

func TestNews(t *testing.T) {
	for name, test := range map[string]struct {
		server func(testing.TB) *Server
		begin  string // sent first, because innd loses requests that follow MODE READER without a pause
	}{"nnrpd": {Nnrpd, "DATE\r\n"}, "innd": {Innd, "MODE READER\r\n"}} {
		t.Run(name, func(t *testing.T) {
			s := test.server(t)
			got := ask(
				t, s.Addr, "", test.begin,
				"LIST ACTIVE\r\nLIST NEWSGROUPS\r\nGROUP test.many\r\nXOVER 299-300\r\nGROUP test.empty\r\n"+
					"ARTICLE <h-dots@example.invalid>\r\nQUIT\r\n",
			)
			for _, want := range []string{
				"test.many 0000000300 0000000001 y", "test.c++\tA name with plus signs", "211 300 1 300 test.many", "\r\n300\tTopic 30",
				"211 0 ", "\r\n..\r\n...\r\n....\r\n..leading\r\n\r\n..\r\n.\r\n",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("answer without %q: %.2000q", want, got)
				}
			}
		})
	}
}

func TestArticleNumbers(t *testing.T) {
	s := Nnrpd(t)
	var request, want strings.Builder
	group := ""
	for _, a := range Articles() {
		if a.Group != group {
			group = a.Group
			fmt.Fprintf(&request, "GROUP %s\r\n", group)
		}
		fmt.Fprintf(&request, "STAT %d\r\n", a.Number)
		fmt.Fprintf(&want, "223 %d <%s> status\r\n", a.Number, a.MessageID)
	}
	var got strings.Builder
	for line := range strings.Lines(ask(t, s.Addr, request.String()+"QUIT\r\n")) {
		if strings.HasPrefix(line, "223") || strings.HasPrefix(line, "4") {
			got.WriteString(line)
		}
	}
	if got.String() != want.String() {
		t.Errorf("got\n%swant\n%s", got.String(), want.String())
	}
}

// TestStop checks that stop ends all processes of a server and removes its folder.
func TestStop(t *testing.T) {
	Vsftpd(t) // skips the test if vsftpd is missing
	for range 3 {
		s := fetchtest.Must(startVsftpd(""))(t)
		c, err := net.Dial("tcp", s.Addr) // a session runs in a separate process
		fetchtest.NoError(t, err)
		s.ns.stop()
		_ = c.Close()
		if c, err := net.Dial("tcp", s.Addr); err == nil {
			_ = c.Close()
			t.Errorf("Dial(%s) after stop: got a connection, want an error", s.Addr)
		}
		if _, err := os.Stat(s.ns.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Stat(%s) after stop: got error %v, want %v", s.ns.dir, err, os.ErrNotExist)
		}
		if left := findProcesses(t, s.ns.dir); len(left) > 0 {
			t.Errorf("after stop: got processes %q, want none", left)
		}
	}
}

// TestPortTaken checks that startListening tries other ports if a daemon fails to start.
func TestPortTaken(t *testing.T) {
	n, err := newNamespace("taken")
	if _, ok := errors.AsType[*missingError](err); ok && os.Getenv("GOFER_REQUIRE_DAEMONS") != "1" {
		t.Skip(err)
	}
	fetchtest.NoError(t, err)
	defer n.stop()
	tries := 0
	err = (&Server{ns: n}).startListening(nil, "", "token", func(string) *exec.Cmd {
		tries++
		return n.command(nobody, "/bin/false")
	})
	if err == nil || tries != startTries {
		t.Errorf("got %d tries and error %v, want %d tries and an error", tries, err, startTries)
	}
}

func findProcesses(t *testing.T, dir string) (found []string) {
	t.Helper()
	paths := fetchtest.Must(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(dir)) {
			found = append(found, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return found
}

func TestMissing(t *testing.T) {
	t.Setenv("GOFER_DAEMONS", t.TempDir())
	_, err := findDaemon("gofer-no-such-daemon", "usr/sbin/gofer-no-such-daemon")
	if _, ok := errors.AsType[*missingError](err); !ok {
		t.Errorf("got %v, want a missingError", err)
	}
}
