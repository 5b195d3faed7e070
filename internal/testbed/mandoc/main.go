// Mandoc writes gofer's manual pages: one for each command and one for each topic of the manual
// in docs. The page of the program contains the keys. Mandoc is not part of gofer.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra/doc"

	"gofer/docs"
	"gofer/internal/app"
	"gofer/internal/cli"
	"gofer/ui"
)

// version is set by the linker in a release.
var version = "development"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mandoc FOLDER")
		os.Exit(2)
	}
	if err := writePages(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "mandoc:", err)
		os.Exit(1)
	}
}

// writePages writes the pages into folder. Their date is $SOURCE_DATE_EPOCH, or today.
func writePages(folder string) error {
	root := (&cli.Program{Start: app.Start{Version: version}}).Command()
	root.DisableAutoGenTag = true
	root.InitDefaultVersionFlag()
	header := &doc.GenManHeader{Section: "1", Source: "gofer " + version, Manual: "gofer manual"}
	if err := doc.GenManTree(root, header, folder); err != nil {
		return err
	}
	name := filepath.Join(folder, "gofer.1")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, title, _ := strings.Cut(string(page), ".TH ")
	title, _, _ = strings.Cut(title, "\n")
	for _, topic := range docs.Topics() {
		name := "gofer-" + topic
		title := strings.Replace(title, `"GOFER" "1"`, fmt.Sprintf(`"%s" "7"`, strings.ToUpper(name)), 1)
		if err := os.WriteFile(filepath.Join(folder, name+".7"), formatTopicPage(topic, title), 0o644); err != nil {
			return err
		}
	}
	page = append(bytes.TrimSpace(page), ", \\fBgofer-"+strings.Join(docs.Topics(), "(7)\\fP, \\fBgofer-")+"(7)\\fP\n"...)
	page, err = insertKeys(page, ui.Keys(nil))
	if err != nil {
		return err
	}
	return os.WriteFile(name, page, 0o644)
}

// formatTopicPage returns the manual page of a topic. Links to other topics are replaced by the names
// of their pages. Tables become definition lists, because tbl makes columns wider than the
// screen.
func formatTopicPage(topic, title string) []byte {
	_, text, _ := strings.Cut(docs.Page(topic), "\n")
	for _, r := range []struct{ from, to string }{
		{`(?m)^<!--.*\n`, ""},
		{`\[([^]\n]*)\]\((\w+)\.md\)`, "$1 (**gofer-$2**(7))"},
		{`(?m)^\|.*\n\|---.*\n`, ""},
		{`(?m)^\| (.*?) \| (.* \| )?(.*) \|$`, "$1\n: $3\n"},
		{`\\\|`, "|"},
	} {
		text = regexp.MustCompile(r.from).ReplaceAllString(text, r.to)
	}
	text = "## NAME\ngofer-" + topic + " \\- " + docs.Title(topic) + "\n\n## DESCRIPTION\n" + text
	return bytes.Replace(md2man.Render([]byte(text)), []byte(".nh\n"), []byte(".nh\n.TH "+title+"\n"), 1)
}

// insertKeys inserts a section of keys before the last section of a page.
func insertKeys(page []byte, keys []ui.KeyHelp) ([]byte, error) {
	last := bytes.LastIndex(page, []byte("\n.SH SEE ALSO"))
	if last < 0 {
		return nil, fmt.Errorf("there is no section SEE ALSO in the manual page")
	}
	var b bytes.Buffer
	b.Write(page[:last+1])
	b.WriteString(".SH KEYS\n")
	section := ""
	for _, k := range keys {
		if k.Section != section {
			section = k.Section
			fmt.Fprintf(&b, ".SS %s\n", escapeRoff(section))
		}
		names := make([]string, len(k.Keys))
		for i, s := range k.Keys {
			names[i] = `\fB` + escapeRoff(s) + `\fP`
		}
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", strings.Join(names, ", "), escapeRoff(k.Help))
	}
	b.Write(page[last+1:])
	return b.Bytes(), nil
}

func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
