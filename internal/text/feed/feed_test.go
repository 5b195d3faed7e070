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
		{
			"application/rdf+xml",
			`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:foaf="http://xmlns.com/foaf/0.1/">`,
			"", false,
		},
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
}

// TestBounds checks what is left out of a large feed, and that the feed says so.
func TestBounds(t *testing.T) {
	const rss, atom, json = `<rss><channel><title>T</title>`, `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>`, `{"title":"T",`
	many := strings.Repeat
	for _, tt := range []struct {
		name, text string
		entries    int
		problem    string
	}{
		{"items of RSS", rss + many("<item><title>a</title></item>", MaxEntries+1) + "</channel></rss>", MaxEntries, problemMany},
		{"items of JSON", json + `"items":[` + many(`{"title":"a"},`, MaxEntries) + `{"title":"a"}]}`, MaxEntries, problemMany},
		{"Items of JSON", json + `"Items":[` + many(`{},`, MaxEntries) + `{}]}`, 0, ""},
		{"null in other case", json + `"ITEMS":[null],"AUTHORS":[null],"Author":null}`, 0, ""},
		{
			"null in an item",
			json + `"items":[{"title":"a","Authors":[null],"ATTACHMENTS":[null],"authors":[null],"attachments":[null]},null]}`,
			1, "",
		},
		{"members", json + `"items":[{"title":"a"}],` + many(`"a":1,`, maxParts) + `"b":1}`, 1, problemParts},
		{"members of an item", json + `"items":[{"title":"a"},{` + many(`"a":1,`, maxParts) + `"b":1}]}`, 1, problemParts},
		{"attachments", json + `"items":[{"title":"a","attachments":[` + many(`{"url":"b"},`, maxLinks) + `{"url":"b"}]}]}`, 1, problemFiles},
		{"enclosures", rss + `<item>` + many(`<enclosure url="b"/>`, maxLinks+1) + `</item></channel></rss>`, 1, problemFiles},
		{"extensions", rss + `<item/>` + many("<x:y/>", maxParts) + "</channel></rss>", 1, problemParts},
		{"extensions of an entry", rss + `<item/><item>` + many("<x:y/>", maxParts) + "</item></channel></rss>", 1, problemParts},
		{"links of an entry", atom + `<entry/><entry>` + many("<link/>", maxParts) + "</entry></feed>", 1, problemParts},
		{"attributes", rss + `<item/><item ` + many("a='' ", maxParts*attributesOfPart) + "/></channel></rss>", 1, problemParts},
		{"parts of a text", rss + `<item/><item><x:y>` + many("<![CDATA[ab]]>", 10_000) + "</x:y></item></channel></rss>", 1, problemParts},
		{"a base", `<rss xml:base="/` + many("a", maxBase) + `"><channel><title>T</title><item/></channel></rss>`, 1, problemBase},
		{"a site as the base", rss + "<link>/" + many("a", maxBase) + "</link><item/></channel></rss>", 1, problemBase},
		{"spaces between items", rss + many("\n      <item>\n  </item>", MaxEntries) + "</channel></rss>", MaxEntries, ""},
	} {
		f, err := Parse(tt.text)
		if fetchtest.NoError(t, err); len(f.Entries) != tt.entries || f.Problem != tt.problem {
			t.Errorf("%s: got %d entries and the problem %q, want %d and %q", tt.name, len(f.Entries), f.Problem, tt.entries, tt.problem)
		}
		for _, e := range f.Entries {
			if len(e.Enclosures) > maxLinks || len(strings.Join(e.SummaryBases, "")) > maxBase {
				t.Errorf("%s: got %d enclosures and the bases %.100q, want them within the bounds", tt.name, len(e.Enclosures), e.Bases)
			}
		}
	}
}
