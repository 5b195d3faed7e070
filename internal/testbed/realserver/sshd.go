package realserver

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sshdConf permits what Debian permits and more: the settings of a test take it back.
const sshdConf = `ListenAddress 127.0.0.1:@port@
HostKey @dir@/key.pem
PidFile none
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitTunnel yes
X11Forwarding yes
AcceptEnv *
Subsystem sftp internal-sftp
MaxStartups 100
LogLevel VERBOSE
`

// Sshd starts OpenSSH's sshd, which reads settings after its own, and stops it at the end
// of the test. The account logs in with a key of Home/.ssh/authorized_keys; its sessions
// see Root as /usr/local/bin.
func Sshd(t testing.TB, settings string) *Server {
	t.Helper()
	var s *Server
	t.Cleanup(func() { // after need has logged its output
		if s != nil {
			s.ns.stop()
		}
	})
	s = need(t, func() (*Server, error) { return startSshd(settings) })
	return s
}

func startSshd(settings string) (_ *Server, err error) {
	const program = "usr/sbin/sshd"
	prefix, err := find("openssh", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("sshd")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "sshd", Root: filepath.Join(n.dir, "bin"), Home: filepath.Join(n.dir, "home"), User: accountName, ns: n}
	t := tree{root: n.dir}
	t.dir("bin")
	t.dir("home/.ssh")
	t.own("home", lab)
	t.certificate()
	if t.err != nil {
		return nil, t.err
	}
	// Its folder for the unprivileged process has a fixed place, as its logs of logins have.
	const mounts = `mount -t tmpfs -o mode=755 tmpfs /run; mkdir /run/sshd
mount -t tmpfs -o mode=755 tmpfs /var/log
>/run/utmp; >/var/log/wtmp; >/var/log/lastlog
mount --bind "$0" /usr/local/bin`
	if err := n.run(n.command(root, "/bin/sh", "-ec", mounts, s.Root)); err != nil {
		return nil, err
	}
	addr, err := n.listen("", "SSH-2.0-OpenSSH", func(port string) (*exec.Cmd, error) {
		t.file("sshd_config", strings.NewReplacer("@dir@", n.dir, "@port@", port).Replace(sshdConf)+settings)
		return n.command(root, filepath.Join(prefix, program), "-D", "-e", "-f", t.path("sshd_config")), t.err
	})
	if err != nil {
		return nil, fmt.Errorf("sshd: %w", err)
	}
	return s, s.at(addr)
}
