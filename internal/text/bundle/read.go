package bundle

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"gofer/internal/text/archive"
	"gofer/protocols"
	"gofer/urlcore"
)

// Bundle is an open bundle.
type Bundle struct {
	Head
	Entries []Entry // the saved pages, in the order of the map
	LeftOut []Entry
	Refused int // lines of the map that are damaged, or about URLs or entries that a bundle must not have

	byURL map[string]int // indexes of Entries
	zip   *archive.Zip
	fits  sync.Map // whether an entry has its digest, by name, if that is known
}

// ErrNoBundle reports that a zip archive is not a bundle.
var ErrNoBundle = errors.New("it is not a bundle: it has no " + MapName)

// Open reads the map of a bundle. The parameter now is the current time: later dates become zero. The error is [ErrNoBundle]
// or an *[protocols.Error].
func Open(ctx context.Context, file archive.RandomAccess, now time.Time) (*Bundle, error) {
	z, err := archive.OpenZip(file)
	if err != nil {
		return nil, err
	}
	if !z.Has(MapName) {
		return nil, ErrNoBundle
	}
	r, err := z.Open(MapName)
	if err != nil {
		return nil, err
	}
	b := &Bundle{byURL: make(map[string]int), zip: z}
	return b, b.readMap(ctx, r, now.Add(48*time.Hour))
}

// readMap reads the lines of the map. Dates after latest are not believed.
func (b *Bundle) readMap(ctx context.Context, r io.Reader, latest time.Time) error {
	limited := &io.LimitedReader{R: r, N: maxMap}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	for n := 0; lines.Scan(); n++ {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case n == 0:
			if json.Unmarshal(lines.Bytes(), &b.Head) != nil || b.Format != Format {
				return damaged(fmt.Errorf("%s does not begin with the format %s: a newer gofer may open it", MapName, Format))
			}
			b.Saved = believe(b.Saved, latest)
		case n > 2*MaxEntries:
			return tooBig(fmt.Errorf("%s has more than %d lines", MapName, 2*MaxEntries))
		default:
			b.addLine(lines.Bytes(), latest)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return tooBig(fmt.Errorf("%s has a line of more than %d octets", MapName, maxLine))
	case err != nil:
		return err
	case limited.N == 0:
		return tooBig(fmt.Errorf("%s has more than %d MiB", MapName, maxMap>>20))
	case b.Format == "":
		return damaged(errors.New(MapName + " is empty"))
	}
	return nil
}

func (b *Bundle) addLine(line []byte, latest time.Time) {
	var e Entry
	if json.Unmarshal(line, &e) != nil {
		b.Refused++
		return
	}
	if e.LeftOut != "" {
		b.LeftOut = append(b.LeftOut, e)
		return
	}
	u, err := urlcore.Parse(e.URL)
	if err != nil || !Accepts(u) {
		b.Refused++
		return
	}
	e.URL, e.Modified, e.Saved = u.String(), believe(e.Modified, latest), believe(e.Saved, latest)
	if _, taken := b.byURL[e.URL]; taken || e.Size < 0 || !fs.ValidPath(e.Name) || !b.zip.Has(e.Name) {
		b.Refused++
		return
	}
	b.Entries = append(b.Entries, e)
	b.byURL[e.URL] = len(b.Entries) - 1
	names := []string{sameItem(u)}
	if also, err := urlcore.Parse(e.Also); err == nil && Accepts(also) {
		names = append(names, also.String(), sameItem(also))
	}
	for _, name := range names {
		if _, taken := b.byURL[name]; !taken {
			b.byURL[name] = len(b.Entries) - 1
		}
	}
}

// sameItem returns a name that is the same for all URLs of an item: a Gopher server has the same menu for selectors that
// differ only in the slashes at their ends, and the same document for all types.
func sameItem(u urlcore.URL) string {
	g, ok := u.(urlcore.Gopher)
	switch {
	case !ok:
		return u.String()
	case g.Type == '1':
		g.Selector = strings.Trim(g.Selector, "/")
	default:
		g.Type = '0'
	}
	return "item " + g.String()
}

// believe returns t, or the zero time if t is before 1970 or after latest.
func believe(t, latest time.Time) time.Time {
	if t.Unix() < 0 || t.After(latest) {
		return time.Time{}
	}
	return t
}

// Find returns the saved page with the URL u.
func (b *Bundle) Find(u urlcore.URL) (Entry, bool) {
	u = urlcore.Redact(u)
	for _, name := range []string{u.String(), sameItem(u)} {
		if i, ok := b.byURL[name]; ok {
			return b.Entries[i], true
		}
	}
	return Entry{}, false
}

// Content opens the octets of a saved page. The result fits reports whether they have the digest and size of the map. It is
// computed once for an entry. Content may be called by several goroutines.
func (b *Bundle) Content(ctx context.Context, e Entry) (r io.Reader, fits bool, err error) {
	if r, err = b.zip.Open(e.Name); err != nil {
		return nil, false, err
	}
	key := e.Name + " " + e.SHA256
	if known, ok := b.fits.Load(key); ok {
		return r, known.(bool), nil
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(contextReader{ctx, r}, e.Size+1))
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	fits = err == nil && n == e.Size && strings.EqualFold(hex.EncodeToString(sum.Sum(nil)), e.SHA256)
	b.fits.Store(key, fits)
	r, err = b.zip.Open(e.Name)
	return r, fits, err
}

// contextReader is a Reader that fails after the end of a context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

func damaged(err error) error {
	return &protocols.Error{Reason: protocols.Damaged, Op: "open the bundle", Err: err}
}

func tooBig(err error) error {
	return &protocols.Error{Reason: protocols.TooBig, Op: "open the bundle", Err: err}
}
