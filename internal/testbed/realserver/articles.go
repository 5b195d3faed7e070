package realserver

import (
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"strings"
	"time"
)

// Group is a newsgroup of INN.
type Group struct {
	Name, Description string
	Status            byte // 'y' if posting is allowed, 'n' if not, 'm' for a moderated group
}

// Groups returns the groups, without INN's own groups control, control.cancel and junk.
func Groups() []Group {
	return []Group{
		{"test.general", "Talk of all sorts", 'y'},
		{"test.threads", "Long and strange threads", 'y'},
		{"test.mime", "MIME articles", 'y'},
		{"test.charset", "Articles in many charsets", 'y'},
		{"test.headers", "Articles with odd headers", 'y'},
		{"test.many", "Three hundred articles", 'y'},
		{"test.large", "One article of 8 MB", 'y'},
		{"test.empty", "Nobody has written here", 'y'},
		{"test.c++", "A name with plus signs", 'y'},
		{"test.moderated", "", 'm'},
		{"test.closed", "Nobody may write here", 'n'},
	}
}

// Article is an article of INN. The server adds header fields, but never changes the body.
type Article struct {
	Number    uint64 // article number in Group
	Group     string
	MessageID string // without < >
	Header    string // with CRLF line ends, without the empty line
	Body      string // with CRLF line ends
}

// Articles returns all articles in the order of posting.
func Articles() []Article {
	w := &articleWriter{numbers: map[string]uint64{}}
	w.addGeneral()
	w.addThreads()
	w.addMIME()
	w.addCharsets()
	w.addHeaders()
	for i := range 300 {
		w.addArticle("test.many", fmt.Sprintf("many-%d", i+1), fmt.Sprintf("Topic %d", i/10+1), fmt.Sprintf("Article %d of 300.\n", i+1))
	}
	w.addArticle("test.large", "large", "Eight megabytes", string(makeNumberedLines(8<<20)))
	return w.articles
}

type articleWriter struct {
	articles []Article
	numbers  map[string]uint64
}

// addArticle adds an article with the Message-ID <tag@example.invalid>. The header also contains the
// lines in extra. A From line there replaces the usual author.
func (w *articleWriter) addArticle(group, tag, subject, body string, extra ...string) {
	w.numbers[group]++
	a := Article{Number: w.numbers[group], Group: group, MessageID: tag + "@example.invalid"}
	date := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(len(w.articles)) * 613 * time.Second)
	lines := []string{
		"Path: feeder.example.invalid!not-for-mail", "Newsgroups: " + group, "Subject: " + subject,
		"Date: " + date.Format("Mon, 02 Jan 2006 15:04:05 -0700"), "Message-ID: <" + a.MessageID + ">",
	}
	author := "From: Lab Poster <lab@example.invalid>"
	for _, line := range extra {
		if strings.HasPrefix(line, "From: ") {
			author = line
		} else {
			lines = append(lines, line)
		}
	}
	a.Header = strings.ReplaceAll(strings.Join(append(lines, author), "\n")+"\n", "\n", "\r\n")
	a.Body = strings.ReplaceAll(body, "\n", "\r\n")
	w.articles = append(w.articles, a)
}

func formatReferences(tags ...string) string {
	s := "References:"
	for _, tag := range tags {
		s += " <" + tag + "@example.invalid>"
	}
	return s
}

func (w *articleWriter) addGeneral() {
	for i := range 25 {
		w.addArticle("test.general", fmt.Sprintf("general-%d", i+1), fmt.Sprintf("Subject %d", i+1), fmt.Sprintf("Article %d.\n> Quoted.\nSee <URL:gopher://127.0.0.1/>.\n-- \nLab\n", i+1))
	}
	w.addArticle("test.closed", "closed", "Closed", "Read only.\n")
	w.addArticle("test.c++", "plus", "Hello", "In a group with plus signs.\n")
}

func (w *articleWriter) addThreads() {
	const group = "test.threads"
	var chain []string
	for i := range 12 {
		tag := fmt.Sprintf("chain-%d", i)
		if i == 0 {
			w.addArticle(group, tag, "A chain", "The first.\n")
		} else {
			w.addArticle(group, tag, "Re: A chain", fmt.Sprintf("Answer %d.\n", i), formatReferences(chain...))
		}
		chain = append(chain, tag)
	}
	w.addArticle(group, "wide", "A wide thread", "Answer me.\n")
	for i := range 10 {
		w.addArticle(group, fmt.Sprintf("wide-%d", i), "Re: A wide thread", fmt.Sprintf("Answer %d.\n", i), formatReferences("wide"))
	}
	w.addArticle(group, "orphan", "Re: Lost", "What this answers is not here.\n", formatReferences("never-posted"))
	w.addArticle(group, "late-child", "Re: A late parent", "The child comes first.\n", formatReferences("late-parent"))
	w.addArticle(group, "late-parent", "A late parent", "The parent comes second.\n")
	w.addArticle(group, "loop-a", "Loop", "It refers to the other.\n", formatReferences("loop-b"))
	w.addArticle(group, "loop-b", "Loop", "It refers to the other.\n", formatReferences("loop-a"))
	w.addArticle(group, "self", "Itself", "It refers to itself.\n", formatReferences("self"))
	w.addArticle(group, "bad-references", "Garbage", "Bad references.\n", "References: not-an-id <half@open <general-1@example.invalid> words")
}

