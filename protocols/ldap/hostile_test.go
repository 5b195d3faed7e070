package ldap

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

// serve starts a server that answers the first request of each connection with the octets and closes the connection. It returns its
// address.
func serve(t *testing.T, answer string) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, answer)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // more requests, up to the end of the client
	})
}

// open fetches a URL and reads all lines.
func open(t *testing.T, c *Client, url string) (lines []protocols.Line, err error) {
	t.Helper()
	r, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, url)})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for l, lineErr := range r.Lines {
		if lineErr != nil {
			return lines, lineErr
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func done(id, code int, text string, more ...string) string {
	return message(id, ber.Group(tagDone, append([]string{ber.Number(ber.Enumerated, code), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, text)}, more...)...))
}

// found encodes an entry; attributes are alternately a name and a value.
func found(id int, dn string, attributes ...string) string {
	list := ""
	for i := 0; i < len(attributes); i += 2 {
		list += ber.Group(ber.Sequence, ber.Leaf(ber.Octets, attributes[i]), ber.Group(ber.Set, ber.Leaf(ber.Octets, attributes[i+1])))
	}
	return message(id, ber.Group(tagEntry, ber.Leaf(ber.Octets, dn), ber.Group(ber.Sequence, list)))
}

// TestDamagedAnswers checks that answers that are damaged, or not for this client, are errors.
func TestDamagedAnswers(t *testing.T) {
	disconnect := ber.Group(tagExtendedReply, ber.Number(ber.Enumerated, unavailable), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, "closing"), ber.Leaf(tagReplyName, oidDisconnect))
	for name, tt := range map[string]struct {
		answer string
		want   protocols.Reason
		text   string
	}{
		"another protocol":        {"220 ready\r\n", protocols.Malformed, "this is no LDAP server"},
		"nothing":                 {"", protocols.Broken, "closed the connection"},
		"the id of another":       {found(7, "o=a", "o", "a"), protocols.Malformed, "answers request 7 instead of 1"},
		"two entries":             {found(1, "o=a") + found(1, "o=b") + done(1, 0, ""), protocols.Malformed, "damaged"},
		"an answer to a bind":     {message(1, ber.Group(tagBindReply, ber.Number(ber.Enumerated, 0), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, ""))), protocols.Malformed, "damaged"},
		"an empty result":         {message(1, ber.Group(tagDone, ber.Leaf(ber.Enumerated, ""), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, ""))), protocols.Malformed, "damaged"},
		"a negative result":       {message(1, ber.Group(tagDone, ber.Leaf(ber.Enumerated, "\xff"), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, ""))), protocols.Malformed, "damaged"},
		"a result without a text": {message(1, ber.Group(tagDone, ber.Number(ber.Enumerated, 0), ber.Leaf(ber.Octets, ""))), protocols.Malformed, "damaged"},
		"an entry without values": {message(1, ber.Group(tagEntry, ber.Leaf(ber.Octets, "o=a"))) + done(1, 0, ""), protocols.Malformed, "damaged"},
		"an entry without a name": {message(1, ber.Group(tagEntry, ber.Group(ber.Sequence))) + done(1, 0, ""), protocols.Malformed, "damaged"},
		"a disconnection":         {message(0, disconnect), protocols.Broken, "ended the connection"},
		"an unknown notice":       {message(0, done(0, 0, "")), protocols.Malformed, "no request"},
		"references without end":  {strings.Repeat(message(1, ber.Group(tagReference, ber.Leaf(ber.Octets, "ldap://h/"))), 2*maxReferences), protocols.Malformed, "damaged"},
		"an unknown result":       {done(1, 4711, "what\x1b[2J"), protocols.ServerFailed, "4711"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, new(Client), "ldap://"+serve(t, tt.answer)+"/o=a")
			fetchtest.Reason(t, err, tt.want)
			if err != nil {
				fetchtest.Contains(t, err.Error(), tt.text)
			}
		})
	}
}

