package urlcore

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

type vector struct {
	ID, Input, Context, Mode, Dialect, Canonical string
	OK                                           bool
	Base                                         *string
	Parts                                        map[string]any
}

func readVectors(tb testing.TB) []vector {
	tb.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		tb.Fatal(err)
	}
	var v []vector
	if err := json.Unmarshal(b, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// mixtures are the patterns of the URLs in the benchmarks. A "#" stands for a number. net/url
// accepts all of these URLs. Half of the patterns are gopher: and ftp: URLs.
var mixtures = [...]struct{ name, url string }{
	{"gopher", "gopher://gopher.example.org/1/world/phlogs/#"},
	{"gopher", "gopher://gopher.example.net:7070/0/docs/about-#.txt"},
	{"gopher", "gopher://gopher.example.org/I/pictures/sunset-#.gif"},
	{"gopher escapes", "gopher://gopher.example.net/0/docs/read%20me%20#.txt"},
	{"gopher search", "gopher://gopher.example.net/7/search%09rare%20birds%20#"},
	{"ftp", "ftp://ftp.example.org/pub/linux/kernel/v#.x/"},
	{"ftp", "ftp://ftp.example.org/pub/incoming/file-#.tar.gz"},
	{"ftp escapes", "ftp://ftp.example.org/%2Fetc/read%20me%20#"},
	{"ftp type", "ftp://ftp.example.org/pub/doc/rfc/rfc#.txt;type=a"},
	{"ftp login", "ftp://jo:secret#@ftp.example.org/private/file-#.bin;type=i"},
	{"http", "http://www.example.com/users/u#/index.html"},
	{"http query", "http://www.example.com/cgi/find?lang=en&page=#"},
	{"news group", "news:comp.lang.misc#"},
	{"news article", "news:1994Dec#.123456.7890@news.example.org"},
	{"nntp", "nntp://news.example.org/comp.infosystems.gopher/#"},
	{"telnet", "telnet://guest@bbs#.example.org/"},
	{"mailto", "mailto:jane.doe#@mail.example.org"},
	{"wais", "wais://wais.example.com/birds#?owl%20nest"},
	{"file", "file:///usr/share/doc/gofer/example-#.txt"},
	{"prospero", "prospero://archie.example.edu/pub/archive-#;version=1"},
}

// mixedURLs returns 1000 URLs, 50 of each pattern.
func mixedURLs() []string {
	var urls []string
	for i := range 1000 / len(mixtures) {
		for _, m := range mixtures {
			urls = append(urls, strings.ReplaceAll(m.url, "#", strconv.Itoa(i)))
		}
	}
	return urls
}

// BenchmarkParseString parses and formats all URLs, and one URL of each name in mixtures. It does the
// same with net/url for comparison.
func BenchmarkParseString(b *testing.B) {
	urls := map[string][]string{"all": mixedURLs()}
	for _, m := range mixtures {
		urls[m.name] = []string{strings.ReplaceAll(m.url, "#", "12")}
	}
	for name, urls := range urls {
		benchmarkParse(b, "urlcore/"+name, urls, Parse)
		benchmarkParse(b, "neturl/"+name, urls, url.Parse)
	}
}

func benchmarkParse[U fmt.Stringer](b *testing.B, name string, urls []string, parse func(string) (U, error)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if u, err := parse(urls[i%len(urls)]); err != nil || u.String() == "" {
				b.Fatal(err)
			}
		}
	})
}

// extractUnits are texts that repeat: URLs, and beginnings of URLs that Extract must look at.
var extractUnits = [...]struct{ name, unit string }{
	{"prose", "See <URL:http://www.example.com/a-\nb> or ftp://ftp.example.org/, said he. "},
	{"open", "<URL:a "},
	{"prefixes", "URL:URL:"},
	{"schemes", "news:"},
	{"blanks", "<      "},
	{"brackets", "<a"},
	{"quoted brackets", "> <a\n"},
	{"marks", ">"},
	{"Message-IDs without @", "mid:"},
	{"Message-IDs without left part", "cid:@"},
	{"lines of URLs", "http://h/a-\n"},
}

// TestExtractGrowth reads texts of 2 MiB. A quadratic Extract does not end before the time limit of go test.
func TestExtractGrowth(t *testing.T) {
	for _, kind := range extractUnits {
		for _, p := range []Parser{{}, {Readings: true}} {
			p.Extract(strings.Repeat(kind.unit, 2<<20/len(kind.unit)))
		}
	}
}
