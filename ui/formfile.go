package ui

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

// formFile is what is known of a file that is to be sent.
type formFile struct {
	size   int64
	folder bool
	err    error
}

// text tells it in a few words.
func (f formFile) text(known bool) string {
	var pe *fs.PathError
	switch {
	case !known:
		return "the file has not been looked at yet"
	case errors.Is(f.err, fs.ErrNotExist):
		return "no such file"
	case errors.As(f.err, &pe):
		return clean.Short(pe.Err.Error())
	case f.err != nil:
		return clean.Short(f.err.Error())
	case f.folder:
		return "a folder"
	}
	return cell.Size(f.size)
}

// lookAtFile returns the command that looks at a file to be sent.
func (t *tab) lookAtFile(path string) tea.Cmd {
	p := t.prompt
	if path == "" {
		return nil
	}
	return async(func() resultFunc {
		info, err := userfile.Stat(userfile.ExpandHome(path))
		f := formFile{err: err}
		switch {
		case err == nil:
			f.size = info.Size()
		case info != nil && info.IsDir():
			f = formFile{folder: true}
		}
		return func() tea.Cmd {
			p.form.files[path] = f
			return nil
		}
	})
}

// maxFiles bounds how many files of a folder are listed.
const maxFiles = 10_000

// chooseFile returns the command that lists the folder of path, or that of the
// program.
func (m *Model) chooseFile(path string) tea.Cmd {
	t, p := m.tab, m.tab.prompt
	path = userfile.ExpandHome(strings.TrimSpace(path))
	return async(func() resultFunc {
		folder, choices, err := listFolder(path)
		return func() tea.Cmd {
			switch {
			case t.prompt != p || m.tab != t:
				return nil // the form was left
			case err != nil:
				return m.say(formFile{err: err}.text(true) + ": " + clean.Short(folder))
			}
			return m.chooseIn(p, folder, choices)
		}
	})
}

// listFolder reads the folder of a path. A choice that is a folder ends in a
// separator.
func listFolder(path string) (folder string, choices []choice, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		path = filepath.Dir(path) // "." of ""
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
	choices = []choice{{text: ".." + string(filepath.Separator)}}
	for _, e := range entries {
		c := choice{text: e.Name()}
		if info, err := os.Stat(filepath.Join(folder, e.Name())); err == nil && info.IsDir() {
			c.text += string(filepath.Separator)
		} else if err == nil {
			c.key = cell.Size(info.Size())
		}
		choices = append(choices, c)
	}
	return folder, choices, nil
}

// chooseIn shows the files of a folder, of which one is chosen for p.
func (m *Model) chooseIn(p *prompt, folder string, choices []choice) tea.Cmd {
	for i := range choices {
		name := choices[i].text
		choices[i].text = clean.Short(name)
		choices[i].do = func() tea.Cmd {
			path := filepath.Join(folder, name)
			if strings.HasSuffix(name, string(filepath.Separator)) {
				return m.chooseFile(path)
			}
			p.line.Set(path)
			if p.form == nil {
				return nil
			}
			return m.tab.lookAtFile(p.line.String())
		}
	}
	cmd := m.tab.chooseOver(p, "File", newList(choices, true, 0))
	m.tab.prompt.title = clean.Short(folder)
	return cmd
}
