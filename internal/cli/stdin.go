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

// addTypeFlag adds the flag -t for the media type of the standard input.
func addTypeFlag(cmd *cobra.Command, media *string) {
	cmd.Flags().StringVarP(media, "type", "t", "", "the `MEDIA` type of the standard input (-), such as text/gemini or text/html")
}

// readInput returns start. If it is "-", readInput returns the path of a temporary file with the
// standard input and a suffix of the media type. remove removes the file.
func (p *Program) readInput(ctx context.Context, start, media string) (path string, remove func(), err error) {
	var folders program.TempFolders
	remove = folders.Remove
	switch {
	case start != "-" && media != "":
		return "", remove, errors.Join(errUsage, errors.New("--type is for the standard input: gofer -t text/gemini -"))
	case start != "-":
		return start, remove, nil
	case isTerminal(p.In):
		return "", remove, errors.Join(errUsage, errors.New("- reads a page from the standard input, which is the terminal: use a pipe or <FILE"))
	}
	if c, _ := p.settings(); c.Restrict.Enabled { // open reports their faults
		return "", remove, errors.Join(errUsage, errRestricted)
	}
	suffix := protocols.SuffixOf(media)
	if media != "" && suffix == "" {
		return "", remove, errors.Join(errUsage, fmt.Errorf("no suffix is known for the media type %q: use one like text/plain, text/html or text/gemini", media))
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
	err = untilSignal(ctx, func() error { _, err := io.Copy(f, p.In); return err })
	if err = errors.Join(err, f.Close()); err != nil {
		return "", remove, fmt.Errorf("standard input: %w", err)
	}
	return argument(path), remove, nil
}
