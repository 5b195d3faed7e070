package realserver

import (
	"fmt"
	"strings"
)

// writeGopherDocs writes the files that both Gopher servers have.
func writeGopherDocs(t *tree) {
	t.writeText("docs/plain.txt", "Plain text.\nSecond line.\n")
	t.writeText("docs/dots.txt", "A line, then a lone dot:\n.\nand text after it.\n..two dots\n.leading dot\n")
	t.writeText("docs/utf8.txt", "Grüße, кофе, 日本語, 🦫\n")
	t.writeText("docs/latin1.txt", "Gr\xfc\xdfe aus K\xf6ln\n")
	t.writeText("docs/escapes.txt", "esc \x1b[31mred\x1b[0m osc \x1b]0;owned\x07 end\n")
	t.writeText("docs/empty.txt", "")
	t.writeText("docs/long.txt", longText(50000))
	t.writeText("docs/long-lines.txt", strings.Repeat("A line far longer than any screen is wide. ", 2000)+"\n")
	for _, name := range []string{"with space.txt", "percent%41.txt", "hash#tag.txt", "semi;colon.txt", "plus+sign.txt", "gr\u00fc\u00dfe.txt"} {
		t.writeText("odd/"+name, "name: "+name+"\n")
	}
	t.writeFile("media/dot.gif", dotGIF())
	t.writeFile("media/dot.png", dotPNG())
	t.writeFile("media/octets.bin", allOctets())
	t.writeText("media/page.html", "<!doctype html><title>Page</title><h1>HTML over Gopher</h1><p><a href=\"/docs/plain.txt\">link</a>\n")
	t.writeFile("large/1MB.bin", makeNumberedLines(1<<20))
	t.writeFile("large/50MB.bin", makeNumberedLines(50<<20))
	t.mkdir("empty")
	for i := range 1000 {
		t.writeText(fmt.Sprintf("many/item%04d.txt", i), fmt.Sprintf("item %04d\n", i))
	}
}

func writeGophernicusTree(root string) error {
	t := tree{dir: root}
	t.mkdir(".")
	writeGopherDocs(&t)
	t.writeText("about.txt", "This is the gophernicus hole.\n")
	t.writeText("gophermap", "!A hole for tests\n"+
		"Served by gophernicus.\n\n"+
		"0About this hole\t/about.txt\n"+
		"1Documents\t/docs/\n"+
		"1Odd names\t/odd/\n"+
		"1Media\t/media/\n"+
		"1A thousand items\t/many/\n"+
		"1Nothing\t/empty/\n"+
		"1Every type\t/types/\n"+
		"9One megabyte\t/large/1MB.bin\n"+
		"7Search: echo\t/cgi-bin/echo\n"+
		"7Search: find items\t/cgi-bin/find\n"+
		"hSomewhere else\tURL:http://127.0.0.1:1/\n"+
		"8A session\tlabuser\t127.0.0.1\t1\n"+
		"1Nobody there\t/\t127.0.0.1\t1\n"+
		"iAn explicit line\tfake\tnull.host\t1\n"+
		"3An explicit error\tfake\terror.host\t1\n")
	types := "!Every type\n"
	for _, item := range []string{
		"0Text\t/docs/plain.txt", "1Menu\t/docs/", "4BinHex\t/media/octets.bin", "5DOS archive\t/media/octets.bin",
		"6uuencoded\t/docs/plain.txt", "7Search\t/cgi-bin/echo", "9Binary\t/media/octets.bin", "gGIF\t/media/dot.gif",
		"IImage\t/media/dot.png", "hHTML\t/media/page.html", "sSound\t/media/octets.bin", "dDocument\t/media/octets.bin",
		";Movie\t/media/octets.bin", "cCalendar\t/docs/plain.txt", "MMIME\t/docs/plain.txt", "PPDF\t/media/octets.bin",
		"0Ünïcödé títle 🦫\t/docs/plain.txt", "0Escape \x1b[31min a title\x1b[0m\t/docs/plain.txt",
		"0A title that is long: " + strings.Repeat("long ", 40) + "\t/docs/plain.txt",
	} {
		types += item + "\n"
	}
	t.writeText("types/gophermap", types)
	t.writeScript("cgi-bin/echo", `printf '0You searched for: %s\t/about.txt\n' "$QUERY_STRING"`+"\n")
	t.writeScript("cgi-bin/find", `cd "$DOCUMENT_ROOT/many" || exit 0
ls | grep -F -- "$QUERY_STRING" | head -50 | while read -r f; do printf '0%s\t/many/%s\n' "$f" "$f"; done
`)
	return t.err
}

func writePygopherdTree(root string) error {
	t := tree{dir: root}
	t.mkdir(".")
	writeGopherDocs(&t)
	t.writeText("odd/question?mark.txt", "name: question?mark.txt\n")
	t.writeText(".abstract", "The abstract of the root.\nIts second line.\n")
	t.writeText("about.txt", "This is the pygopherd hole. It speaks Gopher+.\n")
	t.writeText("about.txt.abstract", "What this hole is for.\n")
	t.writeText("form.txt", "This item has a form.\n")
	t.writeText("form.txt.ask", "Note: A form\nAsk: Your name:\tdefault name\nAskP: A password:\nChoose: Pick one:\tred\tgreen\tblue\n")
	t.writeText(".Links", "Name=Documents by another name\nPath=./docs\nType=1\nNumb=1\n\n"+
		"Name=A session\nType=8\nPath=labuser\nHost=127.0.0.1\nPort=1\n\n"+
		"Name=Search: echo\nType=7\nPath=/search.sh\n")
	t.writeScript("search.sh", `printf 'You searched for: %s\n' "$SEARCHREQUEST"`+"\n")
	t.writeText("map/gophermap", "A gophermap.\n0About\t/about.txt\n1Documents\t/docs\n")
	var mbox strings.Builder
	for i := range 5 {
		fmt.Fprintf(&mbox, "From lab@example.invalid Tue Nov 14 22:13:%02d 2023\nFrom: Lab <lab@example.invalid>\nSubject: message %d\n"+
			"Date: Tue, 14 Nov 2023 22:13:%02d +0000\n\nBody of message %d.\n\n", i, i, i, i)
	}
	t.writeText("mail/box.mbox", mbox.String())
	return t.err
}

func longText(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %06d of the long text\n", i)
	}
	return b.String()
}

func allOctets() []byte {
	b := make([]byte, 1024)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func dotGIF() []byte {
	return []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
}

func dotPNG() []byte {
	return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
		"\x00\x00\x00\x0cIDAT\x08\xd7c\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")
}
