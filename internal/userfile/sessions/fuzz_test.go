package sessions

import (
	"bytes"
	"testing"
)

// FuzzDecode parses records of tabs. It checks that every index is valid, and that an encoded record is
// decoded to the same record.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"quit":true,"shown":1,"tabs":[{"at":1,"pages":[{"url":"gopher://h/1/a"},{"url":"news:a.b","title":"x"}]},{"at":-5,"find":"x","pages":[{"url":"ftp://u:p@h/"}]}]}`))
	f.Add([]byte(`{"shown":9e9,"tabs":[{"at":99,"pages":[{"url":"::"},{"url":"about:home"}]}]}`))
	f.Add([]byte(`{"tabs":[{"pages":[{"url":"gopher://h/","Cursor":-1,"Top":-2}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			return
		}
		if len(r.Tabs) > maxTabs || len(r.Tabs) > 0 && (r.Shown < 0 || r.Shown >= len(r.Tabs)) {
			t.Errorf("decode(%q) shows tab %d of %d", data, r.Shown, len(r.Tabs))
		}
		for _, tab := range r.Tabs {
			if len(tab.Pages) > maxPages || tab.At < 0 || tab.At >= len(tab.Pages) {
				t.Errorf("decode(%q) is at page %d of %d", data, tab.At, len(tab.Pages))
			}
			for _, p := range tab.Pages {
				if p.URL == nil || p.Cursor < 0 || p.Top < 0 {
					t.Errorf("decode(%q) has the page %+v", data, p)
				}
			}
		}
		once, err := encode(r)
		if err != nil {
			t.Fatalf("encode of %+v: %v", r, err)
		}
		again, err := decode(once)
		if err != nil {
			t.Fatalf("decode(%q), an encoded record: %v", once, err)
		}
		if twice, err := encode(again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("the record %q is encoded again as %q, %v", once, twice, err)
		}
	})
}
