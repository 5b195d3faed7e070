package across_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/protocols"
	"gofer/protocols/file"
	"gofer/urlcore"
)

// victims returns a directory with a file d/sub/thesis that the user has listed, with the lines of its items, and another
// directory with a file of the same name.
func victims(t *testing.T, s across.Server) (list side, items []protocols.Line, victim string) {
	t.Helper()
	list, victim = local(t), t.TempDir()
	write(t, list.path, map[string]string{"d/sub/thesis": "bait"})
	write(t, victim, map[string]string{"thesis": "precious"})
	return list, linesOf(t, s, list.url), victim
}

// swap puts a link in the place of a directory.
func swap(t *testing.T, path, target string) {
	t.Helper()
	fetchtest.NoError(t, os.Rename(path, path+".moved"))
	fetchtest.NoError(t, os.Symlink(target, path))
}

// TestRemovalBelowAList checks that a removal does not enter a link that has taken the place of a listed directory, before the
// question or after it.
func TestRemovalBelowAList(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	run := func(r *across.Removal, dir urlcore.URL) error {
		return r.Run(t.Context(), func(_ string, c *protocols.Change) error {
			c.Within = dir
			_, err := s.Change(t.Context(), c)
			return err
		})
	}
	list, items, victim := victims(t, s)
	swap(t, list.path+"/d", victim)
	if _, err := across.ListRemoval(t.Context(), across.Within(s, list.url), items[0]); err == nil {
		t.Error("a link was listed as a directory")
	}

	list, items, victim = victims(t, s)
	r := fetchtest.Must(across.ListRemoval(t.Context(), across.Within(s, list.url), items[0]))(t)
	swap(t, list.path+"/d/sub", victim)
	if err := run(r, list.url); err == nil {
		t.Error("the removal entered a link")
	}
	wantFiles(t, victim, map[string]string{"thesis": "precious"})
}

// TestMoveBelowAList checks that a move neither reads nor removes nor writes through a link that has taken the place of a
// listed directory.
func TestMoveBelowAList(t *testing.T) {
	s := protocols.Registry{"file": new(file.Client)}
	for _, swapped := range []string{"before", "source", "target"} {
		list, items, victim := victims(t, s)
		to := local(t)
		write(t, to.path, map[string]string{"d/sub/": ""})
		c := &across.Copy{Server: across.Within(s, list.url, to.url), From: list.url, To: to.url, Items: items, Move: true}
		if swapped == "before" {
			swap(t, list.path+"/d", victim)
		}
		fetchtest.NoError(t, c.Plan(t.Context()))
		switch swapped {
		case "source":
			swap(t, list.path+"/d/sub", victim)
		case "target":
			swap(t, to.path+"/d/sub", victim)
		}
		_ = c.Run(t.Context(), nil)
		fetchtest.Equal(t, len(c.LeftOut()) > 0, true, "items were left out when the %s is a link", swapped)
		wantFiles(t, victim, map[string]string{"thesis": "precious"})
	}
}

// TestLevelsBelowAList checks that the items of an endless tree are refused below a number of levels.
func TestLevelsBelowAList(t *testing.T) {
	top := fetchtest.Must(urlcore.Parse("file:///top/"))(t)
	reached := 0
	s := across.Within(endless{reached: &reached}, top)
	_, err := across.ListRemoval(t.Context(), s, protocols.Line{Kind: protocols.Directory, Link: fetchtest.Must(urlcore.Parse("file:///top/d/"))(t)})
	if protocols.ReasonOf(err) != protocols.TooBig || !strings.Contains(err.Error(), "levels of directories") || reached > 300 {
		t.Errorf("%d directories, then %v", reached, err)
	}
}

// endless has a directory in each directory.
type endless struct {
	across.Server
	reached *int
}

func (e endless) Fetch(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
	if *e.reached++; *e.reached > 1000 {
		return nil, protocols.NewError(protocols.NotFound, "list", "the end of the test")
	}
	child, err := req.URL.(across.Directory).Child("d")
	if err != nil {
		return nil, err
	}
	f := child.(urlcore.File)
	f.Path += "/"
	line := protocols.Line{Kind: protocols.Directory, Link: f, Note: &protocols.FileNote{Size: -1}}
	lines := func(yield func(protocols.Line, error) bool) { yield(line, nil) }
	return &protocols.Resource{Head: protocols.Head{URL: req.URL, Layout: protocols.LayoutDirectory}, Lines: lines}, nil
}
