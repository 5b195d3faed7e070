package ftp

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

func parse(t testing.TB, s string) urlcore.FTP {
	t.Helper()
	return fetchtest.Must(parseFTP(s))(t)
}

func parseFTP(s string) (urlcore.FTP, error) {
	u, err := urlcore.Parse(s)
	if err != nil {
		return urlcore.FTP{}, err
	}
	return u.(urlcore.FTP), nil
}

// get fetches the URL s and returns the head, the lines (each as kind, text and link) and the body.
func get(t *testing.T, c *Client, s string) (protocols.Head, []string, string, error) {
	t.Helper()
	head, lines, body, err := fetchtest.Collect(t.Context(), c, parse(t, s))
	var shown []string
	for _, l := range lines {
		shown = append(shown, showLine(l))
	}
	return head, shown, body, err
}

// getBody fetches the URL s and returns the body.
func getBody(t *testing.T, c *Client, s string) (string, error) {
	t.Helper()
	_, _, b, err := get(t, c, s)
	return b, err
}

func showLine(l protocols.Line) string {
	s := l.Kind.String() + " " + l.Text
	if l.Link != nil {
		u := l.Link.(urlcore.FTP)
		s += " /" + u.Path
		if u.Type != 0 {
			s += ";type=" + string(rune(u.Type))
		}
	}
	return s
}

