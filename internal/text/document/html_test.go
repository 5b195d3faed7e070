package document

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// htmlText renders a page as text. Before a line it shows the IDs of the line and the level of a
// heading. Links are in braces with their URLs, and the link of a whole line is after "=>".
func htmlText(t testing.TB, base, media, page string) string {
	t.Helper()
	var u urlcore.URL
	if base != "" {
		var err error
		if u, err = urlcore.Parse(base); err != nil {
			t.Fatal(err)
		}
	}
	d := fetchtest.Must(Open(protocols.Head{URL: u, Media: media, Size: -1}, strings.NewReader(page)))(t)
	var b strings.Builder
	for line, err := range d.Lines() {
		fetchtest.NoError(t, err)
		note, _ := line.Note.(*protocols.Hypertext)
		if note == nil {
			note = &protocols.Hypertext{}
		}
		if len(note.IDs) > 0 {
			fmt.Fprintf(&b, "%q ", note.IDs)
		}
		if note.Level > 0 {
			fmt.Fprintf(&b, "h%d ", note.Level)
		}
		at := 0
		for _, l := range note.Links {
			to := l.URL.String()
			if l.Fragment != "" {
				to += "#" + l.Fragment
			}
			b.WriteString(line.Text[at:l.From] + "{" + line.Text[l.From:l.To] + "|" + to + "}")
			at = l.To
		}
		b.WriteString(line.Text[at:])
		if line.Link != nil {
			b.WriteString(" => " + line.Link.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"paragraphs", "<p>One  two\nthree<p>Four<br>five<br><br>six</p>seven", "One two three\n\nFour\nfive\n\nsix\n\nseven\n"},
		{"entities", "a&nbsp;&nbsp;b &lt;c&gt; &auml;&#8212;&#x41; &bogus; &amp", "a  b <c> ä—A &bogus; &\n"},
		{"headings", "<h1 id=top>A <a href=b>B</a></h1>text<h3>C</h3>d", `["top"] h1 A {B|http://h.example/d/b}` + "\n\ntext\n\nh3 C\n\nd\n"},
		{"lists", "<p>x<ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul>e", "x\n\n  * a\n  * b\n     3. c\n     4. d\n\ne\n"},
		{"paragraphs in items", "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", "  * a\n\n    b\n\n  * c\n"},
		{"definitions", "<dl><dt>A<dd>one<dt>B<dd>two</dl>", "A\n    one\nB\n    two\n"},
		{"quotes", "a<blockquote>b<p>c</blockquote>d", "a\n\n> b\n\n> c\n\nd\n"},
		{"pre", "<pre>\na  b\n\n c\n</pre>d", "a  b\n\n c\n\nd\n"},
		{"links over lines", `<a href="/x">one<br>two</a>`, "{one|http://h.example/x}\n{two|http://h.example/x}\n"},
		{"blank before a link", `a <a href=x> b </a> c`, "a {b|http://h.example/d/x} c\n"},
		{
			"references",
			`<a href="?q=1">a</a> <a href="../../../up">b</a> <a href="//o.example/x y">c</a> <a href="#s">d</a> <a href="z.html#t">e</a> <a href="gopher://g.example/1/m">f</a>`,
			"{a|http://h.example/d/p?q=1} {b|http://h.example/up} {c|http://o.example/x%20y} " +
				"{d|http://h.example/d/p#s} {e|http://h.example/d/z.html#t} {f|gopher://g.example/1/m}\n",
		},
		{
			"percent signs", `<a href="100%">a</a> <a href="%zz?a&b">b</a> <a href="%41%4">c</a>`,
			"{a|http://h.example/d/100%25} {b|http://h.example/d/%25zz?a&b} {c|http://h.example/d/A%254}\n",
		},
		{"base", `<base href="http://o.example/b/c"><a href=x>a</a>`, "{a|http://o.example/b/x}\n"},
		{
			"pictures",
			`<img src=a.png alt="A cat"> <img src=b.gif> <img src=c.gif alt=""> <a href=x><img src=d.png></a> <a href=y><img src=e.png alt=E> e</a>`,
			"{[image: A cat]|http://h.example/d/a.png} {[image: b.gif]|http://h.example/d/b.gif} " +
				"{[x]|http://h.example/d/x} {[E] e|http://h.example/d/y}\n",
		},
		{
			"names of pictures", "<img src=" + strings.Repeat("x", 1000) + "> <img src=" + strings.Repeat("y", 1001) + ">",
			"{[image: " + strings.Repeat("x", 1000) + "]|http://h.example/d/" + strings.Repeat("x", 1000) +
				"} {[image]|http://h.example/d/" + strings.Repeat("y", 1001) + "}\n",
		},
		{"pictures that count readers", "a<img width=1 height=9 src=a.gif alt=T>b<img width=9 height=1 src=a.gif>c", "abc\n"},
		{"a link of nothing", "a <a href=x></a> b", "a {[x]|http://h.example/d/x} b\n"},
		{"a picture behind text", `<a href=x>t<img src=a.png alt=A></a>`, "{t[A]|http://h.example/d/x}\n"},
		{
			"a picture in a link of two lines",
			`<a href=x><img src=a.png alt=A><br></a><a href=y>t<img src=b.png><br></a>`,
			"{[A]|http://h.example/d/x}\n{t|http://h.example/d/y}\n",
		},
		{
			"fields that are not sent",
			`<form action=x><textarea disabled name=t>x</textarea> and <input value=v><input name=q><input type=submit></form>`,
			"[x] and [v] [____] [Send]\n" +
				"{[Form: q -> Send]|form:http://h.example/d/x?%7B%22t%22%3A%22Send%22,%22f%22%3A%5B%7B%22n%22%3A%22q%22,%22l%22%3A%22q%22%7D%5D%7D}\n",
		},
		{
			"a hidden field", `<form action=x><input type=hidden name=h value=1>Name: <input name=n><input type=submit></form>`,
			"Name: [____] [Send]\n{[Form: Name -> Send]|form:http://h.example/d/x?%7B%22t%22%3A%22Send%22,%22f%22%3A%5B" +
				"%7B%22n%22%3A%22h%22,%22l%22%3A%22h%22,%22v%22%3A%221%22,%22h%22%3Atrue%7D,%7B%22n%22%3A%22n%22,%22l%22%3A%22Name%3A%22%7D%5D%7D}\n",
		},
		{
			"the text of a textarea", "<form action=x><textarea name=t>\nHello <b>\r\n  world</textarea><input type=submit></form>",
			"[Hello <b> world] [Send]\n" +
				"{[Form: " +
				"t " +
				"-> " +
				"Send]|form:http://h.example/d/x?%7B%22t%22%3A%22Send%22,%22f%22%3A%5B%7B%22n%22%3A%22t%22,%22l%22%3A%22t%22,%22v%22%3A%22Hello%20%5Cu003cb%5Cu003e%5Cn%20%20world%22,%22i%22%3A2%7D%5D%7D}\n",
		},
		{
			"an open textarea", "<form action=x><textarea name=t>Hello",
			"[Hello]\n{[Form: " +
				"t " +
				"-> " +
				"Send]|form:http://h.example/d/x?%7B%22t%22%3A%22Send%22,%22f%22%3A%5B%7B%22n%22%3A%22t%22,%22l%22%3A%22t%22,%22v%22%3A%22Hello%22,%22i%22%3A2%7D%5D%7D}\n",
		},
		{
			"a form for a script", `<form action="javascript:f()">Name <input name=n> <textarea name=t>Hello</textarea> <select name=s><option>a<option>b</select><select name=t><option>a<option selected>b<option>c</select><select multiple><option selected>a<option>b<option selected>c</select><select multiple><option>a</select><textarea name=u>
line 1
line 2</textarea><input type=submit value=Go></form>`,
			"Name [____] [Hello] [a] [b] [a, c] [____] [line 1 line 2] [Go]\n{[Form that cannot be sent: Name, " +
				"t, s, t, u -> Go]|about:link?javascript%3Af()%20%3Cform%3E}\n",
		},
		{
			"a form by mail", `<form action="mailto:a@h.example" method=post><input name=n></form>`,
			"[____]\n{[Form that cannot be sent: n -> Send]|about:link?mailto%3Aa%40h.example%20%3Cform%3E}\n",
		},
		{
			"superscripts",
			`10<sup>6</sup> x<sup>n+1</sup> <a href=a>2<sup>-3</sup></a> m <sup>2</sup> 1<sup>st</sup> A<sup>TM</sup> b<sup>*</sup> c<sup> y </sup>d<sup></sup> H<sub>2</sub>O<sup>+</sup>`,
			"10^6 x^(n+1) {2^-3|http://h.example/d/a} m 2 1st ATM b* c^y d H2O^+\n",
		},
		{
			"footnotes",
			`a<sup>[1]</sup> b<sup><a href="#f">2</a></sup> c<a href="#f"><sup>3</sup></a><p><sup>4</sup> d`,
			"a[1] b{2|http://h.example/d/p#f} c{3|http://h.example/d/p#f}\n\n4 d\n",
		},
		{"a superscript of two lines", "a<sup>b<br>c</sup>d<sup>e</sup>", "ab\ncd^e\n"},
		{"a superscript in a cell", "<table><tr><td>10<sup>6<td>b<sup>2</sup></table>", "106  b^2\n"},
		{"quotations", "<p>a <q>b <q>c <q>d</q></q></q></q> e", "a “b ‘c “d”’” e\n"},
		{"quotations by language", "<html lang=de-AT><q>a <q>b</q></q> <q lang=fr>c</q>", "„a ‚b‘“ « c »\n"},
		{
			"places",
			"<p id=a>one<p id=b>two<br id=c>three <b id=d>four</b><ul><li id=e>five<li " +
				"id=f>six</ul><table><tr><td id=g>1<td id=h>2<tr><td id=i>3<td>4</table>",
			`["a"] one` + "\n\n" + `["b"] two` + "\n" + `["c" "d"] three four` + "\n\n" + `["e"]   * five` + "\n" +
				`["f"]   * six` + "\n\n" + `["g" "h"] 1  2` + "\n" + `["i"] 3  4` + "\n",
		},
		{"the place of a rule", "text<hr id=x>after", `text` + "\n" + `["x"] ` + strings.Repeat("─", 40) + "\nafter\n"},
		{"a film in a link", `<a href=x>a <video src=v.mp4 title=V></video></a>`, "{a [video: V]|http://h.example/d/x}\n"},
		{
			"frames", `<frameset><frame src=menu.html name=m><frame src=main.html title=Main></frameset><noframes>no</noframes>`,
			"{[frame: menu.html]|http://h.example/d/menu.html}\n{[frame: Main]|http://h.example/d/main.html}\n",
		},
		{
			"not shown",
			"a<script>if (a<b) x('</p>')</script><style>p{}</style><!-- c > d --><title>T</title><template><p>no</template><div hidden>x<div>y</div>z</div>b<noscript>c</noscript>" +
				strings.Repeat("d", 200),
			"a\nb\nc\n" + strings.Repeat("d", 200) + "\n",
		},
		{"unclosed", "<p>a <b>b <i>c</p></div></ul></table>d", "a b c\n\nd\n"},
		{
			"table", `<table><tr><th>Name<th>Size<tr><td><a href=a>a.txt</a><td>12<tr><td>long name<td>1,234</table>`,
			"Name        Size\n─────────  ─────\n{a.txt|http://h.example/d/a}         12\nlong name  1,234\n",
		},
		{"spans", `<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d</table>`, "a  b\n   c\nd\n"},
		{
			"a heading over columns", `<table><tr><th colspan=3>Merged header over three columns<tr><td rowspan=2>r<td>a<td>b<tr><td>c<td>d</table>`,
			"Merged header over three columns\n──────────  ─────────  ─────────\nr           a          b\n            c          d\n",
		},
		{"a cell over all columns", `<table><tr><td colspan=100>whole width<tr><td>a<td>b</table>`, "whole width\na      b\n"},
		{"only a cell over columns", `<table><tr><td colspan=2>a<tr><td colspan=2>b</table>`, "a\nb\n"},
		{
			"alignment",
			`<table><tr><th align=center>name<th style="color: red; TEXT-ALIGN: right">word<th>n<th style="text-align:left">m<tr><td align=center>a<td style="text-align:right">b<td>1<td style="text-align:left">2<tr align=right><td>c<td align=left>d<td>10<td>20</table>`,
			"name  word   n  m\n────  ────  ──  ──\n a       b   1  2\n   c  d     10  20\n",
		},
		{"alignment over columns", `<table><tr><td colspan=2 align=center>ab<tr><td>long<td>text</table>`, "    ab\nlong  text\n"},
		{"a short row", `<table><tr><td>a<tr><td>b<td>cc</table>`, "a\nb  cc\n"},
		{"text between cells", `<table><tr><td>a</td>out<td>b</table>`, "out\na  b\n"},
		{
			"many rows", "<table>" + strings.Repeat("<tr><td>a<td>b", maxRows) + "<tr><td>cc<td>d</table>",
			strings.Repeat("a  b\n", maxRows) + "c  d\nc\n",
		},
		{
			"wide cells", `<table><tr><td>k<td>` + strings.Repeat("word ", 20) + `</table>`,
			"k  " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n   " + strings.TrimSpace(strings.Repeat("word ", 5)) + "\n",
		},
		{"layout", `<table><tr><td><h1>T</h1><table><tr><td>a<td>b</table></td><td>c</td></tr></table>d`, "h1 T\n\na  b\n\nc\n\nd\n"},
		{"one column", `<table><tr><td>a<tr><td>b</table>`, "a\nb\n"},
		{"no blanks kept", " \n <p> a \n </p>\n\n <p>  </p> b", "a\n\nb\n"},
		{
			"scripts", `<base href="http://o.example/"><div id=app></div><script src=a.js></script>`,
			"This page needs scripts, which are not run here.\nOpen it in the web browser => http://h.example/d/p\n",
		},
		{"scripts and enough text", "<script></script>" + strings.Repeat("d", enoughText), strings.Repeat("d", enoughText) + "\n"},
		{
			"feeds", `<link rel=stylesheet href=s><link rel=alternate type="application/rss+xml" title=Posts href=/rss><link rel="Alternate nofollow" type=application/atom+xml href=a.xml>` +
				`<link rel=alternate type=application/rss+xml href=/rss><link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href="javascript:x">Text`,
			"Text\n\nFeed: Posts => http://h.example/rss\nFeed: http://h.example/d/a.xml => http://h.example/d/a.xml\n",
		},
		{"refresh", `<meta http-equiv=refresh content="0; url=/new">`, "The page redirects to {http://h.example/new|http://h.example/new}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fetchtest.Equal(t, htmlText(t, "http://h.example/d/p", "text/html", tt.page), tt.want)
		})
	}
}

