package transfer

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/download"
	"gofer/protocols"
	"gofer/ui/room/roomtest"
)

// TestCancelAsks checks that there is a question before files are removed, even if all of them are
// empty. There must also be a question before unfinished files of an earlier run may be removed.
func TestCancelAsks(t *testing.T) {
	for _, tt := range []struct {
		stalls string // the request that stalls
		want   string
	}{
		{"stalls", `Cancel "d/", and remove the 1 file saved so far?`},
		{"d;type=d", `Cancel "d/", and remove its unfinished files?`},
	} {
		synctest.Test(t, func(t *testing.T) {
			root := fetchtest.Parse(t, "ftp://ftp.example.org/d;type=d")
			f := fetchtest.FetcherFunc(func(ctx context.Context, req protocols.Request) (*protocols.Resource, error) {
				u := req.URL
				switch {
				case strings.HasSuffix(u.String(), tt.stalls):
					<-ctx.Done()
					return nil, context.Cause(ctx)
				case u != root:
					return &protocols.Resource{Head: protocols.Head{URL: u}, Body: strings.NewReader(""), Closer: io.NopCloser(nil)}, nil
				}
				return &protocols.Resource{
					Head: protocols.Head{URL: u, Layout: protocols.LayoutDirectory},
					Lines: func(yield func(protocols.Line, error) bool) {
						for _, name := range []string{"empty", "stalls"} {
							if !yield(protocols.Line{Kind: protocols.Binary, Text: name, Link: fetchtest.Parse(t, "ftp://ftp.example.org/d/"+name)}, nil) {
								return
							}
						}
					},
				}, nil
			})
			m := &download.Manager{Fetcher: f, Folder: t.TempDir()}
			defer m.Close()
			item, _ := m.Add(download.Request{URL: root, Tree: true})
			synctest.Wait() // until the request stalls and the other file is saved
			p := roomtest.New(1, protocols.Head{URL: fetchtest.Parse(t, "about:downloads"), Layout: protocols.LayoutMenu}, protocols.Line{
				Kind: protocols.Other, Link: root, Note: download.Row{Item: item},
			})
			d := NewDownloads(p, DownloadOptions{})
			d.Manager = m
			p.Run(d.Remove())
			fetchtest.Equal(t, p.Question(), tt.want)
			if state := item.Status().State; errors.Is(item.Status().Err, download.ErrCanceled) || state == download.Removed {
				t.Errorf("%s: the download was canceled before the answer", tt.stalls)
			}
		})
	}
}
