package wais

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/urlcore"
)

// FuzzAnswer parses arbitrary APDUs. It checks that the result is no longer than the APDU, and that the
// URL of each document contains the id of the document.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		withHeader(initReply), searchResponse(ownHit), chunkResponse("abc", outOfRange), searchResponse(noDatabase),
		searchResponse(nestedGroups(20)), searchResponse("\x81\x19\xff\xff\xff"),
	} {
		f.Add([]byte(s))
	}
	w := urlcore.WAIS{HostPort: urlcore.HostPort{Host: "h"}, Database: "d"}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bufio.NewReader(bytes.NewReader(b))
		apdu, err := readMessage(r, nil)
		if err != nil {
			apdu = b
		}
		_, _, _ = readInit(apdu)
		a := readSearch(apdu)
		if len(a.text) > len(apdu) || len(a.records) > len(apdu) || len(a.diagnostics) > len(apdu) {
			t.Errorf(
				"readSearch returns %d octets of text, %d records and %d diagnostics, want at most %d", len(a.text),
				len(a.records), len(a.diagnostics), len(apdu),
			)
		}
		for _, rec := range a.records {
			u := documentURL(w, "TEXT", rec.id)
			if u == nil {
				continue
			}
			again, err := urlcore.Parse(u.String())
			if err != nil || again != u {
				t.Errorf("the id %q has the URL %#v, which is read as %#v, %v", rec.id, u, again, err)
			} else if id, ok := documentID(again.(urlcore.WAIS).Document); !ok || id != rec.id {
				t.Errorf("the id %q has the URL %s, which contains the id %q", rec.id, u, id)
			}
		}
	})
}

// FuzzID converts an id to a URL and to a search. Parsing the URL or the search must return the same id.
func FuzzID(f *testing.F) {
	for _, id := range []string{
		ownID, "", "\x03\x02;=", "\x03\x03%3B", "\x01\x01\x1f\x07\x01\x00", "opaque", "1=a;", "\x80\x03\x01a",
		"\x03\x80\x01a", "12/\x03\x01a",
	} {
		f.Add(id, "TEXT", "gopher")
	}
	f.Fuzz(func(t *testing.T, id, typ, words string) {
		w := urlcore.WAIS{HostPort: urlcore.HostPort{Host: "h"}, Database: "d"}
		u := documentURL(w, typ, id)
		if u == nil {
			return
		}
		fetchtest.CheckCanonical(t, u)
		d, ok := likedDocument(u)
		if !ok {
			return
		}
		q := query{words: words, examples: []document{d}}
		if got := parseQuery(q.searchText()); !strings.Contains(words, unitSeparator) && (got.words != words ||
			len(got.examples) != 1 || got.examples[0] != d) {
			t.Errorf("parseQuery(%q) = %+v, want %+v", q.searchText(), got, q)
		}
		if back := d.urlIn(w); back != u {
			t.Errorf("a document of a search has the URL %v, want %s", back, u)
		}
	})
}

// FuzzWpath parses the wpath of URLs.
func FuzzWpath(f *testing.F) {
	for _, s := range []string{ownPath, "1=a", "1=a;;", "=;", "99999999999=a;", "1=%;2=%4;3=%zz;", "12/1=a;", "12/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := documentID(s)
		fetchtest.Equal(t, ok, id != "", "ok of documentID(%q), which returns %q", s, id)
		if again, ok := documentID(wpathOf(id)); ok && again != id && documentURL(urlcore.WAIS{}, "T", id) != nil {
			t.Errorf("documentID(%q) = %q; wpathOf(id) = %q, which contains the id %q", s, id, wpathOf(id), again)
		}
	})
}

func TestGrowth(t *testing.T) {
	for _, in := range []memorygrowth.Input{
		{Name: "empty records", Unit: "\x81\x16\x00"},
		{Name: "hits", Unit: ownHit},
		{Name: "texts", Unit: "\x81\x19\x05\x7f\x03abc"},
		{Name: "diagnostics", Unit: outOfRange},
		{Name: "unknown fields", Unit: "\x01\x01a"},
		{Name: "damaged", Unit: "\xff"},
	} {
		memorygrowth.Check(t, in, 120, func(text string) { readInfo([]byte(text)) })
	}
	for _, in := range []memorygrowth.Input{{Name: "fields of an id", Unit: "\x03\x01;"}, {Name: "no fields", Unit: "\xff"}} {
		memorygrowth.Check(t, in, 40, func(text string) { wpathOf(text) })
	}
	for _, in := range []memorygrowth.Input{
		{Name: "documents of a search", Unit: "\x1fT/3=a;"},
		{Name: "separators", Unit: unitSeparator},
		{Name: "escapes", Head: "w\x1fT/3=", Unit: "%25"},
	} {
		memorygrowth.Check(t, in, 60, func(text string) { parseQuery(text) })
	}
}
