package realserver

import (
	"os/exec"
	"path/filepath"
)

// telnetLogin takes the place of login: a shell script that tells of its
// terminal and says back what it is told.
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

func startTelnetd() (_ *Server, err error) {
	const program = "usr/sbin/telnetd"
	prefix, err := find("telnetd", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("telnetd")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "telnetd", ns: n}
	t := tree{root: n.dir}
	t.file("login", telnetLogin)
	if t.err != nil {
		return nil, t.err
	}
	addr, err := n.serve(func(string) *exec.Cmd {
		return n.command(root, filepath.Join(prefix, program), "-h", "-E", "/bin/sh "+filepath.Join(n.dir, "login"))
	})
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}
