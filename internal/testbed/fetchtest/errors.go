package fetchtest

import (
	"errors"
	"fmt"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// Returns checks the results of a call, as in Returns(t, want)(f()). It fails the test unless the call
// returned want and no error. label is as in [Equal].
func Returns[T comparable](t testing.TB, want T, label ...any) func(got T, err error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%sgot %+v, %v, want %+v", formatLabel(label), got, err, want)
			return
		}
		Equal(t, got, want, label...)
	}
}

// ReturnsText is [Returns] for a call that returns octets as []byte.
func ReturnsText(t testing.TB, want string, label ...any) func(got []byte, err error) {
	return func(got []byte, err error) {
		t.Helper()
		Returns(t, want, label...)(string(got), err)
	}
}

// CheckCanonical fails the test unless parsing the text of u returns u.
func CheckCanonical(t testing.TB, u urlcore.URL, label ...any) {
	t.Helper()
	Returns(t, u, label...)(urlcore.Parse(u.String()))
}

// Fails fails the test unless a call returns an error with the reason want: Fails(t,
// protocols.NotFound)(f()).
func Fails(t testing.TB, want protocols.Reason, label ...any) func(_ any, err error) {
	return func(_ any, err error) {
		t.Helper()
		Reason(t, err, want, label...)
	}
}

// Reason fails the test unless err is an error with the reason want.
func Reason(t testing.TB, err error, want protocols.Reason, label ...any) {
	t.Helper()
	if got := protocols.ReasonOf(err); err == nil || got != want {
		t.Errorf("%sgot %v with the reason %q, want %q", formatLabel(label), err, got, want)
	}
}

// FailsWith fails the test unless a call returns an error that is want or wraps want.
func FailsWith(t testing.TB, want error, label ...any) func(_ any, err error) {
	return func(_ any, err error) {
		t.Helper()
		ErrorIs(t, err, want, label...)
	}
}

// ErrorIs fails the test unless err is want or wraps want. Neither may be nil.
func ErrorIs(t testing.TB, err, want error, label ...any) {
	t.Helper()
	if err == nil || !errors.Is(err, want) {
		t.Errorf("%sgot the error %v, want %v", formatLabel(label), err, want)
	}
}

// As returns the error of type E in the chain of err. If there is none it ends the test.
func As[E error](t testing.TB, err error, label ...any) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("%sgot %v, want a %T", formatLabel(label), err, e)
	}
	return e
}

// formatLabel formats the label of a message. Without a format it returns "".
func formatLabel(label []any) string {
	if len(label) == 0 {
		return ""
	}
	return fmt.Sprintf(label[0].(string), label[1:]...) + ": "
}
