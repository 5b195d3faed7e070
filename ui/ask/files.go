package ask

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/internal/userfile"
	"gofer/ui/cell"
)

// file describes a file to send.
type file struct {
	path   string // as typed
	size   int64
	folder bool
	err    error
}

// describe returns a few words about f. The parameter examined is false before the file has been
// examined.
func (f file) describe(examined bool) string {
	switch {
	case !examined:
		return "not checked yet"
	case f.err != nil:
		return FileError(f.err)
	case f.folder:
		return "a folder"
	}
	return cell.Size(f.size)
}

// FileError returns a short text for an error of a file.
func FileError(err error) string {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.As(err, &pe):
		return clean.Short(pe.Err.Error())
	}
	return clean.Short(err.Error())
}

// typedIn returns the text of field i.
func (f *Form) typedIn(i int) string {
	if i == f.index {
		return f.completedText()
	}
	return f.answers[i]
}

// fileAt returns what is known about the file at path in field i. The result known is false before the
// file has been examined.
func (f *Form) fileAt(i int, path string) (info file, known bool) {
	if info = f.files[i]; info.path != path {
		return file{}, false
	}
	return info, path != ""
}

// statFile returns the command that examines the file to send in field i.
func (f *Form) statFile(i int, path string, s *Screen) tea.Cmd {
	if path == "" {
		return nil
	}
	return s.RunInBackground(func() func() tea.Cmd {
		info, err := userfile.Stat(userfile.ExpandHome(path))
		found := file{path: path, err: err}
		switch {
		case err == nil:
			found.size = info.Size()
		case info != nil && info.IsDir():
			found = file{path: path, folder: true}
		}
		return func() tea.Cmd {
			if f.typedIn(i) == path { // the answers for older texts may arrive later
				f.files[i] = found
			}
			return nil
		}
	})
}

// maxFiles is the largest number of files that are listed for a folder.
const maxFiles = 10_000

// chooseFile lets the user choose a file for the open field. It returns the command that calls
// listFolder, which lists the working directory if path is "". After the choice, the function next is
// called.
func (f *Form) chooseFile(path string, s *Screen, next func() tea.Cmd) tea.Cmd {
	path = userfile.ExpandHome(strings.TrimSpace(path))
	index, times := f.index, f.times
	return s.RunInBackground(func() func() tea.Cmd {
		folder, choices, err := listFolder(path)
		return func() tea.Cmd {
			switch {
			case f.overlay != nil || f.index != index || f.times != times:
				return nil // the user has gone to another field or has closed the form
			case err != nil:
				return s.Notify(FileError(err) + ": " + clean.Short(folder))
			}
			f.chooseIn(folder, choices, s, next)
			return nil
		}
	})
}

// listFolder lists the folder at path, or the folder that has the file at path. The names of folders in
// the list end in a separator.
func listFolder(path string) (folder string, choices []Choice, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		path = filepath.Dir(path) // "." if path is ""
	}
	if folder, err = filepath.Abs(path); err != nil {
		return path, nil, err
	}
	f, err := userfile.OpenFolder(folder)
	if err != nil {
		return folder, nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(maxFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return folder, nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	choices = []Choice{{Text: ".." + string(filepath.Separator)}}
	for _, e := range entries {
		c := Choice{Text: e.Name()}
		if info, err := os.Stat(filepath.Join(folder, e.Name())); err == nil && info.IsDir() {
			c.Text += string(filepath.Separator)
		} else if err == nil {
			c.Key = cell.Size(info.Size())
		}
		choices = append(choices, c)
	}
	return folder, choices, nil
}

// chooseIn asks the user for one of the files of a folder, as the answer to the open field.
func (f *Form) chooseIn(folder string, choices []Choice, s *Screen, next func() tea.Cmd) {
	for i := range choices {
		name := choices[i].Text
		choices[i].Text = clean.Short(name)
		choices[i].Do = func() tea.Cmd {
			path := filepath.Join(folder, name)
			if strings.HasSuffix(name, string(filepath.Separator)) {
				return f.chooseFile(path, s, next)
			}
			f.setCompletedText(path)
			return next()
		}
	}
	f.overlay = NewChoose(Head{Title: clean.Short(folder), URL: f.URL}, "File", NewList(choices, true, 0))
}

// maxPaths bounds the paths that are offered, and maxEntries the entries of a folder that are read for
// them.
const maxPaths, maxEntries = 100, 200_000

// CompletePath completes paths of files and folders in the order of their names. Relative paths begin at
// the folder base, or at the working directory if base is "". Names that begin with a dot are offered
// after a typed dot only. A folder ends in a separator.
func CompletePath(base string) CompleteFunc {
	return func(ctx context.Context, typed string) (offers []Completion) {
		const separator = string(filepath.Separator)
		if typed == "~" {
			return []Completion{{Text: "~" + separator, Label: "~" + separator}}
		}
		dir, begin := filepath.Split(typed)
		folder := AbsolutePath(base, dir)
		for _, e := range namesIn(ctx, folder, begin) {
			name := e.Name()
			if isFolder(folder, e) {
				name += separator
			}
			offers = append(offers, Completion{Text: dir + name, Label: name})
		}
		return offers
	}
}

// FolderText names the folder of a path that is typed for [CompletePath] with the same base, or the path itself if it ends
// in a separator. The result is clean.
func FolderText(base, typed string) string {
	dir, name := filepath.Split(typed)
	if name == "~" {
		dir = name
	}
	return clean.Name(userfile.ShortPath(AbsolutePath(base, dir)))
}

// SaveAs returns a field for the path of a file to save, which begins at the folder base. It proposes a file of the given
// name there.
func SaveAs(base, name string) Field {
	return Field{
		Label: "Save as", Value: filepath.Join(base, name), Complete: CompletePath(base),
		Where: func(typed string) string { return "in " + FolderText(base, typed) },
	}
}

// AbsolutePath returns a typed path below the folder base, unless it is absolute or begins with "~/".
func AbsolutePath(base, path string) string {
	if path == "~" {
		path += string(filepath.Separator)
	}
	if path = userfile.ExpandHome(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// namesIn returns the first entries of a folder, by name, whose names begin with the given text.
func namesIn(ctx context.Context, folder, begin string) (found []fs.DirEntry) {
	f, err := userfile.OpenFolder(cmp.Or(folder, "."))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	first := func() []fs.DirEntry {
		slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return found[:min(len(found), maxPaths)]
	}
	for n := 0; n < maxEntries && ctx.Err() == nil; {
		entries, err := f.ReadDir(1000)
		for _, e := range entries {
			if name := e.Name(); strings.HasPrefix(name, begin) && (name[0] != '.' || begin != "") {
				found = append(found, e)
			}
		}
		if n += len(entries); len(found) > 10*maxPaths {
			found = first()
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	return first()
}

// isFolder reports whether an entry of a folder is a folder, or a link to one.
func isFolder(folder string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(folder, e.Name()))
	return err == nil && info.IsDir()
}
