package fetchtest

import (
	"errors"
	"fmt"
	"testing"

	"gofer/protocols"
	"gofer/urlcore"
)

// Gives fails the test unless a call returns want and no error: Gives(t, want)(f()).
// The other arguments are its label in the message, as in [Equal].
func Gives[T comparable](t testing.TB, want T, what ...any) func(got T, err error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%sgot %+v, %v, want %+v", label(what), got, err, want)
			return
		}
		Equal(t, got, want, what...)
	}
}

// GivesText is [Gives] for a call that returns octets.
func GivesText(t testing.TB, want string, what ...any) func(got []byte, err error) {
	return func(got []byte, err error) {
		t.Helper()
		Gives(t, want, what...)(string(got), err)
	}
}

// Canonical fails the test unless the text of u is read as u.
func Canonical(t testing.TB, u urlcore.URL, what ...any) {
	t.Helper()
	Gives(t, u, what...)(urlcore.Parse(u.String()))
}

// Fails fails the test unless a call fails for the reason: Fails(t, protocols.NotThere)(f()).
func Fails(t testing.TB, want protocols.Reason, what ...any) func(_ any, err error) {
	return func(_ any, err error) {
		t.Helper()
		Reason(t, err, want, what...)
	}
}

// Reason fails the test unless err is an error with the reason want.
func Reason(t testing.TB, err error, want protocols.Reason, what ...any) {
	t.Helper()
	if got := protocols.ReasonOf(err); err == nil || got != want {
		t.Errorf("%sgot %v with the reason %q, want %q", label(what), err, got, want)
	}
}

// FailsWith fails the test unless a call fails with an error that is want or wraps it.
func FailsWith(t testing.TB, want error, what ...any) func(_ any, err error) {
	return func(_ any, err error) {
		t.Helper()
		ErrorIs(t, err, want, what...)
	}
}

// ErrorIs fails the test unless err is want or wraps it. Neither may be nil.
func ErrorIs(t testing.TB, err, want error, what ...any) {
	t.Helper()
	if err == nil || !errors.Is(err, want) {
		t.Errorf("%sgot the error %v, want %v", label(what), err, want)
	}
}

// As returns the error of type E that err is or wraps; without one it ends the test.
func As[E error](t testing.TB, err error, what ...any) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("%sgot %v, want a %T", label(what), err, e)
	}
	return e
}

// label formats the label of a message. It is empty without a format.
func label(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf(what[0].(string), what[1:]...) + ": "
}
