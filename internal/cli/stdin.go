package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/program"
	"gofer/protocols"
	"gofer/urlcore"
)

// addTypeFlag adds the flag --type for the media type of standard input or of a file.
func addTypeFlag(cmd *cobra.Command, media *string) {
	cmd.Flags().StringVarP(media, "type", "t", "", "the `MEDIA` type of standard input (-) or of a file, such as text/gemini or text/html")
}

func errUnknownMedia(media string) error {
	return errors.Join(app.ErrUsage, fmt.Errorf("unknown media type %q: use one such as text/plain, text/html or text/gemini", media))
}

// setFileType sets the media type of start, which must be a file of this machine.
func (p *Program) setFileType(start, media string) error {
	u, err := urlcore.Parse(pathToURL(start))
	f, isFile := u.(urlcore.File)
	switch {
	case err != nil || !isFile || f.Host != "":
		return errors.Join(app.ErrUsage, errors.New("--type is for standard input and for files: gofer -t text/gemini -"))
	case protocols.SuffixOf(media) == "":
		return errUnknownMedia(media)
	}
	p.FileTypes = map[urlcore.URL]string{f: media}
	return nil
}

// readInput returns start, with the media type of a file recorded, unless it is "-". Then readInput copies standard input to a temporary file with
// a suffix for the media type, and returns the URL of the file. The result remove is a function that removes the
// file.
func (p *Program) readInput(ctx context.Context, start, media string) (path string, remove func(), err error) {
	var folders program.TempFolders
	remove = folders.Remove
	switch {
	case start != "-" && media != "":
		return start, remove, p.setFileType(start, media)
	case start != "-":
		return start, remove, nil
	case isTerminal(p.In):
		return "", remove, errors.Join(app.ErrUsage, errors.New("standard input is the terminal: use a pipe or <FILE"))
	}
	if c, _ := p.LoadSettings(); c.Restrict.Enabled { // openState reports errors in the settings
		return "", remove, errors.Join(app.ErrUsage, errors.New("standard input cannot be shown in restricted mode"))
	}
	suffix := protocols.SuffixOf(media)
	if media != "" && suffix == "" {
		return "", remove, errUnknownMedia(media)
	}
	dir, err := folders.Create()
	if err != nil {
		return "", remove, err
	}
	path = filepath.Join(dir, "standard input"+suffix)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", remove, err
	}
	err = runUntilSignal(ctx, func() error { _, err := io.Copy(f, p.In); return err })
	if err = errors.Join(err, f.Close()); err != nil {
		return "", remove, fmt.Errorf("standard input: %w", err)
	}
	return pathToURL(path), remove, nil
}
