package about

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"gofer/internal/text/document"
	"gofer/internal/usenet/newsrc"
	"gofer/protocols"
	"gofer/urlcore"
)

// olderParts says how many older articles of a group are searched for the parts of a file. The next
// element is used only if parts are still missing.
var olderParts = [...]int{0, 5_000, 50_000}

// joinParts opens a file that is split over several articles; see [document.JoinURL]. The query
// is the URL of one of the articles. joinParts finds the other articles by their Subjects in the
// overviews of the groups, without fetching headers. It reads the articles one after the other and
// stores none of them.
func (c *Client) joinParts(ctx context.Context, r request) (*protocols.Resource, error) {
	res, targetURL, err := c.openInside(ctx, &r, true)
	if err != nil {
		return nil, err
	}
	name, parts := unescape(r.part), document.PartsOf(res.Body, targetURL)
	if err := closeResource(res); err != nil {
		return nil, err
	}
	if parts.Part == 0 {
		return nil, joinError(errors.New("the Subject of the article does not say which part it is, as \"(1/5)\" does"))
	}
	found := make([]urlcore.URL, parts.Parts)
	found[parts.Part-1] = targetURL
	searched, err := c.findParts(ctx, r.Request, &parts, found)
	if missing := missingParts(found); missing != "" {
		if err != nil && (searched == 0 || context.Cause(ctx) != nil) {
			return nil, err
		}
		return nil, joinError(fmt.Errorf("%s: not among the %d articles searched", missing, searched))
	}
	j := &joiner{open: c.Open, request: r.Request, parts: found}
	j.ctx, j.cancel = context.WithCancel(ctx)
	if err := j.openNext(); err != nil {
		_ = j.Close()
		return nil, err
	}
	media, _ := protocols.BySuffix(cmp.Or(name, j.at.Name))
	return &protocols.Resource{
		Head: protocols.Head{
			URL: r.URL, Title: cmp.Or(name, j.at.Name), Media: media, Size: j.at.Size, Security: res.Security,
			Notes: []string{fmt.Sprintf("joined from %d articles", len(found))},
		},
		Body: j, Closer: j, LateNotes: func() []string { return j.notes },
	}, nil
}

func joinError(err error) error {
	return &protocols.Error{Reason: protocols.NotFound, Op: "join the parts of the file", Err: err}
}

// findParts searches parts.Groups for the articles with the missing parts, and adds their URLs to found.
// It returns the number of articles searched. The error is about the last group only.
func (c *Client) findParts(ctx context.Context, req protocols.Request, parts *document.Parts, found []urlcore.URL) (searched int, err error) {
	for _, group := range parts.Groups {
		before := 0
		page := req.At(group)
		page.Paged = true
		for _, page.Older = range olderParts {
			var n int
			if n, err = c.searchGroup(ctx, page, parts, found); context.Cause(ctx) != nil {
				return searched, context.Cause(ctx)
			}
			searched += max(0, n-before)
			if missingParts(found) == "" {
				return searched, nil
			}
			if err != nil || n <= before { // an error, or no older articles
				break
			}
			before = n
		}
	}
	return searched, err
}

func (c *Client) searchGroup(ctx context.Context, page protocols.Request, parts *document.Parts, found []urlcore.URL) (searched int, err error) {
	res, err := c.Open(ctx, page)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closeResource(res)) }()
	if res.Lines == nil {
		return 0, nil
	}
	for line, err := range res.Lines {
		if err != nil {
			return searched, err
		}
		note, ok := line.Note.(*protocols.ArticleNote)
		if !ok || line.Link == nil {
			continue
		}
		searched++
		if n := parts.Number(note); n > 0 && n <= len(found) && found[n-1] == nil {
			found[n-1] = line.Link
		}
	}
	return searched, nil
}

