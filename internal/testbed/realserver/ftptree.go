package realserver

import (
	"fmt"
	"path"
	"strings"
)

// OddNames returns the names of the files in pub/names of the FTP servers; each
// holds "name: " and its name and a line end.
func OddNames() []string {
	return []string{
		"plain.txt", "with space.txt", "two  spaces.txt", " leading.txt", "trailing ", "semi;colon.txt", "type;type=a",
		"hash#tag.txt", "percent%20.txt", "percent%41.txt", "percent%.txt", "question?mark.txt", "amp&er.txt",
		`double"quote.txt`, `two""quotes.txt`, "single'quote.txt", "star*.txt", "brackets[1].txt", "brace{x}.txt",
		"-x", "--help", "-dash.txt", `back\slash.txt`, "colon:name.txt", "plus+sign.txt", "tilde~.txt", "~tilde.txt",
		"comma,name.txt", "equals=name.txt", "at@sign.txt", "pipe|name.txt", "less<greater>.txt", "caret^.txt",
		"dollar$HOME.txt", "backtick`.txt", "bang!.txt", "paren(1).txt", "arrow -> target.txt", "UPPER.TXT", "upper.txt",
		"12345", "total 12", "Jan  1 12:00", "drwxr-xr-x 2 ftp ftp 4096 fake", "grüße.txt", "кофе.txt", "日本語.txt",
		"emoji-🦫.txt", "caf\u00e9-nfc.txt", "cafe\u0301-nfd.txt", "rtl-שלום.txt", strings.Repeat("n", 200) + ".txt",
	}
}

func ftpTree(root string) error {
	t := tree{dir: root}
	t.file("pub/README.txt", "A tree for tests.\nNothing in it is real.\n")
	t.file("pub/.message", "This is pub.\n")
	t.file("pub/text/lf.txt", "line one\nline two\nline three\n")
	t.file("pub/text/crlf.txt", "line one\r\nline two\r\nline three\r\n")
	t.file("pub/text/no-end.txt", "no line end at the end")
	t.file("pub/text/empty.txt", "")
	t.file("pub/text/utf8.txt", "Grüße aus Köln, кофе, 日本語, 🦫\n")
	t.file("pub/text/latin1.txt", "Gr\xfc\xdfe aus K\xf6ln\n")
	t.file("pub/text/escapes.txt", "escape \x1b[31mred\x1b[0m bell \x07 osc \x1b]0;title\x07 end\n")
	t.file("pub/text/long.txt", longText(20000))
	for _, name := range OddNames() {
		t.file("pub/names/"+name, "name: "+name+"\n")
	}
	t.file("pub/names/dir with space/inner file.txt", "inside\n")
	t.file("pub/names/dir#hash;semi/inner?.txt", "inside\n")
	t.file("pub/latin1/gr\xfc\xdfe.txt", "the name is ISO-8859-1\n")
	t.file("pub/latin1/plain.txt", "plain neighbour\n")
	t.file("pub/control/tab\there.txt", "the name has a tab\n")
	t.file("pub/control/esc\x1b[31mred.txt", "the name has an escape\n")
	t.file("pub/control/plain.txt", "plain neighbour\n")
	t.file("pub/line-ends/new\nline.txt", "the name has a line end\n")
	t.file("pub/line-ends/carriage\rreturn.txt", "the name has a carriage return\n")
	t.file("pub/line-ends/plain.txt", "plain neighbour\n")
	t.mkdir("pub/empty")
	t.file("pub/deep/a/b/c/d/here.txt", "here\n")
	t.file("pub/alike/n/n/n/n/file.txt", "below directories that look the same\n")
	for name := "pub/alike/n/n/n/n"; name != "pub"; name = path.Dir(name) {
		t.dated(name)
	}
	t.file("pub/loops/file.txt", "beside links that lead back\n")
	t.mkdir("pub/loops/a")
	t.link("pub/loops/a/self", ".")
	t.link("pub/loops/a/up", "..")
	t.link("pub/loops/a/out", "../..")
	t.mkdir("pub/links")
	t.link("pub/links/to-file", "../README.txt")
	t.link("pub/links/to-dir", "../deep")
	t.link("pub/links/dangling", "no-such-file")
	t.link("pub/links/to name with space", "../names/with space.txt")
	t.manyFiles()
	t.bytes("pub/media/dot.gif", dotGIF())
	t.bytes("pub/media/dot.png", dotPNG())
	t.bytes("pub/media/octets.bin", allOctets())
	t.bytes("pub/large/1MB.bin", counted(1<<20))
	t.bytes("pub/large/50MB.bin", counted(50<<20))
	t.file("pub/secret/inside.txt", "secret\n")
	t.chmod("pub/secret", 0o700)
	t.file("pub/unreadable.txt", "secret\n")
	t.chmod("pub/unreadable.txt", 0o600)
	return t.err
}

func (t *tree) manyFiles() {
	for i := range 100 {
		t.file(fmt.Sprintf("pub/many/file%05d.txt", i), fmt.Sprintf("entry %02d\n", i))
	}
	for i := 100; i < 10000; i++ { // hard links are made faster than files
		t.hardLink(fmt.Sprintf("pub/many/file%05d.txt", i), fmt.Sprintf("pub/many/file%05d.txt", i%100))
	}
	t.mkdir("pub/thousand")
	for i := range 1000 {
		t.hardLink(fmt.Sprintf("pub/thousand/file%03d.txt", i), fmt.Sprintf("pub/many/file%05d.txt", i%100))
	}
}

func homeTree(root string) error {
	t := tree{dir: root}
	t.file("hello.txt", "This is the home of "+accountName+".\n")
	t.file("notes/today.txt", "Nothing today.\n")
	for _, name := range []string{".", "hello.txt", "notes", "notes/today.txt"} {
		t.own(name, lab)
	}
	return t.err
}
