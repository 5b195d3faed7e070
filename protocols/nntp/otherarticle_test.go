package nntp

import (
	"io"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestOtherArticle fetches from a server whose answers have come out of step: it sends another article than the requested one.
// This must be an error, and the next fetch must use another connection.
func TestOtherArticle(t *testing.T) {
	for _, tt := range []struct {
		answer string
		byID   bool
		want   protocols.Reason
	}{
		{"220 7 <7@x>", false, protocols.Unknown},
		{"220 0 <7@x>", false, protocols.Unknown},
		{"220 go", false, protocols.Unknown},
		{"220 6 <6@x>", false, protocols.Broken},
		{"220 0 <7@x>", true, protocols.Unknown},
		{"220 7 <7@X>", true, protocols.Unknown},
		{"220", true, protocols.Unknown},
		{"220 0 <6@x>", true, protocols.Broken},
	} {
		f := startFake(t, map[string]string{"GROUP g": "211 2 6 7 g", "ARTICLE": tt.answer + "\nSubject: s\n\nbody\n."})
		c := f.keptClient(t.TempDir(), 0)
		var u urlcore.URL = f.articleURL("g", 7)
		if tt.byID {
			u = urlcore.News{MessageID: "7@x"}
		}
		_, _, err := fetchCopy(t.Context(), t, c, protocols.Request{URL: u})
		fetchtest.Equal(t, protocols.ReasonOf(err), tt.want, "%s (by ID: %v): reason of %v", tt.answer, tt.byID, err)
		if tt.want == protocols.Unknown {
			continue
		}
		f.setAnswer("ARTICLE", "220 7 <7@x>\nSubject: s\n\nthe right one\n.")
		_, got, err := fetchCopy(t.Context(), t, c, protocols.Request{URL: u})
		fetchtest.Returns(t, "Subject: s\r\n\r\nthe right one\r\n")(got, err)
	}
}

// TestRepeatedArticle fetches two articles from a server that sends the answer about the first again in place of the second.
// The second must then be fetched over another connection.
func TestRepeatedArticle(t *testing.T) {
	f := startFake(t, map[string]string{"ARTICLE": "220 0 <1@x>\nSubject: s\n\nthe first\n."})
	c := f.client()
	for _, id := range []string{"1@x", "2@x"} {
		r := fetchtest.Must(c.Fetch(t.Context(), protocols.Request{URL: urlcore.News{MessageID: id}}))(t)
		got, err := io.ReadAll(r.Body)
		fetchtest.NoError(t, r.Close())
		fetchtest.Returns(t, map[string]string{"1@x": "Subject: s\r\n\r\nthe first\r\n", "2@x": "the second\r\n"}[id])(string(got), err)
		asked := false
		f.setScript(func(command string) (string, bool) {
			if command != "ARTICLE <2@x>" || !asked {
				asked = asked || command == "ARTICLE <2@x>"
				return "", false
			}
			return "220 0 <2@x>\nthe second\n.", true
		})
	}
}

// TestKeepOtherArticle keeps a group of a server that sends another article than the requested one. It is not stored.
func TestKeepOtherArticle(t *testing.T) {
	for _, answer := range []string{"220 9 <3@x>", "220 3 <9@x>"} {
		answers := smallGroupAnswers(5)
		answers["ARTICLE 3"] = answer + "\nMessage-ID: <9@x>\n\nother\n."
		f := startFake(t, answers)
		kept, _, err := keepGroup(t, f, f.keptClient(t.TempDir(), 0), "g", 1<<30)
		fetchtest.Reason(t, err, protocols.Broken)
		fetchtest.Equal(t, kept, 2, "articles kept before %q", answer)
	}
}
