package history

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestChoices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "charsets.txt")
	c := OpenCharsets(path)
	check := func(want map[string]string) {
		t.Helper()
		got, err := OpenCharsets(path).All()
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("All = %v, %v; want %v", got, err, want)
		}
	}
	set := func(server, charset string) {
		t.Helper()
		if err := c.Set(server, charset); err != nil {
			t.Error(err)
		}
	}
	check(map[string]string{})
	set("a:70", "KOI8-R")
	set("b:70", "IBM437")
	set("a:70", "windows-1251")
	set("c d", "x")
	check(map[string]string{"a:70": "windows-1251", "b:70": "IBM437"})
	set("b:70", "")
	check(map[string]string{"a:70": "windows-1251"})
	many := "a:70 KOI8-R\n"
	for i := range maxChoices - 1 {
		many += fmt.Sprintf("h%d:70 Big5\n", i)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte(many), 0o600))
	set("last:70", "Big5")
	if got, _ := c.All(); len(got) != maxChoices || got["a:70"] != "" {
		t.Errorf("All after one Set too many: %d servers, a:70 has %q; want %d servers without a:70", len(got), got["a:70"], maxChoices)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %v, %v, want no access for others", fi.Mode(), err)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("odd\na b c\nx:70 KOI8-R\n"), 0o600))
	check(map[string]string{"x:70": "KOI8-R"})
	if err := OpenCharsets(t.TempDir()).Set("a", "b"); err == nil {
		t.Error("Set returned no error for a folder in place of the file")
	}
	fetchtest.NoError(t, OpenCharsets("").Set("a", "b"), "Set without a path")
}