func newClient(t *testing.T) *Client {
	c := &Client{PlainPasswords: true}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestCommands checks the commands sent for URLs, and that Plan returns the same commands.
func TestCommands(t *testing.T) {
	login := []string{"AUTH TLS", "USER anonymous", "PASS gofer@", "PBSZ 0", "PROT P", "FEAT", "TYPE I", "OPTS UTF8 ON", "PWD"}
	tests := []struct {
		path string
		want []string // commands after the login
	}{
		{"etc/motd", []string{"CWD etc", "SIZE motd", "EPSV", "RETR motd"}},
		{"%2Fetc/motd", []string{"CWD /etc", "SIZE motd", "EPSV", "RETR motd"}},
		{"%2Fetc%2Fmotd", []string{"SIZE /etc/motd", "EPSV", "RETR /etc/motd"}},
		{"/etc/motd", []string{"CWD ", "CWD etc", "SIZE motd", "EPSV", "RETR motd"}},
		{"a/b;type=i", []string{"CWD a", "SIZE b", "EPSV", "RETR b"}},
		{"a/b;type=a", []string{"CWD a", "TYPE A", "EPSV", "RETR b"}},
		{"a/b;type=d", []string{"CWD a", "CWD b", "EPSV", "MLSD"}},
		{"a/b/", []string{"CWD a", "CWD b", "EPSV", "MLSD"}},
		{"a/b/;type=i", []string{"CWD a", "CWD b", "EPSV", "MLSD"}},
		{"", []string{"EPSV", "MLSD"}},
		{"/", []string{"CWD ", "EPSV", "MLSD"}},
		{"a%20b/-x/%FF%E9;type=i", []string{"CWD a b", "CWD -x", "SIZE \xff\xff\xe9", "EPSV", "RETR \xff\xff\xe9"}},
		{"%25n/%25s;type=i", []string{"CWD %n", "SIZE %s", "EPSV", "RETR %s"}},
		{strings.Repeat("x", 9000), []string{"SIZE " + strings.Repeat("x", 9000), "EPSV", "RETR " + strings.Repeat("x", 9000)}},
	}
	for _, tt := range tests {
		t.Run(tt.path[:min(len(tt.path), 30)], func(t *testing.T) {
			f := startFake(t, &fake{replies: map[string]string{"SIZE \xff\xff\xe9": "213 0"}, tls: selfSigned(t)})
			c := newClient(t)
			if _, _, _, err := get(t, c, f.url(tt.path)); err != nil {
				t.Fatal(err)
			}
			want := append(append([]string(nil), login...), tt.want...)
			fetchtest.DeepEqual(t, f.commands(), want, "commands")
			steps := fetchtest.Must(c.Plan(parse(t, f.url(tt.path))))(t)
			var plan []string
			for _, s := range steps {
				fetchtest.Equal(t, s.Peer, f.ln.Addr().String(), "peer of %q", s.Send)
				line, ok := strings.CutSuffix(s.Send, "\r\n")
				if !ok {
					t.Errorf("step %q has no line end", s.Send)
				}
				plan = append(plan, strings.Replace(line, "****", "gofer@", 1))
			}
			fetchtest.DeepEqual(t, plan, append(want, "EPSV"), "plan")
		})
	}
}

func TestPlanHidesPassword(t *testing.T) {
	steps := fetchtest.Must(new(Client).Plan(parse(t, "ftp://joe:secret@h/x")))(t)
	if s := fmt.Sprint(steps); strings.Contains(s, "secret") || !strings.Contains(s, "USER joe\r\n") {
		t.Errorf("Plan() = %s; want the user but not the password", s)
	}
}

func TestRefusedBeforeConnecting(t *testing.T) {
	server := urlcore.Server{HostPort: urlcore.HostPort{Host: "127.0.0.1", Port: 1}}
	for _, u := range []urlcore.FTP{
		{Server: server, Path: "a%0D%0ADELE%20b"},
		{Server: server, Path: "a%0A/b"},
		{Server: server, Path: "a%00b"},
		{Server: urlcore.Server{HostPort: server.HostPort, User: "a\r\nDELE x", HasUser: true}},
		{Server: urlcore.Server{HostPort: server.HostPort, User: "a", HasUser: true, Password: "b\nDELE x", HasPassword: true}},
	} {
		fetchtest.Fails(t, protocols.BadURL, "%+v", u)(new(Client).Fetch(t.Context(), protocols.Request{URL: u}))
		if _, err := new(Client).Plan(u); err == nil {
			t.Errorf("Plan(%+v): got no error", u)
		}
	}
}

// TestOddReplies fetches from servers with unusual but usable replies.
func TestOddReplies(t *testing.T) {
	mlsd := map[string]string{
		"MLSD": "type=file;size=3; a.txt\r\n", "LIST": "-rw-r--r-- 1 u g 3 Jan  1  2020 a.txt\r\n", "NLST": "a.txt\r\n",
		"RETR": "abc",
	}
	tests := []struct {
		name    string
		replies map[string]string
		final   string
		path    string
		want    string // body or lines
	}{
		{"230 at USER", map[string]string{"USER": "230 welcome"}, "", "a.txt", "abc"},
		{"232 at USER", map[string]string{"USER": "232 welcome"}, "", "a.txt", "abc"},
		{"202 at PASS", map[string]string{"PASS": "202 superfluous"}, "", "a.txt", "abc"},
		{"bare codes", map[string]string{"greeting": "220", "USER": "331", "PASS": "230", "CWD": "250", "RETR": "150"}, "226", "d/a.txt", "abc"},
		{"LF only", map[string]string{"greeting": "220 x\n", "USER": "331 x\n", "PASS": "230-x\n y\n230 z\n"}, "", "a.txt", "abc"},
		{"empty lines between", map[string]string{"greeting": "\r\n\r\n220 x\r\n\r\n", "PASS": "230 x\r\n\r\n"}, "", "a.txt", "abc"},
		{"200 at CWD", map[string]string{"CWD": "200 ok"}, "", "d/a.txt", "abc"},
		{"250 at the end", nil, "250 done", "a.txt", "abc"},
		{"multi-line at the end", nil, "226-a\r\n226-b\r\n 226 not yet\r\n226 c", "a.txt", "abc"},
		{"125", map[string]string{"RETR": "125 already open"}, "", "a.txt", "abc"},
		{"no FEAT", map[string]string{"FEAT": "500 what"}, "", "", "text a.txt /a.txt"},
		{"FEAT without spaces", map[string]string{"FEAT": "211-x\r\nmlst Type*;\r\n211 end"}, "", "", "text a.txt /a.txt"},
		{"TYPE I refused", map[string]string{"TYPE": "504 no"}, "", "a.txt", "abc"},
		{"OPTS refused", map[string]string{"OPTS": "550 no"}, "", "a.txt", "abc"},
		{"PWD refused", map[string]string{"PWD": "550 no"}, "", "a.txt", "abc"},
		{"PWD odd", map[string]string{"PWD": `257 "`}, "", "a.txt", "abc"},
		{"no EPSV", map[string]string{"EPSV": "500 what"}, "", "a.txt", "abc"},
		{"odd EPSV", map[string]string{"EPSV": "229 )||("}, "", "a.txt", "abc"},
		{"EPSV without a port", map[string]string{"EPSV": "229 (|||0|)"}, "", "a.txt", "abc"},
		{"SIZE odd", map[string]string{"SIZE": "213 many"}, "", "a.txt", "abc"},
		{"SIZE negative", map[string]string{"SIZE": "213 -5"}, "", "a.txt", "abc"},
		{"SIZE right", map[string]string{"SIZE": "213 3"}, "", "a.txt", "abc"},
		{"SIZE grew", map[string]string{"SIZE": "213 2"}, "", "a.txt", "abc"},
		{"PRET", map[string]string{"FEAT": "211-x\r\n PRET\r\n MLST\r\n211 end"}, "", "", "text a.txt /a.txt"},
		{"MLSD refused", map[string]string{"MLSD": "501 what"}, "", "", "text a.txt /a.txt"},
		{"LIST refused", map[string]string{"MLSD": "500 what", "LIST": "502 what"}, "", "", "text a.txt /a.txt"},
		{"450 NLST", map[string]string{"MLSD": "500 what", "LIST": "502 what", "NLST": "450 no files"}, "", "", ""},
		{"550 NLST", map[string]string{"MLSD": "500 what", "LIST": "550 no files", "NLST": "550 no files"}, "", "", ""},
		{"450 LIST", map[string]string{"MLSD": "500 what", "LIST": "450 no files"}, "", "", ""},
		{"welcome", map[string]string{"PASS": "230-Hello\r\n230-  there\r\n230 in"}, "", "", "info Hello\ninfo   there\ntext a.txt /a.txt"},
		{
			"message",
			map[string]string{"PASS": "230-Hello\r\n230 in", "CWD": "250-In d\r\n plain\r\n250 ok"},
			"",
			"d/", "info In d\ninfo  plain\ntext a.txt /d/a.txt",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies, finalReply: tt.final, data: mlsd})
			c := newClient(t)
			for range 2 { // the second fetch uses the same connection
				_, lines, body, err := get(t, c, f.url(tt.path))
				fetchtest.NoError(t, err)
				fetchtest.Equal(t, body+strings.Join(lines, "\n"), tt.want)
			}
			fetchtest.Equal(t, f.connections(), 1, "connections")
		})
	}
}

