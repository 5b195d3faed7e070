// Testreport reads the output of go test -json from standard input and writes what go test itself
// would print. It lists the slowest packages and tests, and the skipped and failed tests, in a
// file. It is not part of gofer.
//
// The gotestsum module prints results as well, but its "tool slowest" lists no packages
// (v1.13.0).
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./... | testreport SUMMARY")
		os.Exit(2)
	}
	var r report
	err := r.copyReport(os.Stdout, os.Stdin)
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(r.listSlowest(10)+r.listNotPassed()), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

// event is one line of go test -json (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // in seconds
	Output  string
}

// timing is the time of a package or a test.
type timing struct {
	name    string
	seconds float64
}

// report collects events. The zero value is ready to use.
type report struct {
	packages, tests []timing
	skipped, failed []string
	running         map[string]bool // tests that are running
	parents         map[string]bool // tests that have subtests
	unfinished      []string        // for each package, the tests that were running at the end, and then stack frames
}

// recordState records whether the test of e is running, and that its parent has subtests.
func (r *report) recordState(e event) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "run", "cont":
		r.running[name] = true
		if i := strings.LastIndexByte(name, '/'); i > len(e.Package) {
			r.parents[name[:i]] = true
		}
	case "pause", "pass", "skip", "fail":
		delete(r.running, name)
	}
}

// recordUnfinished records which tests of a package were running when the package ended, except
// tests that were waiting for subtests. It also records the last 20 stack frames of test files in
// the output of the package.
func (r *report) recordUnfinished(pkg string, outputs []event) {
	n := len(r.unfinished)
	for _, name := range slices.Sorted(maps.Keys(r.running)) {
		isSubtest := func(other string) bool { return strings.HasPrefix(other, name+"/") }
		if strings.HasPrefix(name, pkg+" ") && !slices.ContainsFunc(slices.Collect(maps.Keys(r.running)), isSubtest) {
			r.unfinished = append(r.unfinished, name)
		}
	}
	if len(r.unfinished) == n {
		return
	}
	var frames []string
	for i, o := range outputs {
		if i > 0 && strings.HasPrefix(o.Output, "\t") && strings.Contains(o.Output, "_test.go:") {
			frames = append(frames, "    "+strings.TrimSpace(outputs[i-1].Output)+" "+strings.TrimSpace(o.Output))
		}
	}
	r.unfinished = append(r.unfinished, frames[max(0, len(frames)-20):]...)
}

// copyReport reads events from input. When a package is done copyReport writes the package's output
// to out: one line if the package passed, and otherwise everything except the output of passed and
// skipped tests. copyReport copies lines that are not events.
func (r *report) copyReport(out io.Writer, input io.Reader) error {
	w := bufio.NewWriter(out)
	failed := false
	r.running, r.parents = make(map[string]bool), make(map[string]bool)
	outputs := make(map[string][]event) // by package
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case line == "":
		case line[0] != '{' || json.Unmarshal([]byte(line), &e) != nil:
			fmt.Fprint(w, line)
		case e.Action == "build-output":
			fmt.Fprint(w, e.Output)
		case e.Action == "output":
			outputs[e.Package] = append(outputs[e.Package], e)
		case e.Test == "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail"):
			r.recordUnfinished(e.Package, outputs[e.Package])
			writePackage(w, outputs[e.Package], e.Action == "fail")
			delete(outputs, e.Package)
			failed = failed || e.Action == "fail"
			r.packages = append(r.packages, timing{e.Package, e.Elapsed})
		case e.Action == "pass" || e.Action == "skip":
			if e.Action == "skip" {
				r.skipped = append(r.skipped, e.Package+" "+e.Test+": "+findLastOutput(outputs[e.Package], e.Test))
			}
			outputs[e.Package] = slices.DeleteFunc(outputs[e.Package], func(o event) bool { return o.Test == e.Test })
			fallthrough
		case e.Action == "fail":
			name := e.Package + " " + e.Test
			if !r.parents[name] {
				r.tests = append(r.tests, timing{name, e.Elapsed})
			}
			isSubtest := func(failed string) bool { return strings.HasPrefix(failed, name+"/") }
			if e.Action == "fail" && !slices.ContainsFunc(r.failed, isSubtest) {
				r.failed = append(r.failed, name)
			}
		}
		r.recordState(e)
		if flushErr := w.Flush(); flushErr != nil {
			return flushErr
		}
		if err != nil {
			for pkg, unfinished := range outputs { // go test was ended before these packages were done
				r.recordUnfinished(pkg, unfinished)
				writePackage(out, unfinished, true)
			}
			if failed {
				fmt.Fprintln(out, "FAIL")
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// writePackage writes the output of a package: all of it, or only the result.
func writePackage(w io.Writer, outputs []event, all bool) {
	for _, o := range outputs {
		result := strings.HasPrefix(o.Output, "ok  \t") || strings.HasPrefix(o.Output, "?   \t")
		progress := strings.HasPrefix(o.Output, "=== ")
		if result || all && !progress {
			fmt.Fprint(w, o.Output)
		}
	}
}

// findLastOutput returns the last line of a test's output. For a skipped test this is the reason.
func findLastOutput(outputs []event, test string) string {
	last := ""
	for _, o := range outputs {
		line := strings.TrimSpace(o.Output)
		if o.Test == test && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			last = line
		}
	}
	return last
}

// listNotPassed lists the skipped tests with their reasons, the failed tests, and the tests that
// were running at the end. It leaves out tests that failed only because of subtests.
func (r *report) listNotPassed() string {
	list := func(title string, names []string) string {
		return fmt.Sprintf("%s: %d\n%s", title, len(names), strings.Join(append(names, ""), "\n"))
	}
	text := list("Skipped tests", r.skipped) + list("Failed tests", r.failed)
	if len(r.unfinished) > 0 {
		text += "Tests that were running at the end:\n" + strings.Join(r.unfinished, "\n") + "\n"
	}
	return text
}

// listSlowest lists the n slowest packages and the n slowest tests. It lists subtests in place of
// tests that have subtests.
func (r *report) listSlowest(n int) string {
	var b strings.Builder
	list := func(title string, all []timing) {
		slices.SortStableFunc(all, func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
		fmt.Fprintf(&b, "%s:\n", title)
		for _, t := range all[:min(n, len(all))] {
			fmt.Fprintf(&b, "%8.2fs  %s\n", t.seconds, t.name)
		}
	}
	list("Slowest packages", r.packages)
	list("Slowest tests", r.tests)
	return b.String()
}
