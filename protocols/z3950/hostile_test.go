package z3950

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/internal/wire"
	"gofer/protocols"
	"gofer/urlcore"
)

var welcomeReply = ber.Group(pduInitReply, ber.Leaf(3, "\x05\xe0"), ber.Leaf(4, "\x01\xc1\x02"), ber.Leaf(12, "\xff"), ber.Leaf(111, "a\x1b[2Jserver"))

func searchReply(count int) string {
	return ber.Group(pduSearchReply, ber.Number(23, count), ber.Number(24, 0), ber.Leaf(22, "\xff"))
}

// failedSearch returns a reply to a Search with a diagnostic.
func failedSearch(condition int) string {
	return ber.Group(pduSearchReply, ber.Number(23, 0), ber.Leaf(22, "\x00"), diagnosticOf(130, condition, ""))
}

func external(syntax, content string) string {
	return ber.Group(1, ber.Group(1, ber.Group(ber.External, ber.OID(ber.ObjectID, syntaxOID+syntax), content)))
}

func recordsReply(records ...string) string {
	list := ""
	for _, r := range records {
		list += ber.Group(ber.Sequence, ber.Leaf(0, "db"), r)
	}
	return ber.Group(pduReply, ber.Number(24, len(records)), ber.Group(28, list))
}

func diagnosticOf(tag, condition int, text string) string {
	return ber.Group(tag, ber.OID(ber.ObjectID, "1.2.840.10003.4.1"), ber.Number(ber.Integer, condition), ber.Leaf(ber.Visible, text))
}

// startReplay starts a server that sends one of the answers for each request, and closes the connection after the last one.
func startReplay(t *testing.T, answers ...string) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) {
		in := newReader(c)
		for _, a := range answers {
			if _, err := in.Read(); err != nil {
				return
			}
			if _, err := io.WriteString(c, a); err != nil {
				return
			}
		}
	})
}

// startAnswering starts a server that sends the answer to each request after the Init.
func startAnswering(t *testing.T, answer func(request ber.Element) string) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) {
		in := newReader(c)
		for {
			request, err := in.Read()
			if err != nil {
				return
			}
			reply := welcomeReply
			if request.Tag != pduInit {
				reply = answer(request)
			}
			if _, err := io.WriteString(c, reply); err != nil {
				return
			}
		}
	})
}

// fetchText returns the lines or the octets of a page, and then its error.
func fetchText(t *testing.T, u urlcore.URL) string {
	t.Helper()
	return fetchTextWith(t, new(Client), u)
}

