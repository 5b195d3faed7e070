package document

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/urlcore"
)

// TestNamesOfParts checks where the name of a part comes from: from Content-Disposition, else from
// Content-Type, else from the Subject.
func TestNamesOfParts(t *testing.T) {
	const octets = "\n\x00\x01\x02\x03\n"
	yEnc := encodeYEnc("", []byte("abc"), 0, 0, 3)
	for _, tt := range []struct{ name, in, want string }{
		{"both fields", "Content-Type: image/png; name=b.png\nContent-Disposition: attachment; filename=a b.png\n" + octets, "a b.png"},
		{"no suffix in one", "Content-Type: image/png; name=b.png\nContent-Disposition: attachment; filename=b\n" + octets, "b.png"},
		{"an unusable name", "Content-Type: image/png; name=b.png\nContent-Disposition: attachment; filename=\"..\"\n" + octets, "b.png"},
		{"a text", "Content-Type: text/plain; name=Gr\xfc\xdfe.txt; charset=iso-8859-1\n\nwords\n", "Grüße.txt"},
		{"the charset of the part", "Content-Type: text/plain; name=\"\xe4.txt\"; charset=windows-1251\n\nwords\n", "д.txt"},
		{"only the Subject", "Subject: see \"my pic.png\" (1/1)\nContent-Type: image/png\n" + octets, "my pic.png"},
		{"the Subject of octets", "Subject: see pic.png\n" + octets, "pic.png"},
		{"the Subject of another type", "Subject: see notes.txt\nContent-Type: image/png\n" + octets, ""},
		{"a Subject without a name", "Subject: look at this. It is fine\nContent-Type: image/png\n" + octets, ""},
		{"yEnc without a name", "Subject: \"a b.png\" yEnc (1/1)\n\n" + yEnc, "a b.png"},
		{"yEnc without any name", "Subject: look\n\n" + yEnc, "file"},
		{"uuencode without a name", "Subject: pic.png\n\n" + uuencode("", []byte("abc")), "pic.png"},
		{"uuencode with a path", "\n" + uuencode(`"C:\my pics\a.png"`, []byte("abc")), "a.png"},
		{"uuencode with an encoded name", "\n" + uuencode("=?koi8-r?B?8NLJ18XU?=.png", []byte("abc")), "Привет.png"},
		{"uuencode with raw octets", "\n" + uuencode("\xcf\xf0\xe8\xe2\xe5\xf2.png", []byte("abc")), "Привет.png"},
		{"a name without a suffix", "Subject: new faq.txt\n\n" + uuencode("README", []byte("abc")), "README"},
	} {
		at, err := OpenAttachment(strings.NewReader(tt.in), 1)
		fetchtest.NoError(t, err, "%s", tt.name)
		fetchtest.Equal(t, at.Name, tt.want, "%s: the name", tt.name)
		_ = at.Close()
	}
	two := "Subject: pic.png\nContent-Type: multipart/mixed; boundary=b\n\n" + part("b", "Content-Type: image/png", "1") +
		part("b", "Content-Type: image/png", "2") + "--b--\n"
	for n, want := range map[int]string{1: "pic.png", 2: ""} {
		at := fetchtest.Must(OpenAttachment(strings.NewReader(two), n))(t)
		fetchtest.Equal(t, at.Name, want, "the name of part %d of two", n)
		_ = at.Close()
	}
}

// TestSavedNamesOfParts checks the names under which parts are saved: each has a suffix.
func TestSavedNamesOfParts(t *testing.T) {
	for _, tt := range []struct{ header, want string }{
		{"Content-Type: image/jpeg", "1.jpg"},
		{"Content-Type: image/x-pcx", "1.pcx"},
		{"Content-Type: image/heic", "1.heic"},
		{"Content-Type: image/vnd.a-long-one", "1.bin"},
		{"Content-Type: audio/wav", "1.wav"},
		{"Content-Type: application/pdf", "1.pdf"},
		{"Content-Type: application/octet-stream", "1.bin"},
		{"Content-Type: application/x-unknown", "1.bin"},
		{"Content-Type: a/b", "1.bin"},
		{"Content-Type: text/html\nContent-Disposition: attachment", "1.html"},
		{"Content-Type: text/x-unknown", "1.txt"},
		{"Content-Type: message/x-unknown", "1.eml"},
		{"Content-Type: image/jpeg; name=photo", "photo.jpg"},
		{"Content-Type: image/jpeg; name=\"photo.1\"", "photo.1"},
		{"Content-Type: text/plain; name=README", "README"},
		{"Content-Type: application/octet-stream; name=COPYING", "COPYING"},
	} {
		got := ""
		for l := range loneArticle(strings.NewReader(tt.header+"\n\nwords\n"), urlcore.News{MessageID: "a@b"}) {
			if u, ok := l.Link.(urlcore.Generic); ok {
				got = u.FileName()
			}
		}
		fetchtest.Equal(t, got, tt.want, "%s: the name", tt.header)
	}
}
