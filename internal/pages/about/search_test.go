package about

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
)

func TestSearchPage(t *testing.T) {
	c := client(t)
	found := []FoundText{
		{Item{URL: parse(t, "gopher://a.example/0/fox"), Title: "Animals", At: now.Add(-time.Minute)}, "The quick brown fox"},
		{Item{URL: parse(t, "gopher://a.example/0/dog"), Title: "Animals", At: now.Add(-90 * 24 * time.Hour)}, "...the lazy dog"},
		{Item{URL: parse(t, "ftp://b.example/fox"), At: now.Add(-time.Hour)}, ""},
	}
	c.Texts = func(_ context.Context, words string, limit int) ([]FoundText, error) {
		switch words {
		case `"brown fox" -cat`:
			return found, nil
		case "many":
			return append(make([]FoundText, 0), manyTexts(t, limit)...), nil
		case "broken":
			return nil, errors.New("disk on fire")
		}
		return nil, nil
	}
	c.RemembersText = true
	const search = "search|Search in what was read|about:search?\n"
	fetchtest.Equal(t, show(t, c, "about:search?%22brown%20fox%22%20-cat"), search+`info|
heading|Pages with: "brown fox" -cat
text|   00:29  Animals|gopher://a.example/0/fox
info|    gopher://a.example/0/fox
info|    The quick brown fox
text|Dec 2025  Animals|gopher://a.example/0/dog
info|    gopher://a.example/0/dog
info|    ...the lazy dog
binary|   1 Mar  ftp://b.example/fox|ftp://b.example/fox
`)
	fetchtest.Contains(t, show(t, c, "about:search?none"), "info|No remembered page has all of these words.\n", "nothing found")
	fetchtest.Contains(t, show(t, c, "about:search?broken"), "failure|The history cannot be read: disk on fire\n", "a failing history")
	fetchtest.Contains(t, show(t, c, "about:search?many"), "info|These are the best 100; more words find fewer.\n", "many pages")
	bare := show(t, c, "about:search")
	fetchtest.Contains(t, bare, `Words in "double quotes"`, "without words")
	fetchtest.NotContains(t, bare, "remember_text", "the state of the setting")
	fetchtest.Contains(t, show(t, c, "about:history"), search, "the history")

	c.RemembersText = false
	c.Settings = func() ([]config.Setting, error) { return nil, nil }
	fetchtest.Contains(t, show(t, c, "about:search?none"), "info|The text of pages is not remembered. The setting remember_text turns it on.\n"+
		"menu|The settings|about:settings\n", "without the setting")

	_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "about:search?")})
	question := fetchtest.As[*protocols.Ask](t, err)
	fetchtest.Equal(t, question.Title, "Search in what was read")
	u, err := question.With([]string{` "brown  fox" -cat `})
	if err != nil || u.String() != "about:search?%22brown%20fox%22%20-cat" {
		t.Errorf("With = %v, %v", u, err)
	}
	c.Texts = nil
	_, err = c.Fetch(t.Context(), protocols.Request{URL: parse(t, "about:search?fox")})
	fetchtest.ErrorIs(t, err, protocols.ErrRestricted, "without a history")
}

func manyTexts(t *testing.T, n int) (all []FoundText) {
	for i := range n {
		all = append(all, FoundText{Item{URL: parse(t, "gopher://a.example/0/"+strings.Repeat("x", i+1)), At: now}, "line"})
	}
	return all
}
