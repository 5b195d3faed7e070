package upload_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/upload"
)

// TestResume checks that only the missing end of a file is sent after an earlier attempt, or with Continue. Otherwise
// a shorter file of the server counts as changed, and the whole file is sent.
func TestResume(t *testing.T) {
	content := strings.Repeat("0123456789", 300)
	for _, tt := range []struct {
		name        string
		there       string
		breaks      int  // attempts that store a part
		lost        int  // earlier attempts that store nothing
		changed     bool // the local file is replaced after the first part
		useContinue bool
		want        string
	}{
		{name: "shorter", there: "other", want: "whole replace before=5"},
		{name: "shorter, with Continue", there: content[:5], useContinue: true, want: "rest before=0"},
		{name: "new, broken", breaks: 2, want: "whole replace before=0, rest replace before=0, rest replace before=0"},
		{name: "shorter, broken", there: "other", breaks: 1, want: "whole replace before=5, rest replace before=5"},
		{name: "shorter, broken before it was replaced", there: "other", lost: 1, want: "whole replace before=5, whole replace before=5"},
		{
			name: "shorter, broken at the comparison with Continue", there: content[:5], lost: 1, useContinue: true,
			want: "rest before=0, rest before=0",
		},
		{name: "changed after the part", breaks: 1, changed: true, want: "whole replace before=0, whole replace before=0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path, want := filepath.Join(dir, "a"), content
			writeFile(t, path, content, 0o644, longAgo)
			m := &memoryServer{files: make(map[string][]byte), breaksBefore: tt.lost}
			if tt.there != "" {
				m.files["a"] = []byte(tt.there)
			}
			m.loses = func() bool { return len(m.putModes) > tt.lost && len(m.putModes) <= tt.lost+tt.breaks }
			if tt.changed {
				want = strings.Repeat("other", 600)
				m.onBreak = func() { writeFile(t, path, want, 0o644, longAgo.Add(time.Hour)) }
			}
			synctest.Test(t, func(t *testing.T) {
				tr := &upload.Tree{Server: m, Dir: dir, URL: ftpURL(t, "ftp://ftp.example/d;type=d"), Update: !tt.useContinue, Continue: tt.useContinue}
				defer tr.Close()
				fetchtest.NoError(t, tr.Plan(t.Context()))
				fetchtest.NoError(t, tr.Run(t.Context()))
				p := tr.Progress()
				fetchtest.Equal(t, p.Done, p.Size, "octets")
			})
			fetchtest.Equal(t, string(m.files["a"]) == want, true, "the file is whole")
			fetchtest.Equal(t, strings.Join(m.putModes, ", "), tt.want)
		})
	}
}