// TestFailures fetches from servers that refuse, fail or send nonsense.
func TestFailures(t *testing.T) {
	tests := []struct {
		name        string
		f           *fake
		path        string
		wantReason  protocols.Reason
		wantCode    int
		wantText    string
		wantPartial string // body or lines before the error
	}{
		{
			name: "busy", f: &fake{replies: map[string]string{"greeting": "421-too\r\n421 many!"}},
			wantReason: protocols.ServerFailed, wantCode: 421, wantText: "too\nmany",
		},
		{
			name: "a reply to another command", f: &fake{replies: map[string]string{"MLSD": "257 made"}},
			wantReason: protocols.Malformed, wantCode: 257, wantText: "made",
		},
		{name: "closed at once", f: &fake{replies: map[string]string{"greeting": ""}}, wantReason: protocols.Broken},
		{name: "closed after USER", f: &fake{replies: map[string]string{"USER": ""}}, wantReason: protocols.Broken},
		{name: "closed after CWD", f: &fake{replies: map[string]string{"CWD": ""}}, path: "a/b", wantReason: protocols.Broken},
		{name: "closed after RETR", f: &fake{replies: map[string]string{"RETR": ""}}, path: "b", wantReason: protocols.Broken},
		{
			name: "another protocol", f: &fake{replies: map[string]string{"greeting": "SSH-2.0-x"}},
			wantReason: protocols.Malformed, wantText: "SSH-2.0-x",
		},
		{name: "garbage", f: &fake{replies: map[string]string{"USER": "\x00\xff\x1b[2J"}}, wantReason: protocols.Malformed},
		{
			name: "account", f: &fake{replies: map[string]string{"PASS": "332 account?"}}, wantReason: protocols.Denied,
			wantCode: 332, wantText: "account?",
		},
		{
			name: "no such directory", f: &fake{replies: map[string]string{"CWD": "550-no\r\n550 such"}}, path: "a/b",
			wantReason: protocols.NotFound, wantCode: 550, wantText: "no\nsuch",
		},
		{
			name: "no such file", f: &fake{replies: map[string]string{"RETR": "550 no file", "CWD": "550 no dir"}},
			path: "b", wantReason: protocols.NotFound, wantCode: 550, wantText: "no file",
		},
		{
			name: "forbidden",
			f:    &fake{replies: map[string]string{"RETR": "550 b: Permission denied", "CWD": "550 no dir"}}, path: "b",
			wantReason: protocols.Denied, wantCode: 550, wantText: "b: Permission denied",
		},
		{
			name: "typed file is a directory", f: &fake{replies: map[string]string{"RETR": "550 not plain"}},
			path: "b;type=i", wantReason: protocols.NotFound, wantCode: 550, wantText: "not plain",
		},
		{
			name: "451", f: &fake{replies: map[string]string{"RETR": "451 disk"}}, path: "b",
			wantReason: protocols.ServerFailed, wantCode: 451, wantText: "disk",
		},
		{
			name: "TYPE A refused", f: &fake{replies: map[string]string{"TYPE A": "504 no"}}, path: "b;type=a",
			wantReason: protocols.ServerFailed, wantCode: 504, wantText: "no",
		},
		{
			name: "no passive", f: &fake{replies: map[string]string{"EPSV": "550 no", "PASV": "550 no"}}, path: "b",
			wantReason: protocols.ServerFailed, wantCode: 550, wantText: "no",
		},
		{
			name: "hostile PASV", f: &fake{replies: map[string]string{"EPSV": "500 no", "PASV": "227 )("}}, path: "b",
			wantReason: protocols.Malformed,
		},
		{
			name: "port 0", f: &fake{replies: map[string]string{"EPSV": "229 (|||0|)", "PASV": "227 ok"}}, path: "b",
			wantReason: protocols.Malformed,
		},
		{
			name: "port 99999", f: &fake{replies: map[string]string{"EPSV": "229 (|||99999|)", "PASV": "227 ok"}},
			path: "b", wantReason: protocols.Malformed,
		},
		{
			name: "port -1", f: &fake{replies: map[string]string{"EPSV": "229 (|||-1|)", "PASV": "227 ok"}}, path: "b",
			wantReason: protocols.Malformed,
		},
		{
			name: "426", f: &fake{data: map[string]string{"RETR": "half"}, finalReply: "426 aborted"}, path: "b",
			wantReason: protocols.Broken, wantCode: 426, wantText: "aborted", wantPartial: "half",
		},
		{
			name:       "access denied, empty LIST",
			f:          &fake{replies: map[string]string{"MLSD": "550 Permission denied"}, data: map[string]string{"LIST": ""}},
			wantReason: protocols.Denied, wantCode: 550, wantText: "Permission denied",
		},
		{
			name:       "access denied, 450 to LIST",
			f:          &fake{replies: map[string]string{"MLSD": "550 Permission denied", "LIST": "450 no files"}},
			wantReason: protocols.Denied, wantCode: 550, wantText: "Permission denied",
		},
		{
			name: "vsftpd cannot list",
			f: &fake{
				replies: map[string]string{"MLSD": "500 what"}, data: map[string]string{"LIST": ""},
				finalReply: "226 Transfer done (but failed to open directory).",
			},
			wantReason: protocols.Denied, wantCode: 226, wantText: "Transfer done (but failed to open directory).",
		},
		{
			name: "Pure-FTPd cannot list",
			f: &fake{
				replies: map[string]string{"MLSD": "501 what"}, data: map[string]string{"LIST": ""},
				finalReply: "226-Sorry, we were unable to read [sub]\r\n226 0 matches total",
			},
			wantReason: protocols.Denied, wantCode: 226,
			wantText: "Sorry, we were unable to read [sub]\n0 matches total",
		},
		{
			name: "550 at the end", f: &fake{data: map[string]string{"MLSD": " a\r\n"}, finalReply: "550 read error"},
			wantReason: protocols.Broken, wantCode: 550, wantText: "read error", wantPartial: "other a /a",
		},
		{
			name: "too short",
			f:    &fake{replies: map[string]string{"SIZE": "213 9"}, data: map[string]string{"RETR": "half"}}, path: "b",
			wantReason: protocols.Broken, wantPartial: "half",
		},
		{
			name: "no octets",
			f:    &fake{replies: map[string]string{"SIZE": "213 9"}, data: map[string]string{"RETR": ""}}, path: "b",
			wantReason: protocols.Broken,
		},
		{
			name: "closed at the end", f: &fake{data: map[string]string{"RETR": "half"}, finalReply: "!"}, path: "b",
			wantReason: protocols.Broken, wantPartial: "half",
		},
		{
			name: "closed at the end of a list", f: &fake{data: map[string]string{"MLSD": " a\r\n b"}, finalReply: "!"},
			wantReason: protocols.Broken, wantPartial: "other a /a\nother b /b",
		},
		{
			name:       "endless reply line",
			f:          &fake{replies: map[string]string{"PASS": "230 " + strings.Repeat("x", 1<<20)}},
			wantReason: protocols.TooBig,
		},
		{name: "endless reply", f: &fake{replies: map[string]string{"PASS": strings.Repeat("230-x\r\n", 1<<18)}}, wantReason: protocols.TooBig},
		{name: "endless empty lines", f: &fake{replies: map[string]string{"PASS": strings.Repeat("\r\n", 1<<18)}}, wantReason: protocols.TooBig},
		{name: "endless PWD", f: &fake{replies: map[string]string{"PWD": strings.Repeat("257-x\r\n", 1<<18)}}, wantReason: protocols.TooBig},
		{name: "garbage PWD", f: &fake{replies: map[string]string{"PWD": "yes"}}, wantReason: protocols.Malformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, tt.f)
			_, lines, body, err := get(t, newClient(t), f.url(tt.path))
			e := fetchtest.As[*protocols.Error](t, err)
			if e.Reason != tt.wantReason || e.Code != tt.wantCode {
				t.Errorf("error %v: reason %v, code %d; want reason %v, code %d", err, e.Reason, e.Code, tt.wantReason, tt.wantCode)
			}
			if tt.wantText != "" && e.Text != tt.wantText {
				t.Errorf("Text of the error = %q; want %q", e.Text, tt.wantText)
			}
			fetchtest.Equal(t, body+strings.Join(lines, "\n"), tt.wantPartial, "received before the error")
		})
	}
}

