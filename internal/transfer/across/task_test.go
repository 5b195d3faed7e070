package across_test

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/transfer/across"
	"gofer/internal/transfer/download"
	"gofer/urlcore"
)

// restored returns the Copy of an entry of the list of downloads.
func restored(t *testing.T, data string) *across.Copy {
	t.Helper()
	return across.Restore(nil, fetchtest.Must(urlcore.Parse("file:///from/"))(t), []byte(data))
}

// TestSameCopy checks that copies of other items are others, even with the same name, and that a part makes no difference.
func TestSameCopy(t *testing.T) {
	const begin = `{"to":"file:///to/","from":"file:///from/","items":["file:///from/a","file:///from/`
	c := restored(t, begin+`b"]}`)
	for data, want := range map[string]bool{
		begin + `b"],"part":{"path":"YQ==","url":"file:///to/a","size":7}}`: true,
		begin + `c"]}`:              false,
		begin + `b"],"move":true}`:  false,
		begin + `b"],"existing":1}`: false,
		begin + `b","file:///from/`: false,
		`{}`:                        false,
	} {
		fetchtest.Equal(t, c.IsSame(restored(t, data)), want, "is the same as %s", data)
	}
	fetchtest.Equal(t, restored(t, `{}`).IsSame(restored(t, `{"to":1}`)), false, "two unreadable copies are the same")
}

// TestUnreadableCopy checks that an entry that cannot be read is shown with what to do, and stays in the list.
func TestUnreadableCopy(t *testing.T) {
	for _, data := range []string{`{}`, `null`, `"x"`, `{"to":"gopher://h/","from":"file:///a/","items":[]}`} {
		c := restored(t, data)
		fetchtest.Equal(t, string(c.Encode()), data, "description")
		fetchtest.Equal(t, c.Target().String(), "file:///from/", "target")
		if err := c.Run(t.Context(), new(download.Work)); err == nil || !strings.Contains(err.Error(), "remove it, and copy again") {
			t.Errorf("%s: got %v, want what to do", data, err)
		}
		fetchtest.NoError(t, c.Discard(t.Context()))
	}
}
