package ber

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/memorygrowth"
	"gofer/protocols"
)

func newReader(text string) *Reader {
	return &Reader{
		In: bufio.NewReader(strings.NewReader(text)), Protocol: "P", Begins: func(octet byte) bool { return octet == 0x30 || octet == 0xB7 }, Limit: 1 << 20,
	}
}

func levels(n int) (message string) {
	for range n {
		message = Group(23, message)
	}
	return message
}

func indefiniteLevels(n int) string {
	return strings.Repeat("\x30\x80", n) + strings.Repeat("\x00\x00", n)
}

// TestDamaged checks that messages that are damaged, too large or not whole are errors.
func TestDamaged(t *testing.T) {
	for name, tt := range map[string]struct {
		message string
		want    protocols.Reason
		text    string
	}{
		"another protocol":           {"220 ready\r\n", protocols.Malformed, "this is no P server"},
		"nothing":                    {"", protocols.Broken, "without an answer"},
		"half a header":              {"\x30\x82\x01", protocols.Broken, "in the middle"},
		"half a message":             {"\x30\x05\x02", protocols.Broken, "in the middle"},
		"a lying length":             {"\x30\x84\x7f\xff\xff\xff", protocols.TooBig, "more than 1048576 octets"},
		"a negative length":          {"\x30\x84\xff\xff\xff\xff", protocols.TooBig, "more than 1048576 octets"},
		"a length of 64 bits":        {"\x30\x88\xff\xff\xff\xff\xff\xff\xff\xff", protocols.TooBig, "more than 1048576 octets"},
		"a length of nine octets":    {"\x30\x89\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01", protocols.Malformed, "damaged"},
		"a tag of five octets":       {"\x30\x07\xbf\x81\x81\x81\x81\x01\x00", protocols.Malformed, "damaged"},
		"elements without end":       {"\x30\x80" + strings.Repeat("\x04\x82\xff\xff"+strings.Repeat("x", 0xffff), 17), protocols.TooBig, "more than"},
		"a string without an end":    {"\x30\x80\x04\x80", protocols.Malformed, "damaged"},
		"levels without length":      {indefiniteLevels(33), protocols.Malformed, "more than 32 levels"},
		"levels":                     {levels(33), protocols.Malformed, "damaged"},
		"a length beyond the parent": {"\x30\x03\x04\x02x", protocols.Malformed, "damaged"},
		"a length beyond memory":     {"\x30\x06\x30\x84\x7f\xff\xff\xff", protocols.Malformed, "damaged"},
		"a missing end":              {"\x30\x04\x30\x80\x05\x00", protocols.Malformed, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newReader(tt.message).Read()
			fetchtest.Reason(t, err, tt.want)
			if err != nil {
				fetchtest.Contains(t, err.Error(), tt.text)
			}
		})
	}
}

// TestKeptMemory checks that a reader does not keep a large message after it was read.
func TestKeptMemory(t *testing.T) {
	r := newReader(Group(Sequence, Leaf(1, strings.Repeat("x", 10*readStep))) + Group(Sequence, Leaf(1, "y")))
	large, err := r.Read()
	fetchtest.NoError(t, err)
	if kept := cap(r.message); kept > readStep {
		t.Errorf("got %d octets of memory between two messages, want at most %d", kept, readStep)
	}
	small, err := r.Read()
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, small.Find(1).Text()+large.Find(1).Text()[:1], "yx")
}

// TestReadError checks that the error of a connection is returned as it is.
func TestReadError(t *testing.T) {
	want := errors.New("reset")
	r := newReader("")
	r.In = bufio.NewReader(io.MultiReader(strings.NewReader("\x30\x05\x02"), errorReader{want}))
	_, err := r.Read()
	fetchtest.ErrorIs(t, err, want)
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// TestElements checks that elements are read as they were written, one message after the other, and that classes of tags differ.
func TestElements(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	first := Group(
		Sequence, Leaf(Application+4, "application"), Leaf(4, "context"), Leaf(Octets, "universal"), Leaf(201, "long tag"), Leaf(31, "two octets"),
		Group(1, Group(2, Leaf(3, long[:200]))),
		Number(7, 0), Number(8, 127), Number(9, 128), Number(10, MaxNumber), Leaf(11, "\xff\x00"), Leaf(12, "\x7f\xff\xff\xff\xff"), OID(13, "2.999.10003.5"), OID(14, "1.2.840"), OID(15, "1.2.16384"), "\x9f\x81\x80\x00\x01t",
	)
	second := "\x30\x80" + "\x24\x80" + Leaf(Octets, "two ") + Leaf(Octets, "parts") + "\x00\x00" + "\x80\x88\x00\x00\x00\x00\x00\x00\x00\x01y" + "\x00\x00"
	r := newReader(first + second)
	e, err := r.Read()
	fetchtest.NoError(t, err)
	for tag, want := range map[int]string{
		Application + 4: "application", 4: "context", Octets: "universal", 201: "long tag", 31: "two octets",
	} {
		fetchtest.Equal(t, e.Find(tag).Text(), want)
	}
	fetchtest.Equal(t, e.Find(1, 2, 3).Text(), long[:200])
	fetchtest.Equal(t, e.Find(1, 3).Exists(), false, "an element in another one")
	fetchtest.Equal(t, e.Find(4).First().Exists(), false, "an element in a string")
	fetchtest.Equal(t, e.First().Tag, Application+4)
	for tag, want := range map[int]int{7: 0, 8: 127, 9: 128, 10: MaxNumber, 11: -256, 12: MaxNumber, 1: 0, 99: 0} {
		fetchtest.Equal(t, e.Find(tag).Number(), want, "the number %d", tag)
	}
	fetchtest.Equal(t, e.Find(13).OID()+" "+e.Find(14).OID()+" "+e.Find(15).OID(), "2.999.10003.5 1.2.840 1.2.16384")
	fetchtest.Equal(t, e.Find(16384).Text(), "t", "a tag of four octets")
	fetchtest.Equal(t, Number(7, 5)+Number(8, 128), "\x87\x01\x05\x88\x02\x00\x80", "the shortest numbers (X.690, section 8.3.2)")
	e, err = r.Read()
	fetchtest.NoError(t, err)
	fetchtest.Equal(t, e.First().Text()+e.Find(0).Text(), "two partsy")
	_, err = r.Read()
	fetchtest.Reason(t, err, protocols.Broken)
}

// TestBounds checks lengths and levels at the bounds of what is read and of how it is written.
func TestBounds(t *testing.T) {
	for _, n := range []int{0, 127, 128, 255, 256, 65535, 65536, 1<<20 - 10} {
		e, err := newReader(Group(Sequence, Leaf(1, strings.Repeat("x", n)))).Read()
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, len(e.Find(1).Content), n)
	}
	for _, message := range []string{levels(32), indefiniteLevels(32)} {
		_, err := newReader(message).Read()
		fetchtest.NoError(t, err)
	}
}

func TestMemoryGrowth(t *testing.T) {
	for _, in := range []memorygrowth.Input{
		{Name: "empty elements", Unit: "\x80\x00"}, {Name: "octets of a length", Unit: "\x84\x80"}, {Name: "levels", Unit: "\xb7\x80"},
	} {
		memorygrowth.Check(t, in, 8, func(content string) {
			if e, err := newReader(Group(23, content)).Read(); err == nil {
				_ = e.Find(1)
			}
		})
	}
}
