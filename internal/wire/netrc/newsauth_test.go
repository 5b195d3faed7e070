package netrc

import (
	"os"
	"path/filepath"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

const sampleNews = `# server password user
news.example.org secret joe
news.example.org:563 "with \"TLS\"" joe
other.example "a b"
other.example x "J. Doe"
short.example
`

func TestFindNews(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".newsauth")
	fetchtest.NoError(t, os.WriteFile(path, []byte(sampleNews), 0o600))
	for _, tt := range []struct{ host, port, user, want string }{
		{"News.Example.org", "119", "", "joe secret"},
		{"news.example.org", "563", "", "joe secret"}, // the first line applies to all ports
		{"news.example.org", "119", "ann", "none"},
		{"other.example", "119", "", " a b"},
		{"other.example", "119", "J. Doe", " a b"},
		{"short.example", "119", "", " "},
		{"#", "119", "", "none"},
		{"secret", "119", "", "none"},
	} {
		login, ok, err := FindNews(path, tt.host, tt.port, tt.user)
		got := login.User + " " + login.Password
		if !ok {
			got = "none"
		}
		if got != tt.want || err != nil {
			t.Errorf("%s:%s, %q: got %q, %v, want %q", tt.host, tt.port, tt.user, got, err, tt.want)
		}
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("news.example.org:563 first joe\nnews.example.org second joe\n"), 0o600))
	for port, want := range map[string]string{"563": "first", "119": "second"} {
		if login, ok, err := FindNews(path, "news.example.org", port, ""); login.Password != want || !ok || err != nil {
			t.Errorf("port %s: got %v, %v, %v, want %s", port, login.Password, ok, err, want)
		}
	}
}
