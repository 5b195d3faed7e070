package gemini_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/protocols/gemini"
	"gofer/urlcore"
)

// readPage returns the text of a page.
func readPage(t *testing.T, c *gemini.Client, url string) string {
	t.Helper()
	res := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: parse(t, url)}))(t)
	defer res.Close()
	return string(fetchtest.Must(io.ReadAll(res.Body))(t))
}

// TestTitanDraft checks that a titan: URL opens a draft with the text of the page and nothing that the URL says, that the draft
// is kept while the server refuses it, and that the token is shown nowhere.
func TestTitanDraft(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGemini(tree))(t)
	c := &gemini.Client{Drafts: t.TempDir()}
	page := s.URL() + "notes/day"
	u := strings.Replace(page, "gemini:", "titan:", 1)
	compose := func() *protocols.Compose {
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, u+";token=planted;size=3;mime=text/html")})
		return fetchtest.As[*protocols.Compose](t, err)
	}
	draft := compose()
	fetchtest.Equal(t, draft.URL.String(), u, "the URL of the draft")
	path := fetchtest.Must(draft.Draft.File())(t)
	write := func(token, text string) error {
		fetchtest.NoError(t, os.WriteFile(path, []byte("To: "+u+"\nType: text/gemini\nToken: "+token+"\n\n"+text), 0o600))
		confirm := fetchtest.Must(draft.Draft.Preview())(t)
		if shown := confirm.Question + strings.Join(confirm.Details, "\n"); token != "" && strings.Contains(shown, token) {
			t.Errorf("the question shows the token: %q", shown)
		}
		return draft.Draft.Send(t.Context())
	}
	if template := string(fetchtest.Must(os.ReadFile(path))(t)); strings.Contains(template, "planted") || !strings.Contains(template, "Type: text/gemini") {
		t.Errorf("got the draft %q, want none of the URL's parameters", template)
	}
	err := write("wrong", "text\n")
	fetchtest.Reason(t, err, protocols.Rejected, "a wrong token")
	if strings.Contains(err.Error(), "wrong ") {
		t.Errorf("the error shows the token: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the refused draft: %v", err)
	}
	fetchtest.NoError(t, write(demo.NoteToken, "# Day one\n"))
	fetchtest.Equal(t, draft.Answer().String(), page, "the page after the upload")
	fetchtest.Equal(t, readPage(t, c, page), "# Day one\n", "the page")
	if _, err := os.Stat(path); err == nil {
		t.Error("the sent draft is still there")
	}
	path = fetchtest.Must(compose().Draft.File())(t)
	if again := string(fetchtest.Must(os.ReadFile(path))(t)); !strings.HasSuffix(again, "\n\n# Day one\n") {
		t.Errorf("got the draft %q, want the text of the page", again)
	}
}

// TestTitanPut checks uploads of files, of a known and of an unknown size, and the question before a page is replaced.
func TestTitanPut(t *testing.T) {
	s := fetchtest.CloseAtEnd(demo.StartGemini(tree))(t)
	c := new(gemini.Client)
	page := s.URL() + "notes/file.gmi"
	u := parse(t, strings.Replace(page, "gemini:", "titan:", 1)+";token=river%3B%20bank")
	put := func(u urlcore.URL, text string, size int64, replace bool) error {
		return c.Put(t.Context(), u, &protocols.Upload{Body: strings.NewReader(text), Size: size, Replace: replace})
	}
	fetchtest.NoError(t, put(u, "one", 3, false))
	confirm := fetchtest.As[*protocols.Confirm](t, put(u, "two", 3, false))
	fetchtest.Equal(t, confirm.Consent, protocols.ConsentReplace, "the kind of the question")
	fetchtest.NoError(t, put(u, "three", -1, true))
	fetchtest.Equal(t, readPage(t, c, page), "three", "the page")
	fetchtest.Reason(t, put(u, "sh", 5, true), protocols.LocalFailure, "a file that became shorter")
	fetchtest.Reason(t, put(parse(t, page), "x", 1, true), protocols.Rejected, "without a token")
	fetchtest.Reason(t, put(parse(t, "spartan://h/"), "x", 1, true), protocols.Unsupported, "spartan")
	fetchtest.Equal(t, urlcore.Redact(u).String(), strings.Replace(page, "gemini:", "titan:", 1), "the URL in the history")
}
