package endtoend

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gofer/internal/demo"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

var update = flag.Bool("update", false, "write the keys, the settings and the screens into docs")

// splitAtCodeBlock splits a page of docs at the code block that follows the comment <!-- name -->.
func splitAtCodeBlock(t *testing.T, page, name string) (before, block, after string) {
	t.Helper()
	text := string(fetchtest.Must(os.ReadFile(docsFolder + page))(t))
	comment := "<!-- " + name + " -->\n"
	before, rest, ok := strings.Cut(text, comment)
	fence, rest, ok2 := strings.Cut(rest, "\n")
	block, after, ok3 := strings.Cut(rest, "```\n")
	if !ok || !ok2 || !ok3 || !strings.HasPrefix(fence, "```") {
		t.Fatalf("%s has no block of code behind %s", page, comment)
	}
	return before + comment + fence + "\n", block, "```\n" + after
}

// checkPart checks that got is want. The page consists of before, got and after. With -update checkPart
// writes the page with want in place of got.
func checkPart(t *testing.T, page, before, got, want, after string) {
	t.Helper()
	switch {
	case got == want:
	case *update:
		writeFile(t, docsFolder+page, before+want+after)
	default:
		t.Errorf("%s is out of date: run .ci/screens\ngot:\n%s\nwant:\n%s", page, got, want)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	fetchtest.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// docsFolder contains the manual. Its subfolder screens contains the pictures.
const docsFolder = "../../../docs/"

// TestDocsScreens visits pages of the demo and compares the screens with the pictures.
func TestDocsScreens(t *testing.T) {
	const hole, archive = "gopher://demo.gofer.test", "ftp://demo.gofer.test"
	tm := startDemo(t)
	tm.typeKeys("g\x15" + hole + "/1/types\x1b\r")
	tm.wait("a session on an IBM terminal")
	tm.moveTo("j", hole+"/1/library")
	tm.checkPicture("menu")

	tm.typeKeys("g\x15news:gofer.help\x1b\r")
	tm.wait("Going up", "─ 3 gofer.help ") // the page is completely loaded
	tm.waitUntil(func() bool { return strings.Contains(tm.draw(), `"bold">Going`) }, "does not mark unread articles")
	tm.checkPicture("thread")

	tm.typeKeys("g\x15" + archive + "/pub/texts;type=d\x1b\r")
	tm.wait("usenet.txt")
	tm.typeKeys("jp")
	tm.wait("─ gopher.txt ─", "The name did both.") // the pane is completely loaded
	tm.checkPicture("peek")
	tm.quit()
}

// startDemo starts the demo with the dark theme and waits for its first page. The tests of pictures do not run beside
// others: they compare every cell.
func startDemo(t *testing.T) *terminal {
	t.Helper()
	home := t.TempDir()
	fetchtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config/gofer"), 0o700))
	writeFile(t, filepath.Join(home, ".config/gofer/config.toml"), "theme = 'dark'\nremote = 'never'\n") // a terminal that answers late gets fewer colors
	tm := startGofer(t, home, fetchtest.CloseAtEnd(demo.StartWorld())(t), "demo")
	tm.waitPage("gopher://demo.gofer.test/1", "")
	tm.wait("Welcome. This is a Gopher hole")
	return tm
}

// checkPicture waits until the screen is the same as the picture. With -update it writes the screen to
// the picture.
func (tm *terminal) checkPicture(name string) {
	tm.t.Helper()
	file := docsFolder + "screens/" + name + ".svg"
	if *update {
		tm.waitForFrame()
		writeFile(tm.t, file, tm.draw())
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tm.t.Fatal(err)
	}
	if !eventually(func() bool { return tm.draw() == string(want) }) {
		tm.t.Errorf("the screen never was that of %s: if this one is right run .ci/screens\n%s\nrows that differ:\n%s", file, tm.screen(), differingLines(tm.draw(), string(want)))
	}
}

// TestDocsSettings checks that the manual lists all settings, and that the listed settings are
// valid.
func TestDocsSettings(t *testing.T) {
	const page = "settings.md"
	before, got, after := splitAtCodeBlock(t, page, "settings")
	checkPart(t, page, before, got, config.Example, after)
	path := filepath.Join(t.TempDir(), "config.toml")
	writeFile(t, path, config.Example)
	noEnv := func(string) string { return "" }
	c := fetchtest.Must(config.Load(path, noEnv))(t)
	settings := fetchtest.Must(config.Settings(path, noEnv))(t)
	for _, s := range settings {
		if s.Source == "default" && !strings.HasPrefix(s.Key, "open.") { // the settings of a program are all optional
			t.Errorf("%s does not name the setting %s", page, s.Key)
		}
	}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Map && f.Len() == 0 {
			t.Errorf("%s has no example for [%s]", page, v.Type().Field(i).Tag.Get("toml"))
		}
	}
}

// TestDocsKeys checks that the manual contains the table of keys of the program.
func TestDocsKeys(t *testing.T) {
	const page, comment = "keys.md", "<!-- keys -->\n"
	before, got, ok := strings.Cut(string(fetchtest.Must(os.ReadFile(docsFolder+page))(t)), comment)
	if !ok {
		t.Fatalf("%s lacks %s", page, comment)
	}
	checkPart(t, page, before+comment, got, formatKeyTables(ui.Keys(nil)), "")
}

// formatKeyTables returns the Markdown tables of the keys, one for each section.
func formatKeyTables(keys []ui.KeyHelp) string {
	var b strings.Builder
	section := ""
	for _, k := range keys {
		if k.Section != section {
			section = k.Section
			fmt.Fprintf(&b, "\n## %s\n\n| keys | action | does |\n|---|---|---|\n", section)
		}
		labels := strings.ReplaceAll("`"+strings.Join(k.Keys, "` `")+"`", "|", `\|`)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", labels, k.Name, k.Help)
	}
	return b.String()
}

// TestReadme checks the length, the links and the commands of README.md.
func TestReadme(t *testing.T) {
	const root = "../../../"
	text := string(fetchtest.Must(os.ReadFile(root + "README.md"))(t))
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("README.md has %d lines, want at most 150", n)
	}
	for _, command := range []string{"go install .", "go run . demo", "go test ./..."} {
		fetchtest.Contains(t, text, "\n    "+command+" ", "README.md")
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(root + m[1]); err != nil {
			t.Errorf("README.md leads to %v", err)
		}
	}
}

// differingLines returns the lines of got that are not in want, and then those of want that are not in got.
func differingLines(got, want string) string {
	var b strings.Builder
	for _, pair := range [][3]string{{"got", got, want}, {"want", want, got}} {
		for line := range strings.Lines(pair[1]) {
			if !strings.Contains(pair[2], line) {
				b.WriteString(pair[0] + " " + line)
			}
		}
	}
	return b.String()
}
