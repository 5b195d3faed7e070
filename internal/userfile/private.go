package userfile

import (
	"errors"
	"os"
)

// ErrNotOwn reports that a file or folder belongs to another user.
var ErrNotOwn = errors.New("it belongs to another user")

// MakePrivate makes a folder of gofer, unless it exists. If other users may write to the folder, MakePrivate
// forbids it, because they could put files there that gofer trusts. If the folder belongs to another user, the error
// is [ErrNotOwn].
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return notRegularError(dir, info)
	case !IsOwn(info):
		return &os.PathError{Op: "use", Path: dir, Err: ErrNotOwn}
	case !IsPrivate(info):
		return os.Chmod(dir, info.Mode().Perm()&^writableByOthers)
	}
	return nil
}

// writableByOthers are the permissions of the group and of all users to write.
const writableByOthers = 0o022
