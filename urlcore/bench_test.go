package urlcore

import (
	"encoding/json"
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

// mixed are 1,000 URLs that net/url reads too, about in the proportions in
// which a Gopher, FTP and news browser meets them. (Opaque ones, news: and
// mailto:, net/url does not look into at all.)
func mixed() []string {
	var urls []string
	for i := range 100 {
		n := strconv.Itoa(i)
		urls = append(urls,
			"gopher://gopher.example.org/1/world/phlogs/"+n,
			"gopher://gopher.example.net:7070/0/docs/about-"+n+".txt",
			"gopher://gopher.example.net/7/search%09rare%20birds"+n,
			"ftp://ftp.example.org/pub/linux/kernel/v"+n+".x;type=d",
			"ftp://anonymous@ftp.example.org/pub/doc/rfc/rfc"+n+".txt;type=a",
			"http://www.example.com/~user"+n+"/index.html?lang=en&page="+n,
			"news:comp.lang.misc"+n,
			"nntp://news.example.org/comp.infosystems.gopher/"+n,
			"gopher://gopher.example.org/I/pictures/sunset-"+n+".gif",
			"ftp://ftp.example.org/pub/incoming/file-"+n+".tar.gz;type=i",
		)
	}
	return urls
}

func BenchmarkParse(b *testing.B) {
	urls := mixed()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := Parse(urls[i%len(urls)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseNetURL(b *testing.B) {
	urls := mixed()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := url.Parse(urls[i%len(urls)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseString(b *testing.B) {
	urls := mixed()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		u, err := Parse(urls[i%len(urls)])
		if err != nil || u.String() == "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseStringNetURL(b *testing.B) {
	urls := mixed()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		u, err := url.Parse(urls[i%len(urls)])
		if err != nil || u.String() == "" {
			b.Fatal(err)
		}
	}
}

// BenchmarkLength shows that the time is in proportion to the length.
func BenchmarkLength(b *testing.B) {
	for _, kind := range []struct{ name, head, unit string }{
		{"gopher", "gopher://h.example.org/0", "abcdefgh"},
		{"escapes", "gopher://h.example.org/0", "%C3%A9%20"},
		{"ftp", "ftp://h.example.org/", "a/b;c d/"},
		{"prospero", "prospero://h.example.org/a", ";x=1"},
		{"hyphens", "http://h.example.org/", "a-b?#%41"},
	} {
		for size := 1 << 10; size <= 64<<10; size *= 4 {
			s := kind.head + strings.Repeat(kind.unit, size/len(kind.unit))
			b.Run(kind.name+"/"+strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					u, err := Parse(s)
					if err != nil || u.String() == "" {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	for _, kind := range []struct{ name, unit string }{
		{"prose", "See <URL:http://www.example.com/a-\nb> or ftp://ftp.example.org/, said he. "},
		{"open", "<URL:a "},
		{"prefixes", "URL:URL:"},
		{"schemes", "news:"},
		{"blanks", "<      "},
	} {
		for size := 1 << 10; size <= 64<<10; size *= 8 {
			s := strings.Repeat(kind.unit, size/len(kind.unit))
			b.Run(kind.name+"/"+strconv.Itoa(size>>10)+"KiB", func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Parser{}.Extract(s)
				}
			})
		}
	}
}