func TestHTMLLinkWithoutText(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{
			"title", `<a href="n.html" title="Next chapter" rel="next"><i class="fa fa-angle-right"></i></a>`,
			"{[Next chapter]|http://h.example/d/n.html}\n",
		},
		{
			"label", `<a href=n.html aria-label="Next chapter"><svg viewBox="0 0 1 1"><path d="M0"/></svg></a>`,
			"{[Next chapter]|http://h.example/d/n.html}\n",
		},
		{"label inside", `<a href=n.html><span aria-label=Next></span></a>`, "{[Next]|http://h.example/d/n.html}\n"},
		{"title of svg", `<a href=n.html><svg><title> Next </title><path d="M0"/></svg></a>`, "{[Next]|http://h.example/d/n.html}\n"},
		{"area with a title", `<map><area href=n.html title=Next></map>`, "{Next|http://h.example/d/n.html}\n"},
		{
			"in a drawing",
			`<svg>no<a href=n.html><text>Next</text></a>no<g><a xlink:href="m.html"><title>More</title><rect/></a></g><a href=o.html>Open</svg>end`,
			"{Next|http://h.example/d/n.html}{[More]|http://h.example/d/m.html}{Open|http://h.example/d/o.html}end\n",
		},
		{"alt", `<a href=n.html><img src=i.svg alt="Next page"></a>`, "{[Next page]|http://h.example/d/n.html}\n"},
		{"title of a picture", `<a href=n.html><img src=i.svg alt="" title="Next page"></a>`, "{[Next page]|http://h.example/d/n.html}\n"},
		{"small picture", `<a href=n.html><img src=i.gif width=1></a>`, "{[n.html]|http://h.example/d/n.html}\n"},
		{"last part", `<a href="/a/n.html?q#s"><i></i></a>`, "{[n.html]|http://h.example/a/n.html?q#s}\n"},
		{"only a query", `<a href="?q=1"> </a>`, "{[?q=1]|http://h.example/d/p?q=1}\n"},
		{"no-break space", `a<a href=n.html>&nbsp;</a>b`, "a{[n.html]|http://h.example/d/n.html}b\n"},
		{"icon font", `<a href=n.html title=Next>&#xf105;</a>`, "{[Next]|http://h.example/d/n.html}\n"},
		{"password", `<a href="http://u:secret@h.example/"></a>`, "{[u:******@h.example]|about:link?http%3A%2F%2Fu%3A******%40h.example%2F}\n"},
		{
			"frame", `<iframe src=f.html aria-label="A frame"></iframe><iframe src=g.html></iframe>`,
			"{[frame: A frame]|http://h.example/d/f.html}\n{[frame: g.html]|http://h.example/d/g.html}\n",
		},
		{
			"film",
			`<video src=v.mp4 aria-label=Film></video> <audio src="a/b.ogg"></audio> <object data=o.pdf title=O></object>`,
			"{[video: Film]|http://h.example/d/v.mp4} {[audio: b.ogg]|http://h.example/d/a/b.ogg} {[object: O]|http://h.example/d/o.pdf}\n",
		},
		{
			"picture in sizes", `<img srcset="s.png 1x, t.png 2x"> <img src=a.png title=T>`,
			"{[image: s.png]|http://h.example/d/s.png} {[image: T]|http://h.example/d/a.png}\n",
		},
		{"in pre", "<pre>a <a href=n.html title=Next><i></i></a> b</pre>", "a {[Next]|http://h.example/d/n.html} b\n"},
		{
			"nav", `<nav><a href=p title=Previous><i></i></a> <a href=n title=Next><i></i></a></nav>text`,
			"{[Previous]|http://h.example/d/p} {[Next]|http://h.example/d/n}\ntext\n",
		},
		{"in a cell", `<table><tr><td>a<td><a href=n title=Next></a><tr><td>b<td>c</table>`, "a  {[Next]|http://h.example/d/n}\nb  c\n"},
		{"text before a line end", "<a href=n title=Next>one<br></a>", "{one|http://h.example/d/n}\n"},
		{"mark of a heading", `<h2 id=s>A <a href="#s"></a></h2>`, `["s"] h2 A` + "\n"},
		{"the page itself", `<a href="">again</a>`, "{again|http://h.example/d/p}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fetchtest.Equal(t, htmlText(t, "http://h.example/d/p", "text/html", tt.page), tt.want)
		})
	}
}