// TestAdvice checks what errors advise.
func TestAdvice(t *testing.T) {
	for _, tt := range []struct {
		url, answer string
		want        protocols.Reason
		text        string
	}{
		{"o=a?mail", found(1, "o=a") + done(1, 0, ""), protocols.NotFound, "no such attribute"},
		{"o=a/", done(1, noSuchObject, ""), protocols.NotFound, `leave out the "/"`},
		{"o=a/??sub", done(1, invalidDN, ""), protocols.NotFound, `leave out the "/"`},
		{"o=a", "", protocols.Broken, "try a URL with ldaps:"},
		{"o=a", "\x15\x03\x01\x00\x02\x02\x46", protocols.Malformed, "try a URL with ldaps:"}, // an alert of TLS
	} {
		_, err := open(t, new(Client), "ldap://"+serve(t, tt.answer)+"/"+tt.url)
		fetchtest.Reason(t, err, tt.want, tt.url)
		fetchtest.Contains(t, err.Error(), tt.text)
	}
	_, err := open(t, new(Client), "ldap://"+serve(t, found(1, "o=b"))+"/o=a")
	if fetchtest.Reason(t, err, protocols.Broken); strings.Contains(err.Error(), "ldaps") {
		t.Errorf("the error after a message advises TLS: %v", err)
	}
}

// TestHostileEntry checks the lines of an entry whose names and values are hostile.
func TestHostileEntry(t *testing.T) {
	huge := strings.Repeat("x", 3<<20)
	addr := serve(t, found(1, "o=a", "description", huge, "na\x1b[2Jme", "a\x00b", "see", "javascript:alert(1)", "see", "cn=b", "member", "not a name", "member", "cn=b\x7f,o=c",
		huge, "v", "cn", "a\nb\r\n")+done(1, 0, "")+done(2, 0, ""))
	lines, err := open(t, new(Client), "ldap://"+addr+"/o=a")
	fetchtest.NoError(t, err)
	text := ""
	for _, l := range lines {
		if len(l.Text) > 100_000 {
			t.Errorf("a line has %d octets", len(l.Text))
		}
		if l.Link != nil {
			fetchtest.CheckCanonical(t, l.Link)
			text += l.Link.String() + "|"
		}
		text += l.Text + "\n"
	}
	for _, want := range []string{
		"x ... (3145728 octets)\n", "binary, 3 octets\n", "\nsee                 javascript:alert(1)\nsee                 cn=b\n", "\nmember              not a name\n",
		"/cn=b%7F,o=c|member ", "\ncn                  a\n                    b\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}

// TestLongNames checks that a page is in proportion to the answer: what it repeats for each value is short.
func TestLongNames(t *testing.T) {
	s := &session{client: new(Client), url: urlcore.LDAP{Name: "ldap", HostPort: urlcore.HostPort{Host: "h"}, DN: "o=" + strings.Repeat("a", 8000)}}
	name := strings.Repeat("n", 8000)
	for _, value := range []string{"", "\x00", "http://h/"} {
		values := ber.Group(ber.Set, strings.Repeat(ber.Leaf(ber.Octets, value), 100))
		one := ber.Group(ber.Sequence, ber.Leaf(ber.Octets, name), values)
		pictures := strings.Repeat(ber.Group(ber.Sequence, ber.Leaf(ber.Octets, "jpegPhoto"), ber.Group(ber.Set, ber.Leaf(ber.Octets, value))), 100)
		m, _ := ber.Parse([]byte(ber.Group(tagEntry, ber.Leaf(ber.Octets, "o=a"), ber.Group(ber.Sequence, one, pictures))))
		e, err := answer{op: m}.entry()
		fetchtest.NoError(t, err)
		size, n := 0, 0
		for l := range s.entryLines(&e) {
			n++
			size += len(l.Text) + len(l.Note.(*Value).Attribute)
			if l.Link != nil {
				size += len(l.Link.String())
			}
		}
		if n != 200 || size > 300*n {
			t.Errorf("%q: got %d lines with %d octets; want 200 short ones", value, n, size)
		}
	}
}

// TestOctets checks that only the first value of a picture is a link, because a URL names no other one.
func TestOctets(t *testing.T) {
	s := &session{client: new(Client), url: urlcore.LDAP{Name: "ldap", HostPort: urlcore.HostPort{Host: "h"}, DN: "o=a"}}
	for _, first := range []bool{true, false} {
		l := s.valueLines("jpegPhoto", []byte{0}, first)[0]
		fetchtest.Equal(t, l.Link != nil, first, "a link of the first value: %v", first)
	}
}

// TestMoreValues checks the note that a document is the first of several values.
func TestMoreValues(t *testing.T) {
	for values, want := range map[string]int{ber.Leaf(ber.Octets, "a"): 0, ber.Leaf(ber.Octets, "a") + ber.Leaf(ber.Octets, "b"): 1} {
		e := message(1, ber.Group(tagEntry, ber.Leaf(ber.Octets, "o=a"), ber.Group(ber.Sequence, ber.Group(ber.Sequence, ber.Leaf(ber.Octets, "jpegPhoto"), ber.Group(ber.Set, values)))))
		r, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "ldap://"+serve(t, e+done(1, 0, ""))+"/o=a?jpegPhoto")})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, len(r.LateNotes()), want, "notes")
	}
}

