// Package memorygrowth checks how the memory that a reader allocates grows with its input: at
// most linearly, and up to a limit if the input is endless.
package memorygrowth

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gofer/protocols"
)

// Input is an input of any size: Head, then Unit repeated, then Tail. A "#" in Unit is replaced
// by the index of the repetition, counted from 0.
type Input struct {
	Name, Head, Unit, Tail string
	Size                   int // octets of the smaller text in [Check]; 0: 16 KiB
}

// Text returns the input. It repeats Unit until the text before Tail has size octets or more.
func (input Input) Text(size int) string {
	var b strings.Builder
	b.WriteString(input.Head)
	for i := 0; b.Len() < size; i++ {
		b.WriteString(input.formatUnit(i))
	}
	b.WriteString(input.Tail)
	return b.String()
}

func (input Input) formatUnit(i int) string {
	return strings.ReplaceAll(input.Unit, "#", strconv.Itoa(i))
}

// smallSize is the usual size of the smaller input in [Check].
const smallSize = 16 << 10

// Check calls the function read with a small text, and with a large one that is eight times as
// long. It fails t if read allocates more than maxPerOctet octets of memory for each octet of the
// large text. This also finds a function that is quadratic only up to some limit.
//
// Check also fails t if the large text takes more than twelve times the memory of the small one
// and more memory than its own length. It measures the whole process, so tests that use it must
// not run in parallel. It does not measure time.
func Check(t *testing.T, input Input, maxPerOctet int, read func(text string)) {
	t.Helper()
	size := cmp.Or(input.Size, smallSize)
	small, large := input.Text(size), input.Text(8*size)
	read(small) // makes allocations that happen only once
	a, b := measureAllocation(small, read), measureAllocation(large, read)
	if b > 12*a && b > uint64(len(large)) {
		t.Errorf("%s: a text of %d octets allocates %d octets and one of %d octets %d: got %d times as much, want at most 12 times", input.Name, len(small), a, len(large), b, b/max(a, 1))
	}
	if b > uint64(maxPerOctet*len(large)) {
		t.Errorf("%s: a text of %d octets allocates %d octets: got %d for each octet, want at most %d", input.Name, len(large), b, b/uint64(len(large)), maxPerOctet)
	}
}

func measureAllocation(text string, read func(string)) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read(text)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// keptInput is the size of the text that [CheckKept] reads.
const keptInput = 8 << 20

// CheckKept calls read with 8 MiB of the input, whose units are long. It fails t if the notes that
// read returns hold on to more than twice the memory that they tell ([protocols.Note]) and half a MiB. It finds notes
// whose short strings are parts of a long line that can therefore not be freed.
func CheckKept(t *testing.T, input Input, read func(r io.Reader) []protocols.Note) {
	t.Helper()
	before := measureHeap()
	notes := read(strings.NewReader(input.Text(keptInput)))
	after := measureHeap()
	used := after - min(before, after)
	if len(notes) == 0 {
		t.Errorf("%s: read returned no notes", input.Name)
	}
	told := 0
	for _, note := range notes {
		told += note.Memory()
	}
	if most := uint64(2*told + keptInput/16); used > most {
		t.Errorf("%s: %d notes of a text of %d octets hold %d octets of memory and tell %d, want at most %d", input.Name, len(notes), keptInput, used, told, most)
	}
	runtime.KeepAlive(notes)
}

// errTooMuch is returned by an EndlessReader that is read beyond its limit.
var errTooMuch = errors.New("memorygrowth: more was read than should be")

// EndlessReader is an io.Reader of an Input without its Tail. It measures the memory in use after each
// MiB, or after each eighth of the limit if that is less.
type EndlessReader struct {
	input    Input
	limit    int64  // in octets
	unread   string // rest of Head or Unit
	units    int
	octets   int64
	measured int64  // octets at the last measurement
	before   uint64 // memory in use at the start
	most     uint64 // maximum of the memory in use
}

// NewEndlessReader returns a reader of the input. The parameter limit is the number of octets that
// the tested function may read. The memory in use when NewEndlessReader is called is not counted.
func NewEndlessReader(input Input, limit int64) *EndlessReader {
	if !strings.Contains(input.Unit, "#") {
		input.Unit = strings.Repeat(input.Unit, 1+4096/len(input.Unit)) // single octets would make Read slower than the tested function
	}
	return &EndlessReader{input: input, limit: limit, unread: input.Head, before: measureHeap()}
}

func measureHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Read implements [io.Reader].
func (e *EndlessReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if e.unread == "" {
			e.unread = e.input.formatUnit(e.units)
			e.units++
		}
		k := copy(p[n:], e.unread)
		e.unread = e.unread[k:]
		n += k
	}
	e.octets += int64(n)
	if e.octets-e.measured >= min(1<<20, e.limit/8) {
		e.measured = e.octets
		e.most = max(e.most, measureHeap())
	}
	if e.octets > e.limit+64<<10 { // allows for read-ahead
		return n, errTooMuch
	}
	return n, nil
}

// Check fails t if more octets than the limit were read. It also fails t if the memory in use ever
// grew by more than maxMemory octets.
func (e *EndlessReader) Check(t *testing.T, maxMemory uint64) {
	t.Helper()
	if e.octets > e.limit {
		t.Errorf("%s: %d octets were read, want an end within %d", e.input.Name, e.octets, e.limit)
	}
	if e.most > e.before+maxMemory {
		t.Errorf("%s: %d octets of memory were in use, want %d or fewer", e.input.Name, e.most-e.before, maxMemory)
	}
}
