package charset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSample is the number of octets in the sample after which Evidence ignores further lines.
const maxSample = 2 << 10

// maxSeen is the number of octets in lines that are not plain after which Evidence ignores further
// lines.
const maxSeen = 1 << 20

// Evidence collects evidence of the charset of a page from its lines. The zero value is ready for
// use. The module gogs/chardet is not used, because it does not know line art, IBM866 and
// windows-1250.
type Evidence struct {
	sample  []byte // lines that are not UTF-8
	seen    int    // octets of all lines that are not plain, see [IsPlain]
	valid   int    // lines of UTF-8
	invalid int    // lines that are not UTF-8
	escapes bool   // a line has an escape sequence of ISO-2022-JP

	votes [numCharsets]int // number of lines in the sample by their most likely charset
}

// IsPlain reports whether s is ASCII without an escape character. Such a line is not evidence.
func IsPlain(s string) bool { return IsASCII(s) && strings.IndexByte(s, 0x1b) < 0 }

// Add adds the line s. It ignores plain lines, see [IsPlain].
func (e *Evidence) Add(s string) {
	if IsPlain(s) || e.IsFull() {
		return
	}
	e.seen += len(s)
	switch {
	case IsASCII(s):
		e.escapes = e.escapes || isISO2022JP(s)
	case isMostlyUTF8(s):
		e.valid++
	default:
		e.invalid++
		line := append([]byte(s[:min(len(s), maxSample)]), '\n')
		if !bytes.Contains(e.sample, line) { // a repeated line is not new evidence
			e.sample = append(e.sample, line...)
			c, _ := findLikeliest(s, Auto, nil)
			e.votes[c]++
		}
	}
}

// IsFull reports whether Add ignores further lines.
func (e *Evidence) IsFull() bool { return len(e.sample) >= maxSample || e.seen >= maxSeen }

// Counts returns the number of non-ASCII lines in UTF-8, and the number of lines that are not
// UTF-8.
func (e *Evidence) Counts() (valid, invalid int) { return e.valid, e.invalid }

// HasNonASCII reports whether any line has characters beyond ASCII. In ISO-2022-JP, escape
// sequences introduce such characters.
func (e *Evidence) HasNonASCII() bool { return e.valid+e.invalid > 0 || e.escapes }

// isISO2022JP reports whether s has an escape sequence that selects a Japanese character set (RFC
// 1468).
func isISO2022JP(s string) bool {
	return strings.IndexByte(s, escape) >= 0 && (strings.Contains(s, "\x1b$B") || strings.Contains(s, "\x1b$@") || strings.Contains(s, "\x1b(J"))
}

// Choice is the charset of a page and the reason for it.
type Choice struct {
	Charset Charset
	Sure    bool
	Why     string    // one sentence without a full stop
	Others  []Charset // the other candidates, the likeliest first
	Items   *Items    // finds the charset of each item of a page by several authors, or nil
	Mixed   bool      // the items have different charsets
}

// EightBit returns the charset of the lines that are not UTF-8. If c.Charset is UTF8, this is the
// likeliest other candidate.
func (c Choice) EightBit() Charset {
	if c.Charset == UTF8 && len(c.Others) > 0 {
		return c.Others[0]
	}
	return c.Charset
}

// Choose returns the charset of the page. It is the declared charset, with three exceptions: declared
// is Auto, the lines are UTF-8, or declared is UTF8 although some lines are not UTF-8.
//
// If authors is set, the lines are items by several authors. If moreover declared is Auto or UTF8,
// and some lines are not UTF-8, Choice.Items finds the charset of each item. Choice.Charset is then
// UTF8 if most lines are UTF-8, and otherwise the charset of most other lines.
func (e *Evidence) Choose(declared Charset, authors bool) Choice {
	ranked, numDistinct := e.rank()
	if !authors || declared != Auto && declared != UTF8 || e.invalid == 0 {
		return e.choose(declared, ranked, numDistinct)
	}
	slices.SortStableFunc(ranked, func(a, b rating) int { return e.votes[b.charset] - e.votes[a.charset] })
	var readings []string
	for _, s := range ranked {
		if n := e.votes[s.charset]; n > 0 {
			readings = append(readings, fmt.Sprintf("%d as %s", n, s.charset))
		}
	}
	c := e.choose(Auto, ranked, numDistinct)
	c.Items = e.items()
	if len(readings) > 1 {
		c.Mixed, c.Sure, c.Why = true, c.Charset == UTF8, "each line is read by itself: "+strings.Join(readings, ", ")
		if e.valid > 0 {
			c.Why = lines(e.valid) + " valid UTF-8; " + c.Why
		}
	}
	return c
}

