package wire

import (
	"reflect"
	"sync"
)

// Memory holds the logins and consents of a running program. Clients that are made for
// changed settings share it with those before. The zero value is empty and safe for concurrent use.
type Memory struct{ values sync.Map } // pointers, by their type

// Consents records answers of yes to the clients of type T.
type Consents[T any] struct{ sync.Map }

// Remember returns the *T of m, made at the first call; own if m is nil. All callers with one T
// share its value.
func Remember[T any](m *Memory, own *T) *T {
	if m == nil {
		return own
	}
	v, _ := m.values.LoadOrStore(reflect.TypeFor[T](), new(T))
	return v.(*T)
}
