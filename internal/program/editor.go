package program

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// EditorArgv returns the arguments that run an editor on the file at path. The parameter command is a command line, which on
// Unix a shell reads. If the editor is known to take the number of a line, it begins at the line; 0 is no line.
func EditorArgv(command, path string, line int) []string {
	files := []string{path}
	if form := lineArguments(editorName(command)); form != "" && line > 0 {
		files = strings.Fields(form)
		for i, word := range files {
			files[i] = strings.NewReplacer("LINE", strconv.Itoa(line), "FILE", path).Replace(word)
		}
	}
	if runtime.GOOS == "windows" {
		return append(strings.Fields(command), files...)
	}
	return append([]string{"/bin/sh", "-c", command + ` "$@"`, "sh"}, files...)
}

// lineArguments returns the arguments with which an editor opens a file at a line, or "" for an unknown editor.
func lineArguments(name string) string {
	switch name {
	case "vi", "vim", "nvim", "view", "nvi", "vile", "elvis", "gvim",
		"emacs", "emacsclient", "jmacs", "zile", "mg", "qemacs", "xemacs",
		"nano", "rnano", "pico", "joe", "jstar", "jpico", "rjoe", "ne", "mcedit", "micro", "kak", "gedit", "geany", "xed", "pluma":
		return "+LINE FILE"
	case "hx", "helix", "subl", "zed":
		return "FILE:LINE"
	case "code", "code-insiders", "codium", "vscodium":
		return "--goto FILE:LINE"
	case "jed", "xjed":
		return "FILE -g LINE"
	case "kate", "kwrite", "mate":
		return "--line LINE FILE"
	}
	return ""
}

// editorName returns the name of the program in a command line, without a version or variant: "vim" for "/usr/bin/vim.tiny".
// For a name such as "editor" it is the name of the program that a symbolic link leads to.
func editorName(command string) string {
	words, err := Words(command)
	if err != nil {
		return ""
	}
	for _, word := range words {
		if strings.Contains(word, "=") || word == "env" || word == "exec" || word == "command" {
			continue
		}
		name := baseName(word)
		path, err := exec.LookPath(word)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if target := baseName(path); err == nil && (lineArguments(name) == "" || target == "busybox" || target == "toybox") {
			return target
		}
		return name
	}
	return ""
}

// baseName returns the name of a program without its folder, extension and version: "emacs" for "/usr/bin/emacs-29.1-nox".
func baseName(path string) string {
	name := strings.ToLower(filepath.Base(path))
	name, _, _ = strings.Cut(name, ".")
	if plain, _, ok := strings.Cut(name, "-"); ok && lineArguments(name) == "" && lineArguments(plain) != "" {
		return plain
	}
	return strings.TrimRight(name, "0123456789")
}
