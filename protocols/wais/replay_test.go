package wais

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// exchange is a request and its answer.
type exchange struct{ request, reply string }

// startReplay starts a server that expects these requests, octet for octet, and then closes the
// connection. For the reply "" it closes the connection, and for the reply "stall" it sends
// nothing.
func startReplay(t *testing.T, exchanges ...exchange) string {
	t.Helper()
	return fetchtest.Serve(t, func(c net.Conn) { serveReplay(t, c, exchanges) })
}

func serveReplay(t *testing.T, c net.Conn, exchanges []exchange) {
	for _, x := range exchanges {
		got := make([]byte, len(x.request))
		n, err := io.ReadFull(c, got)
		if string(got[:n]) != x.request {
			if n > 0 {
				t.Errorf("the server got %d octets\n%q\nwant %d\n%q (%v)", n, got[:n], len(x.request), x.request, err)
			}
			return
		}
		switch x.reply {
		case "":
			return
		case "stall":
			_, _ = c.Read(make([]byte, 1))
			return
		}
		if _, err := io.WriteString(c, x.reply); err != nil {
			return
		}
	}
}

// withHeader puts the WAIS header before an APDU.
func withHeader(apdu string) string {
	return formatMessage([]byte(apdu)[2:2+int(apdu[0])<<8+int(apdu[1])], []byte(apdu)[2+int(apdu[0])<<8+int(apdu[1]):])
}

// searchResponse returns a SearchResponse with the user information info.
func searchResponse(info string) string {
	header := "\x17\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00\x1b\x01\x00"
	return withHeader("\x00\x0e" + header + string(appendField(nil, tagUserInfo, info)))
}

// Requests to an original server, and answers or parts of answers from it.
const (
	initReply = "\x00\x4b\x15\x01" + "\x03\x01\x80" + "\x04\x01\x80" + "\x05\x03\x01\x86\xa0" + "\x06\x03\x01\x86\xa0" + "\x08\x03LS6" +
		"\x09\x24University of Dortmund, Informatik 6" + "\x0a\x0c2.2.8 string" + "\x63\x06" + "\x64\x01\x00" + "\x65\x01\x00"
	ownID = "\x01\x07vm:8212" + "\x02\x08/srv/w/x" + "\x03\x110 31 /srv/w/a.txt" +
		"\x04\x07vm:8212" + "\x05\x08/srv/w/x" + "\x06\x110 31 /srv/w/a.txt" + "\x07\x01\x00"
	ownPath = "1=vm%3A8212;2=/srv/w/x;3=0%2031%20/srv/w/a.txt;4=vm%3A8212;5=/srv/w/x;6=0%2031%20/srv/w/a.txt;7=%00;"
	ownHit  = "\x81\x16\x81\x03" + "\x74\x4f" + ownID + "\x76\x01\xfc" + "\x77\x01\x00" + "\x78\x01\x1f" +
		"\x81\x03\x01\x02" + "\x81\x04\x07\x81\x05\x04TEXT" + "\x79\x08/srv/w/x" + "\x7a\x010" +
		"\x7b\x0cGopher notes"
	searchX = "0000000037z2wais        0" + "\x00\x13\x16" + "\x00\x00\x1e" + "\x00\x13\x88" + "\x00\x00\x1e" +
		"\x01" + "\x11\x00" + "\x12\x01x" + "\x14\x013" + "\x63\x0e" + "\x6a\x06gopher" + "\x6f\x01\x01" +
		"\x72\x01\x64"
	initRequest1 = "0000000026z2wais        0" + "\x00\x18\x14" + "\x03\x01\x80" + "\x04\x01\x80" +
		"\x05\x03\x01\x86\xa0" + "\x06\x03\x01\x86\xa0" + "\x08\x05gofer"
	noDatabase = "\x1c\x00\x2cS1The following database is not available: \x00\x1d"
)

// smallReply is an InitResponse of a server whose answers have at most 40 octets. A chunk of a
// document then has 20 octets.
const smallReply = "\x00\x08\x15\x01" + "\x05\x01\x28" + "\x06\x01\x28"

