package endtoend

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// startRedirectingFTP starts an FTP server that names the port of addr for data connections.
func startRedirectingFTP(t *testing.T, addr string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	fetchtest.NoError(t, err)
	replies := map[string]string{
		"USER": "230 in", "PWD": `257 "/"`, "CWD": "250 there", "TYPE": "200 ok", "SIZE": "550 none", "MDTM": "550 none",
		"EPSV": "229 Extended (|||" + port + "|)", "MLSD": "150 coming\r\n226 done", "RETR": "150 coming\r\n226 done",
		"STOR": "150 send it\r\n226 done",
	}
	return fetchtest.Serve(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "220 ready\r\n")
		for in := bufio.NewScanner(c); in.Scan(); {
			verb, arg, _ := strings.Cut(in.Text(), " ")
			reply, ok := replies[verb]
			if !ok || verb == "CWD" && arg == "file" {
				reply = "550 no"
			}
			if _, err := io.WriteString(c, reply+"\r\n"); err != nil {
				return
			}
		}
	})
}

// TestDataPorts uses an FTP server that names the port of another service for data connections. It
// checks that commands connect to that port only with --any-port.
func TestDataPorts(t *testing.T) {
	received := make(chan string, 20)
	service := fetchtest.Serve(t, func(c net.Conn) {
		b := make([]byte, 100)
		n, _ := c.Read(b)
		received <- string(b[:n])
	})
	_, port, _ := net.SplitHostPort(service)
	addr := startRedirectingFTP(t, service)
	home, folder := t.TempDir(), t.TempDir()
	settings := filepath.Join(home, "gofer", "config.toml")
	if err := errors.Join(os.Mkdir(filepath.Dir(settings), 0o700), os.WriteFile(settings, fmt.Appendf(nil, "ask_ports = %q\n", port), 0o600),
		os.WriteFile(filepath.Join(folder, "local"), []byte("FLUSHALL\r\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	gofer := func(args ...string) (code int, stderr string) {
		t.Helper()
		cmd := goferCommand(t.Context(), "gofer", args...)
		var out bytes.Buffer
		cmd.Dir, cmd.Stderr = folder, &out
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+
			home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
		err := cmd.Run()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String()
	}
	for _, args := range [][]string{
		{"dump", "ftp://" + addr + "/"},
		{"dump", "ftp://" + addr + "/file"},
		{"get", "ftp://" + addr + "/file"},
		{"get", "-r", "-y", "ftp://" + addr + "/"},
		{"put", "-y", "local", "ftp://" + addr + "/file"},
	} {
		code, stderr := gofer(args...)
		if code == 0 || !strings.Contains(stderr, "Open a data connection to "+service) || !strings.Contains(stderr, "Use --any-port to agree") {
			t.Errorf("gofer %q: got exit status %d and %s, want an error that asks about %s", args, code, stderr, service)
		}
		if len(received) > 0 {
			t.Fatalf("gofer %q: the service got %q, want nothing", args, <-received)
		}
	}
	gofer("put", "-y", "--any-port", "local", "ftp://"+addr+"/file")
	if got := <-received; got != "FLUSHALL\r\n" {
		t.Errorf("put --any-port: the service got %q", got)
	}
}
