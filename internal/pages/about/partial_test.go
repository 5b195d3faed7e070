package about

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
)

// TestJoinPartial checks that the parts of a message are joined as in RFC 2046, section 5.2.2.1,
// whatever they contain.
func TestJoinPartial(t *testing.T) {
	const inner = "Subject: whole\r\nContent-Type: text/x\r\n\r\none\r\n"
	for _, tt := range []struct {
		name    string
		part    string // Content-Type of the first part
		bodies  [3]string
		subject string
		want    string
	}{
		{
			"a message", "message/partial; id=\"x@y\"; number=1; total=3",
			[3]string{inner, "two\r\n", "three"},
			"s (%d/3)",
			"From: me\r\nNewsgroups: g\r\n" + inner + "two\r\nthree",
		},
		{
			"words of the RFC", "message/partial; id=\"x@y\"; number=1",
			[3]string{inner, "two\r\n", "three\r\n"},
			"s (part %d of 3)",
			"From: me\r\nNewsgroups: g\r\n" + inner + "two\r\nthree\r\n",
		},
		{
			"no numbers", "message/partial",
			[3]string{"\r\none\r\n", "", "three\r\n"},
			"s (%d/3)",
			"\r\none\r\nthree\r\n",
		},
		{
			"a part of itself", "message/partial; number=1",
			[3]string{"Content-Type: message/partial; number=1\r\n\r\n", "two\r\n", "=ybegin line=1\r\n"},
			"s (%d/3)",
			"From: me\r\nNewsgroups: g\r\nContent-Type: message/partial; number=1\r\n\r\ntwo\r\n=ybegin line=1\r\n",
		},
		{
			"a number that is too large", "message/partial; number=99999999999999999999",
			[3]string{"\r\n", "2\r\n", "3\r\n"},
			"s (%d/3)", "\r\n2\r\n3\r\n",
		},
		{"not partial", "text/plain", [3]string{"a", "b", "c"}, "s (%d/3)", "error: no file in uuencode"},
	} {
		w := &joinServer{articles: map[string]string{}, groups: map[string][]*protocols.ArticleNote{}}
		for i, body := range tt.bodies {
			id, subject, part := fmt.Sprintf("%d@me", i+1), fmt.Sprintf(tt.subject, i+1), "message/partial"
			if i == 0 {
				part = tt.part
			}
			w.articles[id] = "From: me\r\nSubject: " + subject + "\r\nNewsgroups: g\r\nMIME-Version: 1.0\r\nContent-Type: " +
				part + "\r\nMessage-ID: <" + id + ">\r\n\r\n" + body
			w.groups["g"] = append(w.groups["g"], &protocols.ArticleNote{Subject: subject, From: "me", MessageID: id})
		}
		c := client(t)
		c.Open = w.fetch
		res, err := c.Fetch(t.Context(), protocols.Request{URL: document.JoinURL(fetchtest.Parse(t, "news:2@me"), "message.eml")})
		got := fmt.Sprint("error: ", err)
		if err == nil {
			fetchtest.Equal(t, res.Media, protocols.MediaArticle, "%s: the media type", tt.name)
			b, err := io.ReadAll(res.Body)
			if got = string(b); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			_ = res.Close()
		}
		if got != tt.want && (!strings.HasPrefix(tt.want, "error") || !strings.Contains(got, strings.TrimPrefix(tt.want, "error: "))) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		fetchtest.Equal(t, w.open, 0, "%s: open answers", tt.name)
	}
}
