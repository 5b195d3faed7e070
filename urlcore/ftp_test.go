package urlcore

import "testing"

// TestFTPAlternatives checks that a file is offered for a path that ends in a slash.
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
