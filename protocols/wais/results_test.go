package wais_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/wais"
	"gofer/urlcore"
)

// newClient returns a client that is closed at the end of the test.
func newClient(t testing.TB) *wais.Client {
	c := new(wais.Client)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

var parse = fetchtest.Parse

func fetchLines(t *testing.T, c *wais.Client, u urlcore.URL) []protocols.Line {
	t.Helper()
	_, list, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: u})
	fetchtest.NoError(t, err, "%s", u)
	return list
}

// textOf returns the texts of lines without their links.
func textOf(list []protocols.Line) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(l.Kind.String() + " " + l.Text + "\n")
	}
	return b.String()
}

func TestPages(t *testing.T) {
	s := startServer(t)
	for url, want := range map[string]string{
		"notes": "search Search notes\ninfo \ninfo Notes about \"gopher\" and others.\ninfo Kept in C:\\notes.\ninfo \nmail Maintainer: keeper@example.invalid\n" +
			"text Information on database: notes\ntext Catalog for database: notes\ninfo \ndirectory Databases of this server\n",
		"":     "search Search databases of 127.0.0.1\ninfo \nsearch notes\nsearch a b\n",
		"INFO": "search Search INFO\ninfo \nsearch notes\nsearch a b\ninfo \ndirectory Databases of this server\n",
		"notes?nothing": "search Search notes again\ninfo \ninfo No document matches.\ninfo \n" +
			"text Search produced no result. Here's the Catalog for database: notes\n",
		"notes?odd": "search Search notes again\ninfo \ntext Odd gopher id\nimage     as GIF\ninfo \nsearch More documents like these\n",
		"notes%1Fa%20b?octets": "search Search notes, a b again\ninfo \ndocument Octets\ninfo No document matches.\ninfo \n" +
			"text Search produced no result. Here's the Catalog for database: a b\ninfo \nsearch More documents like these\n",
	} {
		fetchtest.Equal(t, textOf(fetchLines(t, newClient(t), parse(t, s.URL(url)))), want, "%s", url)
		c := newClient(t)
		for i := range strings.Count(want, "\n") { // the reader stops after i lines
			res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL(url))}))(t)
			n := 0
			for range res.Lines {
				if n++; n > i {
					break
				}
			}
			_ = res.Close()
		}
	}
}

// TestMoreLikeThese chooses documents in the form for similar documents. It checks that the URLs of
// the result can be fetched again.
func TestMoreLikeThese(t *testing.T) {
	s := startServer(t)
	c := newClient(t)
	found := fetchLines(t, c, parse(t, s.URL("notes?notes")))
	more := found[len(found)-1].Link
	ask := askOf(t, c, more)
	if ask.URL != more || len(ask.Fields) != 2 || ask.Fields[0].Value != "notes" ||
		ask.Fields[1].ServerLabel != "Gopher notes" || ask.Fields[1].Input != protocols.InputCheck ||
		ask.Fields[1].Value != "0" {
		t.Fatalf("the form of %v has the fields %+v, want the words \"notes\" and one document", ask.URL, ask.Fields)
	}
	if _, err := ask.With([]string{"", "0"}); err == nil {
		t.Error("no document was chosen: got no error")
	}
	next := fetchtest.Must(ask.With([]string{"", "1"}))(t)
	got := fetchLines(t, c, parse(t, next.String()))
	if first := got[0]; first.Text != "Search notes again" {
		t.Errorf("the first line is %q, want \"Search notes again\"", first.Text)
	}
	if like := got[1]; like.Text != "Documents like a.txt" || like.Link != found[2].Link {
		t.Errorf("the second line is %q and leads to %v, want \"Documents like a.txt\" and %v", like.Text, like.Link, found[2].Link)
	}
	if !strings.Contains(textOf(got), "Odd gopher id") || !strings.Contains(textOf(got), "Gopher notes") {
		t.Errorf("got\n%s\nwant \"Odd gopher id\" and \"Gopher notes\" in it", textOf(got))
	}
	again := askOf(t, c, got[len(got)-1].Link)
	if f := again.Fields[1]; f.ServerLabel != "Gopher notes" || f.Value != "1" || len(again.Fields) < 4 {
		t.Errorf("the form has %+v, want first the chosen document, and two others", again.Fields)
	}
	answers := []string{"octets"}
	for _, f := range again.Fields[1:] {
		answers = append(answers, f.Value)
	}
	answers[len(answers)-1] = "1"
	both := fetchtest.Must(again.With(answers))(t)
	if n := strings.Count(both.String(), "%1F"); n != 2 || !strings.Contains(both.String(), "?octets%1F") {
		t.Errorf("got %s, want two documents", both)
	}
	fetchLines(t, c, parse(t, both.String()))
}

func askOf(t *testing.T, c *wais.Client, u urlcore.URL) *protocols.Ask {
	t.Helper()
	_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
	ask := fetchtest.As[*protocols.Ask](t, err, "%v", u)
	return ask
}

