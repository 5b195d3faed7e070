package urlcore_test

import (
	"errors"
	"fmt"

	"gofer/urlcore"
)

func ExampleParse() {
	u, err := urlcore.Parse("URL:GOPHER://Gopher.Example.org:70/7search%09rare birds")
	if err != nil {
		panic(err)
	}
	g := u.(urlcore.Gopher)
	fmt.Println(u)
	fmt.Printf("%c %q %q\n", g.Type, g.Selector, g.Search)
	// Output:
	// gopher://gopher.example.org/7search%09rare%20birds
	// 7 "search" "rare birds"
}

func ExampleParser() {
	const text = "gopher://h.example.org/7i?x"
	for _, d := range []urlcore.Dialect{urlcore.RFC1738, urlcore.Draft199310} {
		parsed, err := urlcore.Parser{Dialect: d, Strict: true}.Parse(text)
		fmt.Println(d, parsed.URL, err)
	}
	// Output:
	// 1738 gopher://h.example.org/7i%3Fx <nil>
	// 1993-10 gopher://h.example.org/7i%09x <nil>
}

func ExampleError() {
	_, err := urlcore.Parse("ftp://ftp.example.org/a%0D%0ADELE b")
	if e, ok := errors.AsType[*urlcore.Error](err); ok {
		fmt.Println(e.Category)
		fmt.Println(e)
	}
	// Output:
	// illegal-octet
	// an FTP name cannot contain a line end (at character 24)
}

func ExampleCanon() {
	u, err := urlcore.Canon(urlcore.NNTP{
		HostPort: urlcore.HostPort{Host: "News.Example.org", Port: 119},
		Group:    "comp.lang.c++", Article: 42, HasArticle: true,
	})
	fmt.Println(u, err)
	_, err = urlcore.Canon(urlcore.NNTP{})
	fmt.Println(err)
	// Output:
	// nntp://news.example.org/comp.lang.c++/42 <nil>
	// there is no host
}

func ExampleFTP() {
	u, _ := urlcore.Parse("ftp://jo@ftp.example.org/%2Fetc/motd;type=a")
	f := u.(urlcore.FTP)
	fmt.Printf("%q %q %c %s\n", f.CWDs(), f.Name(), f.Type, f.Addr())
	// Output: ["/etc"] "motd" a ftp.example.org:21
}

func ExampleNewFTP() {
	host := urlcore.Server{HostPort: urlcore.HostPort{Host: "ftp.example.org"}}
	f, err := urlcore.NewFTP(host, []string{"", "a/b"}, "100% new?", 'i')
	fmt.Println(f, err)
	// Output: ftp://ftp.example.org//a%2Fb/100%25%20new%3F;type=i <nil>
}

func ExampleNewGopherItem() {
	for _, typ := range []byte{'0', '8', 'i'} {
		u, err := urlcore.NewGopherItem(typ, "guest", "gopher.example.org", 70)
		fmt.Println(u, err)
	}
	// Output:
	// gopher://gopher.example.org/0guest <nil>
	// telnet://guest@gopher.example.org:70/ <nil>
	// <nil> a text or error line of a menu leads nowhere
}

func ExampleGopher_Request() {
	u, _ := urlcore.Parse("gopher://h.example.org/0doc%09%09+text/plain%20En_US")
	request, ok := u.(urlcore.Gopher).Request()
	fmt.Printf("%q %v\n", request, ok)
	// Output: "doc\t+text/plain En_US\r\n" true
}

func ExampleParser_Resolve() {
	base, _ := urlcore.Parse("ftp://jo@ftp.example.org/a/b/c.txt;type=a")
	for _, ref := range []string{"d", "../d", "/d", "//ftp.example.net", "#part"} {
		r, err := urlcore.Parser{}.Resolve(base, ref)
		fmt.Println(r.URL, err)
	}
	// Output:
	// ftp://jo@ftp.example.org/a/b/d <nil>
	// ftp://jo@ftp.example.org/a/d <nil>
	// ftp://jo@ftp.example.org/d <nil>
	// ftp://ftp.example.net/ <nil>
	// ftp://jo@ftp.example.org/a/b/c.txt;type=a <nil>
}

func ExampleParser_Extract() {
	text := "See <URL:http://www.example.com/long-\nname>, or gopher://gopher.example.org/."
	for _, f := range (urlcore.Parser{}).Extract(text) {
		fmt.Println(f.URL, f.Alternatives)
	}
	// Output:
	// http://www.example.com/long-name [http://www.example.com/longname]
	// gopher://gopher.example.org/1 []
}

func ExampleGuess() {
	for _, s := range []string{"gopher.example.org/0/about", "ftp.example.org", "comp.lang.c", "<a1@example.org>", "hello world"} {
		u, err := urlcore.Guess(s)
		fmt.Println(u, err)
	}
	// Output:
	// gopher://gopher.example.org/0/about <nil>
	// ftp://ftp.example.org/ <nil>
	// news:comp.lang.c <nil>
	// news:a1@example.org <nil>
	// <nil> a URL, a host or a newsgroup has no blanks (at character 6)
}

func ExampleUp() {
	u, _ := urlcore.Parse("ftp://ftp.example.org/pub/doc/a.txt;type=i")
	for ok := true; ok; u, ok = urlcore.Up(u) {
		fmt.Println(u)
	}
	// Output:
	// ftp://ftp.example.org/pub/doc/a.txt;type=i
	// ftp://ftp.example.org/pub/doc;type=d
	// ftp://ftp.example.org/pub;type=d
	// ftp://ftp.example.org/;type=d
}

func ExampleRedact() {
	u, _ := urlcore.Parse("ftp://jo:secret@ftp.example.org/a")
	fmt.Println(urlcore.Redact(u))
	// Output: ftp://jo@ftp.example.org/a
}

func ExampleParts() {
	u, _ := urlcore.Parse("gopher://h.example.org/0a%20b")
	for _, p := range urlcore.Parts(u) {
		fmt.Printf("%2d %-10s %q: %s\n", p.Start, p.Name, p.Text, p.Meaning)
	}
	// Output:
	//  0 scheme     "gopher": the protocol
	//  6 delimiter  ":": ends the scheme
	//  7 delimiter  "//": begins the common Internet syntax
	//  9 host       "h.example.org": the host to connect to
	// 22 delimiter  "/": ends the host; it is not part of the selector
	// 23 gophertype "0": the item is a text
	// 24 selector   "a%20b": the text sent to the server
}