func fetchTextWith(t *testing.T, c *Client, u urlcore.URL) string {
	t.Helper()
	defer c.Close()
	r, err := c.Fetch(t.Context(), protocols.Request{URL: u})
	if err != nil {
		return "error: " + err.Error()
	}
	defer r.Close()
	if r.Body != nil {
		return string(fetchtest.Must(io.ReadAll(r.Body))(t))
	}
	var b strings.Builder
	for l, err := range r.Lines {
		if err != nil {
			return b.String() + "error: " + err.Error()
		}
		if l.Note != nil && l.Link == nil {
			b.WriteString("(no link) ")
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestHostileAnswers(t *testing.T) {
	marcRecord := external("10", ber.Leaf(1, "x"))
	for _, tt := range []struct {
		name, path string
		answers    []string
		want       string
	}{
		{"another protocol", "db", []string{"220 ftp server ready\r\n"}, "this is no Z39.50 server"},
		{"unasked APDU", "db;search=x", []string{welcomeReply, welcomeReply}, "an APDU that was not requested (21)"},
		{"access control", "db;search=x", []string{welcomeReply, ber.Group(28, ber.Leaf(37, "?"))}, "an APDU that was not requested (28)"},
		{"segment", "db;search=x", []string{welcomeReply, searchReply(1), ber.Group(45, ber.Number(24, 1), ber.Group(0))}, "an APDU that was not requested (45)"},
		{"close", "db;search=x", []string{welcomeReply, ber.Group(pduClose, ber.Number(211, 2), ber.Leaf(3, "disk"))}, "the server said disk: the server ended the session: it has a system problem; try again"},
		{"refused", "db;search=x", []string{ber.Group(pduInitReply, ber.Leaf(12, "\x00"), ber.Group(11, ber.Group(ber.External, ber.Group(0, diagnosticOf(ber.Sequence, 1019, "closed")))))}, "the server is closed for maintenance"},
		{"negative count", "db;search=x", []string{welcomeReply, ber.Group(pduSearchReply, ber.Leaf(23, "\xff"), ber.Leaf(22, "\xff"))}, "an element of the answer is damaged"},
		{"huge count", "db;search=x", []string{welcomeReply, searchReply(ber.MaxNumber), recordsReply(marcRecord), recordsReply(), ber.Group(ber.Sequence)}, "First 1 of 2147483647: the server did not send the others"},
		{"failure without reason", "db;search=x", []string{welcomeReply, ber.Group(pduSearchReply, ber.Number(23, 0), ber.Leaf(22, "\x00"))}, "the server gave no reason"},
		{"too many records", "db;search=x", []string{welcomeReply, searchReply(2), recordsReply(marcRecord, marcRecord, marcRecord)}, "more than the 2 records"},
		{"too many terms", "db;scan=title=x", []string{welcomeReply, ber.Group(pduScanReply, ber.Group(7, ber.Group(1, strings.Repeat(ber.Group(1, ber.Leaf(tagTerm, "x")), 51))))}, "more than the 50 terms"},
		{"terms and a failure", "db;scan=title=x", []string{welcomeReply, ber.Group(pduScanReply, ber.Group(7, ber.Group(1, ber.Group(1, ber.Leaf(tagTerm, "term"))), ber.Group(2, diagnosticOf(ber.Sequence, 2, ""))))}, "term\nthe server has a temporary problem\n"},
		{"fragment", "db;search=x", []string{welcomeReply, searchReply(1), recordsReply(ber.Group(1, ber.Group(3, ber.Leaf(1, "part"))))}, "Record 1: the server sent only a part of the record"},
		{"surrogate", "db;search=x", []string{welcomeReply, searchReply(1), recordsReply(ber.Group(1, ber.Group(2, diagnosticOf(ber.Sequence, 236, "secret"))))}, "Record 1: secret: the database is not for everybody"},
		{"unknown syntax", "db;search=x;record=1", []string{welcomeReply, searchReply(1), recordsReply(external("999", ber.Leaf(1, "octets")))}, "octets"},
		{"wrong syntax", "db?1;rs=sutrs", []string{welcomeReply, searchReply(1), recordsReply(external("105", ber.Leaf(1, "no tree")))}, "no tree"},
		{"id in the second way", "db?1;rs=sutrs", []string{welcomeReply, failedSearch(113), searchReply(1), recordsReply(external("101", ber.Leaf(1, "found")))}, "found"},
		{"id in no way", "db?1", []string{welcomeReply, failedSearch(114), failedSearch(114), failedSearch(121)}, "search in another field"},
		{"id that fails", "db?1", []string{welcomeReply, failedSearch(109)}, "the database is not available"},
		{"term for no URL", "db;scan=title=x", []string{welcomeReply, ber.Group(pduScanReply, ber.Group(7, ber.Group(1, ber.Group(1, ber.Leaf(tagTerm, "a\r\nQUIT")), ber.Group(1, ber.Leaf(tagTerm, strings.Repeat("x", maxTerm+1))))))}, "\n(no link) a\r\nQUIT\n(no link) xxx"},
		{"two matches", "db?1", []string{welcomeReply, searchReply(2)}, "2 records match; search for words of it instead"},
		{"broken off in a list", "db;search=x", []string{welcomeReply, searchReply(50), recordsReply(strings.Split(strings.Repeat(marcRecord+"|", 20), "|")[:20]...)}, "Record 20\nerror: "},
		{"deep record", "db?1;rs=grs-1", []string{welcomeReply, searchReply(1), recordsReply(external("105", ber.Leaf(1, nest(2000))))}, nest(2000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := startReplay(t, tt.answers...)
			fetchtest.Contains(t, fetchText(t, fetchtest.Parse(t, "z39.50s://"+addr+"/"+tt.path)), tt.want, tt.name)
		})
	}
}

// TestDenial checks that a server which denies a search without a login leads to the question for one, and with a login to an error.
func TestDenial(t *testing.T) {
	denial := diagnosticOf(130, accessDenied, "secret")
	for path, answer := range map[string]string{
		"db;search=x":     ber.Group(pduSearchReply, ber.Number(23, 0), ber.Leaf(22, "\x00"), denial),
		"db?1":            ber.Group(pduSearchReply, ber.Number(23, 0), ber.Leaf(22, "\x00"), denial),
		"db;scan=title=x": ber.Group(pduScanReply, ber.Group(7, ber.Group(2, diagnosticOf(ber.Sequence, accessControl, "secret")))),
	} {
		req := protocols.Request{URL: fetchtest.Parse(t, "z39.50s://"+startReplay(t, welcomeReply, answer)+"/"+path)}
		c := &Client{PlainPasswords: true}
		_, err := c.Fetch(t.Context(), req)
		login, ok := errors.AsType[*protocols.Login](err)
		if !ok || login.Text != "secret" || login.Failed {
			t.Fatalf("%s: got %v, want a first question for a login", path, err)
		}
		login.With("user", "password")
		_, err = c.Fetch(t.Context(), req)
		fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Denied, "the reason for %s with a login", path)
	}
}

// TestRefusedInit checks which refusals of a session lead to the question for a login.
func TestRefusedInit(t *testing.T) {
	for condition, want := range map[int]bool{
		badUser: true, badPassword: true, 1012: false, 1014: false, 1018: false, expiredLogin: true, expiredPassword: true, changedPassword: true,
	} {
		addr := startReplay(t, ber.Group(pduInitReply, ber.Leaf(12, "\x00"), ber.Group(11, ber.Group(ber.External, ber.Group(0, diagnosticOf(ber.Sequence, condition, ""))))))
		_, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "z39.50s://"+addr+"/db")})
		fetchtest.Equal(t, protocols.QuestionOf(err) != nil, want, "a question after the condition %d", condition)
	}
}

