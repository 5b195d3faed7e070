package sftp

import (
	"bytes"
	"testing"

	"gofer/protocols"
)

// FuzzAnswers reads a packet as each answer of a server.
func FuzzAnswers(f *testing.F) {
	entry := []any{"name", "-rw-r--r-- 1 o g 1 Jan 1 2020 name", attrs{flags: hasMode | hasTimes, mode: typeRegular | 0o644, modified: 1}}
	f.Add(appendValues(nil, append([]any{uint32(1)}, entry...)...))
	f.Add(appendValues(nil, append(append([]any{uint32(2)}, entry...), entry...)...))
	f.Add(appendValues(nil, uint32(0)))
	f.Add(appendValues(nil, uint32(1<<31)))
	f.Add(appendValues(nil, uint32(statusDenied), "no", ""))
	f.Add(appendValues(nil, uint32(hasExtended), uint32(1<<32-1), "x", "y"))
	f.Add(appendValues(nil, "handle"))
	f.Fuzz(func(t *testing.T, body []byte) {
		d := &listing{ctx: t.Context(), path: "/"}
		entries, err := d.decodeEntries("list", &decoder{b: body})
		if err == nil && (len(entries) > len(body)/12) {
			t.Errorf("%d octets have %d entries", len(body), len(entries))
		}
		for i := range entries {
			line, err := d.makeLine(&entries[i])
			if err != nil || line.Link != nil && !protocols.IsFileName(entries[i].name) || len(line.Text) > protocols.MaxFileName {
				t.Errorf("the name %q: %v, %v", entries[i].name, line, err)
			}
		}
		d2 := decoder{b: body}
		if a := d2.attrs(); d2.end() && a.flags&(hasSize|hasExtended) == 0 && a.flags < hasExtended {
			again := decoder{b: a.append(nil)}
			if b := again.attrs(); !again.end() || a != b {
				t.Errorf("attributes %+v, and after encoding %+v", a, b)
			}
		}
		if err := statusError("op", answer{fxpStatus, body}); err != nil && protocols.ReasonOf(err) == 0 {
			t.Errorf("an error without a reason: %v", err)
		}
		if kind, packet, err := readPacket(bytes.NewReader(body)); err == nil && (len(packet) > len(body) || kind != body[4]) {
			t.Errorf("a packet of %d octets from %d", len(packet), len(body))
		}
		free := decoder{b: body}
		if available, size, ok := freeSpace(&free); ok && available > size {
			t.Errorf("%d of %d octets are free", available, size)
		}
	})
}

// TestSampleOffsets checks that samples show each missing piece of a part that was not acknowledged, both ends, and equal
// distances between the others.
func TestSampleOffsets(t *testing.T) {
	for _, size := range []int64{1, 100, sampleOctets, plainLength, plainLength + 1, maxBehind, maxBehind + 1, maxBehind + plainLength + 5, 1 << 40} {
		end := int64(0)
		offsets := sampleOffsets(size)
		for _, offset := range offsets {
			gap := offset - end
			if size-end <= maxBehind && gap >= plainLength || gap > size/farSamples+plainLength {
				t.Errorf("%d octets: none from %d to %d is compared", size, end, offset)
			}
			end = offset + sampleOctets
		}
		if end < size || offsets[0] != 0 || len(offsets) > farSamples+maxBehind/plainLength+2 {
			t.Errorf("%d octets: %d samples end at %d", size, len(offsets), end)
		}
	}
}
