package realserver

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// Dictd returns dictd (RFC 2229) with the database "tools", whose headwords are
// spade, shovel and "garden fork".
var Dictd = daemon(startDictd)

// Fingerd returns fingerd (RFC 1288), which tells of the user "digger" only.
var Fingerd = daemon(startFingerd)

const dictText = ":spade: A tool to dig; see {shovel}.\n\n:shovel: Like a {spade}.\n\n:garden fork: A tool with four {tines\n     and a handle}.\n"

func startDictd() (_ *Server, err error) {
	const program = "usr/sbin/dictd"
	prefix, err := find("dictd", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("dictd")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "dictd", ns: n}
	t := tree{root: n.dir}
	t.file("dictd.conf", "database tools {\n  data \""+n.dir+"/tools.dict\"\n  index \""+n.dir+"/tools.index\"\n}\n")
	if t.err != nil {
		return nil, t.err
	}
	libraries, err := filepath.Glob(filepath.Join(prefix, "usr/lib/*/libmaa.so.4"))
	if err != nil {
		return nil, err
	}
	command := func(argv ...string) *exec.Cmd {
		cmd := n.command(root, argv...)
		for _, l := range libraries {
			cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+filepath.Dir(l))
		}
		return cmd
	}
	format := command(filepath.Join(prefix, "usr/bin/dictfmt"), "-j", "-u", "http://tools.example/", "-s", "Garden tools", "--utf8", filepath.Join(n.dir, "tools"))
	format.Stdin = strings.NewReader(dictText)
	if err := format.Run(); err != nil {
		return nil, err
	}
	addr, err := n.serve(func(string) *exec.Cmd {
		return command(filepath.Join(prefix, program), "-i", "-c", filepath.Join(n.dir, "dictd.conf"), "--locale", "C.UTF-8")
	})
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}

// fingerScript takes the place of finger, which tells of the users of the machine.
const fingerScript = `for user; do :; done
case $user in
digger) printf 'Login: digger  \t\t\tName: Dora Digger\nPlan:\nTo dig: gopher://hole.example/1\n' ;;
-*|'') printf 'Login     Name\ndigger    Dora Digger\n' ;;
*) echo "finger: $user: no such user." ;;
esac
`

func startFingerd() (_ *Server, err error) {
	const program = "usr/sbin/in.fingerd"
	prefix, err := find("fingerd", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("fingerd")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "fingerd", ns: n}
	t := tree{root: n.dir}
	t.script("finger", fingerScript)
	if t.err != nil {
		return nil, t.err
	}
	addr, err := n.serve(func(string) *exec.Cmd {
		return n.command(nobody, filepath.Join(prefix, program), "-p", filepath.Join(n.dir, "finger"))
	})
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}
