package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gofer/internal/text/mimeheader"
	"gofer/protocols"
	"gofer/urlcore"
)

const (
	maxOtherFields     = 500  // lines of other fields
	maxTypedReferences = 1000 // references in a typed header
)

// typedHeader returns the header of an article for JSON output.
func typedHeader(h articleHeader, page urlcore.URL) *protocols.ArticleHeader {
	text := func(name string) string { s, _ := h.text(name); return s }
	t := &protocols.ArticleHeader{
		From: mimeheader.UndecodedAddresses(h.raw("From")), ReplyTo: mimeheader.UndecodedAddresses(h.raw("Reply-To")),
		Subject: text("Subject"), Organization: text("Organization"),
		Crossposts: protocols.ParseCrossposts(h.raw("Xref")), Lines: -1,
	}
	t.Date, t.DateText = mimeheader.Date(h.raw("Date"))
	_, params := parseContentType(h.raw("Content-Type"), false)
	t.Charset = params["charset"]
	if n, err := strconv.ParseInt(h.raw("Lines"), 10, 64); err == nil && n >= 0 {
		t.Lines = n
	}
	if id := h.raw("Message-ID"); messageURL(page, id) != nil {
		t.MessageID = id[1 : len(id)-1]
	}
	for _, id := range messageIDs(h.raw("References")) {
		if u := messageURL(page, id); u != nil && len(t.References) < maxTypedReferences {
			t.References = append(t.References, u)
		}
	}
	groups := func(name string) (urls []urlcore.URL) {
		for _, group := range groupNames(h.raw(name)) {
			if u := groupURL(page, group); u != nil && len(urls) < protocols.MaxCrossposts {
				urls = append(urls, u)
			}
		}
		return urls
	}
	t.Newsgroups, t.FollowupTo = groups("Newsgroups"), groups("Followup-To")
	t.ToPoster = strings.EqualFold(h.raw("Followup-To"), "poster")
	return t
}

// messageIDs returns the Message-IDs of a References field, with < and >.
func messageIDs(s string) []string { return strings.Fields(strings.ReplaceAll(s, "><", "> <")) }

// groupNames returns the names of a Newsgroups field.
func groupNames(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// otherFields returns lines for all fields except the first one of each given name.
func otherFields(h articleHeader, names ...string) (lines []protocols.Line) {
	seen := make(map[string]bool)
	for _, f := range h.fields {
		name := strings.ToLower(f.name)
		isShown := slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
		if isShown && !seen[name] {
			seen[name] = true
			continue
		}
		if len(lines) == maxOtherFields {
			return append(lines, protocols.Line{Kind: protocols.Header, Text: "(other fields left out: save the article to get them)", Note: protocols.OtherField})
		}
		v, _ := articleHeader{fields: []articleField{f}}.text(f.name)
		switch {
		case name == "face" || name == "x-face":
			v = "(picture, " + humanize.Bytes(uint64(len(v))) + ")"
		case slices.Contains(listFields, name):
			lines = append(lines, urlLines(f.name, v, protocols.OtherField)...)
			continue
		}
		lines = append(lines, protocols.Line{Kind: protocols.Header, Text: f.name + ": " + v, Note: protocols.OtherField})
	}
	return lines
}

// listFields are the fields of mailing lists that contain URLs (RFC 2369).
var listFields = []string{"list-archive", "list-help", "list-owner", "list-post", "list-subscribe", "list-unsubscribe"}

const maxFieldURLs = 20 // links of one field; other URLs are plain text

// urlLines returns a line for each URL in angle brackets in a field. The line also contains the
// comments after the URL. An invalid URL becomes text.
func urlLines(name, value string, note protocols.Note) (lines []protocols.Line) {
	start, from := name+": ", 0
	var link urlcore.URL
	add := func(to int) {
		lines = append(lines, protocols.Line{Kind: protocols.Header, Text: start + strings.TrimSpace(value[from:to]), Link: link, Note: note})
		start, from = strings.Repeat(" ", len(start)), to
	}
	for _, f := range (urlcore.Parser{MailFields: true, OwnNNTP: true}).Extract(value) {
		if value[f.Start] != '<' || f.URL.Scheme() == "file" || len(lines) == maxFieldURLs {
			continue
		}
		if link != nil {
			add(f.Start)
		}
		link = f.URL
	}
	add(len(value))
	return lines
}
