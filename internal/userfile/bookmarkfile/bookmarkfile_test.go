package bookmarkfile

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gofer/history/bookmarks"
	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

var parse = fetchtest.Parse

func sample(t testing.TB) []bookmarks.Bookmark {
	return []bookmarks.Bookmark{
		{URL: parse(t, "gopher://a.example/1"), Title: `A & "B" <c>`, Tags: []string{"good", "ü"}},
		{URL: parse(t, "gopher://a.example:7070/0/caf%C3%A9%20=%5B"), Title: "A text"},
		{URL: parse(t, "gopher://a.example/7/find%09words"), Folder: "phlogs"},
		{URL: parse(t, "gophers://a.example/1/x"), Title: "By TLS", Folder: "phlogs"},
		{URL: parse(t, "ftp://joe@b.example/%2Fetc/a%20b;type=d"), Title: "Files", Folder: "phlogs/unix & co"},
		{URL: parse(t, "news:comp.lang.go"), Folder: "phlogs/unix & co/deep"},
		{URL: parse(t, "http://c.example/p"), Fragment: "part/two", Title: "A place", Folder: "News"},
		{URL: parse(t, "gemini://c.example/p"), Fragment: "x", Folder: "News"},
		{URL: parse(t, "telnet://mud.example:4000/"), Title: "MUD", Folder: "News"},
		{URL: parse(t, "nntp://n.example/a.b/7"), Title: "Ärger", Folder: "News", Tags: []string{"read"}},
	}
}

