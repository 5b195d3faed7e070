package realserver

import "os/exec"

// telnetLogin takes the place of login: a shell script that prints the type of its
// terminal and repeats each line.
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
		n.file("login", telnetLogin)
		return s.serve(func(string) *exec.Cmd {
			return n.command(root, n.installed(program), "-h", "-E", "/bin/sh "+n.path("login"))
		})
	})
}
