package realserver

import "os/exec"

// telnetLogin replaces login: it prints the type of the terminal and repeats each line.
const telnetLogin = `#!/bin/sh
echo "terminal $TERM"
while read -r word; do
	case $word in
	size) stty size ;;
	bye) exit ;;
	*) echo "said $word" ;;
	esac
done
`

func startTelnetd() (*Server, error) {
	const program = "usr/sbin/telnetd"
	return launch("telnetd", program, func(s *Server, n *namespace) error {
		n.writeText("login", telnetLogin)
		return s.serveAsInetd(func(string) *exec.Cmd {
			return n.command(root, n.daemonPath(program), "-h", "-E", "/bin/sh "+n.path("login"))
		})
	})
}
