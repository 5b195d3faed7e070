package feed

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestDetect checks which documents are feeds, by their declared types and their first octets.
func TestDetect(t *testing.T) {
	const rss10 = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">`
	const atom10 = `<feed xmlns="http://www.w3.org/2005/Atom">`
	for _, tt := range []struct {
		media, block, want string
		more               bool
	}{
		{"text/html", `<rss version="2.0">`, MediaRSS, false},
		{"text/plain", "\ufeff<?xml version='1.0'?>\n<!-- > -->" + atom10, MediaAtom, false},
		{"", rss10, MediaRSS, false},
		{"application/rdf+xml", rss10, MediaRSS, false},
		{"application/rdf+xml", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:foaf="http://xmlns.com/foaf/0.1/">`, "", false},
		{"application/xml", `<feed><title>`, "", false},
		{MediaAtom, `<feed><title>`, MediaAtom, false},
		{MediaAtom, `<rss version="2.0">`, MediaRSS, false},
		{"text/xml", `<!DOCTYPE rss [<!ENTITY a "b>">]><rss>`, MediaRSS, false},
		{"text/xml", `<?xml version="1.0"`, "", true},
		{"text/xml", `<!-`, "", true},
		{"", `<feed `, "", true},
		{"text/html", `<!doctype HTML><rss>`, "", false},
		{"text/html", `<p><rss>`, "", false},
		{"text/plain", "Feeds begin with <rss>.", "", false},
		{"text/css", `<rss>`, "", false},
		{"application/x-rss+xml", `<rss version="2.0">`, MediaRSS, false},
		{"image/svg+xml", `<svg>`, "", false},
		{"application/json", `{"version": "https:\/\/jsonfeed.org\/version\/1"`, MediaJSON, false},
		{"application/json", `{"items": [`, "", true},
		{"application/json", `[]`, "", false},
		{MediaJSON, `{"items": [`, MediaJSON, true},
	} {
		got, more := Detect(tt.media, []byte(tt.block))
		if got != tt.want || more != tt.more {
			t.Errorf("Detect(%q, %q): got %q, %v, want %q, %v", tt.media, tt.block, got, more, tt.want, tt.more)
		}
	}
}

// TestParse checks the fields of an entry, and the bounds of a feed.
func TestParse(t *testing.T) {
	f, err := Parse(`<rss version="2.0"><channel><title>T</title><item><title>a</title><guid isPermaLink="false">id</guid><pubDate>Tue, 02 Jan 2001 01:00:00 +0200</pubDate>` +
		`<author>a@h.example (An)</author><enclosure url=" e.mp3 " length="12" type="audio/mpeg"/></item></channel></rss>`)
	fetchtest.NoError(t, err)
	e := f.Entries[0]
	got := strings.Join([]string{e.Title, e.URL, e.ID, e.Author, e.Date.String(), e.Enclosures[0].URL}, "|")
	fetchtest.Equal(t, got, "a||id|An|2001-01-01 23:00:00 +0000 UTC|e.mp3")
	for _, text := range []string{"", "{", "<", "<rss", "<rss></rss>", `{"items":[]}`, "<html><title>T</title></html>"} {
		if f, err := Parse(text); err == nil {
			t.Errorf("Parse(%q): got %v, want an error", text, f)
		}
	}
	for _, text := range []string{
		`<rss><channel><title>T</title>` + strings.Repeat("<item><title>a</title></item>", MaxEntries+1) + "</channel></rss>",
		`{"title":"T","items":[` + strings.Repeat(`{"title":"a"},`, MaxEntries) + `{"title":"a"}]}`,
	} {
		if f, err := Parse(text); err != nil || len(f.Entries) != MaxEntries || f.Problem != problemMany {
			t.Errorf("%.20q: got %v, want %d entries and the problem %q", text, err, MaxEntries, problemMany)
		}
	}
}
