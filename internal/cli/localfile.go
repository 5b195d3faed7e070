package cli

import (
	"os"
	"path/filepath"
	"strings"

	"gofer/urlcore"
)

// pathToURL returns the file URL of arg if arg is a path that exists, or whose first element is "." or "..".
// Otherwise it returns arg unchanged.
func pathToURL(arg string) string {
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
