package document

import (
	"io"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestTransferEncodings decodes texts under names of transfer encodings that real software writes.
func TestTransferEncodings(t *testing.T) {
	const uu = "\nbegin 644 f.txt\n" + "&=V]R9',*\n" + "`\nend\n"
	for _, tt := range []struct{ names, body, want string }{
		{
			"quoted-printable|Quoted-Printable|QUOTED-PRINTABLE (comment)|\"quoted-printable\"|(c) quoted-printable|quoted-printable;|quoted-printable; x=y|" +
				" quoted-printable |quoted_printable|quoted-printable.|'quoted-printable'|x-quoted-printable",
			"w=6Frds\n", "words\n",
		},
		{"base64|BASE64|base64 (comment (nested))|\"base64\"|base-64|base64;|x-base64|base64, 7bit", "d29yZHMK\n", "words\n"},
		{"7bit|8bit|binary|8-bit|8 bit|none|x-other|", "w=6Frds\n", "w=6Frds"},
		{"x-uuencode|x-uue|uuencode|uu|uue|X-UUENCODE (comment)|\"x-uue\"|x-uu", uu, "words\n"},
		{"x-uuencode", "no file\n", "no file\n"},
		{"x-uuencode", "\nsome\n" + uu, "words\n"},
		{"x-uuencode", "begin-base64 644 f.txt\nd29yZHMK\n====\n", "words\n"},
	} {
		for name := range strings.SplitSeq(tt.names, "|") {
			in := "Content-Type: application/x-y\nContent-Transfer-Encoding: " + name + "\n\n" + tt.body
			at, err := OpenAttachment(strings.NewReader(in), 1)
			fetchtest.NoError(t, err, "%q", in)
			got, err := io.ReadAll(at)
			fetchtest.NoError(t, err, "%q", in)
			fetchtest.Equal(t, string(got), tt.want, "%q", in)
			fetchtest.NoError(t, at.Close())
		}
	}
}

// TestBase64 decodes base64 with stray octets (RFC 2045, section 6.8), without padding, and with text after it.
func TestBase64(t *testing.T) {
	for in, want := range map[string]string{
		"d29yZHM=\n":                         "words",
		"d29yZHM\n":                          "words",
		"d29yZHMh\nd29yZHM":                  "words!words",
		"d29yZA":                             "word",
		"d29y\r\nZHM=\r\n":                   "words",
		"d29y\rZHM=\r":                       "words",
		"d29y!ZHM=\n":                        "words",
		"d2 9y\tZH M=\n":                     "words",
		"d29y\x00Z\xe9HM=\n":                 "words",
		"-*d29y.ZHM=\n":                      "words",
		"d29yZHMh\nd29y-ZHMh\nd29yZHM=\n":    "words!words!words",
		"d29y\n\n \nZHM=\n":                  "words",
		"d29yZHM=d29yZHM=\n":                 "wordswords",
		"d29yZHM=\nd29yZHM=\n":               "wordswords",
		"d29yZHM=\n\nSent to the list.\n":    "wordsSent to the list.\n",
		"d29yZHMhd29y\nZHMh\n____\nA list\n": "words!words!____\nA list\n",
		"d29yZHMh\n-- \nA list\n":            "words!-- \nA list\n",
		"This is not base64, it is text.\n":  "This is not base64, it is text.\n",
		"Это не base64.\n":                   "Это не base64.\n",
		"":                                   "",
	} {
		b := new(articleReader).newBodyLines(strings.NewReader(in))
		next := func() []byte { line, _ := b.line(); return line }
		got, err := io.ReadAll(&pieces{next: (&base64Lines{next: next}).piece})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, string(got), want, "%q", in)
	}
}