// TestRanges checks that an attribute of which a part was sent has a link to the rest.
func TestRanges(t *testing.T) {
	for name, want := range map[string]string{
		"member;range=0-1499":             "member              cn=b,o=c -> ldap://ADDR/cn=b,o=c\n                    more values of member -> ldap://ADDR/o=a?member;range=1500-*\n",
		"member;range=1500-*":             "member              cn=b,o=c -> ldap://ADDR/cn=b,o=c\n",
		"cn;range=x-2":                    "cn                  cn=b,o=c -> ldap://ADDR/cn=b,o=c\n                    more values of cn -> ldap://ADDR/o=a?cn;range=3-*\n",
		"cn;range=0-99999999999999999999": "cn                  cn=b,o=c -> ldap://ADDR/cn=b,o=c\n",
	} {
		addr := serve(t, found(1, "o=a", name, "cn=b,o=c")+done(1, 0, ""))
		lines, err := open(t, new(Client), "ldap://"+addr+"/o=a?member")
		fetchtest.NoError(t, err)
		got := ""
		for _, l := range lines {
			got += l.Text + " -> " + l.Link.String() + "\n"
		}
		fetchtest.Equal(t, got, strings.ReplaceAll(want, "ADDR", addr), name)
	}
}

// TestServerOfUser checks which server a URL without a host means.
func TestServerOfUser(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "ldap.conf")
	fetchtest.NoError(t, os.WriteFile(conf, []byte("# URI ldap://no.example\nBASE o=x\nuri ldapi:/// ldap://conf.example:1389\n"), 0o600))
	for _, tt := range []struct{ uri, url, want string }{
		{"ldapi:/// ldaps://env.example/", "ldap:///o=a", "ldaps://env.example/o=a"},
		{"", "ldap:///o=a?cn", "ldap://conf.example:1389/o=a?cn"},
		{"ldap://env.example", "ldaps:///o=a", ""}, // not without TLS
	} {
		c := &Client{Getenv: func(name string) string { return map[string]string{"LDAPURI": tt.uri, "LDAPCONF": conf}[name] }}
		u, err := c.checkURL(fetchtest.Parse(t, tt.url))
		if tt.want == "" {
			fetchtest.Reason(t, err, protocols.BadURL)
			continue
		}
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, u.String(), tt.want)
	}
}

// TestLogin checks that the user is asked for a login, and again after a wrong one, and that the password is not sent without consent.
func TestLogin(t *testing.T) {
	addr := serve(t, done(1, insufficientAccess, "not you"))
	c := new(Client)
	activeDirectory := serve(t, done(1, operationsError, "000004DC: LdapErr: DSID-0C090A5C, comment: In order to perform this operation a successful bind must be completed on the connection., data 0, v3839"))
	_, err := open(t, c, "ldap://"+activeDirectory+"/o=a")
	fetchtest.As[*protocols.Login](t, err)
	_, err = open(t, c, "ldap://"+addr+"/o=a????bindname=cn=joe%2Co=a")
	login := fetchtest.As[*protocols.Login](t, err)
	fetchtest.Equal(t, login.User+": "+login.Text, "cn=joe,o=a: not you")
	login.With("cn=joe,o=a", "") // would log nobody in
	_, err = open(t, c, "ldap://"+addr+"/o=a????bindname=cn=joe%2Co=a")
	fetchtest.As[*protocols.Login](t, err)
	login.With("cn=joe,o=a", "secret")
	refusing := message(1, ber.Group(tagExtendedReply, ber.Number(ber.Enumerated, 2), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, "no TLS here")))
	other := serve(t, refusing+message(2, ber.Group(tagBindReply, ber.Number(ber.Enumerated, invalidCredentials), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, "secret is wrong"))))
	u := "ldap://" + other + "/????!e-bindname"
	_, err = open(t, c, u)
	fetchtest.As[*protocols.Login](t, err).With("cn=joe,o=a", "secret")
	_, err = open(t, c, u)
	confirm := fetchtest.As[*protocols.Confirm](t, err)
	fetchtest.Contains(t, confirm.Reason, "no TLS")
	confirm.GiveConsent()
	_, err = open(t, c, u)
	again := fetchtest.As[*protocols.Login](t, err)
	fetchtest.Equal(t, again.Failed, true)
	fetchtest.Equal(t, again.Text, "**** is wrong")
	op, _ := ber.Parse([]byte(ber.Group(tagDone, ber.Number(ber.Enumerated, noSuchObject), ber.Leaf(ber.Octets, "cn=secret"), ber.Leaf(ber.Octets, "a secret"))))
	echoed := &session{client: c, url: fetchtest.Parse(t, u).(urlcore.LDAP)}
	r, err := answer{op: op}.result(tagDone, echoed.mask)
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, r.matched+", "+r.text, "cn=****, a ****")
	fetchtest.Equal(t, echoed.referralLine("ldap://h/cn=secret").Text, "Another server: h (cn=****)")
	_, err = c.Fetch(protocols.Unattended(t.Context(), nil), protocols.Request{URL: fetchtest.Parse(t, "ldap://"+addr+"/o=a????bindname=cn=joe%2Co=a")})
	fetchtest.Equal(t, fetchtest.As[*protocols.Login](t, err).Failed, false, "an unattended fetch: failed")
}

