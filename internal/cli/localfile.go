package cli

import (
	"os"
	"path/filepath"
	"strings"

	"gofer/urlcore"
)

// argument is what an argument of the command line stands for: a path that begins
// with a dot, or that of a file that is there, for its file URL; all else for
// itself.
func argument(arg string) string {
	slashed := filepath.ToSlash(arg)
	dotted := slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
	if _, err := os.Lstat(arg); err != nil && !dotted {
		return arg
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return arg
	}
	dirs := strings.Split(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	last := len(dirs) - 1
	u, err := urlcore.NewFile("", dirs[:last], dirs[last])
	if err != nil {
		return arg
	}
	return u.String()
}
