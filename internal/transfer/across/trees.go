package across

import (
	"context"
	"slices"
	"sync/atomic"

	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxComparedDirs and maxComparedDepth limit Trees, because a server can list endless directories.
const (
	maxComparedDirs  = 2000
	maxComparedDepth = 64
)

// Trees compares directories with all that is below them. The exported fields must not change after the first call.
type Trees struct {
	Server   protocols.Fetcher
	Hidden   bool // hidden items are compared too
	Contents bool // files that may be equal are read

	Dirs, Files, Octets atomic.Int64 // numbers of compared pairs of directories, and of files and octets that were read
}

// SameDirectories returns the indexes of the directories that both sides have, without links.
func SameDirectories(items, others []protocols.Line) (pairs [][2]int) {
	return sameNames(items, others, (*protocols.Line).IsRealDirectory)
}

// Compare returns Equal, Changed, or Unknown if no difference was found but something below could not be compared: it cannot be
// listed, there are too many directories or levels, or the listings do not decide. An error is one that ends the whole
// comparison.
func (t *Trees) Compare(ctx context.Context, a, b urlcore.URL) (Difference, error) {
	return t.compare(ctx, a, b, 0)
}

func (t *Trees) compare(ctx context.Context, a, b urlcore.URL, depth int) (Difference, error) {
	if depth > maxComparedDepth || t.Dirs.Add(1) > maxComparedDirs {
		return Unknown, nil
	}
	items, others, err := t.list(ctx, a, b)
	if err != nil {
		return Unknown, unlessFatal(ctx, err)
	}
	diffs := Compare(items, others)
	differs := func(d Difference) bool { return d != Equal && d != Unknown }
	if slices.ContainsFunc(diffs, differs) || slices.Contains(Compare(others, items), New) {
		return Changed, nil
	}
	same := SameDirectories(items, others)
	for _, p := range same {
		if diffs[p[0]], err = t.compare(ctx, items[p[0]].Link, others[p[1]].Link, depth+1); err != nil || differs(diffs[p[0]]) {
			return diffs[p[0]], err
		}
	}
	if t.Contents {
		if err := t.CompareFiles(ctx, items, others, func(i, _ int, d Difference) { diffs[i] = d }); err != nil {
			return Unknown, err
		}
	}
	if slices.ContainsFunc(diffs, differs) { // as only the contents show
		return Changed, nil
	}
	return slices.Max(append(diffs, Equal)), nil
}

// list lists both directories at the same time.
func (t *Trees) list(ctx context.Context, a, b urlcore.URL) (items, others []protocols.Line, err error) {
	done := make(chan error, 1)
	go func() {
		var err error
		others, err = t.read(ctx, b)
		done <- err
	}()
	items, err = t.read(ctx, a)
	if other := <-done; err == nil {
		err = other
	}
	return items, others, err
}

func (t *Trees) read(ctx context.Context, u urlcore.URL) (items []protocols.Line, err error) {
	r := mirror.Retry{Tries: mirror.RefusedTries}
	err = r.Do(ctx, func(mirror.Wait) {}, func() (bool, error) {
		var unnamed []protocols.Line
		items, unnamed, err = readItems(ctx, t.Server, u, t.Hidden)
		if err == nil && len(unnamed) > 0 {
			err = errName
		}
		return false, err
	})
	return slices.DeleteFunc(items, func(l protocols.Line) bool { return !t.Hidden && protocols.IsHiddenName(l.Text) }), err
}

// CompareFiles reads the files that both sides have with the same size, and calls set with the indexes of each pair and with Equal,
// Changed, or Unknown if they cannot be read.
func (t *Trees) CompareFiles(ctx context.Context, items, others []protocols.Line, set func(i, j int, d Difference)) error {
	for _, p := range SameNames(items, others) {
		same, err := SameContent(ctx, t.Server, items[p[0]], others[p[1]], func(n int) { t.Octets.Add(int64(n)) })
		d := Changed
		switch {
		case err != nil:
			d = Unknown
			if err := unlessFatal(ctx, err); err != nil {
				return err
			}
		case same:
			d = Equal
		}
		set(p[0], p[1], d)
		t.Files.Add(1)
	}
	return nil
}

// unlessFatal returns err if it ends the whole comparison.
func unlessFatal(ctx context.Context, err error) error {
	if isFatal(ctx, err) {
		return err
	}
	return nil
}
