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

	"gofer/internal/userfile"
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
		return short(pe.Err.Error())
	case f.err != nil:
		return short(f.err.Error())
	case f.folder:
		return "a folder"
	}
	return bytesText(f.size)
}

// formFileMsg is what was found at a path that was typed into a form.
type formFileMsg struct {
	prompt *prompt
	path   string
	file   formFile
}

// lookAtFile returns the command that looks at a file to be sent.
func (m *Model) lookAtFile(path string) tea.Cmd {
	p := m.prompt
	if path == "" {
		return nil
	}
	return func() tea.Msg {
		info, err := userfile.Stat(homePath(path))
		f := formFile{err: err}
		switch {
		case err == nil:
			f.size = info.Size()
		case info != nil && info.IsDir():
			f = formFile{folder: true}
		}
		return formFileMsg{p, path, f}
	}
}

func (msg formFileMsg) apply(*Model) tea.Cmd {
	msg.prompt.form.files[msg.path] = msg.file
	return nil
}

// maxFiles bounds how many files of a folder are listed.
const maxFiles = 10_000

// folderMsg is the files of a folder for a field of a form.
type folderMsg struct {
	tab     *tab
	prompt  *prompt
	path    string
	choices []choice // a folder ends in a separator
	err     error
}

// chooseFile returns the command that lists the folder of path, or that of the
// program.
func (m *Model) chooseFile(path string) tea.Cmd {
	msg := folderMsg{tab: m.tab, prompt: m.prompt, path: homePath(strings.TrimSpace(path))}
	return func() tea.Msg {
		msg.choices, msg.err = msg.list()
		return msg
	}
}

// list reads the folder of the path, which it sets.
func (msg *folderMsg) list() ([]choice, error) {
	if info, err := os.Stat(msg.path); err != nil || !info.IsDir() {
		msg.path = filepath.Dir(msg.path) // "." of ""
	}
	path, err := filepath.Abs(msg.path)
	if err != nil {
		return nil, err
	}
	msg.path = path
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(maxFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	choices := []choice{{text: ".." + string(filepath.Separator)}}
	for _, e := range entries {
		c := choice{text: e.Name()}
		if info, err := os.Stat(filepath.Join(path, e.Name())); err == nil && info.IsDir() {
			c.text += string(filepath.Separator)
		} else if err == nil {
			c.key = bytesText(info.Size())
		}
		choices = append(choices, c)
	}
	return choices, nil
}

// apply shows the files of a folder, of which one is chosen.
func (msg folderMsg) apply(m *Model) tea.Cmd {
	p := msg.prompt
	if msg.tab.prompt != p || m.tab != msg.tab {
		return nil // the form was left
	}
	if msg.err != nil {
		return m.say(formFile{err: msg.err}.text(true) + ": " + short(msg.path))
	}
	shown := make([]choice, len(msg.choices))
	for i, c := range msg.choices {
		shown[i] = c
		shown[i].text = short(c.text)
	}
	cmd := m.chooseOver(p, "File", newList(shown, true, 0), func(m *Model, i int) tea.Cmd {
		path := filepath.Join(msg.path, msg.choices[i].text)
		if strings.HasSuffix(msg.choices[i].text, string(filepath.Separator)) {
			return m.chooseFile(path)
		}
		p.line.set(path)
		if p.form == nil {
			return nil
		}
		return m.lookAtFile(p.line.String())
	})
	m.prompt.title = short(msg.path)
	return cmd
}
