// Package memorygrowth checks how the memory that a reader allocates grows with its input: at
// most linearly, and up to a limit if the input is endless.
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
// by the index of the repetition, counted from 0.
type Input struct{ Name, Head, Unit, Tail string }

// Text returns the input. It repeats Unit until the text before Tail has size octets or more.
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

// smallSize is the size of the smaller input in [Check].
const smallSize = 16 << 10

// Check fails t if read allocates more than maxPerOctet octets of memory for each octet of a
// text. It also fails t if read allocates more than twelve times as much memory for a text that
// is eight times as long, unless that is at most one octet for each octet of the text. It
// measures the whole process, so tests that use it must not run in parallel. If a function is
// quadratic only up to some limit, it exceeds only maxPerOctet. A function that allocates nothing
// passes: only [Bench] shows its time.
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

// Bench reads 1, 2, 4, 8 and 16 times 64 KiB of the input. A linear function has the same MB/s for
// each size.
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

// errTooMuch is returned by an Endless that is read beyond its limit.
var errTooMuch = errors.New("memorygrowth: more was read than should be")

// Endless is an io.Reader of an Input without its Tail. It measures the memory in use every MiB,
// or every eighth of a smaller limit.
type Endless struct {
	in       Input
	limit    int64 // in octets
	left     string
	units    int
	octets   int64
	measured int64 // octets at the last measurement
	before   uint64
	most     uint64
}

// NewEndless returns a reader of the input that fails after limit octets. The memory in use when
// NewEndless is called is not counted.
func NewEndless(in Input, limit int64) *Endless {
	if !strings.Contains(in.Unit, "#") {
		in.Unit = strings.Repeat(in.Unit, 1+4096/len(in.Unit)) // single octets would make Read slower than the tested function
	}
	return &Endless{in: in, limit: limit, left: in.Head, before: inUse()}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Read implements [io.Reader].
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

// Check fails t if more octets than the limit were read. It also fails t if any measurement found
// that reading took more octets of memory than the parameter memory.
func (e *Endless) Check(t *testing.T, memory uint64) {
	t.Helper()
	if e.octets > e.limit {
		t.Errorf("%s: %d octets were read, want an end within %d", e.in.Name, e.octets, e.limit)
	}
	if e.most > e.before+memory {
		t.Errorf("%s: %d octets of memory were in use, want %d or fewer", e.in.Name, e.most-e.before, memory)
	}
}
