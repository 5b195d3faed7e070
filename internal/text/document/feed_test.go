package document

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/internal/text/feed"
	"gofer/protocols"
	"gofer/urlcore"
)

const rssHead = `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>`

// TestFeed reads feeds of known programs. The media type is the declared one.
func TestFeed(t *testing.T) {
	for _, tt := range []struct{ file, url, media string }{
		{"wordpress.rss", "https://h.example/feed/", "application/rss+xml; charset=UTF-8"},
		{"github.atom", "https://h.example/o/r/releases.atom", "application/atom+xml; charset=utf-8"},
		{"jekyll.atom", "gopher://h.example/0/blog/feed.xml", "text/plain"},
		{"podcast.rss", "ftp://h.example/pub/cast.xml", ""},
		{"rdf.rss", "http://h.example/index.rdf", "text/html"},
		{"atom03.atom", "gemini://h.example/atom.xml", "text/xml"},
		{"jsonfeed.json", "http://h.example/feed.json", "application/json"},
		{"netscape091.rss", "file:///tmp/x", "application/xml"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			page := string(fetchtest.Must(os.ReadFile(filepath.Join("testdata", "feeds", tt.file)))(t))
			got := htmlText(t, tt.url, tt.media, page)
			want := filepath.Join("testdata", "feeds", tt.file+".want")
			fetchtest.Equal(t, got, string(fetchtest.Must(os.ReadFile(want))(t)))
		})
	}
}

