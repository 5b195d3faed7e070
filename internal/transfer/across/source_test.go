package across

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestFirstHead checks that the head of a document that has ended already is not lost.
func TestFirstHead(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	for range 100 {
		heads := make(chan protocols.Head, 1)
		heads <- protocols.Head{Size: 7}
		var saved error
		head, err := firstHead(heads, ended, &saved)
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, head.Size, int64(7), "size in the head")
	}
	var saved error
	if _, err := firstHead(nil, ended, &saved); err == nil {
		t.Error("an answer without a head is no error")
	}
}
