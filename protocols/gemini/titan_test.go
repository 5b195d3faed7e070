package gemini_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

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

// TestTitanAnswers checks the request of an upload, where the parameters of a link and of a page are no parameters of it, that
// its token is in no transcript, and which pages a server may show after it.
func TestTitanAnswers(t *testing.T) {
	request, answer := "", ""
	addr := serveTLS(t, func(line string) string {
		if request = line; strings.HasPrefix(line, "gemini:") {
			return "51 no such page"
		}
		return answer
	})
	base := "//" + addr + "/"
	c := &gemini.Client{Drafts: t.TempDir()}
	send := func(u, token string) (next string, transcript *protocols.Transcript) {
		t.Helper()
		_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, u)})
		draft := fetchtest.As[*protocols.Compose](t, err)
		path := fetchtest.Must(draft.Draft.File())(t)
		fetchtest.NoError(t, os.WriteFile(path, []byte("To: x\nType: text/gemini\nToken: "+token+"\n\ntext\n"), 0o600))
		fetchtest.Must(draft.Draft.Preview())(t)
		transcript = new(protocols.Transcript)
		fetchtest.NoError(t, draft.Draft.Send(protocols.WithTranscript(t.Context(), transcript)))
		return draft.Answer().String(), transcript
	}
	for u, want := range map[string]string{
		"titan:" + base + "a?q":                   "titan:" + base + "a;size=5;mime=text/gemini;token=my/own%20token?q",
		"titan:" + base + "a;TOKEN=x":             "titan:" + base + "a;size=5;mime=text/gemini;token=my/own%20token",
		"titan:" + base + "a;size=1;token=theirs": "titan:" + base + "a;size=5;mime=text/gemini;token=my/own%20token",
	} {
		answer = "20 text/gemini"
		_, transcript := send(u, "my/own token")
		fetchtest.Equal(t, request, want, "the request for %s", u)
		if lines, _, _ := transcript.Lines(); len(lines) == 0 || strings.Contains(fmt.Sprint(lines), "token=my") {
			t.Errorf("got the transcript %v, want it without the token", lines)
		}
	}
	page := "gemini:" + base + "a"
	for target, want := range map[string]string{
		"/b": "gemini:" + base + "b", "gemini://other/b": "gemini://other/b",
		"telnet://h/": page, "about:home": page, "file:///etc/passwd": page, "titan:" + base + "b": page, "https://h/": page,
		"/b?my%2Fown%20token": page, "gemini://other/my/own%20token": page, "::": page,
	} {
		answer = "30 " + target
		next, _ := send("titan:"+base+"a", "my/own token")
		fetchtest.Equal(t, next, want, "the page after a redirect to %s", target)
	}
}

// TestTitanEditsOnePage checks that a draft has no text of another page to which the server leads.
func TestTitanEditsOnePage(t *testing.T) {
	private := serveTLS(t, func(string) string { return "20 text/gemini\r\nprivate" })
	addr := serveTLS(t, func(string) string { return "30 gemini://" + private + "/" })
	c := &gemini.Client{Drafts: t.TempDir()}
	_, err := c.Fetch(t.Context(), protocols.Request{URL: parse(t, "titan://"+addr+"/a")})
	fetchtest.Reason(t, err, protocols.Unsupported, "the draft of a page that leads to another one")
}

// TestTitanEarlyAnswer checks that a text is not taken for stored by a server that has not got all of it.
func TestTitanEarlyAnswer(t *testing.T) {
	addr := serveTLS(t, func(string) string { return "20 text/gemini" })
	c := new(gemini.Client)
	body := io.MultiReader(strings.NewReader("some"), iotest.ErrReader(errors.New("the disk is broken")))
	err := c.Put(t.Context(), parse(t, "gemini://"+addr+"/a"), &protocols.Upload{Body: body, Size: 100, Replace: true})
	if err == nil || !strings.Contains(err.Error(), "disk") {
		t.Errorf("got %v, want that the file could not be read", err)
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