// TestFeedEntries checks single entries.
func TestFeedEntries(t *testing.T) {
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>`
	for _, tt := range []struct{ name, media, page, want string }{
		{
			"plain title", feed.MediaAtom, atom + `<entry><title>a &lt;b> c</title><link href="x"/></entry></feed>`,
			"h1 T\n\nh2 {a <b> c|http://h.example/d/x}\n",
		},
		{
			"HTML title", feed.MediaAtom,
			atom + `<entry><title type="html">a &lt;b>c&lt;/b> &amp;amp; d</title><link href="x"/></entry></feed>`,
			"h1 T\n\nh2 {a c & d|http://h.example/d/x}\n",
		},
		{
			"XHTML content", feed.MediaAtom,
			atom +
				`<entry><title>a</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>b <a href="y">c</a></p></div></content></entry></feed>`,
			"h1 T\n\nh2 a\n\nb {c|http://h.example/d/y}\n",
		},
		{
			"plain summary", feed.MediaAtom,
			atom + `<entry><title>a</title><summary>b &lt;i> &amp;amp; c</summary></entry></feed>`,
			"h1 T\n\nh2 a\n\nb <i> &amp; c\n",
		},
		{
			"xml:base", feed.MediaAtom, `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.example/blog/feed.xml"><title>T</title><entry xml:base="2026/"><title>a</title><link href="x"/>` +
				`<content type="html" xml:base="/c/">&lt;a href="y">z&lt;/a></content></entry></feed>`,
			"h1 T\n\nh2 {a|http://b.example/blog/2026/x}\n\n{z|http://b.example/c/y}\n",
		},
		{
			"prefixed Atom", "",
			`<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>T</a:title><a:entry><a:title>a</a:title></a:entry></a:feed>`,
			"h1 T\n\nh2 a\n",
		},
		{
			"HTML in the title", "",
			rssHead + `<item><title>R&amp;amp;D &lt;em>now&lt;/em> with Map&lt;T></title></item></channel></rss>`,
			"h1 T\n\nh2 R&D now with Map<T>\n",
		},
		{
			"no title", "",
			rssHead + `<item><description>&lt;p>A short post.&lt;/p></description><link>/1</link></item></channel></rss>`,
			"h1 T\n\nh2 {A short post.|http://h.example/1}\n\nA short post.\n",
		},
		{
			"guid as the link", "",
			rssHead + `<item><title>a</title><guid>http://g.example/1</guid></item></channel></rss>`,
			"h1 T\n\nh2 {a|http://g.example/1}\n",
		},
		{
			"script as the link", "",
			rssHead + `<item><title>a</title><link>javascript:x()</link></item></channel></rss>`,
			"h1 T\n\nh2 {a|about:link?javascript%3Ax()}\n",
		},
		{
			"script in a summary", "",
			rssHead +
				`<item><title>a</title><description><![CDATA[b<script>c</script> <style>d</style><h1>e</h1>]]></description></item></channel></rss>`,
			"h1 T\n\nh2 a\n\nb\n\nh3 e\n",
		},
		{
			"order", "", rssHead +
				`<item><title>no date</title></item><item><title>old</title><pubDate>Mon, 01 Jan 2001 10:00:00 GMT</pubDate></item><item><title>odd date</title><pubDate>soon</pubDate></item>` +
				`<item><title>new</title><pubDate>Tue, 02 Jan 2001 01:00:00 +0200</pubDate></item></channel></rss>`,
			"h1 T\n\nh2 new\n2001-01-01 23:00 UTC\n\nh2 old\n2001-01-01 10:00 UTC\n\nh2 no date\n\nh2 odd date\nsoon\n",
		},
		{
			"incomplete", "", rssHead + `<item><title>a</title></item><item><title>b`,
			"h1 T\n\nThe feed is incomplete or broken: entries may be missing.\n\nh2 a\n",
		},
		{
			"not well-formed", "",
			rssHead +
				`<item><title>a & b&nbsp;c</title><description><b>d<i>e</description></item><item><title>f &#8; g</title></item></channel></rss>`,
			"h1 T\n\nh2 a & b c\n\nde\n\nh2 f g\n",
		},
		{
			"entities", "",
			`<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + rssHead[21:] + `<item><title>&b;</title></item></channel></rss>`,
			"h1 T\n\nh2 &b;\n",
		},
		{
			"comment and stylesheet", "text/plain",
			"\ufeff\n<?xml version='1.1' encoding='UTF-8'?>\n<?xml-stylesheet href='a.xsl'?>\n<!-- <html> -->\n" + rssHead[21:] + "</channel></rss>",
			"h1 T\n\nThe feed has no entries.\n",
		},
		{
			"charset of the declaration", "application/xml",
			`<?xml version="1.0" encoding="ISO-8859-15"?>` + rssHead[21:] + "<item><title>\xa4 \xe9</title></item></channel></rss>",
			"h1 T\n\nh2 € é\n",
		},
		{
			"charset of the type", "application/rss+xml; charset=koi8-r",
			`<?xml version="1.0" encoding="utf-8"?>` + rssHead[21:] + "<item><title>\xeb\xcf</title></item></channel></rss>",
			"h1 T\n\nh2 Ко\n",
		},
		{
			"UTF-16", "",
			"\xff\xfe" + utf16le(`<?xml version="1.0" encoding="utf-16"?>`+rssHead[21:]+"<item><title>é</title></item></channel></rss>"),
			"h1 T\n\nh2 é\n",
		},
		{
			"JSON with an odd item", "",
			`{"version":"https:\/\/jsonfeed.org\/version\/1","title":"T","items":[{"id":1,"title":3},{"id":2,"title":"a <b>","content_text":"c <d>","url":"e"}]}`,
			"h1 T\n\nh2 {a <b>|http://h.example/d/e}\n\nc <d>\n",
		},
		{
			"incomplete JSON", "application/feed+json",
			`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a"},{"id":"2","ti`,
			"h1 T\n\nThe feed is incomplete or broken: entries may be missing.\n\nh2 a\n",
		},
		{
			"other XML", "text/xml", `<?xml version="1.0"?><note><title>T</title></note>`,
			`<?xml version="1.0"?><note><title>T</title></note>` + "\n",
		},
		{"other JSON", "application/json", `{"version":"1","items":[]}`, `{"version":"1","items":[]}` + "\n"},
		{"HTML about feeds", "text/html", `<!DOCTYPE html><p>&lt;rss&gt;<rss version="2.0">`, "<rss>\n"},
		{"a page instead of a feed", feed.MediaAtom, "<html><body>Not found", "<html><body>Not found\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fetchtest.Equal(t, htmlText(t, "http://h.example/d/feed.xml", tt.media, tt.page), tt.want)
		})
	}
}

// TestFeedLinks checks the URLs of relative links. In RSS they are relative to the page of the item, or else to the site of
// the feed, or else to the feed. The page of the item is relative to the site, and recordings to the feed. The attribute
// xml:base comes first.
func TestFeedLinks(t *testing.T) {
	const remote, local, content = "http://f.example/d/feed.xml", "file:///home/u/feed.xml", `<title>a</title><description>&lt;a href="/rel">r&lt;/a> &lt;a href="s">s&lt;/a></description>`
	for _, tt := range []struct{ name, url, head, item, tail, want string }{
		{"no links", remote, "", content, "", "h2 a\n\n{r|http://f.example/rel} {s|http://f.example/d/s}\n"},
		{
			"the item's link", remote, "<link>http://h/</link>", content + "<link>http://i/b/c</link>", "",
			"h2 {a|http://i/b/c}\n\n{r|http://i/rel} {s|http://i/b/s}\n",
		},
		{"the channel's link", remote, "<link>http://h/b/</link>", content, "", "h2 a\n\n{r|http://h/rel} {s|http://h/b/s}\n"},
		{"the channel's link, after the items", remote, "", content, "<link>http://h/b/</link>", "h2 a\n\n{r|http://h/rel} {s|http://h/b/s}\n"},
		{"a local file", local, "<link>http://h/</link>", content, "", "h2 a\n\n{r|http://h/rel} {s|http://h/s}\n"},
		{
			"a local file, the item's link", local, "", content + "<link>http://i/b/</link>", "",
			"h2 {a|http://i/b/}\n\n{r|http://i/rel} {s|http://i/b/s}\n",
		},
		{
			"a local file, relative links of the items", local, "<link>http://h/</link>", content + "<link>/b/c</link>",
			"", "h2 {a|http://h/b/c}\n\n{r|http://h/rel} {s|http://h/b/s}\n",
		},
		{
			"a relative link of the channel", remote, "<link>../e/</link>", content, "",
			"h2 a\n\n{r|http://f.example/rel} {s|http://f.example/e/s}\n",
		},
		{
			"a guid as the link", remote, "", content + "<guid>gopher://g/0/b/c</guid>", "",
			"h2 {a|gopher://g/0/b/c}\n\n{r|gopher://g/9/rel} {s|gopher://g/9/b/s}\n",
		},
		{
			"a guid that is no link", remote, "", content + `<guid isPermaLink="false">tag:x,1</guid>`, "",
			"h2 a\n\n{r|http://f.example/rel} {s|http://f.example/d/s}\n",
		},
		{
			"links without a path", remote, "<link>mailto:a@h</link>", content + "<link>news:x@h</link>", "",
			"h2 {a|news:x@h}\n\n{r|http://f.example/rel} {s|http://f.example/d/s}\n",
		},
		{"a file as the link", remote, "<link>file:///etc/</link>", content, "", "h2 a\n\n{r|http://f.example/rel} {s|http://f.example/d/s}\n"},
		{
			"xml:base", remote, "<link>http://h/</link>",
			`<description xml:base="http://x/y/">&lt;a href="s">s&lt;/a></description><title>a</title><link>http://i/</link>`,
			"", "h2 {a|http://i/}\n\n{s|http://x/y/s}\n",
		},
		{
			"an enclosure", local, "<link>http://h/</link>",
			`<title>a</title><enclosure url="b.mp3" length="1" type="audio/mpeg"/>`, "",
			"h2 {a|file:///home/u/b.mp3}\n{[b.mp3, audio/mpeg, 1 octets]|file:///home/u/b.mp3}\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := htmlText(t, tt.url, feed.MediaRSS, rssHead+tt.head+"<item>"+tt.item+"</item>"+tt.tail+"</channel></rss>")
			if !strings.HasSuffix(got, "\n\n"+tt.want) {
				t.Errorf("got %q, want the end %q", got, tt.want)
			}
		})
	}
	const site = `<link>e/</link><description>&lt;a href="s">s&lt;/a></description></channel></rss>`
	fetchtest.Equal(t, htmlText(t, remote, feed.MediaRSS, rssHead+
		site), "h1 {T|http://f.example/d/e/}\n{s|http://f.example/d/e/s}\n\nThe feed has no entries.\n", "the description of the channel")
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><link href="http://h/"/><entry><title>a</title><link href="http://i/"/><content type="html">&lt;a href="s">s&lt;/a></content></entry></feed>`
	fetchtest.Equal(t, htmlText(t, remote, feed.MediaAtom, atom), "h1 {T|http://h/}\n\nh2 {a|http://i/}\n\n{s|http://f.example/d/s}\n", "Atom")
}

func utf16le(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// hostileFeeds contains an input for each kind of feed that is read by different code.
var hostileFeeds = []memorygrowth.Input{
	{Name: "entries", Head: rssHead, Unit: "<item><title>a#</title><link>b#</link></item>"},
	{Name: "one entry", Head: rssHead + "<item>", Unit: "<title>a</title>"},
	{Name: "nested elements", Head: rssHead, Unit: "<a>"},
	{Name: "nested elements in an entry", Head: rssHead + "<item>", Unit: "<x:a>"},
	{Name: "nested entries", Head: rssHead, Unit: "<item>"},
	{Name: "extensions", Head: rssHead, Unit: "<x:a#>b</x:a#>"},
	{Name: "attributes", Head: rssHead + "<item ", Unit: "a#='b' "},
	{Name: "namespaces", Head: "<rss ", Unit: "xmlns:a#='b#' "},
	{Name: "enclosures", Head: rssHead + "<item>", Unit: "<enclosure url='a#' type='b' length='1'/>", Tail: "</item>"},
	{Name: "bases", Head: "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>", Unit: "<entry xml:base='a#/'>"},
	{Name: "ends", Head: rssHead, Unit: "</item>"},
	{Name: "document type", Head: "<!DOCTYPE rss [", Unit: "<!ENTITY a# 'b'>"},
	{Name: "entities", Head: rssHead + "<item><title>", Unit: "&amp;&#65;&x;", Tail: "</title></item>"},
	{Name: "CDATA", Head: rssHead + "<item><description>", Unit: "<![CDATA[<p>a]]>", Tail: "</description></item>"},
	{
		Name: "XHTML", Head: "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><content type='xhtml'>",
		Unit: "<p>a</p>", Tail: "</content></entry>",
	},
	{
		Name: "nested HTML",
		Head: "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><content type='html'>", Unit: "&lt;b>",
		Tail: "</content></entry>",
	},
	{Name: "items of JSON", Head: `{"version":"https://jsonfeed.org/version/1","title":"T","items":[`, Unit: `{"id":#},`},
	{Name: "nested JSON", Head: `{"version":"https://jsonfeed.org/version/1","title":"T","a":`, Unit: `[`},
	{
		Name: "items of JSON in other case", Head: `{"version":"https://jsonfeed.org/version/1","title":"T","Items":[`,
		Unit: `{},`, Tail: "{}]}",
	},
	{
		Name: "attachments of JSON",
		Head: `{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"attachments":[`, Unit: `{},`,
		Tail: "{}]}]}",
	},
	{
		Name: "authors of JSON", Head: `{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"authors":[`,
		Unit: `{},`, Tail: "{}]}]}",
	},
	{Name: "parts of a text", Head: rssHead + "<item><x:y>", Unit: "a<!---->", Tail: "</x:y></item></channel></rss>"},
	{Name: "members of JSON", Head: `{"version":"https://jsonfeed.org/version/1","title":"T"`, Unit: `,"a#":1`},
}

func readFeedLines(t testing.TB, in io.Reader) (n int) {
	d := fetchtest.Must(Open(protocols.Head{URL: urlcore.HTTP{
		HostPort: urlcore.HostPort{Host: "h.example"}, Path: "/d/p",
	}, Media: feed.MediaRSS}, in))(t)
	for line, err := range d.Lines() {
		fetchtest.NoError(t, err)
		n++
		note, _ := line.Note.(*protocols.Hypertext)
		if note == nil {
			continue
		}
		at := 0
		for _, l := range note.Links {
			if l.From < at || l.To <= l.From || l.To > len(line.Text) || l.URL == nil {
				t.Fatalf("a link from %d to %d of %q, want it inside the line and not before %d", l.From, l.To, line.Text, at)
			}
			at = l.To
			if scheme := l.URL.Scheme(); scheme == "javascript" || scheme == "data" {
				t.Fatalf("a link to %s, want no such scheme", l.URL)
			}
		}
	}
	return n
}

func TestFeedGrowth(t *testing.T) {
	for _, in := range hostileFeeds {
		memorygrowth.Check(t, in, 600, func(text string) { readFeedLines(t, strings.NewReader(text)) })
	}
}

// TestEndlessFeed reads feeds without an end. Only feed.MaxSize octets of each are read as a feed, and only
// feed.MaxEntries entries are shown.
func TestEndlessFeed(t *testing.T) {
	for i, in := range hostileFeeds {
		if i%4 != 0 {
			continue
		}
		t.Run(in.Name, func(t *testing.T) {
			r := memorygrowth.NewEndlessReader(in, feed.MaxSize+1<<20)
			d := fetchtest.Must(Open(protocols.Head{Media: feed.MediaRSS}, r))(t)
			entries := 0
			for line, err := range d.Lines() {
				fetchtest.NoError(t, err)
				if note, ok := line.Note.(*protocols.Hypertext); ok && note.Entry != nil {
					entries++
				}
			}
			if entries > feed.MaxEntries {
				t.Errorf("got %d entries, want at most %d", entries, feed.MaxEntries)
			}
			r.Check(t, 8*feed.MaxSize)
		})
	}
}

// FuzzFeed checks that reading any octets as a feed ends. It also checks that the links of a line are inside the line
// and in order.
func FuzzFeed(f *testing.F) {
	for _, in := range hostileFeeds {
		f.Add([]byte(in.Head + strings.Repeat(in.Unit, 3) + in.Tail))
	}
	files, _ := filepath.Glob("testdata/feeds/*")
	for _, name := range files {
		f.Add(fetchtest.Must(os.ReadFile(name))(f))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if len(page) > 0 {
			readFeedLines(t, strings.NewReader(string(page)))
		}
	})
}
