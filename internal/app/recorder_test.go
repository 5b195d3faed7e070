package app

import (
	"slices"
	"testing"

	"gofer/protocols"
)

// TestNotesOfDumpedPage checks that dump prints the notes of the page that is made of a resource.
func TestNotesOfDumpedPage(t *testing.T) {
	f := &Recorder{res: &protocols.Resource{Head: protocols.Head{Notes: []string{"of the server"}}}}
	f.RecordHead(protocols.Head{Notes: []string{"of the server", "of the document"}})
	if got := f.Notes(); !slices.Equal(got, []string{"of the server", "of the document"}) {
		t.Errorf("got %q", got)
	}
}