func TestHostileListing(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	tests := []struct {
		name, data string
		want       []string
	}{
		{
			"control characters", "type=file; a\x1b[2Jb\r\ntype=file; a\rb\r\ntype=file; a\x00b\r\n",
			[]string{"binary a\x1b[2Jb /a%1B%5B2Jb", "problem a\rb", "problem a\x00b"},
		},
		{"path", "type=file; ../../etc/passwd\r\ntype=dir; ..\r\n", []string{"problem ../../etc/passwd"}},
		{"paths", "type=file; a/b\r\ntype=dir; d/../..\r\ntype=file; ..\\x\r\ntype=file; a\\b\r\n", []string{"problem a/b", "problem d/../..", `problem ..\x`, `binary a\b /a%5Cb`}},
		{"no end", "type=dir; a", []string{"directory a /a;type=d"}},
		{"garbage", "\x00\xff\r\n\r\n \r\n=;\r\n; \r\n", []string{"problem \x00\xff", "problem  ", "problem =;", "problem ; "}},
		{"long line", "type=file; a\r\ntype=file; " + long + "\r\ntype=file; b\r\n", []string{
			"binary a /a",
			"problem " + ("type=file; " + long)[:wire.MaxLine],
			"problem " + ("type=file; " + long)[wire.MaxLine:],
			"binary b /b",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{data: map[string]string{"MLSD": tt.data}})
			_, lines, _, err := get(t, newClient(t), f.url(""))
			if err != nil || !reflect.DeepEqual(lines, tt.want) {
				t.Errorf("error %v\nlines %.300q\nwant  %.300q", err, lines, tt.want)
			}
		})
	}
	f := startFake(t, &fake{endless: true, data: map[string]string{"MLSD": strings.Repeat("x", 1<<16)}})
	_, _, _, err := get(t, newClient(t), f.url(""))
	fetchtest.Reason(t, err, protocols.TooBig, "an endless line")
}

