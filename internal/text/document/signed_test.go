package document

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

const (
	armored = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\none\n- -- \n- -----BEGIN\n" +
		"-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n"
	pgpPart  = "Content-Type: application/pgp-signature; name=s.asc\n\nsig\n"
	signedBy = "|[Signed with OpenPGP, not verified]|about:signature/"
)

func multipart(media, boundary string, parts ...string) string {
	return "Content-Type: multipart/" + media + "; boundary=" + boundary + "\n\n--" + boundary + "\n" +
		strings.Join(parts, "\n--"+boundary+"\n") + "\n--" + boundary + "--\n"
}

// TestSigned checks that a signed text is shown like an unsigned one, with a link that verifies
// exactly the signed octets.
func TestSigned(t *testing.T) {
	for _, tt := range []struct{ name, in, want, text, signature string }{ // text and signature belong to the first signature
		{
			"multipart/signed", multipart("signed", "b", "\none\n", pgpPart),
			"info|one|info||info||text" + signedBy + "1?news%3Aa%40b", "\r\none\r\n", "sig",
		},
		{
			"with a preamble, in base64 and with an epilogue",
			strings.Replace(multipart("signed", "b", "X: y  \n\none", "Content-Transfer-Encoding: base64\nContent-type: Application/PGP-Signature\n\nc2ln"), "\n\n", "\n\npreamble\n", 1) +
				"epilogue\n",
			"info|one|info||text" + signedBy + "1?news%3Aa%40b", "X: y  \r\n\r\none", "sig",
		},
		{
			"several parts are signed", multipart("signed", "b", multipart("mixed", "bb", "\none", "\ntwo"), pgpPart),
			"info|one|info||info|two|info||text" + signedBy + "1?news%3Aa%40b",
			strings.ReplaceAll(multipart("mixed", "bb", "\none", "\ntwo"), "\n", "\r\n"), "sig",
		},
		{
			"within another", multipart("mixed", "o", multipart("signed", "b", "\none", pgpPart), "\n"+armored),
			"info|one|info||text" + signedBy +
				"1?news%3Aa%40b|info||signature|-----BEGIN PGP SIGNED MESSAGE-----|signature|Hash: " +
				"SHA256|signature||info|one|signature|-- |signature|-----BEGIN|" +
				"signature|-----BEGIN PGP SIGNATURE-----|signature||signature|abc=|signature|-----END PGP SIGNATURE-----|text" +
				signedBy + "2?news%3Aa%40b|signature|", "\r\none", "sig",
		},
		{
			"S/MIME", multipart("signed", "b", "\none", "Content-Type: application/pkcs7-signature\n\nsig"),
			"info|one|info||text|[Signed with S/MIME, not verified]", "\r\none", "sig",
		},
		{
			"in the text", "\nbefore\n" + armored + "after\n",
			"info|before|signature|-----BEGIN PGP SIGNED MESSAGE-----|signature|Hash: SHA256|signature||info|one|signature|-- |signature|-----BEGIN|" +
				"signature|-----BEGIN PGP SIGNATURE-----|signature||signature|abc=|signature|-----END PGP SIGNATURE-----|text" +
				signedBy + "1?news%3Aa%40b|signature|after",
			strings.ReplaceAll(armored, "\n", "\r\n"), "",
		},
		{
			"armor that does not end", "\n-----BEGIN PGP SIGNED MESSAGE-----\n\n- one\n",
			"signature|-----BEGIN PGP SIGNED MESSAGE-----|signature||info|one",
			"-----BEGIN PGP SIGNED MESSAGE-----\r\n\r\n- one\r\n", "",
		},
		{
			"only the end", "\none\n-----BEGIN PGP SIGNATURE-----\n-----END PGP SIGNATURE-----\n",
			"info|one|info|-----BEGIN PGP SIGNATURE-----|info|-----END PGP SIGNATURE-----", "", "",
		},
		{
			"a signature alone", multipart("mixed", "b", "\none", pgpPart),
			"info|one|info||text|[attachment application/pgp-signature, s.asc, 5 octets]|about:attachment/1/s.asc?news%3Aa%40b",
			"", "",
		},
		{"a text in place of the signature", multipart("signed", "b", "\none", "\ntwo"), "info|one|info||info|two", "\r\none", "two"},
		{
			"the outer boundary before the signature",
			multipart("mixed", "o", multipart("signed", "b", "\none\n--o\nX: y\n", pgpPart)),
			"info|one|info||info|--b|info|Content-Type: application/pgp-signature; name=s.asc|info||info|sig|info||info|--b--|info|",
			"\r\none", "",
		},
		{"parts that are missing", "Content-Type: multipart/signed; boundary=b\n\none\n", "info|one", "", ""},
	} {
		got := strings.Join(article(t, tt.in), "|")
		fetchtest.Equal(t, strings.TrimPrefix(got, "info||"), tt.want, "%s", tt.name)
		for _, in := range []string{tt.in, strings.ReplaceAll(tt.in, "\n", "\r\n")} {
			s, err := OpenSigned(strings.NewReader(in), 1)
			if tt.text == "" {
				if protocols.ReasonOf(err) != protocols.NotFound {
					t.Errorf("%s: got %+v, %v, want no signature", tt.name, s, err)
				}
				continue
			}
			fetchtest.NoError(t, err, "%s", tt.name)
			fetchtest.Equal(t, string(s.Text), tt.text, "%s: the text", tt.name)
			fetchtest.Equal(t, strings.TrimSpace(string(s.Signature)), tt.signature, "%s: the signature", tt.name)
		}
	}
}

// TestSignedIsBounded checks that OpenSigned returns an error for a signed text that is longer than
// maxSigned, and for a text that is cut off.
func TestSignedIsBounded(t *testing.T) {
	for _, head := range []string{"\n-----BEGIN PGP SIGNED MESSAGE-----\n", "Content-Type: multipart/signed; boundary=b\n\n--b\n\n"} {
		r := strings.NewReader(head + strings.Repeat(strings.Repeat("x", 1023)+"\n", maxSigned>>9))
		if _, err := OpenSigned(r, 1); protocols.ReasonOf(err) != protocols.NotFound && protocols.ReasonOf(err) != protocols.TooBig {
			t.Errorf("OpenSigned of %.20q with a long text: got %v, want reason NotFound or TooBig", head, err)
		}
		_, err := OpenSigned(io.MultiReader(strings.NewReader(head), iotest.ErrReader(errCut)), 1)
		if !errors.Is(err, errCut) {
			t.Errorf("OpenSigned of %.20q, cut off: got %v, want %v", head, err, errCut)
		}
	}
}