// TestManyAttributes checks that an entry with very many values is not taken apart before its lines are read.
func TestManyAttributes(t *testing.T) {
	values := ber.Group(ber.Set, strings.Repeat(ber.Leaf(ber.Octets, ""), 3<<20))
	m, _ := ber.Parse([]byte(message(1, ber.Group(tagEntry, ber.Leaf(ber.Octets, "o=a"), ber.Group(ber.Sequence, ber.Group(ber.Sequence, ber.Leaf(ber.Octets, "o"), values))))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readAnswer(m).entry()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > 1<<20 {
		t.Errorf("reading the entry: %v, took %d octets; want none", err, got)
	}
}

// TestIdleSession checks that a session which the server has closed, or in which it said more than was asked, is opened again.
func TestIdleSession(t *testing.T) {
	whole := found(1, "o=a", "o", "a") + done(1, 0, "")
	disconnect := message(0, ber.Group(tagExtendedReply, ber.Number(ber.Enumerated, unavailable), ber.Leaf(ber.Octets, ""), ber.Leaf(ber.Octets, ""), ber.Leaf(tagReplyName, oidDisconnect)))
	for name, answers := range map[string][]string{"closed": {whole}, "too much": {whole + whole}, "disconnected": {whole, disconnect}} {
		addr := fetchtest.Serve(t, func(conn net.Conn) {
			in := newReader(conn, "")
			for _, answer := range answers {
				if _, err := in.Read(); err != nil {
					return
				}
				_, _ = io.WriteString(conn, answer)
			}
		})
		c := new(Client)
		for range 3 {
			lines, err := open(t, c, "ldap://"+addr+"/o=a?o")
			fetchtest.NoError(t, err, name)
			fetchtest.Equal(t, len(lines), 1, "%s: lines", name)
		}
		_ = c.Close()
	}
}

// TestCanceled checks that the end of the context ends a fetch from a silent server.
func TestCanceled(t *testing.T) {
	l := fetchtest.CloseAtEnd(net.Listen("tcp", "127.0.0.1:0"))(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = c.Read(make([]byte, 100))
			cancel(why)
			_, _ = c.Read(make([]byte, 100))
			_ = c.Close()
		}
	}()
	_, err := (&Client{Dialer: wire.Dialer{}}).Fetch(ctx, protocols.Request{URL: fetchtest.Parse(t, "ldap://"+l.Addr().String()+"/")})
	fetchtest.ErrorIs(t, err, why)
}

// FuzzAnswer checks that no message makes the reader fail.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(found(1, "o=a", "cn", "b")))
	f.Add([]byte(done(1, 10, "x", ber.Group(tagReferrals, ber.Leaf(ber.Octets, "ldap://h/")))))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, ok := ber.Parse(b)
		if !ok {
			return
		}
		a := readAnswer(m)
		if e, err := a.entry(); err == nil {
			s := &session{client: new(Client), url: urlcore.LDAP{Name: "ldap", HostPort: urlcore.HostPort{Host: "h"}}}
			for l := range s.entryLines(&e) {
				if l.Link != nil {
					fetchtest.CheckCanonical(t, l.Link)
				}
			}
		}
		_, _ = a.result(tagDone, func(text string) string { return text })
		_ = textsOf(a.op)
	})
}
