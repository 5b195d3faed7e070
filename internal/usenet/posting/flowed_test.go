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
	fetchtest.NoError(t, newClient(t, s).Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader(fmt.Sprintf("From: joe@example.org\nSubject: s\n\n%s\n", body))))
	return s.posted[0]
}
