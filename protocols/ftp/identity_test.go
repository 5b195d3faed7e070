package ftp

import (
	"slices"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/testbed/realserver"
	"gofer/protocols"
	"gofer/urlcore"
)

func identityOf(t *testing.T, c *Client, url string) string {
	t.Helper()
	head, _, err := fetchtest.CollectLines(t.Context(), t, c, protocols.Request{URL: parse(t, url), Identity: true})
	fetchtest.NoError(t, err)
	return head.Identity
}

// TestIdentity checks that the identity is from the reply to MLST, else from the reply to PWD. A directory
// must be listed even if the server refuses both commands.
func TestIdentity(t *testing.T) {
	const mlst = "250-Listing\r\n type=dir;Unique=80U1; /pub/unique=2;\r\n250 End"
	for _, tt := range []struct {
		name    string
		replies map[string]string
		want    string
	}{
		{"unique", map[string]string{"MLST": mlst}, "unique 80U1"},
		{"no unique", map[string]string{"MLST": "250-Listing\r\n type=dir; /d\r\n250 End"}, "path /home"},
		{"MLST refused", nil, "path /home"},
		{"no MLSD", map[string]string{"FEAT": "211 none", "MLST": mlst}, "path /home"},
		{"PWD refused", map[string]string{"PWD": "502 no"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies})
			fetchtest.Equal(t, identityOf(t, newClient(t), f.url("d;type=d")), tt.want)
		})
	}
	f := startFake(t, &fake{})
	head, _, err := fetchtest.CollectLines(t.Context(), t, newClient(t), protocols.Request{URL: parse(t, f.url("d;type=d"))})
	if err != nil || head.Identity != "" || slices.Contains(f.commands(), "MLST") {
		t.Errorf("without WithIdentity: identity %q, error %v, sent %q; want no identity and no MLST", head.Identity, err, f.commands())
	}
	lost := startFake(t, &fake{replies: map[string]string{"MLST": "421 good night!"}})
	if _, err := newClient(t).Fetch(t.Context(), protocols.Request{URL: parse(t, lost.url("d;type=d")), Identity: true}); err == nil {
		t.Error("Fetch() with the reply 421 to MLST: got no error")
	}
}

// TestIdentityOfDaemons checks that a directory and a link to the directory have the same identity, and
// that a subdirectory has another identity.
func TestIdentityOfDaemons(t *testing.T) {
	for _, d := range realserver.FTPDaemons()[:3] {
		t.Run(d.Name, func(t *testing.T) {
			s := d.Start(t)
			c := newClient(t)
			of := func(path string) string { return identityOf(t, c, d.Scheme+"://"+s.Addr+"/"+path+";type=d") }
			deep := of("pub/deep")
			if again := of("pub/links/to-dir"); deep == "" || again != deep {
				t.Errorf("identity of the directory by the link = %q, by its name %q; want the same", again, deep)
			}
			if below := of("pub/deep/a"); below == deep || below == "" {
				t.Errorf("identity of the subdirectory = %q; want another than %q, the identity of its parent", below, deep)
			}
			item := func(path string) urlcore.URL { return parse(t, d.Scheme+"://"+s.Addr+"/"+path) }
			for path, want := range map[string]bool{"pub/links/to-dir/x": true, "pub/deep/a/x": false} {
				if same, known, err := c.SameItem(t.Context(), item("pub/deep/x"), item(path)); same != want || !known || err != nil {
					t.Errorf("SameItem() of pub/deep/x and %s = %v, %v, %v; want %v, known", path, same, known, err, want)
				}
			}
		})
	}
}

// TestSameItem checks that two items are the same if they have one name in one directory, whatever path leads to it, and that
// nothing is claimed where the server does not tell.
func TestSameItem(t *testing.T) {
	paths := func(d, e string) map[string]string {
		return map[string]string{"PWD in d": `257 "` + d + `"`, "PWD in e": `257 "` + e + `"`}
	}
	unique := paths("/d", "/e")
	unique["MLST"] = "250-x\r\n unique=1; /x\r\n250 x"
	for _, tt := range []struct {
		name        string
		a, b        string
		replies     map[string]string
		same, known bool
	}{
		{"a linked directory", "d;type=d", "link;type=d", nil, true, true},
		{"a file below it", "d/f", "link/f", nil, true, true},
		{"another file", "d/f", "link/g", nil, false, true},
		{"another directory", "d/f", "e/f", paths("/d", "/e"), false, true},
		{"another case", "d/f", "e/f", paths("/pub", "/PUB"), false, false},
		{"by the unique fact", "d/f", "e/f", unique, true, true},
		{"no PWD", "d/f", "e/f", map[string]string{"PWD": "502 no"}, false, false},
		{"no directory", "d/f", "e/f", map[string]string{"CWD e": "550 no"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFake(t, &fake{replies: tt.replies})
			same, known, err := newClient(t).SameItem(t.Context(), parse(t, f.url(tt.a)), parse(t, f.url(tt.b)))
			if same != tt.same || known != tt.known || err != nil {
				t.Errorf("SameItem() = %v, %v, %v; want %v, %v", same, known, err, tt.same, tt.known)
			}
		})
	}
}