// TestUnopenedLink checks that a link whose URL cannot be opened stays a link, and says why.
func TestUnopenedLink(t *testing.T) {
	for _, tt := range []struct{ base, href, ref, why string }{
		{"http://h.example/d/p", "http://u:p@h/", "http://u:*@h/", "user"},
		{"http://h.example/d/p", "https://h/100%", "https://h/100%", "hexadecimal"},
		{"http://h.example/d/p", "javascript:f('x')", "javascript:f('x')", "script"},
		{"http://h.example/d/p", "data:text/html,x", "data:text/html,x", "data"},
		{"http://h.example/d/p", "about:history", "about:history", "own pages"},
		{"http://h.example/d/p", "form:x?{}", "form:x?{}", "own pages"},
		{"http://h.example/d/p", "file:///etc/passwd", "file:///etc/passwd", "files of this machine"},
		{"http://h.example/d/p", "http://h:99999/", "http://h:99999/", "port"},
		{"http://h.example/d/p", "//h:99999/", "http://h:99999/", "port"},
		{"file:///tmp/gofer-files-1/standard%20input", "a/b", "a/b", "no URL that relative links start from"},
		{"about:attachment/1?news%3Ax@h.example", "a/b", "a/b", "no URL that relative links start from"},
	} {
		link := protocols.UnopenedLink(tt.ref)
		fetchtest.Equal(t, htmlText(t, tt.base, "text/html", `<a href="`+tt.href+`">a</a>`), "{a|"+link.String()+"}\n", "%s in HTML", tt.href)
		fetchtest.Equal(t, htmlText(t, tt.base, "text/gemini", "=> "+tt.href+" a\n"), "=> {a|"+link.String()+"}\n", "%s in gemtext", tt.href)
		ref, ok := protocols.UnopenedReference(link)
		if err := UnopenedError(ref); !ok || err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("UnopenedError(%q) = %v, want %q", ref, err, tt.why)
		}
	}
	const input = "file:///tmp/gofer-files-1/standard%20input"
	fetchtest.Equal(t, htmlText(t, input, "text/html", `<a href="#s">a</a>`), "{a|"+input+"#s}\n", "a place in the page itself")
}

