package wais_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/wais"
	"gofer/urlcore"
)

func startOriginal(tb testing.TB) *demo.WAISServer {
	tb.Helper()
	return fetchtest.CloseAtEnd(demo.StartOriginalWAIS())(tb)
}

// fetchLast fetches u and returns the number of documents and the last line. The parameter older is
// the number of additional documents that the user requests, or negative without a screen.
func fetchLast(t *testing.T, c *wais.Client, u urlcore.URL, older int) (documents int, line protocols.Line) {
	t.Helper()
	_, all, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: u, Paged: older >= 0, Older: max(older, 0)})
	fetchtest.NoError(t, err, "%s", u)
	for _, l := range all {
		switch l.Note.(type) {
		case *wais.Hit, *wais.Database:
			documents++
		}
	}
	return documents, all[len(all)-1]
}

// TestAllDocuments checks that [protocols.Request.Hidden] requests all documents at once, without a
// screen. If some are missing, a note must say so.
func TestAllDocuments(t *testing.T) {
	s, c := startOriginal(t), newClient(t)
	for _, tt := range []struct {
		url   string
		all   bool
		lines int
		notes string
	}{
		{"many?word", false, 105, "[First 100 of more: the others were not requested]"},
		{"many?word", true, 204, "[]"},
		{"notes?gopher", false, 6, "[]"},
		{"many?none", true, 5, "[]"},
	} {
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, s.URL(tt.url)), Hidden: tt.all}))(t)
		defer res.Close()
		n := 0
		for _, err := range res.Lines {
			n++
			fetchtest.NoError(t, err, "%s", tt.url)
		}
		if got := fmt.Sprint(res.LateNotes()); n != tt.lines || got != tt.notes {
			t.Errorf("%s, all %v: got %d lines and the notes %s, want %d and %s", tt.url, tt.all, n, got, tt.lines, tt.notes)
		}
	}
	if n, l := fetchLast(t, c, parse(t, s.URL("many?word")), 0); n != 100 || l.Note != protocols.ActionMore {
		t.Errorf("on a screen: got %d documents and the note %v, want 100 and ActionMore", n, l.Note)
	}
}

// TestSyntaxError checks the page of a query with a syntax error. The page ends with an error, but
// on a screen it is complete because it shows the diagnostic.
func TestSyntaxError(t *testing.T) {
	s, c := startOriginal(t), newClient(t)
	u := parse(t, s.URL("notes?gopher%20("))
	_, all, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: u})
	if protocols.ReasonOf(err) != protocols.ServerFailed ||
		!strings.Contains(err.Error(), "search notes: the server said query syntax error") ||
		!strings.Contains(textOf(all), "failure query syntax error\n") {
		t.Errorf("without a screen: got %v, want the diagnostic as an error and as a line of\n%s", err, textOf(all))
	}
	_, all, err = fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: u, Paged: true})
	fetchtest.NoError(t, err)
	fetchtest.Contains(t, textOf(all), "failure query syntax error\n")
	_, _, err = fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: parse(t, s.URL("notes?gopher"))})
	fetchtest.NoError(t, err, "the next search over the connection")
}

// TestLikeWithoutWords checks that a word is added to a search for similar documents, because
// freeWAIS-sf rejects a search without words. The form takes the word from the headline. If a URL
// has no word, the word comes from the document.
func TestLikeWithoutWords(t *testing.T) {
	s, c := startOriginal(t), newClient(t)
	found := fetchLines(t, c, parse(t, s.URL("notes?notes")))
	next := fetchtest.Must(askOf(t, c, found[len(found)-1].Link).With([]string{"", "1"}))(t)
	fetchtest.Contains(t, next.String(), "?Gopher%1FTEXT%2F")
	const got = "text Gopher notes\n"
	fetchtest.Contains(t, textOf(fetchLines(t, c, next)), got)
	w := next.(urlcore.WAIS)
	w.Search = strings.TrimPrefix(w.Search, "Gopher")
	page := textOf(fetchLines(t, c, w))
	fetchtest.Contains(t, page, got)
	fetchtest.Contains(t, page, "info The server requires a word besides the documents: \"Gopher\" was sent.\n")
	if strings.Contains(page, "No document matches") {
		t.Errorf("the page contains \"No document matches\":\n%s", page)
	}
}

// TestShorterDocument checks that files that are shorter than when they were indexed end in an error. The size is
// known from a search or from the id.
func TestShorterDocument(t *testing.T) {
	s, c := startOriginal(t), newClient(t)
	u := fetchLines(t, c, parse(t, s.URL("changed?changed")))[2].Link
	for _, c := range []*wais.Client{c, newClient(t)} {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: u})
		if protocols.ReasonOf(err) != protocols.NotFound ||
			!strings.HasSuffix(err.Error(), ": the document ends after 0 of 31 octets: the file may have changed") {
			t.Errorf("an empty file: got %v, want the reason NotFound and both sizes", err)
		}
	}
	u = fetchLines(t, c, parse(t, s.URL("changed?long")))[2].Link
	for _, c := range []*wais.Client{c, newClient(t)} {
		long := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: u}))(t)
		got, err := io.ReadAll(long.Body)
		want := fmt.Sprintf(": the document ends after %d of 300000 octets: the file may have changed", len(got))
		if len(got) == 0 || protocols.ReasonOf(err) != protocols.Damaged || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %d octets, %v, want the error %q", len(got), err, want)
		}
		_ = long.Close()
		rest := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: u, Offset: int64(len(got))}))(t)
		_, err = io.ReadAll(rest.Body)
		fetchtest.Equal(t, protocols.ReasonOf(err), protocols.Damaged, "resumed at its end: the reason of %v", err)
		_ = rest.Close()
	}
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, documentOf(s, "notes", "a.txt", 31, "TEXT"))}))(t)
	defer res.Close()
	_ = fetchtest.Must(io.ReadAll(res.Body))(t)
}

// TestOneOfSeveralDatabases checks that the page names the databases in which nothing was found.
func TestOneOfSeveralDatabases(t *testing.T) {
	s := startOriginal(t)
	const want = "info These are from notes. None are from empty: the server may not search several databases at once.\n"
	fetchtest.Contains(t, textOf(fetchLines(t, newClient(t), parse(t, s.URL("notes%1Fempty?gopher")))), "text More of a gopher\ninfo \n"+want)
	page := textOf(fetchLines(t, newClient(t), parse(t, s.URL("empty%1Fnotes?gopher"))))
	fetchtest.Contains(t, page, "These are from empty. None are from notes:")
	fetchtest.Contains(t, page, "No document matches.")
}
