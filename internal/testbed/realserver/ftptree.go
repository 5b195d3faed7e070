package realserver

import (
	"fmt"
	"path"
	"strings"
)

// OddNames returns the names of the files in pub/names of the FTP servers. Each file contains
// "name: ", its name and a line feed.
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

func writeFTPTree(root string) error {
	t := tree{dir: root}
	t.writeText("pub/README.txt", "A tree for tests.\nNothing in it is real.\n")
	t.writeText("pub/.message", "This is pub.\n")
	t.writeText("pub/text/lf.txt", "line one\nline two\nline three\n")
	t.writeText("pub/text/crlf.txt", "line one\r\nline two\r\nline three\r\n")
	t.writeText("pub/text/no-end.txt", "no line end at the end")
	t.writeText("pub/text/empty.txt", "")
	t.writeText("pub/text/utf8.txt", "Grüße aus Köln, кофе, 日本語, 🦫\n")
	t.writeText("pub/text/latin1.txt", "Gr\xfc\xdfe aus K\xf6ln\n")
	t.writeText("pub/text/escapes.txt", "escape \x1b[31mred\x1b[0m bell \x07 osc \x1b]0;title\x07 end\n")
	t.writeText("pub/text/long.txt", longText(20000))
	for _, name := range OddNames() {
		t.writeText("pub/names/"+name, "name: "+name+"\n")
	}
	t.writeText("pub/names/dir with space/inner file.txt", "inside\n")
	t.writeText("pub/names/dir#hash;semi/inner?.txt", "inside\n")
	t.writeText("pub/latin1/gr\xfc\xdfe.txt", "the name is ISO-8859-1\n")
	t.writeText("pub/latin1/plain.txt", "plain neighbor\n")
	t.writeText("pub/control/tab\there.txt", "the name has a tab\n")
	t.writeText("pub/control/esc\x1b[31mred.txt", "the name has an escape\n")
	t.writeText("pub/control/plain.txt", "plain neighbor\n")
	t.writeText("pub/line-ends/new\nline.txt", "the name has a line end\n")
	t.writeText("pub/line-ends/carriage\rreturn.txt", "the name has a carriage return\n")
	t.writeText("pub/line-ends/plain.txt", "plain neighbor\n")
	t.mkdir("pub/empty")
	t.writeText("pub/deep/a/b/c/d/here.txt", "here\n")
	t.writeText("pub/alike/n/n/n/n/file.txt", "below directories that look the same\n")
	for name := "pub/alike/n/n/n/n"; name != "pub"; name = path.Dir(name) {
		t.setDate(name)
	}
	t.writeText("pub/loops/file.txt", "beside links that lead back\n")
	t.mkdir("pub/loops/a")
	t.symlink("pub/loops/a/self", ".")
	t.symlink("pub/loops/a/up", "..")
	t.symlink("pub/loops/a/out", "../..")
	t.mkdir("pub/links")
	t.symlink("pub/links/to-file", "../README.txt")
	t.symlink("pub/links/to-dir", "../deep")
	t.symlink("pub/links/dangling", "no-such-file")
	t.symlink("pub/links/to name with space", "../names/with space.txt")
	t.writeManyFiles()
	t.writeFile("pub/media/dot.gif", dotGIF())
	t.writeFile("pub/media/dot.png", dotPNG())
	t.writeFile("pub/media/octets.bin", allOctets())
	t.writeFile("pub/large/1MB.bin", makeNumberedLines(1<<20))
	t.writeFile("pub/large/50MB.bin", makeNumberedLines(50<<20))
	t.writeText("pub/secret/inside.txt", "secret\n")
	t.chmod("pub/secret", 0o700)
	t.writeText("pub/unreadable.txt", "secret\n")
	t.chmod("pub/unreadable.txt", 0o600)
	return t.err
}

func (t *tree) writeManyFiles() {
	for i := range 100 {
		t.writeText(fmt.Sprintf("pub/many/file%05d.txt", i), fmt.Sprintf("entry %02d\n", i))
	}
	for i := 100; i < 10000; i++ { // creating hard links is faster than creating files
		t.hardLink(fmt.Sprintf("pub/many/file%05d.txt", i), fmt.Sprintf("pub/many/file%05d.txt", i%100))
	}
	t.mkdir("pub/thousand")
	for i := range 1000 {
		t.hardLink(fmt.Sprintf("pub/thousand/file%03d.txt", i), fmt.Sprintf("pub/many/file%05d.txt", i%100))
	}
}

func writeHomeTree(root string) error {
	t := tree{dir: root}
	t.writeText("hello.txt", "This is the home of "+accountName+".\n")
	t.writeText("notes/today.txt", "Nothing today.\n")
	for _, name := range []string{".", "hello.txt", "notes", "notes/today.txt"} {
		t.chown(name, labUser)
	}
	return t.err
}