// nest returns an APDU with n levels of elements of known length.
func nest(n int) string {
	s := ""
	for range n {
		s = ber.Group(23, s)
	}
	return s
}

// TestIndefiniteLength checks that elements of indefinite length and strings in parts are read.
func TestIndefiniteLength(t *testing.T) {
	open := func(tag int, parts ...string) string {
		g := ber.Group(tag, "")
		return g[:len(g)-1] + "\x80" + strings.Join(parts, "") + "\x00\x00"
	}
	record := open(ber.Sequence, open(1, open(1, open(ber.External, ber.OID(ber.ObjectID, syntaxOID+"101"), open(0, open(ber.General, ber.Leaf(ber.Octets, "Two "), ber.Leaf(ber.Octets, "parts")))))))
	addr := startReplay(t, welcomeReply, open(pduSearchReply, ber.Number(23, 1), ber.Leaf(22, "\xff")), open(pduReply, ber.Number(24, 1), open(28, record)))
	got := fetchText(t, fetchtest.Parse(t, "z39.50s://"+addr+"/db;rs=sutrs;search=x"))
	fetchtest.Contains(t, got, "1 record matches.\nTwo parts\n", "the list")
}

// TestIdleSession checks that a session which the server has closed is opened again.
func TestIdleSession(t *testing.T) {
	addr := startReplay(t, welcomeReply, searchReply(0))
	c := new(Client)
	defer c.Close()
	for i := range 3 {
		err := fetchtest.Drain(context.Background(), c, protocols.Request{URL: fetchtest.Parse(t, "z39.50s://"+addr+"/db;search=title=x")})
		fetchtest.NoError(t, err, fmt.Sprintf("fetch %d", i))
	}
}

