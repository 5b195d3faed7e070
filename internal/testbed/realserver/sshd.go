package realserver

import (
	"os/exec"
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

func startSshd(settings string) (*Server, error) {
	const program = "usr/sbin/sshd"
	return launch("openssh", program, func(s *Server, n *namespace) error {
		s.Root = n.path("bin")
		n.mkdir("bin")
		n.mkdir("home/.ssh")
		n.own("home", lab)
		n.certificate()
		// Its folder for the unprivileged process has a fixed place, as its logs of logins have.
		const mounts = `mount -t tmpfs -o mode=755 tmpfs /run; mkdir /run/sshd
mount -t tmpfs -o mode=755 tmpfs /var/log
>/run/utmp; >/var/log/wtmp; >/var/log/lastlog
mount --bind "$0" /usr/local/bin`
		n.run(n.command(root, "/bin/sh", "-ec", mounts, s.Root))
		return s.listen(false, "", "SSH-2.0-OpenSSH", func(port string) *exec.Cmd {
			return n.command(root, n.installed(program), "-D", "-e", "-f", n.configure("sshd_config", sshdConf+settings, port))
		})
	})
}