func (w *articleWriter) addMIME() {
	const (
		group = "test.mime"
		text  = "Grüße aus Köln: naïve café.\nA lone dot follows:\n.\n..\nEnd.\n"
	)
	var qp strings.Builder
	q := quotedprintable.NewWriter(&qp)
	_, _ = q.Write([]byte(text))
	_ = q.Close()
	plain := []string{"MIME-Version: 1.0", `Content-Type: text/plain; charset="utf-8"`}
	w.addArticle(group, "mime-8bit", "8bit", text, append(plain, "Content-Transfer-Encoding: 8bit")...)
	w.addArticle(group, "mime-qp", "quoted-printable", strings.ReplaceAll(qp.String(), "\r\n", "\n"), append(plain, "Content-Transfer-Encoding: quoted-printable")...)
	w.addArticle(group, "mime-base64", "base64", base64.StdEncoding.EncodeToString([]byte(text))+"\n", append(plain, "Content-Transfer-Encoding: base64")...)
	w.addArticle(group, "mime-flowed", "flowed", "A paragraph that \nwas wrapped and \nis to be joined.\n> Quoted and \n> flowed.\n",
		"MIME-Version: 1.0", "Content-Type: text/plain; charset=us-ascii; format=flowed")
	w.addArticle(group, "mime-html", "HTML only", "<html><body><h1>Heading</h1><p>Entities &amp; all.</body></html>\n", "MIME-Version: 1.0", "Content-Type: text/html; charset=us-ascii")
	w.addArticle(group, "mime-alternative", "alternative", "--b\nContent-Type: text/plain; charset=utf-8\n\nThe plain part.\n--b\nContent-Type: text/html\n\n<p>The HTML part.\n--b--\n",
		"MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=b")
	w.addArticle(group, "mime-mixed", "attachments", "--b\nContent-Type: text/plain\n\nSee attached.\n--b\nContent-Type: image/png; name=\"dot.png\"\nContent-Transfer-Encoding: base64\n"+
		"Content-Disposition: attachment; filename=\"../../dot.png\"\n\n"+base64.StdEncoding.EncodeToString(dotPNG())+"\n--b--\n",
		"MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b")
	w.addArticle(group, "mime-unclosed", "never closed", "--u\nContent-Type: text/plain\n\nnever closed\n", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=u")
}

func (w *articleWriter) addCharsets() {
	const group = "test.charset"
	w.addArticle(group, "cs-latin1", "=?ISO-8859-1?Q?Gr=FC=DFe?=", "Gr\xfc\xdfe\n", "MIME-Version: 1.0", "Content-Type: text/plain; charset=ISO-8859-1",
		"From: =?ISO-8859-1?Q?J=FCrgen?= <jm@example.invalid>")
	w.addArticle(group, "cs-koi8", "=?KOI8-R?B?68/GxQ==?=", "\xeb\xcf\xc6\xc5\n", "MIME-Version: 1.0", "Content-Type: text/plain; charset=KOI8-R")
	w.addArticle(group, "cs-utf8", "=?UTF-8?B?5pel5pys6Kqe?= =?UTF-8?Q?_and_more?=", "日本語\n", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8")
	w.addArticle(group, "cs-raw-utf8", "Raw UTF-8: Grüße", "Grüße\n")
	w.addArticle(group, "cs-raw-latin1", "Raw Latin-1: Gr\xfc\xdfe", "Gr\xfc\xdfe\n")
	w.addArticle(group, "cs-bad", "=?utf-8?Q?unterminated =?nocharset?B?###?=", "Malformed encoded words.\n")
}

func (w *articleWriter) addHeaders() {
	const group = "test.headers"
	w.addArticle(group, "h-escape", "Escape \x1b[31m and \x1b]0;title\x07", "Escapes \x1b[2J in the body.\n")
	w.addArticle(group, "h-dots", "Dots", ".\n..\n...\n.leading\n\n.\n")
	w.addArticle(group, "h-empty", "An empty body", "")
	w.addArticle(group, "h-folded", "Folded", "Folded.\n", "X-Folded: one\n two\n\tthree")
	w.addArticle(group, "h-long-line", "A line of 8000 octets", "short\n"+strings.Repeat("z", 8000)+"\nshort\n")
	w.addArticle(group, "h-long-subject", "Long "+strings.Repeat("and longer ", 60), "Long subject.\n")
	w.addArticle(group, "h-odd!#$&'*+-/=?^_{|}~id", "Odd characters in the Message-ID", "Odd.\n")
	w.addArticle(group, "h-percent%41", "A percent sign in the Message-ID", "Odd.\n")
	w.addArticle(group, "h-control", "Reply elsewhere", "Elsewhere.\n", "Reply-To: other@example.invalid", "Followup-To: test.general")
}
