package ftp

import (
	"strings"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestFinish stores files whose dates and modes are answered only after Put. The replies are read with those about the next
// file, or by Finish. If the session is lost before, another one sets the date and the mode.
func TestFinish(t *testing.T) {
	const set, mode = "MFMT 20250101000000 ", "SITE CHMOD 640 "
	for _, tt := range []struct {
		name       string
		date       string // the reply to MFMT
		pipelining string
		files      string
		want       string // the last commands
		wantDate   bool
	}{
		{"answered with the next file", "213 set", "", "a c", "STOR a|" + set + "a|" + mode + "a|STOR c|" + set + "c|" + mode + "c", true},
		{"answered at the end", "213 set", "", "a", "STOR a|" + set + "a|" + mode + "a", true},
		{"refused", "550 no", "", "a c", "STOR a|" + set + "a|" + mode + "a|STOR c|" + set + "c|" + mode + "c", false},
		{"lost before the next file", "", "", "a c", "STOR c|" + set + "c|" + mode + "c|" + set + "a|" + mode + "a", true},
		{"the server ends before the next file", "421 bye!", "", "a c", "STOR c|" + set + "c|" + mode + "c|" + set + "a|" + mode + "a", true},
		{"lost before the end", "...", "", "a", "CWD d|" + set + "a|" + mode + "a", true},
		{"one command at a time", "213 set", "refuse", "a c", "STOR a|" + set + "a|" + mode + "a|EPSV|STOR c|" + set + "c|" + mode + "c", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{pipelining: tt.pipelining, replies: map[string]string{
				"FEAT": "211-\r\n MFMT\r\n211 end", "MFMT": "213 set", "MFMT 20250101000000 a": tt.date, "SITE": "200 set",
			}})
			c := newClient(t)
			var ups []*protocols.Upload
			for name := range strings.FieldsSeq(tt.files) {
				up := &protocols.Upload{
					Body: strings.NewReader("abc"), Size: 3, Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Mode: "640",
					Listed: true, Replace: true, Unchecked: true,
				}
				fetchtest.NoError(t, c.Put(t.Context(), parse(t, f.url("d/"+name)), up))
				ups = append(ups, up)
			}
			if tt.date == "..." {
				<-f.stalled
				_ = f.conns[0].Close()
			}
			if tt.wantDate { // the server answers the next time
				f.setReply("MFMT 20250101000000 a", "213 set")
			}
			for _, up := range ups {
				if up.Finish != nil {
					up.Finish(t.Context())
				}
			}
			fetchtest.Equal(t, ups[0].DateKept, tt.wantDate, "the date is kept")
			fetchtest.Equal(t, ups[0].ModeKept, true, "the mode is kept")
			if sent := "|" + strings.Join(f.commands(), "|"); !strings.HasSuffix(sent, tt.want) {
				t.Errorf("sent %s, want %s at the end", sent, tt.want)
			}
		})
	}
}
