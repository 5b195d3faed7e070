package fetchtest

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Equal fails the test if got is not want. label begins the message: it is a format for
// [fmt.Sprintf], followed by its operands.
func Equal[T comparable](t testing.TB, got, want T, label ...any) {
	t.Helper()
	if got != want {
		report(t, got, want, label)
	}
}

// EqualSlices is [Equal] for slices.
func EqualSlices[T comparable](t testing.TB, got, want []T, label ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		report(t, got, want, label)
	}
}

// DeepEqual is [Equal] for values that [reflect.DeepEqual] compares.
func DeepEqual(t testing.TB, got, want any, label ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		report(t, got, want, label)
	}
}

// Contains fails the test unless got contains part. label is as in [Equal].
func Contains(t testing.TB, got, part string, label ...any) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%sgot %s, want %q in it", formatLabel(label), quoteLines(got), part)
	}
}

// NotContains fails the test if got contains part. label is as in [Equal].
func NotContains(t testing.TB, got, part string, label ...any) {
	t.Helper()
	if strings.Contains(got, part) {
		t.Errorf("%sgot %s, want no %q in it", formatLabel(label), quoteLines(got), part)
	}
}

// quoteLines quotes a text line by line.
func quoteLines(text string) string {
	if text == "" {
		return `""`
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strconv.Quote(line))
	}
	return strings.Join(lines, "\n")
}

// report fails the test. It prints texts of several lines unquoted, below "got" and "want".
func report(t testing.TB, got, want any, label []any) {
	t.Helper()
	format := "got %+v, want %+v"
	switch s, _ := got.(string); {
	case strings.Contains(s, "\n"):
		format = "got\n%v\nwant\n%v"
	case reflect.TypeOf(want) == reflect.TypeFor[string](), reflect.TypeOf(want) == reflect.TypeFor[[]string]():
		format = "got %q, want %q"
	}
	t.Errorf("%s"+format, formatLabel(label), got, want)
}