// TestUnknownFormat checks that NLST is sent if lines of LIST are in no known format.
func TestUnknownFormat(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"FEAT": "500 what"},
		data:    map[string]string{"LIST": "Volume Unit Name\r\nMIG 3390 ALPHA\r\n", "NLST": "ALPHA\r\n"},
	})
	c := newClient(t)
	_, lines, _, err := get(t, c, f.url(""))
	want := []string{"problem Volume Unit Name", "other MIG 3390 ALPHA /ALPHA"}
	if err != nil || !reflect.DeepEqual(lines, want) {
		t.Errorf("lines %q, error %v; want %q", lines, err, want)
	}
	if c.idle.Len() != 1 {
		t.Error("the idle connection was not kept")
	}
}

// TestTextType checks the conversion of line ends in blocks of all sizes.
func TestTextType(t *testing.T) {
	const in, want = "a\r\nb\rc\n\r\r\nd\r\n\r", "a\nb\rc\n\r\nd\n\r"
	for size := 1; size <= len(in)+1; size++ {
		got, err := io.ReadAll(newTextReader(&blockReader{[]byte(in), size}))
		if err != nil || string(got) != want {
			t.Errorf("newTextReader with blocks of %d octets: read %q, error %v; want %q", size, got, err, want)
		}
	}
	f := startFake(t, &fake{data: map[string]string{"RETR": in}})
	head, _, body, err := get(t, newClient(t), f.url("x.txt;type=a"))
	if err != nil || body != want || head.Size != -1 || len(head.Notes) != 1 || head.Media != "text/plain" {
		t.Errorf("the Body is %q, error %v, Head %+v; want %q, no size, one note and text/plain", body, err, head, want)
	}
}

