package posting

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// post posts an article with the given body, and returns the article.
func post(t *testing.T, body string) string {
	t.Helper()
	s := &server{}
	fetchtest.NoError(
		t,
		newClient(t, s).Put(
			t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"),
			strings.NewReader(fmt.Sprintf("From: joe@example.org\nSubject: s\n\n%s\n", body)),
		),
	)
	return s.posted[0]
}

// TestFlowedQuote checks that the rows of a quoted paragraph form one paragraph again.
func TestFlowedQuote(t *testing.T) {
	a := article(
		t,
		"Content-Type: text/plain; format=flowed; delsp=yes\n\nThe paragraph goes on  \n"+
			" and on, longer than one row of the screen is, and it ends behind a  \nword.\n> quoted \n> one\n-- \nJoe\n",
	)
	fetchtest.Equal(
		t, quoteText(a.Text, a.Flowed),
		"> The paragraph goes on and on, longer than one row of the screen is, and \n> it ends behind a word.\n>> quotedone\n",
	)
}
