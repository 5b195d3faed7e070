package about

import (
	"context"

	"github.com/dustin/go-humanize/english"

	"gofer/protocols"
)

// downloadsPage lists the downloads, or shows the download with the number in the query.
func (c *Client) downloadsPage(_ context.Context, r request) ([]protocols.Line, error) {
	lines := c.Downloads(r.query)
	for i := range lines {
		if _, isAction := lines[i].Note.(protocols.Action); isAction && lines[i].Kind == protocols.Menu {
			lines[i].Link = r.URL
		}
	}
	return lines, nil
}

// unfinishedDownloads offers to resume the downloads of processes that have ended. It returns "" if there are none.
func (c *Client) unfinishedDownloads() string {
	if c.LeftDownloads == nil {
		return ""
	}
	n := c.LeftDownloads()
	if n == 0 {
		return ""
	}
	return "Resume " + english.Plural(n, "unfinished download", "")
}