// missingParts returns a text such as "parts 2, 5-7 and 9 of 12 are missing", or "" if no parts are
// missing.
func missingParts(found []urlcore.URL) string {
	var missing newsrc.Numbers
	for i, u := range found {
		if n := uint64(i + 1); u == nil {
			missing = append(missing, newsrc.Range{First: n, Last: n})
		}
	}
	if len(missing) == 0 {
		return ""
	}
	const shown = 20
	ranges := strings.Split(missing.Union(nil).String(), ",")
	if len(ranges) > shown {
		ranges = append(ranges[:shown], "others")
	}
	return fmt.Sprintf("%s %s of %d %s missing", english.PluralWord(len(missing), "part", ""), english.WordSeries(ranges, "and"), len(found), english.PluralWord(len(missing), "is", "are"))
}

// joiner reads the files in articles, one after the other.
type joiner struct {
	open      func(context.Context, protocols.Request) (*protocols.Resource, error)
	request   protocols.Request // of the page
	ctx       context.Context
	cancel    context.CancelFunc
	parts     []urlcore.URL
	n         int   // number of the current part, from 1
	octets    int64 // octets read so far
	sum       uint32
	postponed int // number of successive parts that began at another offset and were moved to the end
	at        *document.Attachment
	notes     []string

	mu      sync.Mutex
	current io.Closer // closes the current part, or nil
}

func (j *joiner) openNext() error {
	res, err := j.open(j.ctx, j.request.At(j.parts[j.n]))
	j.n++
	if err != nil {
		return fmt.Errorf("part %d of %d: %w", j.n, len(j.parts), err)
	}
	if res.Body == nil {
		return errors.Join(joinError(fmt.Errorf("part %d is not an article", j.n)), closeResource(res))
	}
	stop := context.AfterFunc(j.ctx, func() { _ = closeResource(res) }) // for a cancellation before current is set
	at, err := document.OpenEncoded(res.Body)
	if err != nil {
		stop()
		return fmt.Errorf("part %d of %d: %w", j.n, len(j.parts), errors.Join(err, closeResource(res)))
	}
	const maxPostponed = 100 // if at least this number of parts is left, no part is moved to the end
	if at.Offset < 0 || at.Offset == j.octets {
		j.postponed = 0
	} else if left := len(j.parts) - j.n; left < maxPostponed && j.postponed <= left { // another part may begin at this offset
		stop()
		j.postponed++
		j.n--
		u := j.parts[j.n]
		j.parts = append(slices.Delete(j.parts, j.n, j.n+1), u)
		return cmp.Or(partCloser{res, at}.Close(), j.openNext())
	} else {
		j.notes = append(j.notes, fmt.Sprintf("part %d does not begin where the previous part ends", j.n))
	}
	j.at = at
	j.mu.Lock()
	j.current = partCloser{res, at}
	j.mu.Unlock()
	if !stop() {
		return context.Cause(j.ctx)
	}
	return nil
}

func (j *joiner) Read(p []byte) (int, error) {
	for {
		if err := context.Cause(j.ctx); err != nil {
			return 0, err
		}
		if j.at == nil {
			if j.n == len(j.parts) {
				return 0, io.EOF
			}
			if err := j.openNext(); err != nil {
				return 0, err
			}
		}
		n, err := j.at.Read(p)
		j.octets += int64(n)
		j.sum = crc32.Update(j.sum, crc32.IEEETable, p[:n])
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := j.endPart(); err != nil || n > 0 {
			return n, err
		}
	}
}

// endPart checks the current part for damage, and closes it.
func (j *joiner) endPart() error {
	for _, problem := range j.at.Problems() {
		j.notes = append(j.notes, fmt.Sprintf("part %d is damaged: %s", j.n, problem))
	}
	if size := j.at.Size; j.n == len(j.parts) && size >= 0 && size != j.octets {
		j.notes = append(j.notes, fmt.Sprintf("the file is damaged: only %d of %d octets arrived", j.octets, size))
	}
	if sum, ok := j.at.CRC32(); j.n == len(j.parts) && ok && sum != j.sum {
		j.notes = append(j.notes, "the file is damaged: its CRC32 differs")
	}
	j.at = nil
	return j.closePart()
}

func (j *joiner) closePart() error {
	j.mu.Lock()
	current := j.current
	j.current = nil
	j.mu.Unlock()
	if current == nil {
		return nil
	}
	return current.Close()
}

func (j *joiner) Close() error {
	j.cancel()
	return j.closePart()
}