func TestMemoryGrowth(t *testing.T) {
	memorygrowth.Check(t, memorygrowth.Input{Name: "empty records", Unit: ber.Group(ber.Sequence)}, 8, func(content string) {
		reply, _ := ber.Parse([]byte(ber.Group(pduReply, ber.Group(28, content))))
		_, _ = readAnswer(reply, chunk, asSent)
	})
	memorygrowth.Check(t, memorygrowth.Input{Name: "tree", Unit: ber.Group(ber.Sequence, ber.Number(1, 2), ber.Group(2, ber.Number(2, 1)), ber.Group(4, ber.Leaf(ber.General, "text")))}, 16, func(content string) {
		tree, _ := ber.Parse([]byte(ber.Group(ber.Sequence, content)))
		_ = record{syntax: grs1, tree: tree}.body()
	})
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		welcomeReply, searchReply(3), recordsReply(external("10", ber.Leaf(1, "00024"))), nest(20), "\xb7\x80\x80\x00\x00\x00",
		recordsReply(external("105", ber.Group(0, ber.Group(ber.Sequence, ber.Group(ber.Sequence, ber.Number(1, 2), ber.Group(2, ber.Number(2, 1)), ber.Group(4, ber.Leaf(ber.General, "t"))))))),
		recordsReply(external("109.10", ber.Leaf(1, "<a><title>x</title></a>"))),
		ber.Group(pduScanReply, ber.Group(7, ber.Group(1, ber.Group(1, ber.Leaf(tagTerm, "x"))))),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := newReader(bytes.NewReader(b)).Read()
		if err != nil {
			return
		}
		_ = readWelcome(e, asSent)
		_, _, _ = readEntries(e, maxEntries, asSent)
		_ = closeError(e, asSent)
		a, _ := readAnswer(e, chunk, asSent)
		if len(a.records) > chunk {
			t.Errorf("got %d records, want at most %d", len(a.records), chunk)
		}
		for _, r := range a.records {
			_, _ = r.summarize(), r.body()
		}
	})
}

// TestEchoedPassword checks that the password is masked in each text of the server.
func TestEchoedPassword(t *testing.T) {
	const password = "open sesame"
	echo := "you sent " + password
	failed := diagnosticOf(130, 2, echo)
	surrogate := ber.Group(1, ber.Group(2, diagnosticOf(ber.Sequence, 236, echo)))
	for _, tt := range []struct {
		name, path string
		answers    []string
	}{
		{"name of the server", "db", []string{ber.Group(pduInitReply, ber.Leaf(12, "\xff"), ber.Leaf(111, echo))}},
		{"version of the server", "db", []string{ber.Group(pduInitReply, ber.Leaf(12, "\xff"), ber.Leaf(111, "you sent open"), ber.Leaf(112, "sesame"))}},
		{"Close", "db", []string{ber.Group(pduClose, ber.Number(211, 2), ber.Leaf(3, echo))}},
		{"refusal", "db", []string{ber.Group(pduInitReply, ber.Leaf(12, "\x00"), ber.Group(11, ber.Group(ber.External, ber.Group(0, diagnosticOf(ber.Sequence, 1019, echo)))))}},
		{"search", "db;search=x", []string{welcomeReply, ber.Group(pduSearchReply, ber.Number(23, 0), ber.Leaf(22, "\x00"), failed)}},
		{"record", "db;search=x;record=1", []string{welcomeReply, searchReply(1), ber.Group(pduReply, ber.Number(24, 0), failed)}},
		{"several diagnostics", "db;search=x", []string{welcomeReply, searchReply(1), ber.Group(pduReply, ber.Number(24, 0), ber.Group(205, diagnosticOf(ber.Sequence, 2, echo)))}},
		{"surrogate in a list", "db;search=x", []string{welcomeReply, searchReply(1), recordsReply(surrogate)}},
		{"surrogate", "db;search=x;record=1", []string{welcomeReply, searchReply(1), recordsReply(surrogate)}},
		{"index", "db;scan=title=x", []string{welcomeReply, ber.Group(pduScanReply, ber.Group(7, ber.Group(2, diagnosticOf(ber.Sequence, 2, echo))))}},
		{"term", "db;scan=title=x", []string{welcomeReply, ber.Group(pduScanReply, ber.Group(7, ber.Group(1, ber.Group(2, diagnosticOf(ber.Sequence, 2, echo)))))}},
	} {
		addr := startReplay(t, tt.answers...)
		c := &Client{PlainPasswords: true}
		c.logins.Keep(wire.Account{Scheme: accountScheme, Addr: addr}, wire.NewCredentials("user", password))
		got := fetchTextWith(t, c, fetchtest.Parse(t, "z39.50s://"+addr+"/"+tt.path))
		if strings.Contains(got, password) || !strings.Contains(got, "you sent ") && !strings.Contains(got, "(hidden: contains a password)") {
			t.Errorf("%s: got %q, want a text of the server without the password", tt.name, got)
		}
	}
}
