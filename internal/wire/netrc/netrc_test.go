package netrc

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

const sample = `# mine
machine ftp.example.org login joe password secret
machine ftp.example.org
	login ann
	password "a \"b\" c#d" account x

macdef init
machine evil.example login x password y

machine other.example login "" password #x
machine Third.Example password p
default login anonymous password me@example.org
`

func TestFind(t *testing.T) {
	for _, tt := range []struct{ text, host, user, want string }{
		{sample, "ftp.example.org", "", "joe secret"},
		{sample, "FTP.example.org", "ann", `ann a "b" c#d`},
		{sample, "ftp.example.org", "bob", "none"},
		{sample, "evil.example", "", "anonymous me@example.org"},
		{sample, "third.example", "bob", " p"},
		{sample, "nowhere.example", "anonymous", "anonymous me@example.org"},
		{"machine", "h", "", "none"},
		{"machine h", "h", "", " "},
		{"machine h login", "h", "", " "},
		{"machine h password \"open", "h", "", " open"},
		{`machine h login a password "b\tc\n\"d\x"`, "h", "", "a b\tc\n\"dx"},
		{"macdef x", "h", "", "none"},
		{"", "h", "", "none"},
		{"login a password b machine h", "x", "", "none"},
	} {
		login, ok := find(tt.text, tt.host, tt.user)
		got := login.User + " " + login.Password
		if !ok {
			got = "none"
		}
		fetchtest.Equal(t, got, tt.want, "%s, %q", tt.host, tt.user)
	}
}

func TestFindInFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".netrc")
	if _, ok, err := Find(path, "h", ""); ok || err != nil {
		t.Errorf("without a file: got %v, %v; want no login and no error", ok, err)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("machine h login joe password secret"), 0o600))
	if login, ok, err := Find(path, "h", ""); !ok || err != nil || login != (Login{"joe", "secret"}) {
		t.Errorf("got %v, %v, %v; want joe secret", login, ok, err)
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("macdef init\r\nls\r\n\r\nmachine h\r\nlogin joe\r\npassword secret\r\n"), 0o600))
	if login, ok, err := Find(path, "h", ""); !ok || err != nil || login != (Login{"joe", "secret"}) {
		t.Errorf("with CR LF: got %v, %v, %v; want joe secret", login, ok, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	fetchtest.NoError(t, os.Chmod(path, 0o644))
	if login, ok, err := Find(path, "h", ""); ok || err == nil || login.Password != "" || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: got %v, %v, %v; want an error with chmod 600", login, ok, err)
	}
	if _, ok, err := Find(path, "other", ""); ok || err != nil {
		t.Errorf("unknown host: got %v, %v; want no login and no error", ok, err)
	}
}

func FuzzFind(f *testing.F) {
	f.Add(sample, "h")
	f.Fuzz(func(_ *testing.T, text, host string) { find(text, host, "") })
}