type blockReader struct {
	rest []byte
	size int
}

func (b *blockReader) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.rest[:min(b.size, len(b.rest))])
	b.rest = b.rest[n:]
	return n, nil
}

// TestPASVAddress checks that the address in the reply to PASV is ignored. The reply has the address
// 10.1.2.3 and no parentheses.
func TestPASVAddress(t *testing.T) {
	f := startFake(t, &fake{replies: map[string]string{"EPSV": "522 no"}, data: map[string]string{"RETR": "abc"}})
	fetchtest.Returns(t, "abc")(getBody(t, newClient(t), f.url("x")))
}

// TestUndoubledIAC fetches from a server that does not expect the doubled octet FF of Telnet.
func TestUndoubledIAC(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"CWD a\xff\xff": "550 no", "RETR b\xff\xff": "550 no", "SIZE b\xff": "213 3"},
		data:    map[string]string{"RETR": "abc"},
	})
	head, _, body, err := get(t, newClient(t), f.url("a%FF/b%FF"))
	if err != nil || body != "abc" || head.Size != 3 {
		t.Errorf("the Body is %q, size %d, error %v; want %q, size 3", body, head.Size, err, "abc")
	}
	want := []string{"CWD a\xff\xff", "CWD a\xff", "SIZE b\xff", "EPSV", "RETR b\xff"}
	fetchtest.DeepEqual(t, f.commands()[7:], want, "commands")
}
