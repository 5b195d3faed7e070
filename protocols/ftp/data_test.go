package ftp

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
)

// TestActiveMode checks which mode is used for data connections. In some cases the client tries active mode
// first, in the others the server refuses EPSV or both commands of passive mode.
func TestActiveMode(t *testing.T) {
	no := map[string]string{"EPSV": "550 Permission denied.", "PASV": "550 Permission denied."}
	for _, tt := range []struct {
		name       string
		f          *fake
		active     bool
		host       string
		wantSent   string // commands for data connections in two fetches
		wantReason protocols.Reason
	}{
		{name: "passive is refused", f: &fake{replies: no, activeMode: true}, wantSent: "EPSV PASV PORT PORT"},
		{name: "set", f: &fake{activeMode: true}, active: true, wantSent: "PORT PORT"},
		{name: "set, refused", f: &fake{}, active: true, wantSent: "PORT EPSV EPSV"},
		{name: "IPv6", f: &fake{replies: no, activeMode: true}, host: "[::1]:0", wantSent: "EPSV PASV EPRT EPRT"},
		{name: "TLS", f: &fake{replies: no, activeMode: true, tls: selfSigned(t), requiresReuse: true}, wantSent: "EPSV PASV PORT PORT"},
		{name: "a stranger connects", f: &fake{replies: no, activeMode: true, stranger: true}, wantSent: "EPSV PASV PORT PORT"},
		{name: "both modes are refused", f: &fake{replies: no}, wantSent: "EPSV PASV PORT", wantReason: protocols.ServerFailed},
		{
			name:     "temporary refusal",
			f:        &fake{replies: map[string]string{"EPSV": "425 no", "PASV": "425 no"}, activeMode: true},
			wantSent: "EPSV PASV PORT PASV PORT",
		},
		{name: "EPSV for IPv4 only", f: &fake{replies: map[string]string{"EPSV": "522 use (1)"}}, wantSent: "EPSV PASV"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.f.stranger && runtime.GOOS != "linux" {
				t.Skip("one loopback address")
			}
			if tt.host != "" {
				ln, err := net.Listen("tcp", tt.host)
				if err != nil {
					t.Skip(err)
				}
				tt.f.ln = ln
			}
			replies := map[string]string{"CWD b": "550 no"}
			maps.Copy(replies, tt.f.replies)
			tt.f.replies = replies
			tt.f.data = map[string]string{"RETR": "the file", "MLSD": "type=file; a\r\n"}
			f := startFake(t, tt.f)
			c := newClient(t)
			c.PreferActive = tt.active
			for range 2 {
				_, _, body, err := get(t, c, f.url("a"))
				if tt.wantReason != 0 {
					if protocols.ReasonOf(err) != tt.wantReason || replyCode(err) != 550 || !strings.Contains(err.Error(), "data connection") {
						t.Errorf("error %v, reason %v; want a 550 for the data connection, reason %v", err, protocols.ReasonOf(err), tt.wantReason)
					}
					break
				}
				if err != nil || body != "the file" {
					t.Fatalf("the Body is %q, error %v; want %q", body, err, "the file")
				}
			}
			var sent []string
			for _, line := range f.commands() {
				switch verb, _, _ := strings.Cut(line, " "); verb {
				case "EPSV", "PASV", "PORT", "EPRT":
					sent = append(sent, verb)
				}
			}
			fetchtest.Equal(t, strings.Join(sent, " "), tt.wantSent, "commands for data connections")
			if tt.wantReason != 0 {
				return
			}
			if _, lines, _, err := get(t, c, f.url("")); err != nil || len(lines) != 1 {
				t.Errorf("the directory has the lines %q, error %v; want one line", lines, err)
			}
			up := &protocols.Upload{Body: bytes.NewReader([]byte("abc")), Size: 3}
			if err := c.Put(t.Context(), parse(t, f.url("b")), up); err != nil || f.stored["STOR b"] != "abc" {
				t.Errorf("Put() = %v; the server stored %q, want %q", err, f.stored["STOR b"], "abc")
			}
		})
	}
}

// TestActiveModeTimeout fetches from a server that accepts PORT and never connects.
func TestActiveModeTimeout(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"PORT": "200 I shall", "RETR": "150 soon\r\n"}})
	c := newClient(t)
	c.PreferActive = true
	c.Dialer = wire.Dialer{Connect: time.Second}
	if _, _, _, err := get(t, c, f.url("a")); protocols.ReasonOf(err) != protocols.ConnectTimeout ||
		!strings.Contains(err.Error(), "passive mode") {
		t.Errorf("error %v; want a ConnectTimeout that mentions passive mode", err)
	}
}

func TestPorts(t *testing.T) {
	for s, want := range map[string]uint16{
		"Entering Passive Mode (10,1,2,3,4,5).": 4*256 + 5, "=1,2,3,4,0,21": 21, "1, 2, 3, 4, 5, 6": 5*256 + 6,
		"5 times (1,2,3,4,5,6)": 5*256 + 6, "(1,2,3,4,5)": 0, "(1,2,3,4,5,6,7)": 0, "(1,2,3,4,256,0)": 0, ")(": 0, "": 0,
	} {
		fetchtest.Equal(t, portOfPASV(s), want, "portOfPASV(%q)", s)
	}
	for s, want := range map[string]uint16{
		"Entering Extended Passive Mode (|||6446|)": 6446, "|||21|": 21, ")||(": 0, "(|||x|)": 0, "(|||-1|)": 0,
		"(|||65536|)": 0, "(|||0|)": 0, "(||||)": 0, "": 0,
	} {
		fetchtest.Equal(t, portOfEPSV(s), want, "portOfEPSV(%q)", s)
	}
}

// hostProxy is a proxy that can only connect to the host ftp.example.
type hostProxy struct{ dialed []string }

func (p *hostProxy) Route(string) (wire.Route, error) { return p, nil }
func (*hostProxy) String() string                     { return "socks5://proxy.example:1080" }

func (p *hostProxy) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	p.dialed = append(p.dialed, addr)
	_, port, ok := strings.Cut(addr, "ftp.example:")
	if !ok {
		return nil, errors.New("unknown host")
	}
	return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
}

// TestDataConnectionByProxy checks that a data connection uses the proxy and the host name of the control
// connection. Active mode must not be used with a proxy.
func TestDataConnectionByProxy(t *testing.T) {
	for _, replies := range []map[string]string{{}, {"EPSV": "500 no"}} {
		f := startFake(t, &fake{activeMode: true, tls: selfSigned(t), data: map[string]string{"RETR": "the file"}, replies: replies})
		p := new(hostProxy)
		c := newClient(t)
		c.PreferActive, c.Dialer.Proxies = true, p
		_, port, _ := net.SplitHostPort(f.ln.Addr().String())
		_, _, body, err := get(t, c, "ftp://ftp.example:"+port+"/a")
		if err != nil || body != "the file" || len(p.dialed) != 2 || strings.Contains(strings.Join(f.commands(), " "), "PORT") {
			t.Errorf(
				"the Body is %q, error %v; the proxy dialed %q, the server received %q; want 2 connections without PORT",
				body, err, p.dialed, f.commands(),
			)
		}
	}
}

// TestDataConnectionClosedFirst checks that the data connection is closed before the final reply is awaited.
func TestDataConnectionClosedFirst(t *testing.T) {
	f := startFake(t, &fake{lingers: true, data: map[string]string{"RETR": "abc", "MLSD": "type=file; f\r\n"}})
	c := newClient(t)
	for _, path := range []string{"f", "d/"} {
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: parse(t, f.url(path))}))
	}
}
