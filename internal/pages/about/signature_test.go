package about

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gofer/internal/program"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/document"
	"gofer/protocols"
)

// signatureLines returns the lines of the page about signature n of an article.
func signatureLines(t *testing.T, c *Client, article string, n int) ([]string, error) {
	t.Helper()
	c.Open = func(_ context.Context, req protocols.Request) (*protocols.Resource, error) {
		return &protocols.Resource{
			Head: protocols.Head{URL: req.URL, Media: protocols.MediaArticle, Size: -1},
			Body: strings.NewReader(article), Closer: io.NopCloser(nil),
		}, nil
	}
	res, err := c.Fetch(t.Context(), protocols.Request{URL: document.SignatureURL(fetchtest.Parse(t, "news:a@b"), n)})
	if err != nil {
		return nil, err
	}
	var lines []string
	for l, err := range res.Lines {
		fetchtest.NoError(t, err)
		lines = append(lines, l.Text)
	}
	return lines, nil
}

const signedArticle = "Subject: s\nContent-Type: multipart/signed; boundary=b\n\n--b\nA: b\n\ntext\n\n--b\n" +
	"Content-Type: application/pgp-signature\nContent-Transfer-Encoding: quoted-printable\n\ns=69g\n--b--\n"

// TestSignature checks that the page shows the output of the program and the signed text.
func TestSignature(t *testing.T) {
	c := client(t)
	for _, good := range []bool{true, false} {
		c.Verify = func(_ context.Context, text, signature []byte) (bool, []byte, []string, error) {
			fetchtest.Equal(t, string(text), "A: b\r\n\r\ntext\r\n", "the text")
			fetchtest.Equal(t, string(signature), "sig\n", "the signature")
			return good, text, []string{"gpg: so"}, nil
		}
		title := map[bool]string{true: "Good signature", false: "The signature is not verified"}[good]
		got := fetchtest.Must(signatureLines(t, c, signedArticle, 1))(t)
		fetchtest.EqualSlices(t, got, []string{title, "gpg: so", "", "The text is:", "", "A: b", "", "text", ""}, "good: %t", good)
	}
	c.Verify = func(context.Context, []byte, []byte) (bool, []byte, []string, error) {
		return true, nil, nil, exec.ErrNotFound
	}
	_, err := signatureLines(t, c, signedArticle, 1)
	fetchtest.FailsWith(t, exec.ErrNotFound)(0, err)
	for _, n := range []int{0, 2, -1} {
		if _, err := signatureLines(t, c, signedArticle, n); protocols.ReasonOf(err) != protocols.NotFound {
			t.Errorf("signature %d: got the error %v, want the reason NotFound", n, err)
		}
	}
	c.Verify = nil // as in restricted mode
	if _, err := signatureLines(t, c, signedArticle, 1); protocols.ReasonOf(err) != protocols.NotFound {
		t.Errorf("without Verify: got the error %v, want the reason NotFound", err)
	}
}

// TestGPG verifies articles signed by GnuPG, some of them changed after signing.
func TestGPG(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		if os.Getenv("GOFER_REQUIRE_DAEMONS") == "1" {
			t.Fatal(err)
		}
		t.Skip("gpg is not installed")
	}
	read := func(name string) string { return string(fetchtest.Must(os.ReadFile(name))(t)) }
	mime, clear := read("../../demo/world/news/gofer.test/24-signed.eml"), read("testdata/signed/clear.eml")
	start, end := strings.Index(mime, "-----BEGIN PGP"), strings.Index(mime, "\n--sig--")
	var homes [2]string
	for i := range homes { // gpg makes a socket in it, so that the path must be short
		homes[i] = fetchtest.Must(os.MkdirTemp("/tmp", "gofer"))(t)
		t.Cleanup(func() { fetchtest.NoError(t, os.RemoveAll(homes[i])) })
	}
	key, none := homes[0], homes[1]
	t.Setenv("GNUPGHOME", key)
	t.Setenv("LC_ALL", "C")
	if out, err := exec.Command("gpg", "--batch", "--no-autostart", "--import", "testdata/signed/key.asc").CombinedOutput(); err != nil {
		t.Fatalf("gpg --import: %v: %s", err, out)
	}
	for _, tt := range []struct {
		name, article, keys string
		good                bool
		want                string
	}{
		{"multipart/signed", mime, key, true, `Good signature from "Ada Winter`},
		{"with CR LF", strings.ReplaceAll(mime, "\n", "\r\n"), key, true, `Good signature from "Ada Winter`},
		{"in the text", clear, key, true, `Good signature from "Ada Winter`},
		{
			"a text before the signed one",
			strings.Replace(clear, "-----BEGIN PGP SIGNED", " -----BEGIN PGP SIGNED MESSAGE-----\nforged\n-----BEGIN PGP SIGNED", 1),
			key, true, `Good signature from "Ada Winter`,
		},
		{"a part that was changed", strings.Replace(mime, "This part", "That part", 1), key, false, "BAD signature"},
		{"a header that was changed", strings.Replace(mime, "format=flowed", "format=fixed", 1), key, false, "BAD signature"},
		{"a text that was changed", strings.Replace(clear, "Clear text", "Other text", 1), key, false, "BAD signature"},
		{"no key", mime, none, false, "No public key"},
		{
			"the signature of another text",
			mime[:start] + clear[strings.Index(clear, "-----BEGIN PGP SIGNATURE"):strings.Index(clear, "After.")] + mime[end:],
			key, false, "signature",
		},
		{
			"a signed message as the signature", mime[:start] + read("testdata/signed/inline.asc") + mime[end:], key,
			false, "not a detached signature",
		},
		{
			"a signed text as the signature",
			mime[:start] + clear[strings.Index(clear, "-----BEGIN"):strings.Index(clear, "After.")] + mime[end:], key,
			false, "not a detached signature",
		},
		{"no signature", mime[:start] + mime[end:], key, false, "gpg"},
	} {
		t.Setenv("GNUPGHOME", tt.keys)
		c := client(t)
		c.Verify = program.VerifySignature
		lines, err := signatureLines(t, c, tt.article, 1)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		fetchtest.Equal(t, lines[0] == "Good signature", tt.good, "%s: %q", tt.name, lines)
		if slices.Contains(lines, "forged") || tt.good && !strings.Contains(strings.Join(lines, "\n"), "text") {
			t.Errorf("%s: got %q, want the text that is signed", tt.name, lines)
		}
		said := lines[1:slices.Index(lines, "The text is:")]
		fetchtest.Contains(t, strings.Join(said, "\n"), tt.want, "%s", tt.name)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.ErrUnsupported)
	_, _, _, err := program.VerifySignature(ctx, []byte("x"), []byte("y"))
	fetchtest.FailsWith(t, errors.ErrUnsupported)(0, err)
}
