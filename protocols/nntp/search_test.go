package nntp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/mimeheader"
	"gofer/internal/userfile/cache"
	"gofer/protocols"
	"gofer/urlcore"
)

// searchServer returns a server with a group of n articles, one for each day. The first five articles
// have special authors and subjects, articles 30 to 32 have no date that can be read, and article 40000 has a
// wrong date. The parameter lacks has the commands that the server does not support.
func searchServer(t *testing.T, n int, lacks ...string) *fake {
	first := [...][2]string{
		{"Joe Smith <joe@x.org>", "Plain words"},
		{"=?UTF-8?B?Sm9l?= <a@x.org>", "=?UTF-8?Q?plain=5F?="},
		{"=?ISO-8859-1?Q?M=FCller?= <m@x.org>", "Re: Plain words"},
		{"M\xfcller <m@x.org>", "A [special] *pattern*, 100%"},
		{"Jo M\u00fcller <m@x.org>", "\u043a\u043e\u0444\u0435"},
	}
	field := func(n int, name string) string {
		fields := [2]string{"Ann <ann@x.org>", "Topic " + strconv.Itoa(n)}
		if n <= len(first) {
			fields = first[n-1]
		}
		if n == 20_000 || n == 40_000 {
			fields[0] = "Liar <l@x.org>"
		}
		if n == 40_000 && name == "Date" {
			return "1 Jan 2040 00:00:00 +0000"
		}
		if n >= 30 && n <= 32 && name == "Date" {
			return "some day"
		}
		switch name {
		case "From":
			return fields[0]
		case "Subject":
			return fields[1]
		case "Date":
			return mimeheader.ParseDate("1 Jan 2000 12:00:00 +0000").AddDate(0, 0, n-1).Format("02 Jan 2006 15:04:05 -0700")
		case "Message-ID":
			return "<" + strconv.Itoa(n) + "@id.x.org>"
		}
		return ""
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	f := startFake(t, nil)
	f.setScript(func(command string) (string, bool) {
		words := strings.Fields(command)
		if len(words) == 0 || slices.Contains(lacks, words[0]) {
			return "", false
		}
		var b strings.Builder
		each := func(numbers string, line func(n int)) (string, bool) {
			low, high, _ := strings.Cut(numbers, "-")
			start, end := number(low), number(high)
			for i := max(start, 1); i <= min(end, n); i++ {
				line(i)
			}
			return b.String() + ".", true
		}
		switch words[0] {
		case "GROUP":
			return fmt.Sprintf("211 %d 1 %d %s", n, n, words[1]), true
		case "OVER", "XOVER":
			b.WriteString("224 go\n")
			return each(words[1], func(n int) {
				fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\t\t100\t5\n", n, field(n, "Subject"), field(n, "From"), field(n, "Date"), field(n, "Message-ID"))
			})
		case "HDR", "XHDR", "XPAT":
			b.WriteString("221 go\n")
			return each(words[2], func(n int) {
				value := field(n, words[1])
				if words[0] == "XPAT" {
					if ok, _ := path.Match(words[3], value); !ok {
						return
					}
				}
				fmt.Fprintf(&b, "%d %s\n", n, value)
			})
		case "HEAD":
			n := number(words[1])
			for _, name := range []string{"From", "Subject", "Date", "Message-ID"} {
				b.WriteString(name + ": " + field(n, name) + "\n")
			}
			return "221 go\n" + b.String() + ".", true
		}
		return "", false
	})
	return f
}

// numbersOf returns the sorted article numbers of lines.
func numbersOf(lines []protocols.Line) (numbers []uint64) {
	for _, l := range lines {
		if a, ok := l.Note.(*protocols.ArticleNote); ok {
			numbers = append(numbers, a.Number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// searchOf returns the URL of a search in the group a.b.
func searchOf(t *testing.T, query string) urlcore.URL {
	return fetchtest.Must(urlcore.Parse("news:a.b?" + query))(t)
}

// TestSearch checks that searches find the same articles on servers without some of the commands.
func TestSearch(t *testing.T) {
	for _, lacks := range [][]string{
		nil,
		{"XPAT"},
		{"XPAT", "HDR"},
		{"XPAT", "HDR", "XHDR"},
		{"OVER"},
		{"OVER", "XPAT", "HDR", "XHDR"},
		{"OVER", "XOVER"},
		{"OVER", "XOVER", "XPAT", "HDR"},
		{"OVER", "XOVER", "XPAT", "HDR", "XHDR"},
	} {
		c := searchServer(t, 60, lacks...).client()
		for query, want := range map[string][]uint64{
			"from=jOE":                           {1, 2},
			"from=smith%20joe":                   {1},
			"from=M%C3%BCller":                   {3, 4, 5},
			"from=m%C3%9Cller&subject=plain":     {3},
			"subject=%D0%9A%D0%BE%D1%84%D0%B5":   {5},
			"subject=%5Bspecial%5D%20*%2C":       {4},
			"from=%40x.org&subject=PLAIN":        {1, 2, 3},
			"message-id=7%40id":                  {7, 17, 27, 37, 47, 57},
			"message-id=%3C7%40id.x.org%3E":      {7, 17, 27, 37, 47, 57},
			"since=2000-02-27":                   {58, 59, 60},
			"since=2000-01-02&before=2000-01-04": {2, 3},
			"since=2000-01-29&before=2000-01-30": {29, 30, 31, 32},
			"since=2000-02-02&before=2000-02-03": {30, 31, 32, 33},
			"since=2000-02-03&before=2000-02-04": {34},
			"from=ann&before=2000-01-07":         {6},
			"from=nobody":                        nil,
			"since=2001-01-01":                   nil,
		} {
			head, lines, err := fetchLines(t, c, searchOf(t, query))
			fetchtest.NoError(t, err)
			fetchtest.DeepEqual(t, numbersOf(lines), want, "without %v, %s", lacks, query)
			if text := fmt.Sprintf("Found %d in ", len(want)); len(lines) == 0 || !strings.HasPrefix(lines[0].Text, text) ||
				!strings.HasSuffix(lines[0].Text, "about 60 articles.") {
				t.Errorf("search %s: the first line is %+v, want %s", query, lines[0], text)
			}
			if head.Layout != protocols.LayoutArticles || !strings.HasPrefix(head.Title, "a.b: ") {
				t.Errorf("search %s: Head = %+v; want LayoutArticles and a title with the group", query, head)
			}
		}
	}
}

// TestSearchLarge checks how many articles of a large group are read for a search.
func TestSearchLarge(t *testing.T) {
	const n = 45_000
	for _, tt := range []struct {
		query string
		lacks []string
		most  int // maximum number of articles read from the overview
		want  []uint64
	}{
		{"from=joe", nil, 100, []uint64{1, 2}},
		{
			"subject=4321", nil, 700,
			[]uint64{4321, 14321, 24321, 34321, 43210, 43211, 43212, 43213, 43214, 43215, 43216, 43217, 43218, 43219, 44321},
		},
		{
			"subject=4321",
			[]string{"XPAT"},
			700,
			[]uint64{4321, 14321, 24321, 34321, 43210, 43211, 43212, 43213, 43214, 43215, 43216, 43217, 43218, 43219, 44321},
		},
		{"since=2060-01-01&before=2060-01-04", nil, 40_000, []uint64{21916, 21917, 21918}},
		{"before=2000-01-03", nil, n, []uint64{1, 2}},
		{"since=2050-01-01&from=liar", nil, 50_000, []uint64{20_000}},
		{"since=2123-03-15", []string{"XPAT", "HDR", "XHDR"}, 20_000, []uint64{44999, 45000}},
		{"since=2123-03-15&subject=topic", nil, 20_000, []uint64{44999, 45000}},
		{"subject=topic%2045000", []string{"XPAT", "HDR", "XHDR"}, n, []uint64{45000}},
	} {
		f := searchServer(t, n, tt.lacks...)
		_, lines, err := fetchLines(t, f.client(), searchOf(t, tt.query))
		fetchtest.NoError(t, err)
		if got := numbersOf(lines); !slices.Equal(got, tt.want) {
			t.Errorf("search %s: found %d articles, want %v", tt.query, len(got), tt.want)
		}
		read := 0
		for _, command := range f.sentCommands() {
			if words := strings.Fields(command); words[0] == "OVER" {
				low, high, _ := strings.Cut(words[1], "-")
				read += fetchtest.Must(strconv.Atoi(high))(t) - fetchtest.Must(strconv.Atoi(low))(t) + 1
			}
		}
		if read > tt.most {
			t.Errorf("search %s: read %d articles of the overview, want at most %d", tt.query, read, tt.most)
		}
	}
}

// TestSearchProgress checks that articles are shown while the search continues, and that they stay on
// the page when the search is stopped.
func TestSearchProgress(t *testing.T) {
	f := searchServer(t, 45_000, "XPAT", "HDR", "XHDR")
	progress := new(protocols.Progress)
	ctx, cancel := context.WithCancel(protocols.WithProgress(t.Context(), progress))
	defer cancel()
	r := fetchtest.Must(f.client().Fetch(ctx, protocols.Request{URL: searchOf(t, "subject=topic")}))(t)
	defer r.Close()
	var shown []uint64
	for line := range r.Preview {
		shown = append(shown, line.Note.(*protocols.ArticleNote).Number)
		if state := progress.State(); len(shown) == 20_000 {
			if state.Articles != 45_000 || state.Searched == 0 || state.Searched > 20_000 {
				t.Errorf("Progress after 20000 articles: searched %d of %d; want at most 20000 of 45000", state.Searched, state.Articles)
			}
			cancel()
		}
	}
	if len(shown) < 20_000 || len(shown) > 35_000 || shown[0] != 45_000 ||
		!slices.IsSortedFunc(shown, func(a, b uint64) int { return int(b) - int(a) }) {
		t.Errorf("the preview yields %d articles, the first is %d; want 20000 to 35000, the newest first", len(shown), shown[0])
	}
	for _, err := range r.Lines {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Lines after the cancellation yield %v, want context.Canceled", err)
		}
	}
}

// TestSearchHostile checks that article numbers that were not requested are ignored, and that
// endless answers are errors.
func TestSearchHostile(t *testing.T) {
	over := "224 go\n9\tJoe\tJoe\n5\tJoe\tJoe\tx\t<5@x>\n3\tJoe\tJoe\n3\tAgain\tJoe\n0\tJoe\tJoe\n18446744073709551615\tJoe\tJoe\nrubbish\n"
	numbers := "221 go\n5 x\n3 x\n3 x\n0 x\n99 x\n18446744073709551616 x\n-1 x\nx\n\n"
	for name, tt := range map[string]struct {
		answers map[string]string
		want    []uint64
		fails   protocols.Reason
	}{
		"numbers": {answers: map[string]string{"XPAT": numbers + ".", "OVER": over + "."}, want: []uint64{3, 5, 9}},
		"numbers of HDR": {
			answers: map[string]string{"HDR": strings.ReplaceAll(numbers, " x", " joe") + ".", "OVER": over + "."},
			want:    []uint64{3, 5, 9},
		},
		"an overview":          {answers: map[string]string{"OVER": over + "."}, want: []uint64{3, 5, 9}},
		"nothing":              {answers: map[string]string{"XPAT": "420 no", "OVER": over + "."}},
		"no overview":          {answers: map[string]string{"XPAT": numbers + ".", "OVER": "423 no"}},
		"XPAT is refused":      {answers: map[string]string{"XPAT": "403 failed"}, fails: protocols.ServerFailed},
		"OVER is refused":      {answers: map[string]string{"XPAT": numbers + ".", "OVER": "403 failed"}, fails: protocols.ServerFailed},
		"numbers without end":  {answers: map[string]string{"XPAT": "221 go\n" + strings.Repeat("5 x\n", 1<<20)}, fails: protocols.TooBig},
		"overview without end": {answers: map[string]string{"OVER": "224 go\n" + strings.Repeat("5\tx\ty\n", 1<<20)}, fails: protocols.TooBig},
		"no octets":            {answers: map[string]string{"XPAT": "close"}, fails: protocols.Broken},
		"half a list":          {answers: map[string]string{"XPAT": "221 go\n5 x\nclose"}, fails: protocols.Broken},
	} {
		tt.answers["GROUP"] = "211 10 1 10 a.b"
		f := startFake(t, tt.answers)
		_, lines, err := fetchLines(t, f.client(), searchOf(t, "from=joe"))
		if protocols.ReasonOf(err) != tt.fails || tt.fails == 0 && err != nil {
			t.Errorf("%s: got error %v, want reason %v", name, err, tt.fails)
		}
		fetchtest.DeepEqual(t, numbersOf(lines), tt.want, "%s", name)
	}
	for _, marks := range []string{"0 0 0", "0 1 0", "1 1 18446744073709551615", "18446744073709551615 1 18446744073709551615", "5 10 1"} {
		f := startFake(t, map[string]string{"GROUP": "211 " + marks + " a.b", "XPAT": "420 no", "OVER": "420 no"})
		_, lines, err := fetchLines(t, f.client(), searchOf(t, "from=joe&since=2026-01-01"))
		if err != nil || len(numbersOf(lines)) > 0 || len(f.sentCommands()) > 500 {
			t.Errorf(
				"group with the marks %s: lines %v, error %v, %d commands; want no article and at most 500 commands",
				marks, lines, err, len(f.sentCommands()),
			)
		}
	}
}

// TestSearchCopy searches a stored overview, first while the server runs and then after the server has
// stopped.
func TestSearchCopy(t *testing.T) {
	f := searchServer(t, 5000, "XPAT", "HDR", "XHDR")
	c := f.client()
	c.NewestArticles, c.Copies = 5000, new(cache.Store)
	c.Copies.Keep(t.TempDir(), 64<<20)
	defer c.Copies.Close()
	_, _, err := fetchLines(t, c, urlcore.News{Group: "a.b"})
	fetchtest.NoError(t, err)
	before := len(f.sentCommands())
	for range 2 {
		_, lines, err := fetchLines(t, c, searchOf(t, "subject=plain"))
		fetchtest.NoError(t, err)
		fetchtest.DeepEqual(t, numbersOf(lines), []uint64{1, 2, 3}, "from the copy")
	}
	for _, command := range f.sentCommands()[before:] {
		if strings.HasPrefix(command, "OVER") && command != "OVER 4981-5000" {
			t.Errorf("%s was sent, but the copy has these articles", command)
		}
	}
	f.stop()
	head, lines, err := fetchLines(t, c, searchOf(t, "subject=plain"))
	fetchtest.NoError(t, err)
	fetchtest.DeepEqual(t, numbersOf(lines), []uint64{1, 2, 3}, "without the server")
	if head.CopiedAt.IsZero() {
		t.Errorf("Head without the server = %+v; want the time of the copy", head)
	}
	_, lines, err = fetchLines(t, c, searchOf(t, "subject=nothing"))
	if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0].Text, "Found 0 in about 5000 articles") {
		t.Errorf("search without hits: lines %v, error %v; want only the line about 0 articles", lines, err)
	}
}