func TestHTMLCharset(t *testing.T) {
	const russian = "\xfc\xd4\xcf\xd4 \xd4\xc5\xcb\xd3\xd4 \xda\xc1\xd0\xc9\xd3\xc1\xce \xd7 \xcb\xcf\xc4\xc9\xd2\xcf\xd7\xcb\xc5"
	const text = "Этот текст записан в кодировке"
	for _, tt := range []struct{ name, media, page, text, charset string }{
		{"header", "text/html; charset=koi8-r", "<title>" + russian + "</title><p>" + russian, text, "koi8-r"},
		{
			"header before meta", "text/html; charset=koi8-r",
			"<meta charset=iso-8859-1><title>" + russian + "</title><p>" + russian, text, "koi8-r",
		},
		{"meta", "text/html", "<meta charset='koi8-r'><title>" + russian + "</title><p>" + russian, text, "koi8-r"},
		{
			"old meta", "",
			"<html><meta http-equiv=content-type content='text/html; charset=KOI8-R'><title>" + russian + "</title><p>" + russian,
			text, "KOI8-R",
		},
		{
			"meta against a header of UTF-8", "text/html; charset=utf-8",
			"<meta charset=koi8-r><title>" + russian + "</title><p>" + russian, text, "koi8-r",
		},
		{"evidence", "text/html", "<title>" + russian + "</title><p>" + russian, text, "KOI8-R"},
		{
			"late evidence", "text/html",
			"<title>" + text + "</title><p>" + strings.Repeat("a ", 5000) + strings.Repeat("\n<br>"+russian, 3), text,
			"",
		},
		{"UTF-8", "text/html", "<title>" + text + "</title><p>" + text, text, ""},
		{"UTF-8 with a mark", "text/html; charset=koi8-r", "\ufeff<title>" + text + "</title><p>" + text, text, "koi8-r"},
		{"entities", "text/html; charset=koi8-r", "<title>&#1069;</title><p>&#1069;", "Э", "koi8-r"},
		{"Markdown", "text/markdown; charset=koi8-r", "# " + russian + "\n\n<p>" + russian, text, "koi8-r"},
		{"Markdown with evidence", "text/markdown", "# " + russian + "\n\n&#1069;\n\n" + russian, text, "KOI8-R"},
		{
			"Markdown with late evidence", "text/markdown",
			"# " + text + "\n\n" + strings.Repeat("a ", 5000) + strings.Repeat("\n\n"+russian, 3), text, "",
		},
		{"Markdown against a header of UTF-8", "text/markdown; charset=utf-8", "# " + russian + "\n\n" + russian, text, "KOI8-R"},
		{"Markdown in UTF-8 against its header", "text/markdown; charset=koi8-r", "# " + text + "\n\n" + text, text, "koi8-r"},
		{"Markdown in UTF-16", "text/markdown; charset=utf-16", "\xfe\xff\x00#\x00 \x04\x2d\x00\n\x00\n\x04\x2d", "Э", "utf-16"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := fetchtest.Must(Open(protocols.Head{Media: tt.media, Size: -1}, strings.NewReader(tt.page)))(t)
			last := ""
			for line := range d.Lines() {
				last = line.Text
			}
			if last != tt.text || d.Charset != tt.charset || !strings.HasSuffix(tt.name, "mark") && d.Title != tt.text {
				t.Errorf("got the text %q and the title %q in %q, want %q in %q", last, d.Title, d.Charset, tt.text, tt.charset)
			}
		})
	}
}

