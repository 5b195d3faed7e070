package gemini_test

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/charset"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/urlcore"
)

// serveOctets starts a Gemini server at host localhost that answers each path with octets.
func serveOctets(t *testing.T, answer func(path string) string) (addr string) {
	t.Helper()
	config, _ := fetchtest.NewSelfSigned(t)
	return fetchtest.Serve(t, func(conn net.Conn) {
		c := tls.Server(conn, config)
		defer c.Close()
		line, _ := bufio.NewReader(c).ReadString('\n')
		u, err := url.Parse(strings.TrimSpace(line))
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, answer(u.RequestURI()))
	})
}

// show returns what gofer shows for the page u: the question, the error, or the lines with their links.
func show(t *testing.T, u urlcore.URL) string {
	t.Helper()
	res, err := new(gemini.Client).Fetch(t.Context(), protocols.Request{URL: u})
	if ask, ok := errors.AsType[*protocols.Ask](err); ok {
		f := ask.Fields[0]
		return "asks: " + cmp.Or(f.ServerLabel, f.Label) + map[bool]string{true: " (secret)"}[f.Input == protocols.InputSecret]
	}
	if err != nil {
		return "error: " + err.Error()
	}
	defer res.Close()
	var b strings.Builder
	add := func(l protocols.Line) {
		b.WriteString(strings.TrimSpace(l.Text))
		if l.Link != nil {
			b.WriteString(" <" + l.Link.String() + ">")
		}
		if h, ok := l.Note.(*protocols.Hypertext); ok {
			for _, link := range h.Links {
				b.WriteString(" <" + link.URL.String() + ">")
			}
		}
		b.WriteString("|")
	}
	if res.Lines != nil {
		for l, err := range res.Lines {
			fetchtest.NoError(t, err)
			add(l)
		}
		return res.Title + ": " + b.String()
	}
	d := fetchtest.Must(document.Open(res.Head, res.Body))(t)
	declared, _ := charset.Parse(d.Charset)
	for l, err := range d.Lines() {
		fetchtest.NoError(t, err)
		l.Text = declared.Decode(l.Text)
		add(l)
	}
	return b.String()
}

