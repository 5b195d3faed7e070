package wire

import (
	"reflect"
	"sync"
)

// Memory holds what the clients keep until the program ends: typed logins and Gemini answers,
// consents, cookies, the answers of filled forms and the last news server. None of it is written to
// a file. Neither private mode nor forgetting visits removes it. To forget logins, the program
// makes clients with a new Memory. Clients made for changed settings share it with the clients that
// they replace. The zero value is empty and safe for concurrent use.
type Memory struct{ values sync.Map } // maps the type of a pointer to the pointer

// Consents records the questions of clients of type T that were answered with yes.
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
