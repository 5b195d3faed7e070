package protocols

import "testing"

// TestGroupRow checks that the description of a group begins with the meaning of its status.
func TestGroupRow(t *testing.T) {
	for _, tt := range []struct {
		note GroupNote
		want string
	}{
		{GroupNote{Description: "Talk"}, "Talk"},
		{GroupNote{Status: 'y', Description: "Talk"}, "Talk"},
		{GroupNote{Status: '?', Description: "Talk"}, "Talk"},
		{GroupNote{Status: 'm', Description: "Talk"}, "moderated; Talk"},
		{GroupNote{Status: 'm', Description: "Talk. (Moderated)"}, "moderated; Talk."},
		{GroupNote{Status: 'm', Description: "(Moderated)"}, "moderated"},
		{GroupNote{Status: 'm', Description: "(Moderated) talk"}, "moderated; (Moderated) talk"},
		{GroupNote{Status: '?', Description: "Talk ()"}, "Talk ()"},
		{GroupNote{Status: 'n'}, "no posting"},
		{GroupNote{Status: 'x', Description: "Talk"}, "closed; Talk"},
		{GroupNote{Status: 'j'}, "closed"},
		{GroupNote{Status: '=', Moved: "a.b"}, "now a.b"},
	} {
		if got := tt.note.Row().Description; got != tt.want {
			t.Errorf("Row of %+v: got description %q; want %q", tt.note, got, tt.want)
		}
	}
}
