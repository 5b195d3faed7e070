package transfer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestBundle checks that the page or the tagged items are saved under the typed name, and that a file is replaced only after
// a yes.
func TestBundle(t *testing.T) {
	c := newChangesProgram(t)
	c.Settings.Downloads.Folder = t.TempDir()
	saved := ""
	c.changes.SaveBundle = func(_ context.Context, urls []urlcore.URL, path string, overwrite bool, report func(string)) (string, error) {
		saved = urls[0].String() + " " + filepath.Base(path)
		if overwrite {
			return "", errors.New("disk full")
		}
		return "3 pages", nil
	}
	last := func() string { return c.Notices[len(c.Notices)-1] }
	c.Run(c.changes.Bundle())
	c.RunActions("done")
	fetchtest.Equal(t, saved, "ftp://ftp.example.org/pub/ pub.zip", "saved")
	fetchtest.Equal(t, last(), "saved pub.zip: 3 pages (in "+c.Settings.Downloads.Folder+")")

	path := filepath.Join(c.Settings.Downloads.Folder, "pub.zip")
	fetchtest.NoError(t, os.WriteFile(path, nil, 0o600))
	saved = ""
	c.Run(c.changes.Bundle())
	c.RunActions("done")
	fetchtest.Equal(t, saved, "", "saved before the answer")
	c.RunActions("yes")
	fetchtest.Equal(t, last(), "not saved: pub.zip: disk full")

	c.Settings.Restrict.Enabled = true
	saved = ""
	c.Run(c.changes.Bundle())
	c.RunActions("done")
	fetchtest.Equal(t, saved, "", "saved in restricted mode")
}
