package gopher

import (
	"fmt"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// parseItems parses attributes and returns each item as "name=value[lines]".
func parseItems(t *testing.T, text string) (list []string) {
	t.Helper()
	for item, err := range readAttributes(strings.NewReader(text)) {
		fetchtest.NoError(t, err)
		s := ""
		for _, b := range item {
			s += fmt.Sprintf("%s=%s%q ", b.name, b.value, b.lines)
		}
		list = append(list, s)
	}
	return list
}

func TestReadAttributes(t *testing.T) {
	for in, want := range map[string]string{
		"": "", ".\r\n": "", "words\r\n": "",
		"+INFO: 0a\tb\r\n+ADMIN:\r\n Admin: x\r\n Mod-Date: y\r\n+INFO: c\r\n.\r\n": `INFO=0a	b[] ADMIN=["Admin: x" "Mod-Date: y"] |INFO=c[] `,
		"+ABSTRACT:\r\n  two\r\none\r\n+NO BLOCK: x\r\n+\tNONE: x\r\n+bare\r\n":     `ABSTRACT=[" two" "one" "+NO BLOCK: x" "+\tNONE: x" "+bare"] `,
		"+ADMIN:\r\n x\r\n+INFO: a": `ADMIN=["x"] |INFO=a[] `,
	} {
		fetchtest.Equal(t, strings.Join(parseItems(t, in), "|"), want)
	}
	if got := parseItems(t, strings.Repeat("+X:\r\n", 2*maxBlocks)); len(got) != 1 || strings.Count(got[0], "X=") != maxBlocks {
		t.Errorf("%d blocks: got items %q; want one item with %d blocks", 2*maxBlocks, got, maxBlocks)
	}
	many := "+X:\r\n" + strings.Repeat(" "+strings.Repeat("x", 1023)+"\r\n", 2<<10)
	if got := parseItems(t, many+"+INFO: a\r\n+Y: b\r\n"); len(got) != 2 || len(got[0]) > maxBlockOctets+8<<10 || got[1] != "INFO=a[] Y=b[] " {
		t.Errorf("a block of 2 MiB: got %d items, the first with %d octets; want 2 items, the first with at most %d octets", len(got), len(got[0]), maxBlockOctets+
			8<<10)
	}
}

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
