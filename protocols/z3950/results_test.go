package z3950

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gofer/internal/ber"
	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestRecordURLs checks that the URL of a record has the database of the record and its id, and its number in the result if the
// ids do not find as many records as there are, or if no URL can have the id.
func TestRecordURLs(t *testing.T) {
	for _, tt := range []struct {
		name, ids string
		found     string // the reply to a search for the ids
		want      string // "n" for each URL with a number, "i" for each with an id
	}{
		{"one", "b001", searchReply(1), "i"},
		{"each is found", "1 2", searchReply(2), "ii"},
		{"none is found", "1 2", searchReply(0), "nn"},
		{"one is not unique", "1 2", searchReply(3), "nn"},
		{"the same id twice", "1 2 2", searchReply(2), "nnn"},
		{"the same id twice, which finds both", "1 2 2", searchReply(3), "nnn"},
		{"line end", "1 2\n3 4", searchReply(2), "ini"},
		{"long", "1 " + strings.Repeat("9", maxTerm+1), searchReply(1), "in"},
		{"failure", "1 2", failedSearch(2), "nn"},
	} {
		var records []string
		ids := strings.Split(tt.ids, " ")
		for _, id := range ids {
			records = append(records, external("10", ber.Leaf(1, string(demo.Book{ID: id}.MARC()))))
		}
		addr := startReplay(t, welcomeReply, searchReply(len(ids)), recordsReply(records...), tt.found, tt.found, tt.found)
		c := new(Client)
		r, err := c.Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, "z39.50s://"+addr+"/other+db;search=x")})
		fetchtest.NoError(t, err)
		var got []urlcore.URL
		for l, err := range r.Lines {
			fetchtest.NoError(t, err)
			got = append(got, l.Link)
		}
		got = got[len(got)-len(ids):]
		for i, id := range ids {
			want := fetchtest.Parse(t, fmt.Sprintf("z39.50s://%s/other+db;search=x;record=%d", addr, i+1))
			if tt.want[i] == 'i' {
				want = fetchtest.Parse(t, "z39.50r://"+addr+"/db?"+id)
			}
			fetchtest.Equal(t, got[i], want, "%s: the record %d", tt.name, i+1)
		}
		_ = r.Close()
		_ = c.Close()
	}
}

// TestUselessIDs checks that a list stops to search for ids when they find nothing.
func TestUselessIDs(t *testing.T) {
	searches := 0
	addr := startAnswering(t, func(request ber.Element) string {
		switch {
		case request.Tag == pduPresent:
			return recordsReply(slices.Repeat([]string{external("10", ber.Leaf(1, string(demo.Book{ID: "1"}.MARC())))}, chunk)...)
		case request.Find(tagResultSet).Text() == resultSet:
			return searchReply(3 * chunk)
		}
		searches++
		return searchReply(0)
	})
	fetchtest.Contains(t, fetchText(t, fetchtest.Parse(t, "z39.50s://"+addr+"/db;search=x")), "60 records match.", "the list")
	fetchtest.Equal(t, searches, len(docIDAttributes), "searches for ids")
}

// TestSurrogates checks that a record which is not sent in a list has a line that opens it alone.
func TestSurrogates(t *testing.T) {
	for condition, want := range map[int]string{
		noRecord: "Record 1: the server cannot send the record", noRecordInSyntax: "Record 1: the record is not available in this record syntax",
		unsupportedSyntax: "Record 1: the server does not have this record syntax", 16: "Record 1: Z39.50 diagnostic 16",
	} {
		records := recordsReply(ber.Group(1, ber.Group(2, diagnosticOf(ber.Sequence, condition, ""))), external("10", ber.Leaf(1, "marc")))
		u := "z39.50s://" + startReplay(t, welcomeReply, searchReply(2), records) + "/db;search=x"
		r, err := new(Client).Fetch(t.Context(), protocols.Request{URL: fetchtest.Parse(t, u)})
		fetchtest.NoError(t, err)
		var got []protocols.Line
		for l, err := range r.Lines {
			fetchtest.NoError(t, err)
			got = append(got, l)
		}
		l := got[len(got)-2]
		fetchtest.Equal(t, l.Text, want, "the text after the condition %d", condition)
		fetchtest.Equal(t, l.Link, fetchtest.Parse(t, u+";record=1"), "the link after the condition %d", condition)
		_ = r.Close()
	}
}

// TestSyntaxes checks that the syntax of a record does not depend on what was fetched before from another database, or another
// record: only a syntax that a database never has is not asked for again.
func TestSyntaxes(t *testing.T) {
	var asked []string
	database := ""
	addr := startAnswering(t, func(request ber.Element) string {
		if request.Tag == pduSearch {
			database = request.Find(tagDatabases).First().Text()
			return searchReply(1)
		}
		syntax := request.Find(tagSyntax).OID()
		asked = append(asked, strings.TrimPrefix(syntax, syntaxOID))
		switch {
		case syntax != defaultSyntaxes[0]:
			return recordsReply(external("101", ber.Leaf(1, "text")))
		case database == "never":
			return ber.Group(pduReply, ber.Number(24, 0), diagnosticOf(130, unsupportedSyntax, ""))
		case database == "not now":
			return ber.Group(pduReply, ber.Number(24, 0), diagnosticOf(130, noRecordInSyntax, ""))
		case database == "seldom":
			return recordsReply(ber.Group(1, ber.Group(2, diagnosticOf(ber.Sequence, noRecordInSyntax, ""))))
		}
		return recordsReply(external("10", ber.Leaf(1, "marc")))
	})
	c := new(Client)
	defer c.Close()
	for _, tt := range []struct{ database, want string }{
		{"never", "10 101"}, {"always", "10"}, {"never", "101"}, {"seldom", "10 101"}, {"seldom", "10 101"}, {"not%20now", "10 101"}, {"not%20now", "10 101"},
	} {
		asked = nil
		fetchtest.NoError(t, fetchtest.Drain(t.Context(), c, protocols.Request{URL: fetchtest.Parse(t, "z39.50s://"+addr+"/"+tt.database+"?1")}))
		fetchtest.Equal(t, strings.Join(asked, " "), tt.want, "the syntaxes asked of the database %s", tt.database)
	}
}
