package gopher

import "sync"

// memory is a map of at most maxKnown values. The zero value is ready and safe for concurrent use.
type memory[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

const maxKnown = 1000 // the maximal number of values

func (m *memory[K, V]) get(k K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[k]
	return v, ok
}

// set sets a value. If the memory is full, set removes all other values.
func (m *memory[K, V]) set(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(k, v)
}

// add sets a value if the key has none.
func (m *memory[K, V]) add(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.values[k]; !ok {
		m.put(k, v)
	}
}

// change changes a value, which is zero if the key has none.
func (m *memory[K, V]) change(k K, change func(*V)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.values[k]
	change(&v)
	m.put(k, v)
}

func (m *memory[K, V]) put(k K, v V) {
	if _, known := m.values[k]; m.values == nil || !known && len(m.values) >= maxKnown {
		m.values = make(map[K]V)
	}
	m.values[k] = v
}

func (m *memory[K, V]) drop(k K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, k)
}