// TestHTMLHead checks that Open reads a page up to the end of its head, and no further.
func TestHTMLHead(t *testing.T) {
	for head, whole := range map[string]bool{
		"<title>T</title></head>": true, "<title>T</title><body>": true, "<title>T</title><p>": true,
		"<title>T</title>": false, "words<title>T</title><meta name=a>": false,
	} {
		rest := strings.NewReader("more")
		d := fetchtest.Must(Open(protocols.Head{Media: "text/html"}, io.MultiReader(strings.NewReader(head), rest)))(t)
		if rest.Len() > 0 != whole || d.Title != "T" {
			t.Errorf("Open(%q): got the title %q with %d octets after the head unread, want \"T\", unread %v", head, d.Title, rest.Len(), whole)
		}
	}
}

// TestLongHTMLLines checks that overlong lines break between characters, even among invalid octets.
func TestLongHTMLLines(t *testing.T) {
	full := strings.Repeat("é", maxLine/2)
	for _, tt := range []struct{ name, page, want string }{ // want: the second line
		{"a word", "<p>" + full + "üb", "üb"},
		{"a word at the last octet", "<p>" + full[2:] + " <b>üb</b>", "üb"},
		{"preformatted", "<pre>" + full + "üb", "üb"},
		{"preformatted, at the last octet", "<pre>" + full[2:] + "x<b>üb</b>", "üb"},
		{"preformatted, three octets before the last one", "<pre>" + full[4:] + "x<b>😀b</b>", "😀b"},
		{"half a character", "<p>" + full + "<b>\x82</b>b", "\x82b"},
		{"half a character, preformatted", "<pre>" + full + "<b>\x82</b>b", "\x82b"},
	} {
		var got []string
		h := newHTMLReader(nil, func(l protocols.Line) bool {
			got = append(got, l.Text)
			return true
		})
		if err := h.read(strings.NewReader(tt.page)); err != nil || len(got) != 2 || got[1] != tt.want || len(got[0]) > maxLine {
			t.Errorf("%s: got %d lines, the last %.20q, %v, want %q", tt.name, len(got), got[len(got)-1], err, tt.want)
		}
	}
}

