package sftp

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestTilde checks that the URL of an item of the root that is named "~" leads to the item, not to the login directory.
func TestTilde(t *testing.T) {
	root := fetchtest.Parse(t, "sftp://h/").(urlcore.FTP)
	listed := fetchtest.Must((&listing{url: root}).linkTo("~", false))(t)
	for name, tt := range map[string]struct {
		url  urlcore.URL
		want string
	}{
		"typed":    {fetchtest.Parse(t, "sftp://h/~"), "."},
		"below":    {fetchtest.Parse(t, "sftp://h/~/a"), "./a"},
		"listed":   {listed, "/./~"},
		"parsed":   {fetchtest.Parse(t, listed.String()), "/./~"},
		"child":    {fetchtest.Must(root.Child("~"))(t), "/./~"},
		"deeper":   {fetchtest.Parse(t, "sftp://h/a/~"), "/a/~"},
		"longname": {fetchtest.Parse(t, "sftp://h/~joe"), "/~joe"},
	} {
		_, r, err := newRequest(protocols.Request{URL: tt.url})
		fetchtest.NoError(t, err)
		fetchtest.Equal(t, r.path, tt.want, name)
	}
}
