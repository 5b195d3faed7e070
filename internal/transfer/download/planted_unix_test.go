//go:build unix

package download

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile"
)

// TestPlantedPart checks that a file with the name of an unfinished file is neither used nor changed unless it is the
// file that gofer has recorded, and that a record beside it is not read.
func TestPlantedPart(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<10)
	evil := strings.Repeat("x", 5000) + body[5000:10000]
	const record = `{"url":"test:somewhere","size":16384,"whole":true}`
	write := func(name, content string, mode os.FileMode) error {
		return errors.Join(os.WriteFile(name, []byte(content), 0o600), os.Chmod(name, mode))
	}
	for _, tt := range []struct {
		name     string
		recorded bool // there was an unfinished file, with a record
		plant    func(part string) error
		offset   int64 // of the first transfer
		used     bool  // the planted file is the unfinished file
	}{
		{"beside a record", false, func(part string) error {
			return errors.Join(write(part, body, 0o600), write(part+".info", record, 0o600))
		}, 0, false},
		{"an unfinished file of gofer", true, func(string) error { return nil }, 5904, true},
		{"a file in its place", true, func(part string) error {
			return errors.Join(write(part+"x", evil, 0o600), os.Chtimes(part+"x", time.Time{}, noon), os.Rename(part+"x", part))
		}, 0, false},
		{"writable for the group", true, func(part string) error { return os.Chmod(part, 0o620) }, 0, false},
		{"writable for all", true, func(part string) error { return os.Chmod(part, 0o602) }, 0, false},
		{"with another name", true, func(part string) error { return os.Link(part, part+"x") }, 0, false},
		{
			"a symbolic link to it", true,
			func(part string) error { return errors.Join(os.Rename(part, part+"x"), os.Symlink(part+"x", part)) }, 0,
			false,
		},
		{"a dangling link", false, func(part string) error { return os.Symlink("nothing", part) }, 0, false},
		{"a named pipe", false, func(part string) error { return syscall.Mkfifo(part, 0o600) }, 0, false},
		{"a directory", false, func(part string) error { return os.Mkdir(part, 0o700) }, 0, false},
		{"of another user", true, func(part string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(part, 0o622) // only root can give files away
			}
			return os.Chown(part, 65534, -1)
		}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			part := path + partSuffix
			if tt.recorded {
				writeFiles(t, dir, "f.part="+body[:10000], `f.part.info={"url":"test:somewhere","size":16384}`)
			}
			fetchtest.NoError(t, tt.plant(part))
			before := fetchtest.Must(os.Lstat(part))(t)
			r := &resumableServer{body: body}
			s := saveAs(t, r, testURL, path)
			fetchtest.NoError(t, s.Err)
			fetchtest.ReturnsText(t, body, "the file")(os.ReadFile(path))
			fetchtest.Equal(t, r.offsets[0], tt.offset, "offset of the first transfer")
			after, err := os.Lstat(part)
			if left := err == nil && os.SameFile(before, after) && before.Mode() == after.Mode() && before.Size() == after.Size(); left == tt.used {
				t.Errorf("the planted file is unchanged: %v (error %v), want %v", left, err, !tt.used)
			}
			info := fetchtest.Must(os.Lstat(path))(t)
			if !userfile.IsOwn(info) || userfile.Links(info) != 1 || info.Mode() != 0o666&^umask() {
				t.Errorf(
					"the file has the mode %v and %d names, want %v and 1, and this user as its owner", info.Mode(),
					userfile.Links(info), 0o666&^umask(),
				)
			}
		})
	}
}

// TestContinueOthersFile checks that a file of another user, or with several names, is not continued.
func TestContinueOthersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	fetchtest.NoError(t, os.WriteFile(path, []byte("0123"), 0o600))
	fetchtest.NoError(t, os.Link(path, path+"2"))
	s := saveAs(t, &resumableServer{body: "0123456789"}, testURL, path, withContinue)
	fetchtest.ErrorIs(t, s.Err, errNotOnlyYours, "with two names")
	if os.Geteuid() == 0 {
		fetchtest.NoError(t, errors.Join(os.Remove(path+"2"), os.Chown(path, 65534, -1)))
		s = saveAs(t, &resumableServer{body: "0123456789"}, testURL, path, withContinue)
		fetchtest.ErrorIs(t, s.Err, errNotOnlyYours, "of another user")
	}
	fetchtest.ReturnsText(t, "0123", "the file")(os.ReadFile(path))
}