func TestHTMLStopsEarly(t *testing.T) {
	text := strings.Repeat("<p>line\n", 100_000)
	r := strings.NewReader(text)
	for range fetchtest.Must(Open(protocols.Head{Media: "text/html"}, r))(t).Lines() {
		break
	}
	if r.Len() < len(text)/2 {
		t.Errorf("%d octets of %d were read for the first line, want less than half", len(text)-r.Len(), len(text))
	}
}

func TestPrintedRows(t *testing.T) {
	words := strings.Repeat("word ", 30)
	line := &protocols.Line{Text: words}
	fetchtest.EqualSlices(
		t, PrintedRows(line, words), []string{strings.TrimSpace(words[:80]), strings.TrimSpace(words[80:])},
		"without a note",
	)
	line.Note = &protocols.Hypertext{Verbatim: true}
	fetchtest.EqualSlices(t, PrintedRows(line, words), []string{words}, "verbatim")
	line = &protocols.Line{Kind: protocols.Quote, Text: ">> " + words, Note: &protocols.Hypertext{Hang: 1}}
	fetchtest.EqualSlices(t, PrintedRows(line, line.Text), []string{strings.TrimSpace(">> " +
		words[:75]), strings.TrimSpace(">> " + words[75:])}, "a quote")
}

func TestHTMLInArticle(t *testing.T) {
	const article = "Subject: s\nContent-Type: text/html; charset=koi8-r\n\n<p>\xeb <a href='http://h.example/x'>b</a> " +
		"<a href=y>c</a><img src='http://h.example/t.gif' width=1 height=1>"
	const want = "Subject: s\nContent-Type: text/html; charset=koi8-r\n\nК {b|http://h.example/x} {c|about:link?y}\n"
	fetchtest.Equal(t, htmlText(t, "news:a@b.example", protocols.MediaArticle, article), want)
}

