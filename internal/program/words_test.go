package program

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"a b  c": "a|b|c", `a 'b c' "d e"`: "a|b c|d e", `a\ b`: "a b", `"a\"b\\c\d"`: `a"b\c\d`, `'a\b'`: `a\b`, `a ""`: "a|",
		"$HOME `id` ;": "$HOME|`id`|;",
	} {
		if got, err := Words(in); strings.Join(got, "|") != want || err != nil {
			t.Errorf("Words(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "  ", "'a", `"a`, `a\`, "''"} {
		if got, err := Words(in); err == nil {
			t.Errorf("Words(%q) = %q, want an error", in, got)
		}
	}
}

func TestEnv(t *testing.T) {
	got := Env([]string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C", "XDG_RUNTIME_DIR=/run", "GITHUB_TOKEN=x", "TERM=xterm"})
	fetchtest.Equal(t, strings.Join(got, " "), "PATH=/bin LC_ALL=C XDG_RUNTIME_DIR=/run TERM=xterm")
}