func requestX(from, to string) string {
	query := "\x2c\x11un re ig ig ig ig\x2d\x4f" + ownID + "\x2c\x11wt re ig ig ig ig\x2d\x04TEXT\x2e\x01a" +
		"\x2c\x11wb ro ig ig ig ig\x2d" + string(rune(len(from))) + from + "\x2e\x01a" +
		"\x2c\x11wb rl ig ig ig ig\x2d" + string(rune(len(to))) + to + "\x2e\x01a"
	header := "\x16" + "\x00\x00\x0a" + "\x00\x00\x10" + "\x00\x00\x0f" + "\x01" + "\x11\x03FOO" + "\x12\x01x" +
		"\x14\x011" + "\x13\x0f \x1fDocument Text" + "\x02\x013"
	return formatMessage([]byte(header), appendField(nil, tagQuery, query))
}

func chunkResponse(text, after string) string {
	return searchResponse(string(appendField(nil, groupText, "\x74\x4f"+ownID+"\x75\x01\x00"+string(appendField(nil, tagText, text)))) + after)
}

const outOfRange = "\x1c\x00\x17SFRequest out of range\x01\x1d"

func newClient(t *testing.T) *Client {
	c := new(Client)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// readAll fetches a URL and reads the whole resource.
func readAll(t *testing.T, c *Client, url string) (*protocols.Resource, string, error) {
	t.Helper()
	u := fetchtest.Parse(t, url)
	res, err := c.Fetch(t.Context(), protocols.Request{URL: u})
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	if res.Body != nil {
		b, err := io.ReadAll(io.LimitReader(res.Body, 20<<20))
		return res, string(b), err
	}
	var b strings.Builder
	for l, err := range res.Lines {
		if err != nil {
			return res, b.String(), err
		}
		b.WriteString(l.Kind.String() + " " + l.Text)
		if l.Link != nil {
			b.WriteString(" -> " + l.Link.String())
		}
		b.WriteString("\n")
	}
	return res, b.String(), nil
}

// TestReplayOddSearches checks that diagnostics are below the documents, and that a malformed
// answer ends in an error.
func TestReplayOddSearches(t *testing.T) {
	const head, more = "search Search x again -> wais://HOST/x?\ninfo \n", "info \nsearch More documents like these -> wais://HOST/x?gopher%1F\n"
	const found = "text Gopher notes -> HIT\n"
	const none = "Search produced no result. Here's the Catalog for database: x"
	const nothing = "text " + none + " -> wais://HOST/x/TEXT/3%3Da%3B\n"
	catalog := hitRecord("\x03\x01a", "TEXT", none)
	for _, tt := range []struct {
		info, want string
		reason     protocols.Reason
	}{
		{ownHit + "\x1c\x00\x05S1no\x00\x1d", head + found + "failure no\n" + more, 0},
		{ownHit + "\x81\x19\x7f", head + found + more, protocols.Malformed},
		{"\x81\x19\x7f", "", protocols.Malformed},
		{catalog, head + "info No document matches.\ninfo \n" + nothing, 0},
		{catalog + "\x1c\x00\x15S1query syntax error\x00\x1d", head + nothing + "failure query syntax error\n", protocols.ServerFailed},
		{catalog + "\x1c\x00\x03S3\x00\x1d", head + nothing + "failure WAIS diagnostic S3\n", protocols.ServerFailed},
		{"\x1c\x00\x05S1no\x00\x1d", "", protocols.ServerFailed},
		{"\x1c\x00\x13S1is not available\x00\x1d", "", protocols.NotFound},
		{hitRecord("\x03\x01a", "URL", "http://h.example/ a page"), head + "html http://h.example/ a page -> http://h.example/\n" + more, 0},
		{hitRecord("\x03\x01a", "ftp", "a page"), head + "binary a page -> wais://HOST/x/ftp/3%3Da%3B\n" + more, 0},
	} {
		addr := startReplay(t, exchange{initRequest1, withHeader(initReply)}, exchange{searchX, searchResponse(tt.info)})
		_, got, err := readAll(t, newClient(t), "wais://"+addr+"/x?gopher")
		want := strings.NewReplacer("HOST", addr, "HIT", fetchtest.Parse(t, "wais://"+addr+"/x/TEXT/"+ownPath).String()).Replace(tt.want)
		if got != want || (tt.reason != 0 || err != nil) && protocols.ReasonOf(err) != tt.reason {
			t.Errorf("%q: got\n%s%v, want\n%sand the reason %v", tt.info, got, err, want, tt.reason)
		}
	}
}

// TestLikeWithoutDocument checks the error of a server that rejects a search without words. The
// server then closes the connection when it is asked for the document with the words.
func TestLikeWithoutDocument(t *testing.T) {
	const refusal = "\x1c\x00\x15S1query syntax error\x00\x1d"
	liked := query{examples: []document{{"TEXT", ownPath}}}
	addr := startReplay(t, exchange{initRequest1, withHeader(initReply)}, exchange{
		searchRequest("x", liked, mostDocuments), searchResponse(refusal),
	},
		exchange{requestX("0", "65536"), ""})
	c := newClient(t)
	u := searchURL(fetchtest.Parse(t, "wais://"+addr+"/x").(urlcore.WAIS), liked).String()
	for range 2 { // the second time over a new connection
		_, _, err := readAll(t, c, u)
		if protocols.ReasonOf(err) != protocols.ServerFailed || !strings.Contains(err.Error(), "query syntax error") {
			t.Errorf("got %v, want the answer to the search", err)
		}
	}
}

// TestMostDocuments checks the last line of a page if the search found more documents. On a screen
// this line offers the next ones, unless the search has already requested maxDocuments.
func TestMostDocuments(t *testing.T) {
	for _, tt := range []struct {
		asked      int
		screen     bool
		line, note string
	}{
		{maxDocuments - 1, true, "Enter for the next", ""},
		{maxDocuments, true, "a search requests at most this many", ""},
		{maxDocuments, false, "a search requests at most this many", "a search requests at most this many"},
		{maxDocuments - 1, false, "the others were not requested", "the others were not requested"},
	} {
		var got []protocols.Line
		p := &page{
			answer: answer{limit: tt.asked, truncated: true}, hasScreen: tt.screen,
			yield: func(l protocols.Line, _ error) bool { got = append(got, l); return true },
		}
		p.writeMore(7)
		notes := strings.Join(p.notes(), "")
		if len(got) != 1 || got[0].Text != "First 7 of more: "+tt.line || strings.TrimPrefix(notes, "First 7 of more: ") != tt.note {
			t.Errorf("asked for %d, screen %v: got %v and the note %q, want %q and %q", tt.asked, tt.screen, got, notes, tt.line, tt.note)
		}
	}
}

// TestReplayDocument fetches a document in chunks. The last chunk is short and has a diagnostic.
// The URL is written in three forms: as in the RFC, as programs write it, and with the length of
// libwww.
func TestReplayDocument(t *testing.T) {
	addr := startReplay(t, exchange{initRequest1, withHeader(smallReply)},
		exchange{requestX("0", "20"), chunkResponse("Gopher notes\nAll abo", "")},
		exchange{requestX("20", "40"), chunkResponse("ut gopher.\n", outOfRange)})
	base := "wais://" + addr + "/x/TEXT/"
	for _, path := range []string{
		ownPath, "79/" + ownPath,
		"1%3Dvm%3A8212%3B2%3D%2Fsrv%2Fw%2Fx%3B3%3D0%2031%20%2Fsrv%2Fw%2Fa.txt%3B4%3Dvm%3A8212%3B5%3D%2Fsrv%2Fw%2Fx%3B6%3D0%2031%20%2Fsrv%2Fw%2Fa.txt%3B7%3D%00%3B",
	} {
		res, got, err := readAll(t, newClient(t), base+path)
		if err != nil || got != "Gopher notes\nAll about gopher.\n" {
			t.Errorf("%s: got %q, %v", path, got, err)
			continue
		}
		if want, _ := urlcore.Parse(base + ownPath); res.URL != want || res.Media != "text/plain" || res.Title != "a.txt" {
			t.Errorf("%s: got %v, the type %q and the title %q, want %v, text/plain and a.txt", path, res.URL, res.Media, res.Title, want)
		}
	}
}

// hitRecord returns a record with an id, a type and a headline.
func hitRecord(id, typ, headline string) string {
	b := appendField(nil, tagDocumentID, id)
	b = appendField(b, tagTypes, string(appendField(nil, tagType, typ)))
	return string(appendField(nil, groupHeader, string(appendField(b, tagHeadline, headline))))
}

// TestBrokenDescription checks that the page has all its lines, and ends with an error, if the
// connection is lost while a source description is fetched.
func TestBrokenDescription(t *testing.T) {
	const source = "\x03\x01c"
	addr := startReplay(t, exchange{initRequest1, withHeader(initReply)},
		exchange{searchX, searchResponse(hitRecord(source, "WSRC", "x.src") + hitRecord(source, "WSRC", "y.src") + ownHit)},
		exchange{retrieveRequest("x", source, "WSRC", 0, 65536), ""})
	_, got, err := readAll(t, newClient(t), "wais://"+addr+"/x?gopher")
	if protocols.ReasonOf(err) != protocols.Broken || strings.Count(got, "/WSRC/3%3Dc%3B\n") != 2 || !strings.Contains(got, "text Gopher notes ->") {
		t.Errorf("got\n%s, %v, want two links to descriptions, the document, and the reason Broken", got, err)
	}
}

// TestIdleConnectionIsReplaced checks that a fetch opens a new connection if the server has closed
// the idle one.
func TestIdleConnectionIsReplaced(t *testing.T) {
	addr := startReplay(t, exchange{initRequest1, withHeader(initReply)}, exchange{searchX, searchResponse(ownHit)})
	c := newClient(t)
	for range 3 {
		if _, _, err := readAll(t, c, "wais://"+addr+"/x?gopher"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswers reads a document that has 31 octets, as its id says, in chunks of 20 octets.
func TestAnswers(t *testing.T) {
	chunk := func(s string) string { return chunkResponse(s, "") }
	full := strings.Repeat("a", 20)
	for name, tt := range map[string]struct {
		replies []string // the replies to the requests for chunks
		want    string
		reason  protocols.Reason // the reason of the error, or Unknown for no error
	}{
		"short":       {[]string{chunk("abc")}, "abc", protocols.Damaged},
		"exactly one": {[]string{chunk(full), searchResponse(outOfRange)}, full, protocols.Damaged},
		"shortest header": {
			[]string{
				formatMessage([]byte("\x17\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00"), appendField(nil, tagUserInfo, "\x81\x19\x05\x7f\x03abc")),
			},
			"abc", protocols.Damaged,
		},
		"a short banner":              {[]string{"hello\r\n"}, "", protocols.Malformed},
		"out of range at once":        {[]string{searchResponse("\x1c\x00\x06SFEnd\x00\x1d")}, "", protocols.NotFound},
		"exactly one, then nothing":   {[]string{chunk(full), searchResponse("")}, full, protocols.Damaged},
		"empty":                       {[]string{searchResponse(outOfRange)}, "", protocols.NotFound},
		"empty and unsupported":       {[]string{searchResponse("\x1c\x00\x03S3\x01\x1d" + outOfRange)}, "", protocols.NotFound},
		"empty by another diagnostic": {[]string{searchResponse("\x1c\x00\x17S3Request out of range\x01\x1d")}, "", protocols.NotFound},
		"empty text":                  {[]string{chunk("")}, "", protocols.NotFound},
		"all at once":                 {[]string{chunk(full + full)}, full + full, 0},
		"too much later":              {[]string{chunk(full), chunk(full + full)}, full, protocols.Malformed},
		"no such database":            {[]string{searchResponse(noDatabase)}, "", protocols.NotFound},
		"no such document":            {[]string{searchResponse("\x1c\x00\x13SFMissing DocID in\x00\x1d")}, "", protocols.NotFound},
		"removed meanwhile": {
			[]string{chunk(full), searchResponse("\x1c\x00\x13SFFile not present\x00\x1d")}, full, protocols.NotFound,
		},
		"another out of range":  {[]string{chunk(full), searchResponse("\x1c\x00\x06SFEnd\x00\x1d")}, full, protocols.Damaged},
		"not authorized":        {[]string{searchResponse("\x1c\x00\x03SH\x00\x1d")}, "", protocols.Denied},
		"access control":        {[]string{searchResponse("\x1c\x00\x05T2no\x00\x1d")}, "", protocols.Denied},
		"temporary":             {[]string{searchResponse("\x1c\x00\x05S2no\x00\x1d")}, "", protocols.ServerFailed},
		"text and an error":     {[]string{chunkResponse("abc", "\x1c\x00\x05S2no\x00\x1d")}, "abc", protocols.ServerFailed},
		"crash":                 {[]string{""}, "", protocols.Broken},
		"crash later":           {[]string{chunk(full), ""}, full, protocols.Broken},
		"ends in the header":    {[]string{"00000000"}, "", protocols.Broken},
		"ends in the answer":    {[]string{"0000000100z2wais        0\x00\x0e\x17"}, "", protocols.Broken},
		"silent":                {[]string{"stall"}, "", protocols.FirstByteTimeout},
		"silent later":          {[]string{chunk(full), "stall"}, full, protocols.FirstByteTimeout},
		"silent in the header":  {[]string{"0000000100z2", "stall"}, "", protocols.IdleTimeout},
		"Z39.50 of version 3":   {[]string{"\xb7\x10\xa1\x01\x00"}, "", protocols.Malformed},
		"HTTP":                  {[]string{"HTTP/1.0 400 Bad Request\r\n\r\n"}, "", protocols.Malformed},
		"FTP":                   {[]string{"220 ready when you are, dear client\r\n"}, "", protocols.Malformed},
		"compressed":            {[]string{"0000000003z2wais      u 0\x00\x01\x17"}, "", protocols.Malformed},
		"encoded":               {[]string{"0000000003z2wais       h0\x00\x01\x17"}, "", protocols.Malformed},
		"NAK":                   {[]string{"0000000000n2wais        0"}, "", protocols.Malformed},
		"another version":       {[]string{"0000000003z3wais        0\x00\x01\x17"}, "", protocols.Malformed},
		"too long":              {[]string{"9999999999z2wais        0"}, "", protocols.TooBig},
		"no APDU":               {[]string{"0000000000z2wais        0"}, "", protocols.Malformed},
		"another APDU":          {[]string{withHeader(initReply)}, "", protocols.Malformed},
		"header part too long":  {[]string{"0000000003z2wais        0\xff\xff\x17"}, "", protocols.Malformed},
		"header part too short": {[]string{"0000000004z2wais        0\x00\x02\x17\x00"}, "", protocols.Malformed},
		"user information too long": {
			[]string{formatMessage([]byte("\x17\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00"), []byte("\x63\x7fabc"))},
			"",
			protocols.Malformed,
		},
		"record too long":        {[]string{searchResponse("\x81\x19\x7fabc")}, "", protocols.Malformed},
		"text too long":          {[]string{searchResponse("\x81\x19\x04\x7f\x7fab")}, "", protocols.Malformed},
		"length without an end":  {[]string{searchResponse("\x81\x19" + strings.Repeat("\xff", 40))}, "", protocols.Malformed},
		"length of padding only": {[]string{searchResponse("\x81\x19" + strings.Repeat("\x80", 40) + "\x00")}, "", protocols.Malformed},
		"padded length":          {[]string{searchResponse("\x81\x19\x80\x80\x05\x7f\x03abc")}, "abc", protocols.Damaged},
		"diagnostic too long":    {[]string{searchResponse("\x1c\xff\xffSFx\x00\x1d")}, "", protocols.Malformed},
		"diagnostic too short":   {[]string{searchResponse("\x1c\x00\x02SF\x00\x1d")}, "", protocols.Malformed},
		"damaged after the text": {[]string{chunkResponse("abc", "\x81\x19\x7f")}, "", protocols.Malformed},
		"unknown fields":         {[]string{searchResponse("\x83\x74\x03abc\x81\x19\x08\x83\x74\x00\x7f\x03abc")}, "abc", protocols.Damaged},
		"records within records": {[]string{searchResponse(nestedGroups(500) + "\x81\x19\x05\x7f\x03abc")}, "abc", protocols.Damaged},
		"empty but for a header": {[]string{searchResponse(ownHit)}, "", protocols.NotFound},
	} {
		test := func(t *testing.T) {
			exchanges := []exchange{{initRequest1, withHeader(smallReply)}}
			for i, r := range tt.replies {
				from := []string{"0", "20", "40"}
				exchanges = append(exchanges, exchange{requestX(from[i], []string{"20", "40", "60"}[i]), r})
				if name == "silent in the header" && i > 0 {
					exchanges[i+1].request = "" // the answer is not whole
				}
			}
			c := newClient(t)
			c.Dialer.Proxies = fetchtest.PipeServer(func(conn net.Conn) { serveReplay(t, conn, exchanges) })
			_, got, err := readAll(t, c, "wais://h/x/TEXT/"+ownPath)
			var e *protocols.Error
			reason := protocols.Unknown
			if errors.As(err, &e) {
				reason = e.Reason
			}
			if got != tt.want || reason != tt.reason || err != nil && e == nil {
				t.Errorf("got %q, %v (%s), want %q and %s", got, err, reason, tt.want, tt.reason)
			}
			if short := e != nil && strings.Contains(e.Error(), "ends after 0 of 31 octets"); short != strings.HasPrefix(name, "empty") {
				t.Errorf("got %v; only errors of empty documents must have both sizes", err)
			}
		}
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// nestedGroups returns groups within groups.
func nestedGroups(depth int) string {
	var b []byte
	for range depth {
		b = appendField(nil, groupHeader, string(b))
	}
	return string(b)
}

func TestGreetings(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  string
		reason protocols.Reason
		text   string
	}{
		"rejected":         {withHeader("\x00\x02\x15\x00"), protocols.Denied, "does not accept"},
		"no result":        {withHeader("\x00\x01\x15"), protocols.Malformed, "APDU"},
		"Z39.50 version 3": {"\xb5\x82\x01\x00", protocols.Malformed, "version 2 or 3 (ISO 23950), not a WAIS server: a z39.50s: URL opens it"},
		"closed":           {"", protocols.Broken, "Z39.50 server without WAIS, which a z39.50s: URL opens"},
	} {
		addr := startReplay(t, exchange{initRequest1, tt.reply})
		_, _, err := readAll(t, newClient(t), "wais://"+addr+"/x")
		if protocols.ReasonOf(err) != tt.reason || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want %s with %q", name, err, tt.reason, tt.text)
		}
	}
	for size, want := range map[int64]int{
		0: 10_000, 1: 1, 40: 20, 15_000: 7500, 20_000: 10_000, 50_000: 40_000, 100_000: 90_000, 1 << 31: 90_000,
	} {
		fetchtest.Equal(t, chunkFor(size), want, "chunkFor(%d)", size)
	}
}

// TestCancelEndsReading checks that canceling ends the reading of a document with the cause.
func TestCancelEndsReading(t *testing.T) {
	full := strings.Repeat("a", 20)
	addr := startReplay(t, exchange{initRequest1, withHeader(smallReply)}, exchange{requestX("0", "20"), chunkResponse(full, "")}, exchange{
		requestX("20", "40"), "stall",
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("changed my mind")
	u, _ := urlcore.Parse("wais://" + addr + "/x/TEXT/" + ownPath)
	res := fetchtest.CloseAtEnd(newClient(t).Fetch(ctx, protocols.Request{URL: u}))(t)
	fetchtest.Must(io.ReadFull(res.Body, make([]byte, 10)))(t)
	cancel(cause)
	if _, err := res.Body.Read(make([]byte, 10)); err != cause {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestReadMessageTakesNoMore(t *testing.T) {
	r := bufio.NewReader(strings.NewReader(withHeader(initReply) + "rest"))
	fetchtest.Must(readMessage(r, nil))(t)
	if rest, _ := io.ReadAll(r); string(rest) != "rest" {
		t.Errorf("%q is left, want %q", rest, "rest")
	}
}