// TestHTMLByOtherSchemes reads HTML pages of schemes other than HTTP.
func TestHTMLByOtherSchemes(t *testing.T) {
	for _, tt := range []struct{ base, page, want string }{
		{"file:///d/p.html", `<a href="file:///etc/x">g</a> <a href=y>h</a>`, "{g|file:///etc/x} {h|file:///d/y}\n"},
		{"about:attachment/1/?news%3Aa%40b", `<a href="cid:i@x">a</a>`, "{a|about:attachment/cid%3Ai%40x?news%3Aa%40b}\n"},
		{"about:attachment/1/manual?news%3Aa%40b", `<a href="about:history">a</a>`, "{a|about:link?about%3Ahistory}\n"},
		{"about:manual/urls", `<a href="about:manual/keys">a</a>`, "{a|about:manual/keys}\n"},
		{"gopher://manual/h", `<a href="about:manual/keys">a</a>`, "{a|about:link?about%3Amanual%2Fkeys}\n"},
		{
			"gopher://h.example/h/d/p.html",
			`<a href="//o.example/x">a</a> <a href=b.gif>b</a> <a href="/c/">c</a> <a href=e.txt>e</a> <a href=f.html>f</a> <a href=g.zip>g</a> <a href="?q">h</a>`,
			"{a|about:link?%2F%2Fo.example%2Fx} {b|gopher://h.example/I/d/b.gif} " +
				"{c|gopher://h.example/1/c/} {e|gopher://h.example/0/d/e.txt} {f|gopher://h.example/h/d/f.html} " +
				"{g|gopher://h.example/9/d/g.zip} {h|gopher://h.example/h/d/p.html}\n",
		},
	} {
		fetchtest.Equal(t, htmlText(t, tt.base, "text/html", tt.page), tt.want, "%s", tt.base)
	}
}

