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

const withAttachments = "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
	"--b\r\n\r\nText.\r\n" +
	"--b\r\nContent-Type: image/png; name=\"d.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAw==\r\n" +
	"--b\r\nContent-Type: application/x-y\r\n\r\nraw\r\r\noctets\n\r\n\r\n" +
	"--b\r\nContent-Type: application/x-y\r\n\r\n\r\n" +
	"--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: y\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
	"--c\r\nContent-Type: audio/basic\r\n\r\nsound\r\n--c--\r\n" +
	"--b--\r\n"

func TestOpenAttachment(t *testing.T) {
	for n, want := range map[int]struct{ media, name, octets string }{
		1: {"image/png", "d.png", "\x00\x01\x02\x03"},
		2: {"application/x-y", "", "raw\r\r\noctets\n\r\n"},
		3: {"application/x-y", "", ""},
		4: {"audio/basic", "", "sound"},
	} {
		for how, r := range map[string]io.Reader{
			"whole":          strings.NewReader(withAttachments),
			"octet by octet": iotest.OneByteReader(strings.NewReader(withAttachments)),
		} {
			at, err := OpenAttachment(r, n)
			fetchtest.NoError(t, err, "OpenAttachment(%d), %s", n, how)
			got, err := io.ReadAll(at)
			if string(got) != want.octets || err != nil || at.Media != want.media || at.Name != want.name {
				t.Errorf(
					"attachment %d, %s: got %q, %v, type %s, name %q, want %q, type %s, name %q", n, how, got, err,
					at.Media, at.Name, want.octets, want.media, want.name,
				)
			}
			if p := at.Problems(); p != nil {
				t.Errorf("attachment %d, %s: got the problems %q, want none for a part that is not an encoded file", n, how, p)
			}
			if err := at.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestOpenPart opens parts by their number, by their Content-ID and by their encoding.
func TestOpenPart(t *testing.T) {
	const partial = "From: a@b\r\nSubject: s (1/2)\r\n" +
		"Content-Type: message/partial; id=x; number=1; total=2\r\n\r\nSubject: inner\r\n\r\ntext\r\n"
	related := "Content-Type: multipart/related; boundary=b\n\n" + part("b", "Content-Type: text/html", "<img src=cid:i@x>") +
		part("b", "Content-Type: image/png\nContent-ID: <h@x>", "one") + part("b", "Content-Type: image/png\nContent-ID: <i@x>", "two") + "--b--\n"
	files := "\n" + uuencode("a", []byte("one")) + uuencode("b", []byte("two"))
	byNumber := func(n int) func(io.Reader) (*Attachment, error) {
		return func(r io.Reader) (*Attachment, error) { return OpenAttachment(r, n) }
	}
	byID := func(id string) func(io.Reader) (*Attachment, error) {
		return func(r io.Reader) (*Attachment, error) { return OpenContentID(r, id) }
	}
	for _, tt := range []struct {
		name     string
		open     func(io.Reader) (*Attachment, error)
		in, want string // want is "" if the part does not exist
	}{
		{"a Content-ID", byID("i@x"), related, "two"},
		{"an unknown Content-ID", byID("j@x"), related, ""},
		{"a Content-ID where a file is encoded", byID("i@x"), files, ""},
		{"the first file", OpenEncoded, files, "one"},
		{"the second file", byNumber(2), files, "two"},
		{"no file", OpenEncoded, related, ""},
		{"a part of a message", OpenEncoded, partial, "From: a@b\r\nSubject: inner\r\n\r\ntext\r\n"},
		{"an enclosed part of a message", OpenEncoded, "Content-Type: message/rfc822\r\n\r\n" + partial, ""},
	} {
		at, err := tt.open(strings.NewReader(tt.in))
		if tt.want == "" {
			fetchtest.Reason(t, err, protocols.NotFound, "%s", tt.name)
			continue
		}
		fetchtest.NoError(t, err)
		fetchtest.ReturnsText(t, tt.want, "%s", tt.name)(io.ReadAll(at))
		_ = at.Close()
	}
}

func TestNoAttachment(t *testing.T) {
	fetchtest.Fails(t, protocols.NotFound, "attachment 5")(OpenAttachment(strings.NewReader(withAttachments), 5))
	lost := errors.New("lost")
	half := io.MultiReader(strings.NewReader(withAttachments[:300]), iotest.ErrReader(lost))
	fetchtest.FailsWith(t, lost, "a connection that is lost before")(OpenAttachment(half, 9))
}

// TestAttachmentCut checks that reading a truncated attachment returns the read error. It also
// checks that Close ends the goroutine of an attachment that is not read to its end.
func TestAttachmentCut(t *testing.T) {
	lost := errors.New("lost")
	head := "Content-Type: application/x-y\r\n\r\n"
	at := fetchtest.Must(OpenAttachment(io.MultiReader(strings.NewReader(head+
		strings.Repeat("line\r\n", 1000)), iotest.ErrReader(lost)), 1))(t)
	fetchtest.FailsWith(t, lost)(io.ReadAll(at))
	_ = at.Close()
	at, err := OpenAttachment(strings.NewReader(head+strings.Repeat("line\r\n", 100_000)), 1)
	fetchtest.NoError(t, err)
	fetchtest.Must(io.ReadFull(at, make([]byte, 10)))(t)
	_ = at.Close() // waits for the reading goroutine
}
