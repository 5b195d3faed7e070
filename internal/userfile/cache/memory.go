package cache

// memory holds copies and drops the least recently used ones first. The zero value is empty.
type memory struct {
	copies map[Key]*memoryCopy
	size   int64
	clock  int64
}

type memoryCopy struct {
	Copy
	used int64
}

func (m *memory) get(k Key) (Copy, bool) {
	h := m.copies[k]
	if h == nil {
		return Copy{}, false
	}
	m.clock++
	h.used = m.clock
	return h.Copy, true
}

func (m *memory) put(k Key, c Copy) {
	m.drop(k)
	if m.copies == nil {
		m.copies = make(map[Key]*memoryCopy)
	}
	m.clock++
	m.copies[k] = &memoryCopy{c, m.clock}
	for m.size += c.size(); m.size > maxMemory; {
		var oldest Key
		least := m.clock
		for k, h := range m.copies {
			if h.used < least {
				oldest, least = k, h.used
			}
		}
		m.drop(oldest)
	}
}

func (m *memory) drop(k Key) {
	if h := m.copies[k]; h != nil {
		m.size -= h.size()
		delete(m.copies, k)
	}
}

// size estimates the memory of a copy with its key, in bytes.
func (c Copy) size() int64 { return int64(len(c.Data)) + 512 }