// TestUnsentForm checks that a form that cannot be sent says why.
func TestUnsentForm(t *testing.T) {
	for _, tt := range []struct{ base, action, why string }{
		{"http://h.example/", "javascript:f()", "scripts"},
		{"http://h.example/", "mailto:a@h.example", "mail to a@h.example"},
		{"http://h.example/", "ftp://h.example/up", "ftp"},
		{"http://h.example/", "http://h.example:99999/", "port"},
		{"file:///d/p.html", "send", "file"},
		{"file:///d/p.html", "", "file"},
		{"file:///tmp/gofer-files-1/standard%20input", "send", "no http"},
		{"gemini://h.example/", "send", "gemini"},
	} {
		d := fetchtest.Must(Open(protocols.Head{URL: fetchtest.Parse(t, tt.base), Media: "text/html"}, strings.NewReader(`<form action="`+
			tt.action+`"><input name=n></form>`)))(t)
		shown := false
		for l, err := range d.Lines() {
			fetchtest.NoError(t, err)
			note, _ := l.Note.(*protocols.Hypertext)
			if note == nil || len(note.Links) == 0 {
				continue
			}
			ref, ok := protocols.UnopenedReference(note.Links[0].URL)
			if err := UnopenedError(ref); shown || !ok || err == nil || !strings.Contains(err.Error(), tt.why) ||
				strings.Contains(err.Error(), "gofer-files") {
				t.Errorf("%s in %s: the line %q leads to %v, want %q", tt.action, tt.base, l.Text, err, tt.why)
			}
			shown = true
		}
		fetchtest.Equal(t, shown, true, "%s in %s: a line says that the form is not sent", tt.action, tt.base)
	}
}
