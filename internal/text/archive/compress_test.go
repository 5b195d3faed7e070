package archive

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
)

// compressLZW returns data in the format of compress(1), with codes of at most the given number of
// bits. It clears the code table some time after the table is full.
func compressLZW(data []byte, most int) []byte {
	out := []byte{0x1f, 0x9d, 0x80 | byte(most)}
	var group []byte
	bits, n := 0, 0 // the bits that are not written yet, and the number of these bits
	width, next := minWidth, 257
	table := make(map[string]int)
	put := func(code int) {
		bits |= code << n
		for n += width; n >= 8; n -= 8 {
			group, bits = append(group, byte(bits)), bits>>8
		}
		if len(group) == width {
			out, group = append(out, group...), nil
		}
	}
	flush := func() { // pads the output to a whole group of codes
		if n > 0 {
			group = append(group, byte(bits))
		}
		if len(group) > 0 {
			out = append(out, append(group, make([]byte, width-len(group))...)...)
		}
		group, bits, n = nil, 0, 0
	}
	find := func(s []byte) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[string(s)]
	}
	for begin, end := 0, 0; begin < len(data); begin = end {
		for end = begin + 1; end < len(data); end++ {
			if _, ok := table[string(data[begin:end+1])]; !ok {
				break
			}
		}
		put(find(data[begin:end]))
		if end == len(data) {
			break
		}
		switch {
		case next < 1<<most:
			table[string(data[begin:end+1])] = next
			if next++; next > 1<<width && width < most { // the decoder is one code behind
				flush()
				width++
			}
		case begin%7 == 0:
			put(256)
			flush()
			clear(table)
			width, next = minWidth, 257
		}
	}
	if n > 0 {
		group = append(group, byte(bits))
	}
	return append(out, group...)
}

func TestCompress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(r.IntN(7) * r.IntN(40))
	}
	for name, data := range map[string][]byte{
		"empty": {}, "one": []byte("a"), "same": bytes.Repeat([]byte("a"), 100_000),
		"text": []byte(strings.Repeat("to be or not to be, ", 9000)), "noise": noise,
	} {
		for most := minWidth + 1; most <= maxWidth; most++ {
			z := compressLZW(data, most)
			in := fetchtest.Must(uncompress(iotest.HalfReader(bytes.NewReader(z))))(t)
			if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, %d bits: got %d octets, want %d (%v)", name, most, len(got), len(data), err)
			}
		}
	}
	for _, bad := range []string{"\x1f\x9d", "\x1f\x9d\x88", "\x1f\x9d\x91", "\x1f\x9d\x90\xff\xff\xff\xff", "\x1f\x9d\x90a\x06\x06\x06"} {
		in, err := uncompress(strings.NewReader(bad))
		if err == nil {
			_, err = io.ReadAll(in)
		}
		if !errors.Is(err, errCompressed) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("uncompress of %q: got the error %v, want %v or %v", bad, err, errCompressed, io.ErrUnexpectedEOF)
		}
	}
}