// TestOthersIndex checks that an index that another user may have written is not read.
func TestOthersIndex(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, indexName)
	read := func() error { _, err := readIndex(t.Context(), dir, "gopher://h/1", newNames("linux")); return err }
	fetchtest.NoError(t, inDir(dir, func(root *os.Root) error { return replaceFile(root, indexName, []byte("{}")) }))
	fetchtest.NoError(t, read())
	for _, change := range []func() error{
		func() error { return os.Chmod(name, 0o664) },
		func() error { return os.Chmod(name, 0o646) },
		func() error { return errors.Join(os.Chmod(name, 0o644), os.Link(name, name+"x")) },
	} {
		fetchtest.NoError(t, change())
		fetchtest.ErrorIs(t, read(), userfile.ErrNotOnlyYours, "readIndex")
	}
}

// TestSavedRecord checks that a large saved file is not fetched again by a later download with Continue, unless it has
// changed, and that its record does not have the URL.
func TestSavedRecord(t *testing.T) {
	dir := t.TempDir()
	path, body := filepath.Join(dir, "f"), strings.Repeat("0123456789abcdef", minSynced/16)
	fetchtest.NoError(t, saveAs(t, &resumableServer{body: body}, testURL, path).Err)
	if text := listFiles(t, recordsOf(dir)); strings.Contains(text, "somewhere") || text == "" {
		t.Errorf("record of the saved file: got %q, want one without the URL", text)
	}
	for _, tt := range []struct {
		name   string
		change func() error
		offset int64
	}{
		{"unchanged", func() error { return nil }, minSynced - overlap},
		{"unchanged again", func() error { return nil }, minSynced - overlap},
		{"written again", func() error { return os.WriteFile(path, []byte(body), 0o600) }, 0},
		{"replaced", func() error {
			return errors.Join(os.WriteFile(path+"x", []byte(body), 0o600), os.Chtimes(path+"x", time.Time{}, noon), os.Rename(path+"x", path))
		}, 0},
	} {
		r := &resumableServer{body: body}
		fetchtest.NoError(t, tt.change())
		fetchtest.NoError(t, saveAs(t, r, testURL, path, withContinue).Err)
		fetchtest.Equal(t, r.offsets[0], tt.offset, "%s: offset of the transfer", tt.name)
	}
	s := saveAs(t, &resumableServer{body: body}, testURL, path)
	fetchtest.ErrorIs(t, s.Err, ErrExists, "without Continue")
}

// TestRecordFolder checks that records are in memory if others own the folder or it cannot be made, that a folder that
// others may write to is closed, and that old records are removed.
func TestRecordFolder(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	fetchtest.NoError(t, errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)))
	for _, tt := range []struct {
		folder string
		want   string
	}{
		{"", ""},
		{filepath.Join(dir, "file", "x"), ""},
		{"/proc/gofer", ""},
		{open, open},
		{filepath.Join(dir, "a/b"), filepath.Join(dir, "a/b")},
	} {
		rs := &records{dir: tt.folder}
		fetchtest.Equal(t, rs.folder(), tt.want, "folder for %q", tt.folder)
		held, _, known, err := rs.hold("f")
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, known, false, "there is a record")
		_, _, _, err = rs.hold("f")
		fetchtest.ErrorIs(t, err, errLocked, "hold of a held record")
		held.write(record{URL: "x:y", Part: "f.part"})
		held.release()
		held, r, _, err := rs.hold("./f")
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, r.Part, "f.part", "record in %q", tt.folder)
		held.remove()
		_, known = rs.read("f")
		fetchtest.Equal(t, known, false, "a removed record exists")
	}
	fetchtest.Equal(t, fetchtest.Must(os.Stat(open))(t).Mode().Perm(), 0o755, "mode of the folder")

	for _, name := range []string{"old", "new", "locked"} {
		fetchtest.NoError(t, os.WriteFile(filepath.Join(open, name), nil, 0o600))
	}
	before := time.Now().Add(-maxRecordAge)
	for _, name := range []string{"old", "locked"} {
		fetchtest.NoError(t, os.Chtimes(filepath.Join(open, name), before, before))
	}
	lock := fetchtest.Must(openLocked(filepath.Join(open, "locked")))(t)
	defer lock.Close()
	sweepRecords(open, time.Now())
	fetchtest.Equal(t, listFiles(t, open), `locked="" new=""`, "records after the sweep")
}

// TestRelativeList checks that a list cannot name a file relative to the working directory of the run that reads it.
func TestRelativeList(t *testing.T) {
	for text, want := range map[string]int{
		`"path":"/a/x"`: 1, `"path":"x"`: 0, `"path":"../x"`: 0, `"folder":"/a"`: 1, `"folder":"a"`: 0, `"folder":".."`: 0, `"path":"/a/x","folder":"."`: 0,
	} {
		fetchtest.Equal(t, len(decodeList([]byte(`{"url":"gopher://h/9/x",`+text+`}`))), want, "entries with %s", text)
	}
}
