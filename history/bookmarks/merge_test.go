package bookmarks

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestExchangedWrite checks that Write replaces the bookmarks of a text and keeps all other lines.
func TestExchangedWrite(t *testing.T) {
	const file = "# Mine.\r\n" +
		"gopher://a.example/ A #tag\r\n" +
		"no bookmark\r\n" +
		"ftp://joe:secret@h.example/ kept\r\n" +
		"## one\r\n" +
		"# about b\r\n" +
		"gopher://b.example/1\r\n" +
		"gopher://c.example/1 C"
	for _, tt := range []struct{ name, of, want string }{
		{"the same", "gopher://a.example/1  A  #tag\n## one\ngopher://b.example/1\ngopher://c.example/1 C\n", file},
		{"nothing", "", "# Mine.\r\nno bookmark\r\nftp://joe:secret@h.example/ kept\r\n## one\r\n# about b\r\n"},
		{
			"moved, changed and new",
			"## two\ngopher://b.example/1\n## one\ngopher://d.example/1 D\ngopher://c.example/1 more\ngopher://a.example/1\n##three/four\nnews:a.b\n",
			"# Mine.\r\nno bookmark\r\nftp://joe:secret@h.example/ kept\r\n## one\r\n# about b\r\ngopher://d.example/1 D\n" +
				"gopher://c.example/1 more\ngopher://a.example/1\n\n## three/four\nnews:a.b\n\n## two\ngopher://b.example/1\n",
		},
		{
			"in another order, and twice",
			"gopher://a.example/1 A #tag\n## one\ngopher://c.example/1 C\ngopher://a.example/1\ngopher://b.example/1\ngopher://c.example/1 again\n",
			"# Mine.\r\ngopher://a.example/ A #tag\r\nno bookmark\r\nftp://joe:secret@h.example/ kept\r\n## one\r\n# about b\r\n" +
				"gopher://c.example/1 C\ngopher://c.example/1 again\ngopher://a.example/1\ngopher://b.example/1\r\n",
		},
	} {
		of := Exchange([]byte(tt.of))
		fetchtest.Equal(t, string(of.Write([]byte(file))), tt.want, tt.name)
		for _, start := range []string{file, "", "## empty\n\n## one\ngopher://z.example/\n\n"} {
			got := of.Write([]byte(start))
			if again := of.Write(got); string(again) != string(got) {
				t.Errorf("%s: the second Write turned\n%s\ninto\n%s\nwant no change", tt.name, got, again)
			}
			if have := Exchange(got); !equal(have, of) {
				t.Errorf("%s: Exchange after Write = %v, want %v", tt.name, have, of)
			}
		}
	}
	fetchtest.Equal(t, string(Exchange(nil).Write([]byte("## one\ngopher://a.example/\n\n## two\n"))), "## one\n\n## two\n")
}

func equal(a, b Exchanged) bool {
	return string(a.Write(nil)) == string(b.Write(nil))
}
