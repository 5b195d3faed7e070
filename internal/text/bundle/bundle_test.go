package bundle_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/bundle"
	"gofer/protocols"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestRoundTrip checks that a bundle has the exact octets of its items under their URLs, an index, and what was left out.
func TestRoundTrip(t *testing.T) {
	octets := "a\r\n\x00\xff"
	path := filepath.Join(t.TempDir(), "octets")
	fetchtest.NoError(t, os.WriteFile(path, []byte(octets), 0o600))
	items := []bundle.Item{
		{Entry: bundle.Entry{
			URL: "gopher://h/1/menu", Also: "gopher://h/1/other", Name: "h/a b?.txt", Title: "A <title>\x1b[31m", Media: "application/gopher-menu",
			Size: int64(len(octets)), SHA256: digest(octets), Modified: now.Add(-time.Hour), Saved: now, Start: true,
		}, Path: path},
		{Entry: bundle.Entry{URL: "gopher://h/0/gone", LeftOut: "not found"}},
	}
	var file bytes.Buffer
	fetchtest.NoError(t, bundle.Write(&file, bundle.Head{Saved: now, Program: "gofer test"}, items))
	fetchtest.Equal(t, bundle.Begins(file.Bytes()), true, "Begins")

	b := fetchtest.Must(bundle.Open(t.Context(), bytes.NewReader(file.Bytes()), now))(t)
	fetchtest.Equal(t, fmt.Sprintf("%t %s %d %d %d", b.Saved.Equal(now), b.Program, b.Refused, len(b.Entries), len(b.LeftOut)), "true gofer test 0 1 1")
	for _, u := range []string{"gopher://h/1/menu", "gopher://h/1/menu/", "gopher://h/1/other"} {
		e, ok := b.Find(fetchtest.Parse(t, u))
		if !ok {
			t.Errorf("%s is not in the bundle", u)
			continue
		}
		r, fits, err := b.Content(t.Context(), e)
		fetchtest.NoError(t, err)
		got := fetchtest.Must(io.ReadAll(r))(t)
		fetchtest.Equal(t, fmt.Sprintf("%q %t", got, fits), fmt.Sprintf("%q true", octets), "content of %s", u)
	}
	if _, ok := b.Find(fetchtest.Parse(t, "gopher://h/0/gone")); ok {
		t.Error("an item that was left out is in the bundle")
	}

	z := fetchtest.Must(zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	index := string(fetchtest.Must(io.ReadAll(fetchtest.Must(z.Open(bundle.IndexName))(t)))(t))
	for _, want := range []string{`href="./h/a%20b%3F.txt"`, "A &lt;title&gt;", "gopher://h/0/gone: not found", "1 left out"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index lacks %s:\n%s", want, index)
		}
	}
	if strings.Contains(index, "\x1b") {
		t.Error("the index has a control character of a title")
	}
}

// file is an entry of a zip archive for a test.
type file struct{ name, octets string }

func zipOf(t *testing.T, files ...file) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w := fetchtest.Must(z.Create(f.name))(t)
		fetchtest.Must(io.WriteString(w, f.octets))(t)
	}
	fetchtest.NoError(t, z.Close())
	return bytes.NewReader(b.Bytes())
}

const head = `{"format":"gofer-bundle/1","saved":"2026-11-29T10:00:00Z"}` + "\n"

// TestHostileLines checks that lines of a map are refused that a bundle must not have, and that the others are kept.
func TestHostileLines(t *testing.T) {
	good := `{"url":"http://h.example/","entry":"a","size":1,"sha256":"` + digest("a") + `"}` + "\n"
	for name, line := range map[string]string{
		"a file":             `{"url":"file:///etc/passwd","entry":"a"}`,
		"a page of gofer":    `{"url":"about:home","entry":"a"}`,
		"a script":           `{"url":"javascript:alert(1)","entry":"a"}`,
		"a program":          `{"url":"telnet://h.example/","entry":"a"}`,
		"a password":         `{"url":"ftp://u:secret@h.example/a","entry":"a"}`,
		"CR LF":              `{"url":"gopher://h.example/0/a\r\nQUIT","entry":"a"}`,
		"no URL":             `{"entry":"a"}`,
		"no entry":           `{"url":"http://h.example/b","entry":"b"}`,
		"a parent":           `{"url":"http://h.example/b","entry":"../a"}`,
		"an absolute path":   `{"url":"http://h.example/b","entry":"/a"}`,
		"the same URL":       `{"url":"http://h.example/","entry":"a"}`,
		"a negative size":    `{"url":"http://h.example/b","entry":"a","size":-1}`,
		"a year without 4":   `{"url":"http://h.example/b","entry":"a","saved":"99999-01-01T00:00:00Z"}`,
		"text that is not {": `[1`,
	} {
		file := zipOf(t, file{bundle.MapName, head + good + line + "\n"}, file{"a", "a"}, file{"../a", "b"}, file{"/a", "b"})
		b, err := bundle.Open(t.Context(), file, now)
		if err != nil || b.Refused != 1 || len(b.Entries) != 1 {
			t.Errorf("%s: Open = %+v, %v; want one page and one refused line", name, b, err)
		}
	}
}

