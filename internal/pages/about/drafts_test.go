package about

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestCompose checks that the kind and the target of a message pass through its URL.
func TestCompose(t *testing.T) {
	asked := errors.New("asked")
	var got []string
	c := &Client{
		Compose: func(_ context.Context, _ protocols.Request, kind string, of urlcore.URL) (*protocols.Resource, error) {
			got = append(got, kind+" "+of.String())
			return nil, asked
		},
		Post: func(_ context.Context, of urlcore.URL, _ func(string) urlcore.URL, article io.Reader) error {
			text, err := io.ReadAll(article)
			got = append(got, "put "+of.String()+" "+string(text))
			return err
		},
	}
	for _, s := range []string{"nntp://h:1119/a.c++/5", "news:a%25b$c?d=e/f@x", "news:*", "news://[::1]/a%2fb@x"} {
		of := fetchtest.Must(urlcore.Parse(s))(t)
		u := ComposeURL("followup", of)
		fetchtest.CheckCanonical(t, u)
		got = nil
		if _, err := c.Fetch(t.Context(), protocols.Request{URL: u}); !errors.Is(err, asked) || len(got) != 1 ||
			got[0] != "followup "+of.String() {
			t.Errorf("Fetch(ComposeURL(followup, %s)): Compose got %q, error %v", s, got, err)
		}
	}
	got = nil
	group := urlcore.News{Group: "a.b"}
	if err := c.Put(t.Context(), ComposeURL("post", group), &protocols.Upload{Body: strings.NewReader("x")}); err != nil ||
		got[0] != "put news:a.b x" {
		t.Errorf("Put(ComposeURL(post, a.b)) = %v, Post got %q", err, got)
	}
	for _, u := range []urlcore.URL{ComposeURL("cancel", group), Page("home"), group} {
		if err := c.Put(t.Context(), u, &protocols.Upload{Body: strings.NewReader("x")}); err == nil {
			t.Errorf("Put(%v): got no error, want one", u)
		}
	}
	if _, err := new(Client).Fetch(t.Context(), protocols.Request{URL: ComposeURL("post", group)}); err == nil || errors.Is(err, asked) {
		t.Errorf("Fetch without Compose: got the error %v, want the error of a missing page", err)
	}
}

func TestDrafts(t *testing.T) {
	var items []Item
	var failed error
	c := &Client{Drafts: func() ([]Item, error) { return items, failed }, Now: func() time.Time { return time.Unix(1e9, 0).UTC() }}
	text := func(page string) string {
		res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: Page(page)}))(t)
		var b strings.Builder
		for line := range res.Lines {
			b.WriteString(line.Text + "\n")
		}
		return b.String()
	}
	if got := text("drafts"); !strings.Contains(got, "There are no drafts") || strings.Contains(text("home"), "draft") {
		t.Errorf("without drafts: about:drafts is %q; want a sentence, and no link on about:home", got)
	}
	items = []Item{{URL: ComposeURL("post", urlcore.News{Group: "a.b"}), Title: "Hi, to a.b", At: time.Unix(1e9-60, 0)}}
	if got := text("drafts"); !strings.Contains(got, "01:45  Hi, to a.b\n") || !strings.Contains(text("home"), "1 draft not sent") {
		t.Errorf("with a draft: about:drafts is %q; want the draft, and a link on about:home", got)
	}
	failed = errors.New("no permission")
	fetchtest.Contains(t, text("drafts"), "no permission")
}
