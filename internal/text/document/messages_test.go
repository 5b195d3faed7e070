package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestMessagesOfRFCs reads messages made of the examples of RFCs. In testdata/messages, each file with messages has a
// file with the wanted readings: the subject, the authors, the date, the names and types of the parts, and the lines.
func TestMessagesOfRFCs(t *testing.T) {
	count := 0
	for _, file := range fetchtest.Must(filepath.Glob("testdata/messages/*.txt"))(t) {
		messages := splitExamples(t, file)
		wanted := splitExamples(t, strings.TrimSuffix(file, ".txt")+".want")
		for name, message := range messages {
			count++
			fetchtest.Equal(t, describeMessage(t, message), wanted[name], "%s", name)
		}
		fetchtest.Equal(t, len(wanted), len(messages), "the readings for %s", file)
	}
	if count < 60 {
		t.Errorf("got %d messages, want at least 60", count)
	}
}

// splitExamples returns the examples of a file. A line with the name of the example precedes each.
func splitExamples(t *testing.T, file string) map[string]string {
	all := make(map[string]string)
	for example := range strings.SplitSeq("\n"+string(fetchtest.Must(os.ReadFile(file))(t)), "\n=== ") {
		if name, text, ok := strings.Cut(example, "\n"); ok && name != "" {
			all[name] = strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return all
}

// describeMessage returns the reading of a message in a few lines.
func describeMessage(t *testing.T, message string) string {
	var b strings.Builder
	for l, err := range loneArticle(strings.NewReader(strings.ReplaceAll(message, "\n", "\r\n")), urlcore.News{MessageID: "a@b"}) {
		fetchtest.NoError(t, err)
		switch note := l.Note.(type) {
		case *protocols.ArticleHeader:
			b.WriteString("subject " + note.Subject + "\n")
			for _, a := range note.From {
				b.WriteString("from " + strings.TrimSpace(a.Name+" <"+a.Address+">") + "\n")
			}
			if !note.Date.IsZero() || note.DateText != "" {
				b.WriteString("date " + note.Date.Format(time.RFC3339) + string(note.DateText) + "\n")
			}
		case *protocols.AttachmentNote:
			b.WriteString("part " + strings.TrimSpace(note.Media+" "+note.Name) + "\n")
		default:
			if l.Kind != protocols.Header && l.Text != "" {
				b.WriteString(l.Kind.String() + " " + l.Text + "\n")
			}
		}
	}
	return b.String()
}