// TestHostileContent checks that octets without the digest or size of the map, and dates of the future, are found.
func TestHostileContent(t *testing.T) {
	for name, e := range map[string]string{
		"another digest":     `"size":1,"sha256":"` + digest("b") + `"`,
		"no digest":          `"size":1`,
		"a smaller size":     `"size":0,"sha256":"` + digest("a") + `"`,
		"a larger size":      `"size":1000000000000,"sha256":"` + digest("a") + `"`,
		"two of these names": `"size":1,"sha256":"` + digest("c") + `"`,
	} {
		line := `{"url":"http://h.example/","entry":"a","saved":"9999-12-31T23:59:59Z","modified":"1901-01-01T00:00:00Z",` + e + `}`
		b := fetchtest.Must(bundle.Open(t.Context(), zipOf(t, file{bundle.MapName, head + line}, file{"a", "a"}, file{"a", "c"}), now))(t)
		found, ok := b.Find(fetchtest.Parse(t, "http://h.example/"))
		if !ok || !found.Saved.IsZero() || !found.Modified.IsZero() {
			t.Errorf("%s: Find = %+v, %t; want the page without dates", name, found, ok)
		}
		if _, fits, err := b.Content(t.Context(), found); fits || err != nil {
			t.Errorf("%s: Content: fits %t, %v; want damaged octets", name, fits, err)
		}
	}
}

// TestBounds checks that large maps, and archives that are not bundles, are refused.
func TestBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		zip  *bytes.Reader
		want protocols.Reason
	}{
		"a map of zeros": {zipOf(t, file{bundle.MapName, head + strings.Repeat("\x00", 1<<20)}), protocols.TooBig},
		"a long map":     {zipOf(t, file{bundle.MapName, head + strings.Repeat(strings.Repeat(" ", 60<<10)+"\n", 400)}), protocols.TooBig},
		"too many lines": {zipOf(t, file{bundle.MapName, head + strings.Repeat("{}\n", 2*bundle.MaxEntries+10)}), protocols.TooBig},
		"an empty map":   {zipOf(t, file{bundle.MapName, ""}), protocols.Damaged},
		"a newer format": {zipOf(t, file{bundle.MapName, `{"format":"gofer-bundle/2"}`}), protocols.Damaged},
		"not a zip":      {bytes.NewReader([]byte("PK\x03\x04" + strings.Repeat("x", 100))), protocols.Damaged},
	} {
		_, err := bundle.Open(t.Context(), tt.zip, now)
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%s: %v", name, err)
	}
	if _, err := bundle.Open(t.Context(), zipOf(t, file{"a", "a"}), now); !errors.Is(err, bundle.ErrNoBundle) {
		t.Errorf("Open of another zip archive: %v, want %v", err, bundle.ErrNoBundle)
	}
}

// TestBlankFile checks that a large file of zeros, which shrinks very much, can be read again.
func TestBlankFile(t *testing.T) {
	const size = 20 << 20
	path := filepath.Join(t.TempDir(), "zeros")
	fetchtest.NoError(t, os.WriteFile(path, make([]byte, size), 0o600))
	e := bundle.Entry{URL: "gopher://h/9/zeros", Name: "zeros", Size: size, SHA256: digest(string(make([]byte, size)))}
	var file bytes.Buffer
	fetchtest.NoError(t, bundle.Write(&file, bundle.Head{Saved: now}, []bundle.Item{{Entry: e, Path: path}}))
	b := fetchtest.Must(bundle.Open(t.Context(), bytes.NewReader(file.Bytes()), now))(t)
	_, fits, err := b.Content(t.Context(), b.Entries[0])
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, fits, true, "the octets fit")
}

// TestRoom fills a bundle with entries of every kind until it has no room. It can be opened then.
func TestRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "octets")
	fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
	for name, entry := range map[string]func(i int) bundle.Entry{
		"long": func(i int) bundle.Entry {
			return bundle.Entry{URL: fmt.Sprint("gopher://h/0/", i), Name: fmt.Sprint(i), Title: strings.Repeat("x", 60_000)}
		},
		"long names": func(i int) bundle.Entry {
			return bundle.Entry{URL: fmt.Sprint("gopher://h/0/", i), Name: fmt.Sprint(i) + strings.Repeat("/x", 25_000)}
		},
	} {
		var room bundle.Room
		var items []bundle.Item
		for _, why := range []string{"", "why"} {
			for i := 0; ; i++ {
				e := entry(i)
				e.LeftOut = why
				if err := room.Take(&e); err != nil {
					fetchtest.ErrorIs(t, err, bundle.ErrFull, name)
					break
				}
				items = append(items, bundle.Item{Entry: e, Path: path})
			}
		}
		items = append(items, bundle.Item{Entry: bundle.Entry{Title: "more", LeftOut: "why"}})
		var file bytes.Buffer
		fetchtest.NoError(t, bundle.Write(&file, bundle.Head{Saved: now}, items))
		b, err := bundle.Open(t.Context(), bytes.NewReader(file.Bytes()), now)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, len(b.Entries)+len(b.LeftOut), len(items), "%s: the entries", name)
	}
}
