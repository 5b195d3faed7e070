package file

import (
	"context"
	"os"

	"gofer/protocols"
	"gofer/urlcore"
)

var _ protocols.Identifier = (*Client)(nil)

// SameItem implements [protocols.Identifier]. Links are followed, and two hard links to a file are the same item.
func (c *Client) SameItem(_ context.Context, a, b urlcore.URL) (same, known bool, err error) {
	var infos [2]os.FileInfo
	for i, u := range []urlcore.URL{a, b} {
		_, path, err := c.findFile(u)
		if err != nil {
			return false, false, err
		}
		if infos[i], err = os.Stat(path); err != nil {
			return false, false, nil //nolint:nilerr // nothing is known about it
		}
	}
	return os.SameFile(infos[0], infos[1]), true, nil
}
