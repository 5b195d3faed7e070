package wire

import (
	"reflect"
	"sync"
)

// Memory holds the data that clients keep until the program ends: logins, consents, cookies, the
// last news server, and the user's answers to Gemini servers and to forms. These data are not
// written to a file, and neither private mode nor forgetting visits removes them. To forget logins,
// the program makes clients with a new Memory. When settings change, the new clients get the Memory
// of the clients that they replace. The zero value is empty and safe for concurrent use.
type Memory struct{ values sync.Map } // maps a type T to a *T

// Consents is a set of the questions that the user answered with yes. The type parameter T is the
// type of the client that asks, so that [Remember] keeps one set for each type of client.
type Consents[T any] struct{ sync.Map }

// Remember returns the *T of m, which all callers with the same T share. It returns fallback if m
// is nil.
func Remember[T any](m *Memory, fallback *T) *T {
	if m == nil {
		return fallback
	}
	v, _ := m.values.LoadOrStore(reflect.TypeFor[T](), new(T))
	return v.(*T)
}
