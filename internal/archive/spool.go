package archive

import (
	"fmt"
	"io"
	"os"

	"gofer/protocols"
)

// spooled is a file that is kept for a while, for what is not read in its order.
type spooled struct{ *os.File }

// spool keeps all of r in a file of no name that anybody needs.
func spool(r io.Reader) (spooled, int64, error) {
	f, err := os.CreateTemp("", "gofer-archive-*")
	if err != nil {
		return spooled{}, 0, protocols.LocalError("keep the archive for a while", err)
	}
	s := spooled{f}
	_ = os.Remove(f.Name()) // where that works: it goes when it is closed
	n, err := io.Copy(localWriter{f}, io.LimitReader(r, maxZip+1))
	if err == nil && n > maxZip {
		err = refused(protocols.TooBig, fmt.Errorf("it has more than %d MiB: save it", maxZip>>20))
	}
	if err != nil {
		s.remove()
		return spooled{}, 0, err
	}
	return s, n, nil
}

func (s spooled) remove() {
	_ = s.Close()
	_ = os.Remove(s.Name())
}

// localWriter tells errors of this machine from those of the transfer.
type localWriter struct{ f *os.File }

// Write implements [io.Writer].
func (w localWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	return n, protocols.LocalError("keep the archive for a while", err)
}
