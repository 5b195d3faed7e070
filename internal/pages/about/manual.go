package about

import (
	"context"
	"fmt"
	"html"
	"io"
	"strings"

	"gofer/docs"
	"gofer/protocols"
)

// manualPage returns the page of the manual about the part of the URL, as hypertext, or the list of the
// topics if it is empty.
func (c *Client) manualPage(_ context.Context, r request) (*protocols.Resource, error) {
	title, body := "The manual", "<h1>The manual</h1>\n<ul>"
	if r.part == "" {
		for _, name := range docs.Topics() {
			body += "<li>" + manualLink(name+".md", docs.Title(name))
		}
	} else if page := docs.Page(r.part); page == "" {
		return nil, c.missingPage(r.URL)
	} else {
		title, body = docs.Title(r.part), manualHTML(page)+"<hr><p>"+manualLink(".md", "The manual")
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: r.URL, Title: title, Media: "text/html; charset=utf-8", Size: int64(len(body))},
		Body: strings.NewReader(body), Closer: io.NopCloser(nil),
	}, nil
}

// manualHTML converts a page of docs to HTML. It supports the Markdown used there: headings,
// paragraphs, lists, tables, blocks of code, and links.
func manualHTML(markdown string) string {
	var b strings.Builder
	block := ""
	begin := func(tag string) (begun bool) {
		if block == tag {
			return false
		}
		if block != "" {
			b.WriteString("</" + block + ">\n")
		}
		if block = tag; tag != "" {
			b.WriteString("<" + tag + ">")
		}
		return true
	}
	for line := range strings.SplitSeq(markdown, "\n") {
		text := strings.TrimLeft(line, "#")
		switch level := len(line) - len(text); {
		case strings.HasPrefix(line, "```"):
			if !begin("pre") {
				begin("")
			}
		case block == "pre":
			b.WriteString(html.EscapeString(line) + "\n")
		case line == "", strings.HasPrefix(line, "<!--"):
			begin("")
		case level > 0:
			begin("")
			fmt.Fprintf(&b, "<h%d>%s</h%[1]d>\n", level, manualText(strings.TrimSpace(text), true))
		case strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|"):
			manualRow(&b, line, begin("table"))
		case strings.HasPrefix(line, "* "):
			begin("ul")
			b.WriteString("<li>" + manualText(line[2:], true) + "\n")
		default:
			if block != "ul" {
				begin("p")
			}
			b.WriteString(manualText(line, true) + "\n")
		}
	}
	begin("")
	return b.String()
}

// manualRow writes a row of a table. Code in the first cell loses its grave accents.
func manualRow(b *strings.Builder, line string, head bool) {
	tag := "td"
	if head {
		tag = "th"
	}
	b.WriteString("<tr>")
	line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
	for i, cell := range strings.Split(line, "|") {
		cell = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")
		fmt.Fprintf(b, "<%s>%s", tag, manualText(cell, i > 0))
	}
	b.WriteString("\n")
}

// manualText converts a text of the manual, which may contain links. If marks is set, code keeps its
// grave accents.
func manualText(s string, marks bool) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i > 0 && marks {
			b.WriteString("`")
		}
		for i%2 == 0 {
			before, rest, found := strings.Cut(part, "[")
			name, rest, is := strings.Cut(rest, "](")
			to, rest, ended := strings.Cut(rest, ")")
			if !found || !is || !ended {
				break
			}
			b.WriteString(html.EscapeString(before) + manualLink(to, name))
			part = rest
		}
		b.WriteString(html.EscapeString(part))
	}
	return b.String()
}

// manualLink returns a link to target. If target is a file of the manual, the link leads to the page
// about:manual/TOPIC.
func manualLink(target, name string) string {
	if topic, ok := strings.CutSuffix(target, ".md"); ok {
		target = "about:" + strings.TrimSuffix("manual/"+topic, "/")
	}
	return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(target), html.EscapeString(name))
}
