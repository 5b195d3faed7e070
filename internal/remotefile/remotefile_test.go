package remotefile_test

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/remotefile"
	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// newReader returns a reader of text whose server sends at most three octets, and a count of the requests that are not answered.
func newReader(text string, inFlight *int) *remotefile.Reader {
	return &remotefile.Reader{
		Longest: func() int64 { return 4 }, Ahead: 24, Done: func() { *inFlight = -1 },
		Ask: func(offset int64, length int) (remotefile.Answer, error) {
			*inFlight++
			return func() ([]byte, error) {
				*inFlight--
				if offset >= int64(len(text)) {
					return nil, io.EOF
				}
				return []byte(text[offset:min(len(text), int(offset)+min(length, 3))]), nil
			}, nil
		},
	}
}

func TestReader(t *testing.T) {
	text := strings.Repeat("0123456789", 20)
	for _, tt := range []struct{ offset, size int64 }{{0, 200}, {7, 200}, {0, -1}, {199, 200}, {200, 200}, {0, 10}} {
		inFlight, most := 0, 0
		r := newReader(text, &inFlight)
		fetchtest.NoError(t, r.Start(t.Context(), tt.offset, tt.size))
		got, buf := "", make([]byte, 5)
		for {
			most = max(most, inFlight)
			n, err := r.Read(buf)
			if got += string(buf[:n]); err == io.EOF {
				break
			}
			fetchtest.NoError(t, err)
		}
		want := text[tt.offset:]
		if tt.size >= 0 {
			want = text[tt.offset:tt.size]
		}
		fetchtest.Equal(t, got, want, "from %d to %d", tt.offset, tt.size)
		fetchtest.Equal(t, inFlight, -1, "Done was called, from %d to %d", tt.offset, tt.size)
		limit := 7 // those of Ahead, and the rest of a part
		if tt.size < 0 {
			limit = 5
		}
		fetchtest.Equal(t, most <= limit, true, "from %d to %d: %d requests at once", tt.offset, tt.size, most)
		if tt.size == 200 && tt.offset < 10 {
			fetchtest.Equal(t, most >= 5, true, "from %d to %d: only %d requests at once", tt.offset, tt.size, most)
		}
	}
}

func TestShorterFile(t *testing.T) {
	inFlight := 0
	r := newReader("0123", &inFlight)
	fetchtest.NoError(t, r.Start(t.Context(), 0, 40))
	var b strings.Builder
	_, err := io.Copy(&b, r)
	fetchtest.Reason(t, err, protocols.Broken)
	fetchtest.Equal(t, b.String(), "0123")
}
