package about

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
	"gofer/urlcore"
)

// joinServer is a news server with articles ("news:ID") and groups ("news:group").
type joinServer struct {
	articles map[string]string // by Message-ID
	groups   map[string][]*protocols.ArticleNote
	older    []int // how many older articles each request for a group asked for
	open     int   // number of responses that are not closed yet
	hang     string
}

func (w *joinServer) fetch(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
	u := req.URL
	n := u.(urlcore.News)
	if n.Group == "" {
		text, ok := w.articles[n.MessageID]
		if !ok {
			return nil, &protocols.Error{Reason: protocols.NotFound, Op: "fetch"}
		}
		w.open++
		var body io.Reader = strings.NewReader(text)
		closer := closeFunc(func() error { w.open--; return nil })
		if n.MessageID == w.hang {
			in, out := io.Pipe()
			go func() { _, _ = io.WriteString(out, text[:len(text)/2]) }()
			body = in
			closer = func() error { w.open--; return errors.Join(in.Close(), out.Close()) }
		}
		return &protocols.Resource{Head: protocols.Head{URL: u, Media: protocols.MediaArticle, Size: -1}, Body: body, Closer: closer}, nil
	}
	notes, ok := w.groups[n.Group]
	if !ok {
		return nil, &protocols.Error{Reason: protocols.NotFound, Op: "enter " + n.Group}
	}
	older := req.Older
	w.older = append(w.older, older)
	if older == 0 {
		notes = notes[max(0, len(notes)-2):]
	}
	w.open++
	return &protocols.Resource{
		Head: protocols.Head{URL: u, Layout: protocols.LayoutArticles, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			for _, n := range notes {
				if !yield(protocols.Line{Kind: protocols.Article, Link: urlcore.News{MessageID: n.MessageID}, Note: n}, nil) {
					return
				}
			}
		},
		Closer: closeFunc(func() error { w.open--; return nil }),
	}, nil
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// post adds an article to a group. The article contains part n of a file of 3 parts of 100 octets. If
// the parameter damage is true, the checksum of the part is wrong.
func (w *joinServer) post(group, from string, n int, damage bool) {
	data := strings.Repeat(string(rune('a'+n)), 100)
	sum := crc32.ChecksumIEEE([]byte(data))
	if damage {
		sum++
	}
	encoded := []byte(data)
	for i := range encoded {
		encoded[i] += 42
	}
	id := fmt.Sprintf("%s-%d@%s", group, n, from)
	subject := fmt.Sprintf(`"pic.gif" yEnc (%d/3)`, n)
	w.articles[id] = fmt.Sprintf("From: %s\r\nSubject: %s\r\nNewsgroups: gone,%s\r\n\r\n=ybegin part=%d total=3 line=128 "+
		"size=300 name=pic.gif\r\n=ypart begin=%d end=%d\r\n%s\r\n=yend size=100 part=%d pcrc32=%08x crc32=%08x\r\n",
		from, subject, group, n, n*100-99, n*100, encoded, n, sum, crc32.ChecksumIEEE([]byte(wholeFile)))
	w.groups[group] = append(w.groups[group], &protocols.ArticleNote{Subject: subject, From: from, MessageID: id})
}

// wholeFile is the file of the three parts.
var wholeFile = strings.Repeat("b", 100) + strings.Repeat("c", 100) + strings.Repeat("d", 100)

func TestJoin(t *testing.T) {
	const whole = "whole"
	tests := []struct {
		name  string
		post  func(w *joinServer)
		want  string // "whole", or a part of the error
		notes string
	}{
		{"all parts", func(w *joinServer) { w.post("g", "me", 1, false); w.post("g", "me", 3, false) }, whole, ""},
		{
			"parts far back", func(w *joinServer) {
				w.post("g", "me", 3, false)
				w.post("g", "me", 1, false)
				for range 3 {
					w.groups["g"] = append(w.groups["g"], &protocols.ArticleNote{Subject: "else"})
				}
			}, whole, "",
		},
		{"a part is missing", func(w *joinServer) { w.post("g", "me", 1, false) }, "part 3 of 3 is missing: not among the 2 articles", ""},
		{
			"parts of somebody else",
			func(w *joinServer) { w.post("g", "you", 1, false); w.post("g", "you", 3, false) },
			"parts 1 and 3 of 3 are missing", "",
		},
		{
			"a damaged part", func(w *joinServer) { w.post("g", "me", 1, false); w.post("g", "me", 3, true) }, whole,
			"part 3 is damaged: its CRC32 differs",
		},
		{
			"Subjects that number the parts otherwise", func(w *joinServer) {
				w.post("g", "me", 1, false)
				w.post("g", "me", 3, false)
				head1, body1, _ := strings.Cut(w.articles["g-1@me"], "\r\n\r\n")
				head3, body3, _ := strings.Cut(w.articles["g-3@me"], "\r\n\r\n")
				w.articles["g-1@me"], w.articles["g-3@me"] = head1+"\r\n\r\n"+body3, head3+"\r\n\r\n"+body1
			}, whole, "",
		},
		{
			"a gap", func(w *joinServer) {
				w.post("g", "me", 1, false)
				w.post("g", "me", 3, false)
				w.articles["g-1@me"] = strings.ReplaceAll(w.articles["g-1@me"], "begin=1 end=100", "begin=51 end=150")
			}, whole, "part 1 does not begin where the previous part ends",
		},
		{
			"parts that are not those of the file", func(w *joinServer) {
				w.post("g", "me", 1, false)
				w.post("g", "me", 3, false)
				text, _, _ := strings.Cut(w.articles["g-3@me"], " crc32=")
				w.articles["g-3@me"] = text + " crc32=12345678\r\n"
			}, whole, "the file is damaged: its CRC32 differs",
		},
		{
			"a part that has expired", func(w *joinServer) {
				w.post("g", "me", 1, false)
				w.post("g", "me", 3, false)
				delete(w.articles, "g-3@me")
			}, "part 3 of 3: fetch: not found", "",
		},
		{
			"a part without the file", func(w *joinServer) {
				w.post("g", "me", 1, false)
				w.post("g", "me", 3, false)
				w.articles["g-3@me"] = "Subject: s\r\n\r\ntext\r\n"
			}, "part 3 of 3: find the attachment: the article contains no file in uuencode", "",
		},
	}
	for _, tt := range tests {
		w := &joinServer{articles: map[string]string{}, groups: map[string][]*protocols.ArticleNote{}}
		w.post("g", "me", 2, false)
		tt.post(w)
		c := client(t)
		c.Open = w.fetch
		res, err := c.Fetch(t.Context(), protocols.Request{URL: document.JoinURL(fetchtest.Parse(t, "news:g-2@me"), "pic.gif")})
		var got []byte
		if err == nil {
			if res.Size != 300 || res.Media != "image/gif" || res.Title != "pic.gif" {
				t.Errorf("%s: got %d octets of %s, %q; want 300 of image/gif, \"pic.gif\"", tt.name, res.Size, res.Media, res.Title)
			}
			got, err = io.ReadAll(res.Body)
			fetchtest.Equal(t, strings.Join(res.LateNotes(), "|"), tt.notes, "%s: got the notes", tt.name)
			_ = res.Close()
		}
		switch {
		case tt.want == whole && (err != nil || string(got) != wholeFile):
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, wholeFile)
		case tt.want != whole && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got the error %v, want %q in it", tt.name, err, tt.want)
		}
		fetchtest.Equal(t, w.open, 0, "%s: open answers", tt.name)
	}
}

func TestJoinCanceled(t *testing.T) {
	w := &joinServer{articles: map[string]string{}, groups: map[string][]*protocols.ArticleNote{}, hang: "g-2@me"}
	for n := range 3 {
		w.post("g", "me", n+1, false)
	}
	c := client(t)
	c.Open = w.fetch
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: document.JoinURL(fetchtest.Parse(t, "news:g-1@me"), "pic.gif")}))(t)
	ended := make(chan error)
	begun := make(chan bool)
	go func() {
		_, err := io.ReadFull(res.Body, make([]byte, 100))
		close(begun)
		if err == nil {
			_, err = io.ReadAll(res.Body)
		}
		ended <- err
	}()
	<-begun
	_ = res.Close()
	if err := <-ended; err == nil {
		t.Error("ReadAll during Close: got no error, want one")
	}
}
