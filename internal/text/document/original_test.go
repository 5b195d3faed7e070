package document

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadOriginal checks that the field Text of an [Original] is in UTF-8 and has neither the header
// nor the attachments of the message.
func TestReadOriginal(t *testing.T) {
	cut := errors.New("cut off")
	long := strings.Repeat(strings.Repeat("x", 1023)+"\n", maxOriginal>>10)
	for _, tt := range []struct {
		name, in string
		err      error // read error at the end of in; nil: io.EOF
		text     []string
		want     error
	}{
		{"a text", "Subject: s\n\none\n> two\n-- \nthree\n", nil, []string{"one", "> two", "-- ", "three"}, nil},
		{"nothing", "Subject: s\n", nil, nil, nil},
		{"hypertext", "Subject: s\nContent-Type: text/html\n\n<p>one <a href=http://h/>two</a>", nil, []string{"one two"}, nil},
		{
			"an attachment",
			"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n" + part("b", "A: b", "one") +
				part("b", "Content-Type: a/b", "two") + "--b--\n",
			nil,
			[]string{"one", ""},
			nil,
		},
		{"a signed text", "Subject: s\n\nbefore\n" + armored + "after\n", nil, []string{"before", "one", "-- ", "-----BEGIN", "after"}, nil},
		{"a blank line in a signature", "Subject: s\n\none\n-- \n\nJoe\n", nil, []string{"one", "-- ", "", "Joe"}, nil},
		{"a charset", "Subject: s\nContent-Type: text/plain; charset=koi8-r\n\n\xeb\xcf\xc6\xc5\n", nil, []string{"Кофе"}, nil},
		{"broken off", "Subject: s\n\none\n", cut, nil, cut},
		{"broken off behind the limit", "Subject: s\n\n" + long, cut, slices.Repeat([]string{strings.Repeat("x", 1023)}, maxOriginal>>10), nil},
	} {
		r := io.Reader(strings.NewReader(tt.in))
		if tt.err != nil {
			r = io.MultiReader(r, iotest.ErrReader(tt.err))
		}
		m, err := ReadOriginal(r)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got the error %v, want %v", tt.name, err, tt.want)
		}
		if err == nil && (!slices.Equal(m.Text, tt.text) || m.Field("Subject") != "s") {
			t.Errorf("%s: got the text %.300q and the subject %q, want %.300q and \"s\"", tt.name, m.Text, m.Field("Subject"), tt.text)
		}
	}
}
