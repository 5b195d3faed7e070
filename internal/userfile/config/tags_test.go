package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

// TestTags checks that each setting has a scope, that its default is one of its words and in its range, and that the
// tags have no other values than those that Config explains.
func TestTags(t *testing.T) {
	for _, s := range fetchtest.Must(config.Settings("", noEnv))(t) {
		check := func(tag string, values ...string) {
			t.Helper()
			for _, v := range values {
				if config.Tag(s.Key, tag) == v {
					return
				}
			}
			t.Errorf("%s has the tag %s:%q, want one of %q", s.Key, tag, config.Tag(s.Key, tag), values)
		}
		check("scope", "screen", "fetchers", "start")
		check("demo", "", "own", "user")
		if words := config.Tag(s.Key, "words"); words != "" {
			check("default", strings.Fields(words)...)
		}
		if rank := config.Tag(s.Key, "rank"); rank != "" {
			fetchtest.Must(strconv.Atoi(rank))(t)
		}
		if limits := config.Tag(s.Key, "range"); limits != "" {
			least, greatest, _ := strings.Cut(limits, " ")
			n := fetchtest.Must(strconv.Atoi(s.Default))(t)
			if n < fetchtest.Must(strconv.Atoi(least))(t) || n > fetchtest.Must(strconv.Atoi(greatest))(t) {
				t.Errorf("%s: the default %d is not in the range %s", s.Key, n, limits)
			}
		}
	}
}

func TestTake(t *testing.T) {
	c, from := config.Config{Theme: "dark", ReadOnly: true, Downloads: config.Downloads{Folder: "/a", Detach: true}}, config.Config{Theme: "light", Downloads: config.Downloads{Folder: "/b"}}
	from.Restrict.Enabled = true
	want := config.Config{Theme: "dark", Downloads: config.Downloads{Folder: "/b", Detach: true}, Restrict: from.Restrict}
	c.Take(&from, "scope", "start")
	fetchtest.Equal(t, reflect.DeepEqual(c, want), true, "took %+v", c)
}

// TestExampleExplains checks that the example has each setting, with a comment in its row or at the head of its
// table.
func TestExampleExplains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	fetchtest.NoError(t, os.WriteFile(path, []byte(config.Example), 0o600))
	rows, explained := strings.Split(config.Example, "\n"), []string{}
	for _, s := range fetchtest.Must(config.Settings(path, noEnv))(t) {
		row, err := strconv.Atoi(strings.TrimPrefix(s.Source, path+":"))
		if err != nil {
			continue
		}
		head := row - 1
		for head > 0 && !strings.HasPrefix(rows[head], "[") {
			head--
		}
		if strings.Contains(rows[row-1], " # ") || strings.HasPrefix(rows[head], "[") && strings.Contains(rows[head], " # ") {
			explained = append(explained, s.Key)
		}
	}
	for _, s := range fetchtest.Must(config.Settings("", noEnv))(t) {
		table, name, _ := strings.Cut(s.Key, `""`)
		if strings.HasPrefix(table, "keys.") && table != "keys.preset" {
			table = "keys.page." // stands for the other contexts
		}
		if !slices.ContainsFunc(explained, func(key string) bool { return strings.HasPrefix(key, table) && strings.HasSuffix(key, name) }) {
			t.Errorf("the example does not explain %s", s.Key)
		}
	}
}
