package userfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const lockWait = 5 * time.Second // time limit for waiting until another program releases a lock

// ErrBusy reports that another program has locked a file.
var ErrBusy = errors.New("another program is using it")

// Lock locks the file at path against other writers, not against readers. If another program has the
// lock for too long, the error is [ErrBusy].
func Lock(ctx context.Context, path string) (*flock.Flock, error) {
	lock := lockOf(path)
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrBusy)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return lock, nil
}

// LockShared locks the file at path against [Lock] only. It does not wait: the error is
// [ErrBusy] while another program has the lock.
func LockShared(path string) (*flock.Flock, error) {
	lock := lockOf(path)
	if ok, err := lock.TryRLock(); !ok {
		return nil, cmp.Or(err, ErrBusy)
	}
	return lock, nil
}

func lockOf(path string) *flock.Flock {
	return flock.New(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"))
}

// Change replaces the content of the file at path by the result of edit, all under one [Lock]. The
// file may have at most limit octets and need not exist. Change follows a symbolic link. If edit
// returns an error, the file stays unchanged.
func Change(path string, limit int64, edit func(old []byte) ([]byte, error)) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	lock, err := Lock(context.Background(), target)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	old, err := Read(target, limit)
	if err != nil {
		return err
	}
	data, err := edit(old)
	if err != nil || bytes.Equal(data, old) {
		return err
	}
	if int64(len(data)) > limit {
		return fmt.Errorf("the file would have more than %d MiB", limit>>20)
	}
	return Replace(target, data)
}

// Resolve follows the symbolic links at path. The file at the end of the links need not exist.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path, nil
}
