package conformance

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// statement is a row of statements.txt.
type statement struct {
	line              int // in statements.txt
	document, section string
	status, text, why string
	checks            []string
}

const file = "testdata/statements.txt"

func readStatements(t *testing.T) (all []*statement) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var document, section string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case mark == "=":
			document, section = rest, ""
		case mark == "-":
			section = rest
		case mark == "yes" || mark == "part" || mark == "no" || mark == "none":
			all = append(all, &statement{line: n, document: document, section: section, status: mark, text: rest})
		case line[0] != '\t' || len(all) == 0:
			t.Fatalf("%s:%d: neither a row nor a check: %s", file, n, line)
		default:
			s := all[len(all)-1]
			if why, ok := strings.CutPrefix(line, "\twhy "); ok {
				s.why = why
			} else {
				s.checks = append(s.checks, line[1:])
			}
		}
	}
	return all
}

// TestStatements runs the checks of all rows.
func TestStatements(t *testing.T) {
	all := readStatements(t)
	if len(all) < 473 {
		t.Errorf("there are %d statements, want 473 or more", len(all))
	}
	for _, s := range all {
		if (s.status == "yes") != (s.why == "") {
			t.Errorf("%s:%d: %q has the status %s and the reason %q", file, s.line, s.text, s.status, s.why)
		}
		if (s.status == "none") != (len(s.checks) == 0) {
			t.Errorf("%s:%d: %q has the status %s and %d checks", file, s.line, s.text, s.status, len(s.checks))
		}
		t.Run(fmt.Sprint(s.line), func(t *testing.T) {
			for _, c := range s.checks {
				if got, err := runCheck(t, c); err != nil {
					t.Errorf("%s:%d: %s: %s\ngot %s: %v", file, s.line, s.text, c, got, err)
				}
			}
		})
	}
}

const (
	page       = "../../../docs/conformance.md"
	draftsPage = "../../../docs/drafts.md"
)

// TestReasons checks that the manual has the reason of each row that gofer does not satisfy.
func TestReasons(t *testing.T) {
	manual, err := os.ReadFile(draftsPage)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ToLower(strings.ReplaceAll(string(manual), "`", ""))
	for _, s := range readStatements(t) {
		if (s.status == "part" || s.status == "no") && !strings.Contains(text, strings.ToLower(s.why)+".") {
			t.Errorf("%s:%d: docs/drafts.md lacks %q", file, s.line, s.why)
		}
	}
}

// TestPage checks that docs/conformance.md is the page of the statements. With -update it writes the
// page.
func TestPage(t *testing.T) {
	want := formatPage(readStatements(t))
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/conformance.md is stale (%v): run go test ./internal/testbed/conformance -update", err)
	}
}
