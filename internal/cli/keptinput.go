package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"gofer/internal/userfile"
	"gofer/protocols"
)

const maxKeptInput = 16 << 20 // the largest standard input that is kept after a failed upload, in octets

// keptInput is a Reader that remembers the octets read, so that a text from a pipe is not lost if its upload fails.
type keptInput struct {
	in     io.Reader
	mu     sync.Mutex // guards octets and large: after a signal a read may still wait for input
	octets bytes.Buffer
	large  bool // there are more than maxKeptInput octets, and none are remembered
}

func (k *keptInput) Read(p []byte) (int, error) {
	n, err := k.in.Read(p)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large = k.large || k.octets.Len()+n > maxKeptInput; k.large {
		k.octets = bytes.Buffer{}
	} else {
		k.octets.Write(p[:n])
	}
	return n, err
}

// isFile reports whether r is a regular file. It needs not be kept, and an upload may seek in it.
func isFile(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// keep writes the octets, with the rest of the input unless that is a terminal, to a new file in folder. It returns the
// error failed of the upload, with the path of the file.
func (k *keptInput) keep(ctx context.Context, folder string, failed error) error {
	if ctx.Err() == nil && !isTerminal(k.in) {
		_ = runUntilSignal(ctx, func() error {
			_, err := io.Copy(io.Discard, io.LimitReader(k, maxKeptInput+1))
			return err
		})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.large || k.octets.Len() == 0 || folder == "" {
		return failed
	}
	path, err := "", userfile.MakePrivate(folder)
	if err == nil {
		path, err = writeNewFile(folder, "upload-*", k.octets.Bytes())
	}
	if err != nil {
		return fmt.Errorf("%w; %w", failed, protocols.LocalError("keep standard input", err))
	}
	return &protocols.KeptError{Text: "standard input", Path: path, Err: failed}
}

// writeNewFile writes data to a new file in folder, whose name has the pattern of [os.CreateTemp].
func writeNewFile(folder, pattern string, data []byte) (path string, err error) {
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Close())
}
