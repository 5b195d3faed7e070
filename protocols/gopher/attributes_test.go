package gopher

import (
	"fmt"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestViews(t *testing.T) {
	a := attributes{{name: "VIEWS", lines: []string{"text/plain: <5b>", "text/plain De_DE: <1k>", "nothing: <1k>", "", "image/gif"}}}
	fetchtest.Equal(t, fmt.Sprint(a.parseViews()), "[+text/plain +text/plain De_DE +image/gif]")
	if v := a.parseViews(); v[0].size != 5 || v[1].size != 1<<10 || v[2].size != -1 {
		t.Errorf("parseViews = %+v; want the sizes 5, 1024 and -1", v)
	}
	for value, want := range map[string]string{
		"Tue <20260102030405>": "2026-01-02 03:04:05", "<2026>": "0001-01-01 00:00:00",
		"20260102030405": "0001-01-01 00:00:00",
	} {
		a := attributes{{name: "ADMIN", lines: []string{"Admin: x", "mod-date: " + value}}}
		fetchtest.Equal(t, a.modTime().Format("2006-01-02 15:04:05"), want, "%q", value)
	}
}
