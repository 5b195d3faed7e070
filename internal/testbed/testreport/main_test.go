package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestCopyLikeGoTest compares the report with the output of go test for the same packages. Some of
// their tests pass, fail, skip, panic or do not compile.
func TestCopyLikeGoTest(t *testing.T) {
	events := string(fetchtest.Must(os.ReadFile("testdata/events.json"))(t))
	text := string(fetchtest.Must(os.ReadFile("testdata/output.txt"))(t))
	var r report
	var b strings.Builder
	fetchtest.NoError(t, r.copyReport(&b, strings.NewReader(events)))
	if got, want := normalizeLines(b.String()), normalizeLines(text); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.HasSuffix(b.String(), "\nFAIL\n") {
		t.Errorf("the last line is not FAIL:\n%s", &b)
	}
	const notPassed = "Skipped tests: 1\nm/bad TestSkips: b_test.go:6: nothing to see\nFailed tests: 2\nm/bad TestFails/badly\nm/panics TestPanics\n"
	fetchtest.Equal(t, r.listNotPassed(), notPassed)
}

// normalizeLines returns the sorted lines of an output, without the parts that differ from run to run. In
// verbose output, failed subtests have another indentation and order.
func normalizeLines(output string) []string {
	output = regexp.MustCompile(`\d+\.\d+s|0x[0-9a-f]+|goroutine \d+|\?`).ReplaceAllString(output, "N")
	all := strings.Split(output, "\n")
	for i, line := range all {
		all[i] = strings.TrimSpace(line)
	}
	slices.Sort(all)
	return all
}

func TestSlowest(t *testing.T) {
	const events = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/b"}
{"Action":"pass","Package":"p","Test":"TestA/b","Elapsed":2}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":2}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestB","Elapsed":3.5}
{"Action":"run","Package":"p","Test":"TestC"}
{"Action":"skip","Package":"p","Test":"TestC","Elapsed":0}
{"Action":"fail","Package":"p","Elapsed":5.5}
{"Action":"pass","Package":"q","Elapsed":6}
{"Action":"skip","Package":"r","Elapsed":0}
`
	var r report
	fetchtest.NoError(t, r.copyReport(io.Discard, strings.NewReader(events)))
	const want = "Slowest packages:\n    6.00s  q\n    5.50s  p\nSlowest tests:\n    3.50s  p TestB\n    2.00s  p TestA/b\n"
	fetchtest.Equal(t, r.listSlowest(2), want)
}

// TestUnfinished checks the output for a package without a result, as after go test was killed.
func TestUnfinished(t *testing.T) {
	const events = `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Output":"p is stuck\n"}
`
	var r report
	var b strings.Builder
	fetchtest.NoError(t, r.copyReport(&b, strings.NewReader(events)))
	fetchtest.Equal(t, b.String(), "p is stuck\n")
}

// TestTimeLimit checks that the report lists the tests that were running when a package exceeded
// the time limit of go test, and their stack frames.
func TestTimeLimit(t *testing.T) {
	events := string(fetchtest.Must(os.ReadFile("testdata/timeout.json"))(t))
	var r report
	var b strings.Builder
	fetchtest.NoError(t, r.copyReport(&b, strings.NewReader(events)))
	const want = "Skipped tests: 0\nFailed tests: 0\nTests that were running at the end:\n" +
		"tl TestOther\n" +
		"tl TestParent/slow_one\n" +
		"    tl.TestOther(0x63c6eb9a6c8?) tl/a_test.go:7 +0x26\n" +
		"    tl.helper(...) tl/a_test.go:4\n" +
		"    tl.TestParent.func1(0x63c6eb9a908?) tl/a_test.go:6 +0x2c\n"
	got := regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(r.listNotPassed(), "0x0")
	fetchtest.Equal(t, got, regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(want, "0x0"))
	if !strings.Contains(b.String(), "panic: test timed out") {
		t.Errorf("the report lacks the panic of the time limit:\n%s", &b)
	}
	r = report{}
	cut, _, _ := strings.Cut(events, "panic: test timed out") // as if go test had been killed
	fetchtest.NoError(t, r.copyReport(io.Discard, strings.NewReader(cut)))
	if !strings.Contains(r.listNotPassed(), "at the end:\ntl TestOther\ntl TestParent/slow_one\n") {
		t.Errorf("after a kill, listNotPassed() =\n%s\nwant the two tests that were running", r.listNotPassed())
	}
}