func formatList(list []bookmarks.Bookmark, folders bool) string {
	var b strings.Builder
	for _, m := range list {
		if !folders {
			m.Folder = ""
		}
		fmt.Fprintf(&b, "%s|%s|%s\n", urlcore.WithFragment(m.URL.String(), m.Fragment), m.Text(), m.Folder)
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	list := sample(t)
	secret := append(sample(t), bookmarks.Bookmark{URL: parse(t, "ftp://u:sesame@h.example/"), Title: "Secret"})
	for _, name := range Names() {
		folders := name != "lynx" && name != "bombadillo"
		var b bytes.Buffer
		fetchtest.NoError(t, Write(&b, name, list))
		for _, as := range []string{name, ""} {
			got, skipped, err := Read(bytes.NewReader(b.Bytes()), as)
			if got, want := formatList(got, folders), formatList(list, folders); err != nil || skipped != 0 || got != want {
				t.Errorf("%s read as %q: %d skipped, %v; got\n%s\nwant\n%s\nof\n%s", name, as, skipped, err, got, want, b.String())
			}
		}
		b.Reset()
		if err := Write(&b, name, secret); err != nil || strings.Contains(b.String(), "sesame") {
			t.Errorf("Write(%s) = %v, want no password in\n%s", name, err, b.String())
		}
	}
	if err := Write(new(bytes.Buffer), "x", nil); err == nil {
		t.Error("Write in the format x = nil, want an error")
	}
	if _, _, err := Read(strings.NewReader(""), "x"); err == nil {
		t.Error("Read in the format x: got no error, want one")
	}
}

// TestForeign reads files in the formats of other programs.
func TestForeign(t *testing.T) {
	for _, tt := range []struct {
		name, data, want string
		skipped          int
	}{
		{
			"html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<!-- made by a browser -->\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks Menu</H1>\n" +
				"<DL><p>\n<DT><H3 ADD_DATE=\"1\" PERSONAL_TOOLBAR_FOLDER=\"true\">Bar</H3>\n<DL><p>\n" +
				"<DT><A HREF=\"https://x.example/?a=1&amp;b\" ADD_DATE=\"1\" TAGS=\"one,two\">The\n X</A>\n" +
				"<DD>words\n<DT><A HREF=\"place:sort=8\">Most</A>\n" +
				"<DT><H3>A/B</H3><DL><p></DL><p></DL><p>\n<HR><DT><A HREF=\"not a url\">no</A><DT><A NAME=x>none</A>\n</DL>",
			"https://x.example/?a=1&b|The X #one #two|Bar\nplace:sort=8|Most|Bar\n", 1,
		},
		{
			"lynx", "<head>\n<META http-equiv=\"content-type\" content=\"text/html;charset=iso-8859-1\">\n<title>Bookmark file</title>\n</head>\n" +
				"     You can delete links using the remove bookmark command.<br>\n<p>\n<ol>\n<LI><a href=\"gopher://a.example/1\">Gr\xfc\xdfe</a>\n" +
				"<LI><a href=\"ftp://joe:sesame@b.example/\">B</a>\n",
			"gopher://a.example/1|Grüße|\nftp://joe@b.example/|B|\n", 0,
		},
		{
			"xbel", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!DOCTYPE xbel>\n<xbel><title>Mine</title><folder id=\"a\" folded=\"no\"><title>F\xfc</title><desc>d</desc>" +
				"<bookmark href=\"gopher://a.example/1\" added=\"2026\"><title>A " +
				"&amp; B</title><desc>long</desc></bookmark><separator/><alias ref=\"a\"/>" +
				"<folder><bookmark href=\"news:a.b\"/></folder></folder></xbel>",
			"gopher://a.example/1|A & B|Fü\nnews:a.b||Fü\n", 0,
		},
		{
			"gophermap", "iWelcome\t\tnull\t1\n1A hole\t/x\ta.example\t70\nhWeb\tURL:https://w.example/\tsdf.org\t70\r\n8MUD\t\tm.example\t23\n" +
				"hOld\tGET /\tw.example\t80\n0Bad port\tx\ty.example\tz\n0short\tx\n.\n",
			"gopher://a.example/1/x|A hole|\nhttps://w.example/|Web|\ntelnet://m.example/|MUD|\ngopher://w.example:80/hGET%20/|Old|\n", 2,
		},
		{
			"bombadillo",
			"[SETTINGS]\nhomeurl=gopher://no.example/1\n\n[BOOKMARKS]\nA = hole=gopher://a.example/1\n" +
				"B=gopher://b.example/7/?x=y\n[CERTIFICATES]\nh=x:1\n",
			"gopher://a.example/1|A = hole|\ngopher://b.example/7/%3Fx=y|B|\n", 0,
		},
		{
			"lagrange", "recentfolder = 2\n\n[2]\nurl = \"\"\ntitle = \"Phlogs / more\"\ntags = \"\"\nicon = 0x0\ncreated = 1700000000  # 2023-11-14\n\n" +
				"[7]\nurl = \"gopher://b.example/1\"\ntitle = \"B \\\"b\\\"\"\ntags = \".subscribed good\"\n" +
				"icon = 0x1f4ab\ncreated = 1  # 1970-01-01\nparent = 2\norder = 1\n\n" +
				"[3]\nurl = \"gopher://a.example/1\"\ntitle = \"A\"\ntags = \"\"\nparent = 9\norder = 2\n\n[4]\nurl = \"not a url\"\norder = 3\n" +
				"[5]\ntitle = \"Loop\"\nparent = 5\n",
			"gopher://b.example/1|B \"b\" #good|Phlogs - more\ngopher://a.example/1|A|\n", 1,
		},
		{
			"gemtext", "# Bookmarks\n\n=> gemini://g.example/ A capsule\n* words\n```\n=> gopher://no.example/ preformatted\n```\n" +
				"## F\n=>gopher://a.example/1\tA  hole\n### G\n=> news:a.b\n=> /relative x\n## H\n> q\n=> news:c.d C #t\n",
			"gemini://g.example/|A capsule|\ngopher://a.example/1|A hole|F\nnews:a.b||F/G\nnews:c.d|C #t|H\n", 1,
		},
		{
			"opml", "<?xml version=\"1.0\"?><opml version=\"1.0\"><head><title>x</title></head><body><outline text=\"F\"><outline text=\"A &amp; B\" type=\"rss\" " +
				"xmlUrl=\"https://w.example/feed\" htmlUrl=\"https://w.example/\"/><outline " +
				"title=\"G\"><outline text=\"g\" url=\"gopher://a.example/1\">" +
				"<outline text=\"in a link\" url=\"news:a.b\"/></outline></outline></outline><outline " +
				"xmlUrl=\"gopher://f.example/0/feed\"/><outline text=\"no\" url=\"no url\"/></body></opml>",
			"https://w.example/|A & B|F\ngopher://a.example/1|g|F/G\nnews:a.b|in a link|F/G\ngopher://f.example/0/feed||\n", 1,
		},
		{"text", "# mine\ngopher://a.example/1\tA\n\n## F/G\nnews:a.b  B #t\nodd line\n", "gopher://a.example/1|A|\nnews:a.b|B #t|F/G\n", 1},
	} {
		if tt.name != "lynx" && guessFormat([]byte(tt.data)) != tt.name {
			t.Errorf("guessFormat = %s, want %s", guessFormat([]byte(tt.data)), tt.name)
		}
		got, skipped, err := Read(strings.NewReader(tt.data), tt.name)
		if err != nil || skipped != tt.skipped || formatList(got, true) != tt.want {
			t.Errorf("%s: %d skipped, %v; got\n%s\nwant\n%s", tt.name, skipped, err, formatList(got, true), tt.want)
		}
	}
}

// TestHostile checks that deep, long and truncated files take time and memory in proportion to
// their size.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("<H3>x</H3><DL>", 100_000) + `<A HREF="news:a.b">y</A>`
	got, _, err := Read(strings.NewReader(deep), "html")
	if err != nil || len(got) != 1 || strings.Count(got[0].Folder, "/") != maxDepth-1 {
		t.Errorf("deep html: got %v, %v; want one bookmark in %d folders", got, err, maxDepth)
	}
	deep = "<xbel>" + strings.Repeat("<folder><title>x</title>", 100_000) + `<bookmark href="news:a.b"/>`
	got, _, _ = Read(strings.NewReader(deep), "xbel")
	if len(got) != 1 || strings.Count(got[0].Folder, "/") != maxDepth-1 {
		t.Errorf("deep xbel: got %v, want one bookmark in %d folders", got, maxDepth)
	}
	if _, _, err := Read(strings.NewReader(strings.Repeat("x", MaxSize+1)), ""); err == nil {
		t.Error("Read of a file over the limit: got no error, want one")
	}
	for name, data := range map[string]string{
		"elements": strings.Repeat("<a>", MaxSize/4), "attributes": "<bookmark " + strings.Repeat("a='' ", MaxSize/6),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read(strings.NewReader("<xbel>"+data), "")
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 8*MaxSize {
			t.Errorf("xbel of many %s: got the error %v after %d octets were allocated, want one after at most %d", name, err, n, 8*MaxSize)
		}
	}
	for _, data := range []string{
		"<a href=news:a.b>", "<a href='" + strings.Repeat("x", 1<<20), "<xbel><bookmark",
		strings.Repeat("</dl></folder>", 1000),
	} {
		for _, name := range Names() {
			_, _, _ = Read(strings.NewReader(data), name)
		}
	}
	for _, data := range []string{"[1]\na = " + strings.Repeat("[", 1<<20), "[1]\n" + strings.Repeat("a.", 1<<20) + "b = 1"} {
		if _, _, err := Read(strings.NewReader(data), "lagrange"); err == nil {
			t.Errorf("Read(%.20q...): got no error, want one", data)
		}
	}
	loop := "[1]\ntitle = \"a\"\nparent = 2\n[2]\ntitle = \"b\"\nparent = 1\n[3]\nurl = \"news:a.b\"\nparent = 1\n"
	got, _, err = Read(strings.NewReader(loop), "lagrange")
	if err != nil || len(got) != 1 || strings.Count(got[0].Folder, "/") != maxDepth-1 {
		t.Errorf("folders that contain each other: got %v, %v; want one bookmark in %d folders", got, err, maxDepth)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range Names() {
		var b bytes.Buffer
		fetchtest.NoError(f, Write(&b, name, sample(f)))
		f.Add(name, b.String())
	}
	f.Fuzz(func(t *testing.T, name, data string) {
		list, _, err := Read(strings.NewReader(data), name)
		if err != nil {
			return
		}
		for _, b := range list {
			if b.URL == nil || urlcore.Redact(b.URL) != b.URL || strings.ContainsAny(b.Folder+b.Title, "\n\r\t") {
				t.Errorf("Read gave %+v; want a URL without a password, and texts of one line", b)
			}
		}
	})
}
