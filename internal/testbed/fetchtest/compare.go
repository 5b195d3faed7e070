package fetchtest

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Equal fails the test if got is not want. what names the value that is compared: a format
// of [fmt.Sprintf] and its operands.
func Equal[T comparable](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if got != want {
		report(t, got, want, what)
	}
}

// EqualSlices is [Equal] for slices.
func EqualSlices[T comparable](t testing.TB, got, want []T, what ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		report(t, got, want, what)
	}
}

// DeepEqual is [Equal] for values that [reflect.DeepEqual] compares.
func DeepEqual(t testing.TB, got, want any, what ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		report(t, got, want, what)
	}
}

// Contains fails the test unless got contains part. The other arguments are as in [Equal].
func Contains(t testing.TB, got, part string, what ...any) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%sgot %s, want %q in it", label(what), quote(got), part)
	}
}

// Lacks fails the test if got contains part. The other arguments are as in [Equal].
func Lacks(t testing.TB, got, part string, what ...any) {
	t.Helper()
	if strings.Contains(got, part) {
		t.Errorf("%sgot %s, want no %q in it", label(what), quote(got), part)
	}
}

// quote quotes each line of a text.
func quote(text string) string {
	if text == "" {
		return `""`
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strconv.Quote(line))
	}
	return strings.Join(lines, "\n")
}

// report fails the test. Texts of several lines begin on a new line.
func report(t testing.TB, got, want any, what []any) {
	t.Helper()
	format := "got %+v, want %+v"
	switch s, _ := got.(string); {
	case strings.Contains(s, "\n"):
		format = "got\n%v\nwant\n%v"
	case reflect.TypeOf(want) == reflect.TypeFor[string](), reflect.TypeOf(want) == reflect.TypeFor[[]string]():
		format = "got %q, want %q"
	}
	t.Errorf("%s"+format, label(what), got, want)
}
