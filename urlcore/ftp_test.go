package urlcore

import "testing"

// TestFTPAlternatives checks the alternatives of FTP URLs: a directory for a file, a file for a
// directory, and the login directory.
func TestFTPAlternatives(t *testing.T) {
	for url, want := range map[string]string{
		"ftp://h/a/b":        "ftp://h/a/b;type=d ftp://h/;type=d ",
		"ftp://h/a/b;type=d": "ftp://h/a/b;type=i ftp://h/;type=d ",
		"ftp://h/a/b/":       "ftp://h/a/b;type=i ftp://h/;type=d ",
		"ftp://h/a/":         "ftp://h/a;type=i ftp://h/;type=d ",
		"ftp://h/;type=d":    "ftp://h/;type=d ",
		"ftp://h/":           "ftp://h/;type=d ",
	} {
		u, err := Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range u.(FTP).Alternatives() {
			got += a.URL.String() + " "
		}
		if got != want {
			t.Errorf("Alternatives of %s = %s, want %s", url, got, want)
		}
	}
}