// TestTorture checks the cases of the Gemini client torture test: the numbers are those of its pages. Cases of
// the client test egsam, and of the protocol itself, have no number. The octets @ in an answer and in the wanted
// text are the address of the server.
func TestTorture(t *testing.T) {
	ok := "20 text/gemini\r\n"
	next := func(ref string) string { return ok + "=> " + ref + "\r\n" }
	for _, tt := range tortureTests(ok, next) {
		t.Run(tt.page+" "+tt.asks, func(t *testing.T) {
			addr := ""
			addr = serveOctets(t, func(path string) string {
				if a, known := tt.paths[path]; known {
					return strings.ReplaceAll(a, "@", addr)
				}
				return strings.ReplaceAll(tt.answer, "@", addr)
			})
			got := show(t, fetchtest.Parse(t, "gemini://"+addr+"/test/torture/page"))
			want := strings.ReplaceAll(tt.want, "@", addr)
			if got != want && (!strings.HasPrefix(want, "error: ") || !strings.HasPrefix(got, "error: ") ||
				!strings.Contains(got, want[len("error: "):])) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

type tortureTest struct {
	page, asks, answer, want string
	paths                    map[string]string // answers for other paths
}

func tortureTests(ok string, next func(ref string) string) []tortureTest {
	const base = "<gemini://@/test/torture/"
	long := strings.Repeat("x", 1024)
	moved := map[string]string{"/next": ok + "here\r\n", "/test/torture/next": ok + "beside\r\n"}
	return append([]tortureTest{
		{"0001", "an absolute link with a text", next("gemini://@/test/torture/0002 0002"), "=> 0002 " + base + "0002>|", nil},
		{
			"0002", "an absolute link without a text", next("gemini://@/test/torture/0003"),
			"=> gemini://@/test/torture/0003 " + base + "0003>|", nil,
		},
		{"0003", "a link without a scheme, with a text", next("//@/test/torture/0004 0004"), "=> 0004 " + base + "0004>|", nil},
		{"0004", "a link without a scheme and text", next("//@/test/torture/0005"), "=> //@/test/torture/0005 " + base + "0005>|", nil},
		{"0005", "an absolute path, with a text", next("/test/torture/0006 0006"), "=> 0006 " + base + "0006>|", nil},
		{"0006", "an absolute path without a text", next("/test/torture/0007"), "=> /test/torture/0007 " + base + "0007>|", nil},
		{"0007", "a relative path, with a text", next("0008 0008"), "=> 0008 " + base + "0008>|", nil},
		{"0008", "a relative path without a text", next("0009"), "=> 0009 " + base + "0009>|", nil},
		{"0009", "a path with ..", next("/test/../test/torture/0010"), "=> /test/../test/torture/0010 " + base + "0010>|", nil},
		{
			"0010", "a path with . and ..", next("/test/torture/../../test/./torture/0011"),
			"=> /test/torture/../../test/./torture/0011 " + base + "0011>|", nil,
		},
		{
			"0011", "more .. than directories", next("../../../../test/./././torture/./0012"),
			"=> ../../../../test/./././torture/./0012 " + base + "0012>|", nil,
		},
		{"0012", "charset=utf-8", "20 text/gemini;charset=utf-8\r\né\r\n", "é|", nil},
		{"0013", "charset=iso-8859-1", "20 text/gemini; charset=iso-8859-1\r\n\xe9\r\n", "é|", nil},
		{"0014", "charset=us-ascii", "20 text/gemini; charset=us-ascii\r\ne\r\n", "e|", nil},
		{"0015", "an unknown parameter format=flowed", "20 text/gemini; format=flowed\r\ne \r\nf\r\n", "e|f|", nil},
		{"0016", "an unknown parameter foo=bar", "20 text/gemini; foo=bar\r\n=> 0017\r\n", "=> 0017 " + base + "0017>|", nil},
		{"0017", "several parameters without blanks", "20 text/gemini;format=flowed;foo=bar\r\n=> 0018\r\n", "=> 0018 " + base + "0018>|", nil},
		{"0018", "a media type in capital letters", "20 TEXT/GEMINI; charset=utf-8\r\n=> 0019\r\n", "=> 0019 " + base + "0019>|", nil},
		{
			"0019", "a parameter in capital letters, and links to other schemes",
			"20 text/gemini; CHARSET=ISO-8859-1\r\n\xe9\r\n=> gopher://h.example/ G\r\n=> about:blank A\r\n" +
				"=> example:test E\r\n=> http://h.example/ H\r\n",
			"é|=> G <gopher://h.example/1>|=> A <about:link?about%3Ablank>|=> E <example:test>|=> H <http://h.example/>|",
			nil,
		},
		{
			"0020", "links to other schemes without a text", next("gopher://h.example/\r\n=> example:test"),
			"=> gopher://h.example/ <gopher://h.example/1>|=> example:test <example:test>|", nil,
		},
		{"0021", "a link with the scheme data", next("data:text/gemini,x Data"), "=> Data <about:link?data%3Atext%2Fgemini,x>|", nil},
		{"0022", "endless temporary redirects", "30 x\r\n", "error: more than 5 redirects", nil},
		{"0023", "endless permanent redirects", "31 x\r\n", "error: more than 5 redirects", nil},
		{
			"0024", "endless redirects of both kinds", "30 /a\r\n", "error: more than 5 redirects",
			map[string]string{"/a": "31 /b\r\n", "/b": "30 /a\r\n"},
		},
		{"0025", "a redirect to itself", "30 gemini://@/test/torture/page\r\n", "error: more than 5 redirects", nil},
		{
			"0026", "an endless redirect to relative and absolute URLs", "30 ./a/\r\n", "error: more than 5 redirects",
			map[string]string{"/test/torture/a/": "31 //@/test/torture/page\r\n"},
		},
		{
			"0027", "a redirect to another scheme", "30 gopher://h.example/\r\n",
			"Redirect: The server redirects to a server of another protocol:||gopher://h.example/1 <gopher://h.example/1>|",
			nil,
		},
		{
			"0028", "a link line with the URL at the end", next("This is out of order gemini://@/test/torture/0029"),
			"=> is out of order gemini://@/test/torture/0029 " + base + "This>|", nil,
		},
		{"0029", "a link line without a blank after =>", ok + "=>0030 No blank\r\n", "=> No blank " + base + "0030>|", nil},
		{"0030", "tabs and blanks around the URL", ok + "=>\t 0031\t \tTabs  \r\n", "=> Tabs " + base + "0031>|", nil},
		{"0031", "a URL with octets that are not allowed", next("<0032> Angles"), "=> Angles <gemini://@/test/torture/%3C0032%3E>|", nil},
		{"0032", "a link line without a URL", ok + "=>\r\n=>   \r\n=> 0033\r\n", "=>|=>|=> 0033 " + base + "0033>|", nil},
		{"0033", "lines that only look like links", ok + "= > 0034\r\n =>0034\r\n```\r\n=> 0034\r\n```\r\n", "= > 0034|=>0034|=> 0034|", nil},
		{"0034", "the unknown status 99", "99 odd\r\n", "error: 99 odd", nil},
		{"0035", "the unknown status 29", "29 text/gemini\r\ntext\r\n", "text|", nil},
		{"0036", "the unknown status 39", "39 /next\r\n", "here|", moved},
		{"0037", "the unknown status 49", "49 odd\r\n", "error: 49 odd", nil},
		{"0038", "the unknown status 58", "58 odd\r\n", "error: 58 odd", nil},
		{"0039", "a status of one digit", "2 text/gemini\r\ntext\r\n", "error: a status of two digits", nil},
		{"0040", "the status 0", "0 text/gemini\r\ntext\r\n", "error: a status of two digits", nil},
		{
			"0041", "a long line of words", ok + strings.Repeat("word ", 2000) + "\r\n",
			strings.TrimSpace(strings.Repeat("word ", 2000)) + "|", nil,
		},
		{"0042", "a long line with hyphens", ok + strings.Repeat("word-", 2000) + "\r\n", strings.Repeat("word-", 2000) + "|", nil},
		{"0043", "a long line without blanks", ok + strings.Repeat("w", 9000) + "\r\n", strings.Repeat("w", 9000) + "|", nil},
		{"0044", "a long line in UTF-8", ok + strings.Repeat("é ", 3000) + "\r\n", strings.TrimSpace(strings.Repeat("é ", 3000)) + "|", nil},
		{"0045", "no-break spaces", ok + "a\u00a0b\r\n", "a\u00a0b|", nil},
		{"0046", "soft hyphens", ok + "soft\u00adhyphen\r\n", "soft\u00adhyphen|", nil},
		{"0047", "zero-width spaces", ok + "a\u200bb\r\n", "a\u200bb|", nil},
		{"0048", "other spaces", ok + "a\u2003b\u3000c\r\n", "a\u2003b\u3000c|", nil},
		{"0049", "combining marks", ok + "e\u0301\r\n", "e\u0301|", nil},
		{"0050", "a text from right to left", ok + "שלום\r\n", "שלום|", nil},
		{"0051", "the last page: preformatted text and headings", ok + "# A\r\n### C\r\n```alt\r\n  x\r\n```\r\n", "A|C|x|", nil},
	}, otherTortureTests(ok, next, long, moved)...)
}

// otherTortureTests are cases of the client test egsam and of the specification.
func otherTortureTests(ok string, next func(ref string) string, long string, moved map[string]string) []tortureTest {
	return []tortureTest{
		{"-", "a status of three digits", "200 text/gemini\r\ntext\r\n", "error: a status of two digits", nil},
		{"-", "a status that is no number", "xx text/gemini\r\n", "error: a status of two digits", nil},
		{"-", "no blank after the status", "20text/gemini\r\n", "error: a status of two digits", nil},
		{"-", "a tab after the status", "20\ttext/gemini\r\n", "error: a status of two digits", nil},
		{"-", "several blanks after the status", "20   text/gemini\r\n# A\r\n", "A|", nil},
		{"-", "a status alone", "20\r\n# A\r\n", "A|", nil},
		{"-", "an empty media type", "20 \r\n# A\r\n", "A|", nil},
		{"-", "odd blanks around parameters", "20 text/gemini ;  charset = \"iso-8859-1\" ; lang=en\r\n\xe9\r\n", "é|", nil},
		{"-", "charset=utf-16", "20 text/gemini; charset=utf-16\r\n\xfe\xff\x00#\x00 \x00A\x00\n", "A|", nil},
		{"-", "a body without a line end", ok + "=> a A", "=> A <gemini://@/test/torture/a>|", nil},
		{"-", "an empty body", ok, "", nil},
		{"-", "LF without CR after the head", "20 text/gemini\ntext\n", "error: CR LF", nil},
		{"-", "LF without CR after a redirect", "30 /next\n", "error: CR LF", moved},
		{"-", "1,024 octets after the status", "20 text/plain; x=" + long[len("text/plain; x="):] + "\r\ntext\r\n", "text|", nil},
		{"-", "1,025 octets after the status", "40 " + long + "x\r\n", "error: more than the 1,024 octets", nil},
		{"-", "a head without an end", "20 " + strings.Repeat(long, 8), "error: more than the 1,024 octets", nil},
		{"-", "no answer", "", "error: without an answer", nil},
		{"-", "no Gemini, without a line end", "<html>not gemini", "error: <html>not gemini", nil},
		{"-", "half a head", "20 text/ge", "error: before the end of the first line", nil},
		{"-", "input", "10 Your name?\r\n", "asks: Your name?", nil},
		{"-", "input with an empty prompt", "10 \r\n", "asks: Input", nil},
		{"-", "sensitive input", "11 PIN\r\n", "asks: PIN (secret)", nil},
		{"-", "sensitive input with an empty prompt", "11\r\n", "asks: Secret input (secret)", nil},
		{"-", "the unknown status 19", "19 Name\r\n", "asks: Name", nil},
		{"-", "a redirect to an absolute URL", "30 gemini://@/next\r\n", "here|", moved},
		{"-", "a redirect to a path", "31 /next\r\n", "here|", moved},
		{"-", "a redirect to a relative URL", "31 next\r\n", "beside|", moved},
		{"-", "a redirect without a scheme", "30 //@/next\r\n", "here|", moved},
		{"-", "a redirect with a query", "30 ?q\r\n", "asked|", map[string]string{"/test/torture/page?q": ok + "asked\r\n"}},
		{
			"-", "five redirects", "30 /1\r\n", "here|",
			map[string]string{"/1": "30 /2\r\n", "/2": "30 /3\r\n", "/3": "30 /4\r\n", "/4": "30 /next\r\n", "/next": ok + "here\r\n"},
		},
		{
			"-", "six redirects", "30 /1\r\n", "error: more than 5 redirects",
			map[string]string{
				"/1": "30 /2\r\n", "/2": "30 /3\r\n", "/3": "30 /4\r\n", "/4": "30 /5\r\n", "/5": "30 /next\r\n",
				"/next": ok + "here\r\n",
			},
		},
		{"-", "a redirect without a URL", "31 \r\n", "error: redirect", nil},
		{"-", "a redirect to a local file", "31 file:///etc/passwd\r\n", "error: redirect", nil},
		{"-", "an error without a text", "40 \r\n", "error: the server said 40", nil},
		{"-", "not found", "51 none\r\n", "error: 51 none", nil},
		{"-", "slow down", "44 30\r\n", "error: too many requests", nil},
		{"-", "a client certificate is required", "60 log in\r\n", "error: client certificate", nil},
		{"-", "the unknown status 69", "69 odd\r\n", "error: client certificate", nil},
		{"-", "a link with ./", next("./a"), "=> ./a <gemini://@/test/torture/a>|", nil},
		{"-", "a link with ../", next("../a"), "=> ../a <gemini://@/test/a>|", nil},
		{"-", "a link with only a query", next("?a%20b"), "=> ?a%20b <gemini://@/test/torture/page?a%20b>|", nil},
		{"-", "a link to the port of Gemini", next("gemini://h.example:1965/a"), "=> gemini://h.example:1965/a <gemini://h.example/a>|", nil},
		{"-", "a text of another type", "20 text/plain; charset=iso-8859-1\r\n=> \xe9\r\n", "=> é|", nil},
	}
}
