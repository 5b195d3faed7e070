package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gofer/internal/program"
	"gofer/protocols"
)

// addTypeFlag adds the flag --type for the media type of standard input.
func addTypeFlag(cmd *cobra.Command, media *string) {
	cmd.Flags().StringVarP(media, "type", "t", "", "the `MEDIA` type of standard input (-), such as text/gemini or text/html")
}

// readInput returns start unchanged, unless it is "-". Then readInput copies standard input to a temporary file with
// a suffix for the media type, and returns the URL of the file. The result remove is a function that removes the
// file.
func (p *Program) readInput(ctx context.Context, start, media string) (path string, remove func(), err error) {
	var folders program.TempFolders
	remove = folders.Remove
	switch {
	case start != "-" && media != "":
		return "", remove, errors.Join(errUsage, errors.New("--type is for standard input: gofer -t text/gemini -"))
	case start != "-":
		return start, remove, nil
	case isTerminal(p.In):
		return "", remove, errors.Join(errUsage, errors.New("standard input is the terminal: use a pipe or <FILE"))
	}
	if c, _ := p.loadSettings(); c.Restrict.Enabled { // openState reports errors in the settings
		return "", remove, errors.Join(errUsage, errors.New("standard input cannot be shown in restricted mode"))
	}
	suffix := protocols.SuffixOf(media)
	if media != "" && suffix == "" {
		return "", remove, errors.Join(errUsage, fmt.Errorf("unknown media type %q: use one such as text/plain, text/html or text/gemini", media))
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