// Disagree reports whether the lines probably have different charsets. The charset that is most
// likely for all lines together is then the most likely one for less than half of the lines.
func (e *Evidence) Disagree() bool {
	total := 0
	for _, n := range e.votes {
		total += n
	}
	if total == 0 {
		return false
	}
	ranked, _ := e.rank()
	return 2*e.votes[ranked[0].charset] < total
}

// choose implements [Evidence.Choose] for a page with one author. The parameters ranked and
// numDistinct are the results of rank.
func (e *Evidence) choose(declared Charset, ranked []rating, numDistinct int) Choice {
	best := ranked[0]
	c := Choice{Charset: best.charset, Sure: e.octets() >= sureOctets && (numDistinct < 2 || best.score-ranked[1].score >= sureMargin)}
	c.Why = fmt.Sprintf("%s not UTF-8, and as %s they read as %s", lines(e.invalid), best.charset, best.language)
	switch {
	case declared != Auto && (declared != UTF8 || e.invalid == 0):
		c = Choice{Charset: declared, Sure: true, Why: "the server says so"}
		if declared != UTF8 && e.invalid == 0 && e.valid > 0 && !(e.escapes && declared == ISO2022JP) {
			c = Choice{Charset: UTF8, Sure: true, Why: fmt.Sprintf("%s valid UTF-8, although the server says %s", lines(e.valid), declared)}
		}
	case e.escapes && e.invalid == 0:
		c = Choice{Charset: ISO2022JP, Sure: true, Why: "there are escape sequences of ISO-2022-JP"}
	case e.invalid == 0:
		c = Choice{Charset: UTF8, Sure: true, Why: lines(e.valid) + " valid UTF-8"}
		if e.valid == 0 {
			c.Why = "the page is ASCII only"
		}
	case e.valid > e.invalid:
		c.Why = lines(e.valid) + " valid UTF-8; " + c.Why
	}
	mixed := e.valid > e.invalid && (declared == Auto || declared == UTF8)
	for _, s := range ranked {
		if s.charset != c.Charset || mixed {
			c.Others = append(c.Others, s.charset)
		}
	}
	if mixed {
		c.Charset, c.Sure = UTF8, true
	} else if c.Charset != UTF8 {
		c.Others = append(c.Others, UTF8)
	}
	return c
}

func lines(n int) string {
	if n == 1 {
		return "one line is"
	}
	return fmt.Sprintf("%d lines are", n)
}

// rating is the likelihood that a sample is in a charset, as a logarithm.
type rating struct {
	charset  Charset
	score    float64
	language string
}

// sureMargin is the smallest difference between the two best scores, as a logarithm, that makes the
// best charset certain.
const sureMargin = 4

// sureOctets is the smallest number of octets beyond ASCII that can make a charset certain.
const sureOctets = 3

// octets returns the number of octets beyond ASCII in the sample.
func (e *Evidence) octets() (n int) {
	for _, b := range e.sample {
		if b >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// rank returns all charsets except UTF-8. The first numDistinct charsets decode the sample to
// different texts, and each further charset decodes it like one of these. Both groups begin with
// the most likely charset.
func (e *Evidence) rank() (all []rating, numDistinct int) {
	for c := Windows1252; c < numCharsets; c++ {
		all = append(all, c.score(e.sample))
	}
	slices.SortStableFunc(all, func(a, b rating) int { return cmp.Compare(b.score, a.score) })
	if len(e.sample) == 0 {
		return all, len(all)
	}
	seen := make(map[string]bool)
	var alike []rating
	for _, s := range all {
		text := s.charset.Decode(string(e.sample))
		if seen[text] {
			alike = append(alike, s)
			continue
		}
		seen[text] = true
		all[numDistinct] = s
		numDistinct++
	}
	return append(all[:numDistinct], alike...), numDistinct
}
