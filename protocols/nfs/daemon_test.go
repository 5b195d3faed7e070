package nfs_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/protocols/nfs"
	"gofer/urlcore"
)

// TestGanesha runs the conformance suite with NFS-Ganesha, whose exports are found by its portmapper.
func TestGanesha(t *testing.T) {
	s := realserver.Ganesha(t)
	top := "nfs://" + s.Addr
	base, other := top+s.Root, top+filepath.Dir(s.Root)+"/other"
	fails := func(u urlcore.URL) bool {
		return strings.HasSuffix(u.String(), "/loop") || strings.HasSuffix(u.String(), "/outside") || strings.HasSuffix(u.String(), "/dangling")
	}
	fetchtest.RunWithoutFaults(t, fetchtest.Target{
		New: newClient,
		Pages: []fetchtest.Page{
			{URL: top + "/", Layout: protocols.LayoutDirectory, Lines: 1, Contains: []string{"tmp"}},
			{URL: top + filepath.Dir(s.Root), Lines: 2, Contains: []string{base + "/", other + "/"}},
			{URL: base + "/pub/names/", Layout: protocols.LayoutDirectory, Lines: len(realserver.OddNames()), Contains: realserver.OddNames()},
			{URL: base + "/pub/latin1", Lines: 2, Contains: []string{"gr\xfc\xdfe.txt", "/gr%FC%DFe.txt"}},
			{URL: base + "/pub", Lines: 10, Contains: []string{".message"}},
			{URL: base + "/pub/many", Lines: 10_000, Contains: []string{"file09999.txt"}},
			{URL: base + "/pub/empty/", Empty: true},
			{URL: base + "/odd/", Lines: 6, Contains: []string{strings.Repeat("n", 255)}},
			{URL: base + "/pub/links/to-file", Contains: []string{"Nothing in it is real."}},
			{URL: base + "/pub/links/to-dir/a/b/c/d/here.txt", Contains: []string{"here"}},
			{URL: base + "/odd/absolute", Contains: []string{"Nothing in it is real."}},
			{URL: base + "/odd/export", Layout: protocols.LayoutDirectory, Lines: 1, Contains: []string{"far.txt"}},
			{URL: base + "/odd/upward", Contains: []string{"far"}},
		},
		Large:    base + "/pub/large/50MB.bin",
		Missing:  []string{base + "/no-such.txt", base + "/no-such/", base + "/odd/loop", base + "/odd/outside", base + "/pub/links/dangling", other + "s"},
		WalkFrom: []string{base + "/odd/", base + "/pub/names/", base + "/pub/links/", base + "/pub/latin1/", base + "/pub/control/", base + "/pub/line-ends/"},
		MayFail:  fails,
		Known: func(u urlcore.URL) ([]byte, bool) {
			data, err := os.ReadFile("/" + strings.Join(u.(urlcore.NFS).Names(), "/"))
			return data, err == nil && !fails(u)
		},
	})
	c := new(nfs.Client)
	defer c.Close()
	for _, path := range []string{"/pub/unreadable.txt", "/pub/secret/", "/pub/secret/inside.txt"} {
		err := fetchtest.Drain(t.Context(), c, protocols.Request{URL: fetchtest.Parse(t, base+path)})
		fetchtest.Reason(t, err, protocols.Denied, path)
	}
	const offset = 7_654_321
	r := fetchtest.Must(c.Resume(t.Context(), protocols.Request{URL: fetchtest.Parse(t, base+"/pub/large/50MB.bin"), Offset: offset}))(t)
	defer r.Close()
	want := fetchtest.Must(os.ReadFile(s.Root + "/pub/large/50MB.bin"))(t)[offset:]
	fetchtest.Equal(t, string(fetchtest.Must(io.ReadAll(r.Body))(t)) == string(want), true, "the rest of the file")
}
