package realserver

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// Dictd returns dictd (RFC 2229) with the database "tools", whose headwords are
// spade, shovel and "garden fork".
var Dictd = sharedDaemon(startDictd)

// Fingerd returns fingerd (RFC 1288), whose only user is "digger".
var Fingerd = sharedDaemon(startFingerd)

const dictConf = "database tools {\n  data \"@dir@/tools.dict\"\n  index \"@dir@/tools.index\"\n}\n"

const dictText = ":spade: A tool to dig; see {shovel}.\n\n:shovel: Like a {spade}.\n\n:garden fork: A tool with four {tines\n     and a handle}.\n"

func startDictd() (*Server, error) {
	const program = "usr/sbin/dictd"
	return launch("dictd", program, func(s *Server, n *namespace) error {
		conf := n.writeConfig("dictd.conf", dictConf, "")
		libraries, err := filepath.Glob(n.daemonPath("usr/lib/*/libmaa.so.4"))
		if err != nil {
			return err
		}
		command := func(argv ...string) *exec.Cmd {
			cmd := n.command(root, argv...)
			for _, l := range libraries {
				cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+filepath.Dir(l))
			}
			return cmd
		}
		format := command(n.daemonPath("usr/bin/dictfmt"), "-j", "-u", "http://tools.example/", "-s", "Garden tools", "--utf8", n.path("tools"))
		format.Stdin = strings.NewReader(dictText)
		n.run(format)
		return s.serveAsInetd(func(string) *exec.Cmd { return command(n.daemonPath(program), "-i", "-c", conf, "--locale", "C.UTF-8") })
	})
}

// fingerScript replaces finger, which would list the users of the machine.
const fingerScript = `for user; do :; done
case $user in
digger) printf 'Login: digger  \t\t\tName: Dora Digger\nPlan:\nTo dig: gopher://hole.example/1\n' ;;
-*|'') printf 'Login     Name\ndigger    Dora Digger\n' ;;
*) echo "finger: $user: no such user." ;;
esac
`

func startFingerd() (*Server, error) {
	const program = "usr/sbin/in.fingerd"
	return launch("fingerd", program, func(s *Server, n *namespace) error {
		n.writeScript("finger", fingerScript)
		return s.serveAsInetd(func(string) *exec.Cmd { return n.command(nobody, n.daemonPath(program), "-p", n.path("finger")) })
	})
}
