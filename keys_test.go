package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"gofer/ui"
)

var update = flag.Bool("update", false, "write the table of keys into README.md")

// The README's table of keys is made from the table that the program uses.
func TestReadmeKeys(t *testing.T) {
	const begin, end = "## Keys\n\n", "\n## Without the screen"
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has no section of keys")
	}
	want := keyTable()
	if *update {
		if err := os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("the keys in README.md are not those of the program: run go test -run TestReadmeKeys -update .\ngot:\n%s\nwant:\n%s", got, want)
	}
}

func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | does |\n|---|---|\n")
	section := ""
	for _, k := range ui.Keys() {
		if k.Section != section {
			section = k.Section
			b.WriteString("| **" + section + "** | |\n")
		}
		keys := make([]string, len(k.Keys))
		for i, s := range k.Keys {
			keys[i] = "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
		}
		b.WriteString("| " + strings.Join(keys, " ") + " | " + k.Help + " |\n")
	}
	return b.String()
}
