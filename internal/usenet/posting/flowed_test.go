package posting

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
)

// formatParagraphs returns lines as a text. If the parameter flowed is true, it joins the lines of each
// paragraph.
func formatParagraphs(lines []string, flowed bool) string {
	var b strings.Builder
	for i, line := range lines {
		mark := document.QuoteMark(line)
		if i > 0 && flowed && strings.HasSuffix(lines[i-1], " ") && lines[i-1] != "-- " {
			line = line[len(mark):]
		} else if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// breakRows returns a paragraph in rows of the given width, broken as for format=flowed.
func breakRows(mark string, words []string, width int) string {
	rows := []string{mark}
	for _, word := range words {
		if row := rows[len(rows)-1]; row != mark && len([]rune(row))+len([]rune(word)) > width {
			rows = append(rows, mark)
		}
		rows[len(rows)-1] += word + " "
	}
	return strings.TrimRight(strings.Join(rows, "\n"), " ")
}

// TestFlowedRoundTrip checks that an article posted in format=flowed has the same paragraphs when
// it is read. Its quote in a posted follow-up has them, too.
func TestFlowedRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(3676, 23))
	words := strings.Fields("a word I From Wörter 日本語 goes. on, here: http://www.example.org/a/long/path (or not) be of some length and unbreakable")
	fixed := []string{"", "\tx := y ", "    if x {  ", "name   size  ", "a short line ", "From here", " one blank", "| a | b | "}
	flowed := 0
	for n := range 300 {
		var body, want []string
		for range 1 + random.IntN(5) {
			if random.IntN(3) == 0 {
				line := fixed[random.IntN(len(fixed))]
				body, want = append(body, line, ""), append(want, line, "")
				continue
			}
			text := []string{"Begin"}
			for range 1 + random.IntN(60) {
				text = append(text, words[random.IntN(len(words))])
			}
			mark := []string{"", "> ", ">> "}[random.IntN(3)]
			body, want = append(body, breakRows(mark, text, 60+random.IntN(19)), ""), append(want, mark+strings.Join(text, " "), "")
		}
		body, want = append(body, "end"), append(want, "end")
		posted := post(t, strings.Join(body, "\n"))
		got := article(t, strings.ReplaceAll(posted, "\r\n", "\n"))
		if strings.Contains(posted, "format=flowed") {
			flowed++
			for i, line := range want {
				want[i] = strings.TrimRight(line, " ")
			}
		}
		fetchtest.Equal(t, formatParagraphs(got.Text, got.Flowed), strings.Join(want, "\n"), "text %d, posted as\n%s", n, posted)
		quote := quoteText(got.Text, got.Flowed)
		again := article(t, strings.ReplaceAll(post(t, quote), "\r\n", "\n"))
		fetchtest.Equal(t, formatParagraphs(again.Text, again.Flowed), formatParagraphs(strings.Split(strings.TrimSuffix(quote, "\n"), "\n"), got.Flowed), "quote %d\n%q", n, quote)
		if t.Failed() {
			return
		}
	}
	if flowed < 200 {
		t.Errorf("%d of 300 texts were flowed, want at least 200", flowed)
	}
}

// post posts an article with the given body, and returns the article.
func post(t *testing.T, body string) string {
	t.Helper()
	s := &server{}
	fetchtest.NoError(t, newClient(t, s).Put(t.Context(), fetchtest.Parse(t, "news:a.b"), draftURL(t, "news:a.b"), strings.NewReader(fmt.Sprintf("From: joe@example.org\nSubject: s\n\n%s\n", body))))
	return s.posted[0]
}

// TestFlowedQuote checks that the rows of a quoted paragraph form one paragraph again.
func TestFlowedQuote(t *testing.T) {
	a := article(t, "Content-Type: text/plain; format=flowed; delsp=yes\n\nThe paragraph goes on  \n and on, longer than one row of the screen is, and it ends behind a  \nword.\n> quoted \n> one\n-- \nJoe\n")
	fetchtest.Equal(t, quoteText(a.Text, a.Flowed), "> The paragraph goes on and on, longer than one row of the screen is, and \n> it ends behind a word.\n>> quotedone\n")
}