func TestAskWords(t *testing.T) {
	s := startServer(t)
	for url, want := range map[string]string{
		"a%20b?": `Search "a b" at 127.0.0.1`, "?": "Search at 127.0.0.1", "a%1Fb?": `Search "a, b" at 127.0.0.1`,
	} {
		if ask := askOf(t, newClient(t), parse(t, s.URL(url))); ask.Title != want {
			t.Errorf("%s: the title is %s, want %s", url, ask.Title, want)
		}
	}
	ask := askOf(t, newClient(t), parse(t, s.URL("a%20b?")))
	fetchtest.Returns(t, parse(t, s.URL("a%20b?c%2Bd%20e%3Ff")))(ask.With([]string{"c+d e?f"}))
	for _, answers := range [][]string{nil, {""}} {
		if _, err := ask.With(answers); err == nil {
			t.Errorf("a search for %q: got no error", answers)
		}
	}
	fetchtest.Equal(t, s.Requests(), 0, "requests to ask")
}

// TestOddSearches checks that malformed documents in a search are read as words.
func TestOddSearches(t *testing.T) {
	s := startServer(t)
	for _, search := range []string{"gopher%1Fx", "gopher%1FTEXT%2F", "gopher%1F%1F", "%1FTEXT%2Fx%1F"} {
		fetchtest.Contains(t, textOf(fetchLines(t, newClient(t), parse(t, s.URL("notes?"+search)))), "\ntext ", "%s", search)
	}
}

func TestResume(t *testing.T) {
	s := startServer(t)
	c := newClient(t)
	for i, offset := range []int64{0, 5, 31, 40, 0, 5, 31, 40} {
		size := int64(-1)
		if i >= 4 { // a search returns the size
			fetchLines(t, c, parse(t, s.URL("notes?notes")))
			size = max(31-offset, 0)
		}
		res, err := c.Resume(t.Context(), protocols.Request{URL: parse(t, documentURL(s, "a.txt", 31, "TEXT")), Offset: offset})
		if err != nil {
			t.Errorf("Resume at %d: %v", offset, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if want := "Gopher notes\nAll about gopher.\n"[:31][min(offset, 31-1):]; offset < 31 && string(got) != want ||
			offset >= 31 && len(got) > 0 || err != nil {
			t.Errorf("Resume at %d: got %q, %v, want %q (nothing after the end)", offset, got, err, want)
		}
		fetchtest.Equal(t, res.Size, size, "Resume at %d: the size", offset)
		_ = res.Close()
	}
	if _, err := c.Resume(t.Context(), protocols.Request{URL: parse(t, s.URL("notes?gopher")), Offset: 5}); err == nil {
		t.Error("resume a search: got no error")
	}
}

// TestSmallServerBuffer checks that fewer documents are requested if the answer is empty, because
// the server's buffer is then too small.
func TestSmallServerBuffer(t *testing.T) {
	d := demo.WAISDatabase{Name: "many"}
	for range 200 {
		d.Documents = append(d.Documents, demo.WAISDocument{
			Name: strings.Repeat("n", 200), Headline: "word " + strings.Repeat("h", 700), Types: []string{"TEXT"},
			Content: map[string]string{"TEXT": ""},
		})
	}
	s := fetchtest.CloseAtEnd(demo.StartWAIS([]demo.WAISDatabase{d}))(t)
	n := 0
	for _, l := range fetchLines(t, newClient(t), parse(t, s.URL("many?word"))) {
		if l.Note != nil {
			n++
		}
	}
	fetchtest.Equal(t, n, 40, "documents")
}

func TestPlan(t *testing.T) {
	c := newClient(t)
	for url, want := range map[string]string{
		"wais://h/d": "search for no words", "wais://h/": "search for no words", "wais://h/d?w": "search", "wais://h/d?w%1F": "search",
		"wais://h/d?%1FTEXT/3=a;": "search by relevance feedback", "wais://h/d/TEXT/3=a;": "ask for the first 90000 octets of the document",
	} {
		steps, err := c.Plan(parse(t, url))
		if err != nil || len(steps) != 2 || steps[0].Peer != "h:210" || !strings.HasPrefix(steps[1].Send, "0000000") ||
			steps[1].Note != want && !strings.HasPrefix(steps[1].Note, want+",") {
			t.Errorf("Plan(%s) = %q, %v, want two steps, the second with the note %q", url, steps, err, want)
		}
	}
	var ask *protocols.Ask
	if _, err := c.Plan(parse(t, "wais://h/d?")); !errors.As(err, &ask) {
		t.Errorf("Plan of an empty search: got %v, want an Ask", err)
	}
	for _, bad := range []urlcore.URL{
		parse(t, "gopher://h/1"), parse(t, "wais://h/d/TEXT/"), parse(t, "wais://h/d%0A"),
		parse(t, "wais://h/d?w%0D%0AQUIT"), parse(t, "wais://h/"+strings.Repeat("d", 61_000)),
	} {
		if _, err := c.Plan(bad); err == nil {
			t.Errorf("Plan(%.60s): got no error", bad)
		}
	}
}
