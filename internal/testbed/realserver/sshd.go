package realserver

import (
	"os/exec"
	"testing"
)

// sshdConf permits at least as much as Debian does; the settings of a test restrict it.
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

// Sshd starts OpenSSH's sshd and stops it at the end of the test. settings are appended to its
// configuration. The account logs in with a key in Home/.ssh/authorized_keys. In its sessions
// Root is mounted on /usr/local/bin.
func Sshd(t testing.TB, settings string) *Server {
	t.Helper()
	var s *Server
	t.Cleanup(func() { // runs after startOrSkip has logged the output
		if s != nil {
			s.ns.stop()
		}
	})
	s = startOrSkip(t, func() (*Server, error) { return startSshd(settings) })
	return s
}

func startSshd(settings string) (*Server, error) {
	const program = "usr/sbin/sshd"
	return launch("openssh", program, func(s *Server, n *namespace) error {
		s.Root = n.path("bin")
		n.mkdir("bin")
		n.mkdir("home/.ssh")
		n.chown("home", labUser)
		n.writeCertificate()
		// Sshd uses fixed paths for the folder of its unprivileged process and for the login
		// records.
		const mounts = `mount -t tmpfs -o mode=755 tmpfs /run; mkdir /run/sshd
mount -t tmpfs -o mode=755 tmpfs /var/log
>/run/utmp; >/var/log/wtmp; >/var/log/lastlog
mount --bind "$0" /usr/local/bin`
		n.run(n.command(root, "/bin/sh", "-ec", mounts, s.Root))
		return s.startListening(nil, "", "SSH-2.0-OpenSSH", func(port string) *exec.Cmd {
			return n.command(root, n.daemonPath(program), "-D", "-e", "-f", n.writeConfig("sshd_config", sshdConf+settings, port))
		})
	})
}
