package ftp

import (
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// TestNameListAfterDirectory checks that NLST is sent over the same connection if a listing was requested together with the
// refused CWD.
func TestNameListAfterDirectory(t *testing.T) {
	f := startFake(t, &fake{
		replies: map[string]string{"CWD *.txt": "550 no"},
		data:    map[string]string{"MLSD": "type=file; x\r\n", "NLST *.txt": "a.txt\r\n"},
	})
	c := newClient(t)
	for _, tt := range []struct{ path, want string }{{"", "x"}, {"*.txt;type=d", "a.txt"}, {"", "x"}} {
		_, lines, _, err := get(t, c, f.url(tt.path))
		fetchtest.NoError(t, err)
		fetchtest.Contains(t, strings.Join(lines, " "), tt.want, "lines of %q", tt.path)
	}
	fetchtest.Equal(t, f.connections(), 1, "connections (%q)", f.written())
}

// TestNameList checks that a name that the server refuses to change to is listed by NLST, as RFC 1738, section
// 3.2.2, says, and that the error stays if NLST finds nothing.
func TestNameList(t *testing.T) {
	refused := map[string]string{
		"CWD *.txt": "550 not a directory", "CWD gone": "550 no such directory", "CWD -l": "550 no",
		"NLST refused": "550 no", "CWD refused": "550 not there",
	}
	data := map[string]string{"NLST *.txt": "a.txt\r\nsub/b c.txt\r\n", "NLST -l": "x\r\n"}
	for _, tt := range []struct{ path, want, commands string }{
		{"pub/*.txt;type=d", "/pub/a.txt /pub/sub%2Fb%20c.txt", "CWD pub, CWD *.txt, NLST *.txt"},
		{"*.txt;type=d", "/a.txt /sub%2Fb%20c.txt", "CWD *.txt, NLST *.txt"},
		{"pub/gone;type=d", "no such directory", "CWD pub, CWD gone, NLST gone"},
		{"pub/refused;type=d", "not there", "CWD pub, CWD refused, NLST refused"},
		{"gone/sub;type=d", "no such directory", "CWD gone, CWD sub"},
		{"-l;type=d", "no", "CWD -l"},
		{"gone/", "no such directory", "CWD gone"},
	} {
		f := startFake(t, &fake{replies: refused, data: data})
		_, lines, err := fetchtest.CollectLines(t.Context(), t, newClient(t), protocols.Request{URL: parse(t, f.url(tt.path))})
		var got []string
		for _, l := range lines {
			if l.Link != nil {
				got = append(got, strings.TrimPrefix(l.Link.String(), strings.TrimSuffix(f.url(""), "/")))
			}
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if s := strings.Join(got, " "); s != tt.want && (err == nil || !strings.Contains(s, tt.want)) {
			t.Errorf("%s: got %q, want %q", tt.path, s, tt.want)
		}
		commands := slices.DeleteFunc(f.commands(), func(c string) bool {
			return !strings.HasPrefix(c, "CWD") && !strings.HasPrefix(c, "NLST")
		})
		fetchtest.Equal(t, strings.Join(commands, ", "), tt.commands, "%s: commands", tt.path)
	}
}
