package nntp

import (
	"strings"
	"testing"
	"time"
)

// TestNewGroups requests new groups from servers that know both formats of the date, one or none.
func TestNewGroups(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	clock := time.Date(2026, 3, 5, 1, 2, 3, 0, time.UTC)
	endless := "231 new\n" + strings.Repeat("a.new 7 3 y\n", maxActive) + "b.new 1 1 y\nstall"
	const list = "231 new\na.new 7 3 y\nb.new 0 1 m\nnonsense\n."
	for _, tt := range []struct {
		name    string
		answers map[string]string
		since   time.Time
		groups  int
		dated   bool
	}{
		{"RFC 3977", map[string]string{"DATE": "111 20260305010203", "NEWGROUPS 20260301 110000 GMT": list}, since, 2, true},
		{
			"RFC 977",
			map[string]string{"DATE": "500 what", "NEWGROUPS 20260301 110000 GMT": "501 syntax", "NEWGROUPS 260301 110000 GMT": list},
			since, 2, false,
		},
		{"neither", map[string]string{"DATE": "500 what", "NEWGROUPS": "500 what"}, since, 0, false},
		{"without end", map[string]string{"NEWGROUPS": endless}, since, maxNewGroups, false},
		{"the first time", map[string]string{"DATE": "111 20260305010203"}, time.Time{}, 0, true},
	} {
		f := startFake(t, tt.answers)
		groups, now, err := f.client().NewGroups(t.Context(), f.groupURL("a.b"), tt.since)
		if err != nil || len(groups) != tt.groups || now.Equal(clock) != tt.dated || now.IsZero() {
			t.Errorf(
				"%s: NewGroups() = %d groups, %v, %v; want %d groups, the time of the server: %v", tt.name, len(groups),
				now, err, tt.groups, tt.dated,
			)
		}
		if len(groups) > 0 && groups[0].Text != "a.new" {
			t.Errorf("%s: the first new group is %+v, want a.new", tt.name, groups[0])
		}
	}
}
