// Package memorygrowth checks how much memory a reader allocates as its input grows:
// no more for each octet, and no more at all where the input does not end.
package memorygrowth

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Input is an input of any size: Head, then Unit repeated, then Tail. A "#" in Unit is replaced
// by the number of units before it.
type Input struct{ Name, Head, Unit, Tail string }

// Text returns the input with at least size octets.
func (in Input) Text(size int) string {
	var b strings.Builder
	b.WriteString(in.Head)
	for i := 0; b.Len() < size; i++ {
		b.WriteString(in.unit(i))
	}
	b.WriteString(in.Tail)
	return b.String()
}

func (in Input) unit(i int) string { return strings.ReplaceAll(in.Unit, "#", strconv.Itoa(i)) }

// smallSize is the smaller of the sizes that are compared.
const smallSize = 16 << 10

// Check fails t if reading eight times as much of in allocates more than twelve times as much
// memory and more than an octet for each octet, or if an octet takes more than maxPerOctet. It
// measures the whole process, so tests that use it must not run in parallel. Only the second
// number shows a function that is quadratic up to some limit; only [Bench] shows one that
// allocates nothing.
func Check(t *testing.T, in Input, maxPerOctet int, read func(text string)) {
	t.Helper()
	small, large := in.Text(smallSize), in.Text(8*smallSize)
	read(small) // makes allocations that happen only once
	a, b := allocated(small, read), allocated(large, read)
	if b > 12*a && b > uint64(len(large)) {
		t.Errorf("%s: %d octets allocate %d octets, %d octets %d: %d times as much", in.Name, len(small), a, len(large), b, b/max(a, 1))
	}
	if b > uint64(maxPerOctet*len(large)) {
		t.Errorf("%s: %d octets allocate %d octets, %d for each, want %d or fewer", in.Name, len(large), b, b/uint64(len(large)), maxPerOctet)
	}
}

func allocated(text string, read func(string)) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(text)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bench reads 1, 2, 4, 8 and 16 times 64 KiB of in. A linear function has the same MB/s for
// each.
func Bench(b *testing.B, in Input, read func(text string)) {
	b.Helper()
	for _, times := range [...]int{1, 2, 4, 8, 16} {
		text := in.Text(times * 64 << 10)
		b.Run(fmt.Sprintf("%s/%dKiB", in.Name, times*64), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				read(text)
			}
		})
	}
}

// errTooMuch is the error of an Endless that is read beyond its limit.
var errTooMuch = errors.New("memorygrowth: more was read than should be")

// Endless is an io.Reader of an Input whose Tail never comes. Every MiB, or
// every eighth of a smaller limit, it measures how much memory is in use.
type Endless struct {
	in       Input
	limit    int64 // of octets
	left     string
	units    int
	octets   int64
	measured int64 // octets when the memory was measured
	before   uint64
	most     uint64
}

// NewEndless returns a reader of in that returns an error after limit octets. Memory that is in
// use now does not count.
func NewEndless(in Input, limit int64) *Endless {
	if !strings.Contains(in.Unit, "#") {
		in.Unit = strings.Repeat(in.Unit, 1+4096/len(in.Unit)) // single octets take longer than the tested function
	}
	return &Endless{in: in, limit: limit, left: in.Head, before: inUse()}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Read fills p.
func (e *Endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if e.left == "" {
			e.left = e.in.unit(e.units)
			e.units++
		}
		k := copy(p[n:], e.left)
		e.left = e.left[k:]
		n += k
	}
	e.octets += int64(n)
	if e.octets-e.measured >= min(1<<20, e.limit/8) {
		e.measured = e.octets
		e.most = max(e.most, inUse())
	}
	if e.octets > e.limit+64<<10 { // allows for read-ahead
		return n, errTooMuch
	}
	return n, nil
}

// Check fails t if more octets were read than should be, or if ever more than
// memory octets of memory were in use.
func (e *Endless) Check(t *testing.T, memory uint64) {
	t.Helper()
	if e.octets > e.limit {
		t.Errorf("%s: %d octets were read, want an end within %d", e.in.Name, e.octets, e.limit)
	}
	if e.most > e.before+memory {
		t.Errorf("%s: %d octets of memory were in use, want %d or fewer", e.in.Name, e.most-e.before, memory)
	}
}
