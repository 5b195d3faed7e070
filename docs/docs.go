// Package docs holds the manual: one page of Markdown for each topic. Gofer shows the
// pages without a network, as about:manual/TOPIC and by gofer help TOPIC. The pages
// of man(1) are made from them (internal/testbed/mandoc).
package docs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Licenses holds the licenses of gofer and of all linked modules. internal/testbed/notices
// writes the file licenses.txt.
//
//go:embed licenses.txt
var Licenses string

// Topics returns the names of the pages, in the order of the manual.
func Topics() []string {
	return []string{"urls", "keys", "gopher", "ftp", "news", "follow", "offline", "files", "bundle", "identities", "settings", "scripting", "ssh", "drafts", "conformance"}
}

// Page returns the Markdown of a topic, or "" if there is no such topic.
func Page(topic string) string {
	if !slices.Contains(Topics(), topic) {
		return ""
	}
	text, err := pages.ReadFile(topic + ".md")
	if err != nil {
		panic(err) // TestPages finds a topic without a page
	}
	return string(text)
}

// Title returns the title of a topic that exists.
func Title(topic string) string {
	title, _, _ := strings.Cut(strings.TrimPrefix(Page(topic), "# "), "\n")
	return title
}
