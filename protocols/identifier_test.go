package protocols_test

import (
	"context"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// sameFetcher says that any two items are the same.
type sameFetcher struct{ protocols.Fetcher }

func (sameFetcher) SameItem(context.Context, urlcore.URL, urlcore.URL) (same, known bool, err error) {
	return true, true, nil
}

// TestSameItem checks that only the Fetcher of both URLs is asked, and that nothing is claimed without one.
func TestSameItem(t *testing.T) {
	r := protocols.Registry{"ftp": sameFetcher{}, "file": sameFetcher{}, "gopher": struct{ protocols.Fetcher }{}}
	for _, tt := range []struct {
		a, b        string
		same, known bool
	}{
		{"ftp://h/a", "ftp://h/b", true, true},
		{"ftp://h/a", "file:///a", false, false}, // the server may have the folder of this machine
		{"gopher://h/0/a", "gopher://h/0/b", false, false},
		{"gopher://h/0/a", "gopher://h/0/a", true, true},
		{"ftp://u:p@h/a", "ftp://u@h/a", true, true},
	} {
		same, known, err := r.SameItem(t.Context(), fetchtest.Parse(t, tt.a), fetchtest.Parse(t, tt.b))
		if same != tt.same || known != tt.known || err != nil {
			t.Errorf("SameItem(%s, %s) = %v, %v, %v; want %v, %v", tt.a, tt.b, same, known, err, tt.same, tt.known)
		}
	}
}
