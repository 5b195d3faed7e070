package mirror

import (
	"fmt"
	"path"
	"strings"
	"time"

	"gofer/protocols"
)

// Filter selects the items of a directory tree. The zero Filter selects all of them.
type Filter struct {
	Patterns      []Pattern `json:"patterns,omitempty"` // the last pattern that matches an item decides
	ModifiedSince time.Time `json:"newer,omitzero"`     // excludes files that were modified before this time; zero: no limit
}

// Pattern is a shell pattern for items (see [path.Match]). A pattern that ends in a slash matches directories
// only. A pattern with another slash matches the whole path of an item. All other patterns match the last element
// of the path.
type Pattern struct {
	Glob    string `json:"glob"`
	Include bool   `json:"include,omitempty"`
}

// NoteNothingSelected reports that the patterns exclude all files.
const NoteNothingSelected = "the patterns select no file: * does not match /, and a pattern that excludes a directory excludes its items"

// Add appends a pattern. It returns an error if the pattern is malformed.
func (f *Filter) Add(glob string, include bool) error {
	if _, err := path.Match(glob, ""); err != nil || strings.Trim(glob, "/") == "" {
		return fmt.Errorf("%q is not a pattern such as '*.iso' or 'old/'", glob)
	}
	f.Patterns = append(f.Patterns, Pattern{glob, include})
	return nil
}

// Selects reports whether f selects the item at itemPath, which is relative to the root of the tree. Callers
// must skip the content of directories that are not selected. f selects a directory that matches no pattern. It
// also selects a file that matches no pattern, unless the first pattern is an Include. ModifiedSince excludes neither
// directories nor files of unknown date.
func (f *Filter) Selects(itemPath string, dir bool, modified time.Time) bool {
	if !dir && !modified.IsZero() && modified.Before(f.ModifiedSince) {
		return false
	}
	selected := dir || len(f.Patterns) == 0 || !f.Patterns[0].Include
	for _, p := range f.Patterns {
		if p.matches(itemPath, dir) {
			selected = p.Include
		}
	}
	return selected
}

func (p Pattern) matches(itemPath string, dir bool) bool {
	glob, dirOnly := strings.CutSuffix(strings.TrimPrefix(p.Glob, "/"), "/")
	if !strings.Contains(strings.TrimSuffix(p.Glob, "/"), "/") {
		itemPath = path.Base(itemPath)
	}
	ok, _ := path.Match(glob, itemPath)
	return ok && (dir || !dirOnly)
}

// CompareDates compares date, the date of a local file, with the date of a listing. Listed dates may be exact, to
// the minute, to the day, in an unknown time zone, or missing. If the listed date is missing or too coarse to
// decide, sure is false: the caller must ask the server.
func CompareDates(date time.Time, listed *protocols.FileNote) (same, sure bool) {
	const day, quarter = 24 * time.Hour, 15 * time.Minute
	diff := date.Sub(listed.Modified)
	minuteDiff := date.Truncate(time.Minute).Sub(listed.Modified.Truncate(time.Minute))
	coarse := listed.DateOnly || listed.Local || listed.Modified.Second() == 0
	switch {
	case listed.Modified.IsZero(), listed.DateOnly && diff.Abs() < 2*day, listed.Local && minuteDiff.Abs() <= day && minuteDiff%quarter == 0, coarse && minuteDiff == 0:
		return false, false
	}
	return !coarse && diff.Truncate(time.Second) == 0, true
}
