package ask

import (
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
		return f.line.String()
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
// called, unless it is nil.
func (f *fields) chooseFile(path string, s *Screen, next func() tea.Cmd) tea.Cmd {
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
	f, err := os.Open(folder)
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
func (f *fields) chooseIn(folder string, choices []Choice, s *Screen, next func() tea.Cmd) {
	for i := range choices {
		name := choices[i].Text
		choices[i].Text = clean.Short(name)
		choices[i].Do = func() tea.Cmd {
			path := filepath.Join(folder, name)
			if strings.HasSuffix(name, string(filepath.Separator)) {
				return f.chooseFile(path, s, next)
			}
			f.line.Set(path)
			if next == nil {
				return nil
			}
			return next()
		}
	}
	f.overlay = NewChoose(Head{Title: clean.Short(folder), URL: f.URL}, "File", NewList(choices, true, 0))
}
