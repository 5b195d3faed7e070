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
	Patterns []Pattern `json:"patterns,omitempty"` // the last one that matches decides
	Newer    time.Time `json:"newer,omitzero"`     // files that were modified earlier are left; zero: none
}

// Pattern is a shell pattern (see [path.Match]) of items. Without a slash it matches the last
// element of a path, else the whole path. With a slash at its end it matches directories only.
type Pattern struct {
	Glob    string `json:"glob"`
	Include bool   `json:"include,omitempty"`
}

// NothingSelected reports that the patterns exclude all files.
const NothingSelected = "the patterns select no file: * does not match /, and a pattern that excludes a directory excludes its items"

// Add appends a pattern. It returns an error if that is malformed.
func (f *Filter) Add(glob string, include bool) error {
	if _, err := path.Match(glob, ""); err != nil || strings.Trim(glob, "/") == "" {
		return fmt.Errorf("%q is no pattern: one is written like '*.iso' or 'old/'", glob)
	}
	f.Patterns = append(f.Patterns, Pattern{glob, include})
	return nil
}

// Selects reports whether the item at a path below the root of the tree is selected. Items below
// a directory that is not selected are not either. A file that matches no pattern is selected unless
// the first pattern is an Include; a directory always. A file of unknown date passes Newer.
func (f *Filter) Selects(at string, dir bool, modified time.Time) bool {
	if !dir && !modified.IsZero() && modified.Before(f.Newer) {
		return false
	}
	selected := dir || len(f.Patterns) == 0 || !f.Patterns[0].Include
	for _, p := range f.Patterns {
		if p.matches(at, dir) {
			selected = p.Include
		}
	}
	return selected
}

func (p Pattern) matches(at string, dir bool) bool {
	glob, dirOnly := strings.CutSuffix(strings.TrimPrefix(p.Glob, "/"), "/")
	if !strings.Contains(strings.TrimSuffix(p.Glob, "/"), "/") {
		at = path.Base(at)
	}
	ok, _ := path.Match(glob, at)
	return ok && (dir || !dirOnly)
}

// SameDate compares the date of a file of this machine with a listed date, which may be exact, to
// the minute, to the day, in an unknown zone or missing. sure is false if the server may know the
// date more exactly than its listing.
func SameDate(date time.Time, listed *protocols.FileNote) (same, sure bool) {
	const day, quarter = 24 * time.Hour, 15 * time.Minute
	off := date.Sub(listed.Modified)
	minutes := date.Truncate(time.Minute).Sub(listed.Modified.Truncate(time.Minute))
	coarse := listed.DateOnly || listed.Local || listed.Modified.Second() == 0
	switch {
	case listed.Modified.IsZero(), listed.DateOnly && off.Abs() < 2*day, listed.Local && minutes.Abs() <= day && minutes%quarter == 0, coarse && minutes == 0:
		return false, false
	}
	return !coarse && off.Truncate(time.Second) == 0, true
}
