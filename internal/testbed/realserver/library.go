package realserver

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Ztest returns the test server of YAZ (Z39.50) with the database "Default". It finds as many records as a number in the query says,
// and else some; it looks at no other word.
var Ztest = sharedDaemon(startZtest)

// zInit is an Init of Z39.50 and then an octet that ends the session.
const zInit = "\xb4\x10\x83\x02\x05\xe0\x84\x02\x06\xc0\x85\x02\x20\x00\x86\x02\x20\x00" + "\x00\n"

func startZtest() (*Server, error) {
	const program = "usr/bin/yaz-ztest"
	return launch("yaz", program, func(s *Server, n *namespace) error {
		n.writeText("dummy-words", "CATALOG:2\nCOMPUTER:9\nGOPHER:4\nLIBRARY:3\nWHALE:1\n")
		return s.startListening(nil, zInit, "YAZ", func(port string) *exec.Cmd {
			return n.libraryCommand("env", "-C", n.dir, n.daemonPath(program), "tcp:127.0.0.1:"+port)
		})
	})
}

// libraryCommand is like command, with the libraries of the daemon's package.
func (n *namespace) libraryCommand(argv ...string) *exec.Cmd {
	cmd := n.command(root, argv...)
	folders, _ := filepath.Glob(n.daemonPath("usr/lib/*-linux-gnu")) // the pattern is correct
	private := n.daemonPath("usr/lib/" + filepath.Base(n.prefix))
	cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(append(folders, private), ":"))
	return cmd
}

const zebraConf = `profilePath: @dir@:@prefix@/usr/share/idzebra-2.0/tab
modulePath: @modules@
attset: bib1.att
recordType: grs.marcxml.books
lockDir: @dir@/lock
keyTmpDir: @dir@/lock
setTmpDir: @dir@/lock
register: @dir@/register:100M
`

// zebraFields says which fields of a record are searched by which attributes.
const zebraFields = `name books
attset bib1.att
esetname F @
esetname B @
marc usmarc.mar
xpath disable
all any
melm 001 Doc-id:u,Local-number:w
melm 100 Author:w,Author:p
melm 245 Title:w,Title:p
melm 260 Place-publication:w
melm 650 Subject:w
`

// ZebraWith starts Zebra (Z39.50) with the database "books" of MARC records. If secret is true, it requires the
// login of the server.
func ZebraWith(t testing.TB, records []byte, secret bool) *Server {
	t.Helper()
	return startOrSkip(t, func() (*Server, error) {
		const program = "usr/bin/zebrasrv"
		return launch("zebra", program, func(s *Server, n *namespace) error {
			modules, err := filepath.Glob(n.daemonPath("usr/lib/*/idzebra-2.0/modules"))
			if err != nil || len(modules) == 0 {
				return &missingError{"zebra has no modules"}
			}
			access := "perm.anonymous: r\n"
			if secret {
				access = "passwd: @dir@/passwords\nperm." + s.User + ": r\n"
			}
			n.mkdir("lock")
			n.mkdir("register")
			n.writeText("books.abs", zebraFields)
			n.writeText("passwords", s.User+":"+s.Password+"\n")
			n.writeText("books.mrc", string(records))
			conf := n.writeConfig("zebra.cfg", strings.Replace(zebraConf+access, "@modules@", modules[0], 1), "")
			index := func(argv ...string) {
				n.run(n.libraryCommand(append([]string{n.daemonPath("usr/bin/zebraidx"), "-c", conf, "-d", "books"}, argv...)...))
			}
			index("init")
			index("update", n.path("books.mrc"))
			return s.startListening(nil, zInit, "YAZ", func(port string) *exec.Cmd {
				return n.libraryCommand(n.daemonPath(program), "-c", conf, "tcp:127.0.0.1:"+port)
			})
		})
	})
}
