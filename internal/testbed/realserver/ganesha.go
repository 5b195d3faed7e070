package realserver

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// Ganesha returns the NFS server NFS-Ganesha (version 3 by TCP; no public file handle). It exports Root with the files of the FTP
// servers, and the directory "other" beside it. All its users are nobody. MOUNT is at the port that the portmapper of the host names.
var Ganesha = sharedDaemon(startGanesha)

const ganeshaConf = `NFS_CORE_PARAM {
	Protocols = 3; Bind_addr = @host@; NFS_Port = @port@; MNT_Port = @mount@; Plugins_Dir = "@plugins@";
	Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false;
}
NFSv4 { Graceless = true; UseGetpwnam = true; RecoveryRoot = "@dir@/run"; }
EXPORT_DEFAULTS { Protocols = 3; Squash = All_Squash; Anonymous_Uid = 65534; Anonymous_Gid = 65534; SecType = sys; PrivilegedPort = false; }
EXPORT { Export_Id = 1; Path = "@dir@/root"; Pseudo = /root; Access_Type = RO; FSAL { Name = VFS; } }
EXPORT { Export_Id = 2; Path = "@dir@/other"; Pseudo = /other; Access_Type = RO; FSAL { Name = VFS; } }
`

// nfsNull is a call of the procedure NULL of NFS, whose number is "go!\n".
const nfsNull = "\x80\x00\x00\x28go!\n\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa3\x00\x00\x00\x03" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func startGanesha() (*Server, error) {
	const program = "usr/bin/ganesha.nfsd"
	return launch("ganesha", program, func(s *Server, n *namespace) error {
		plugins, err := filepath.Glob(n.daemonPath("usr/lib/*/ganesha"))
		if err != nil || len(plugins) == 0 {
			return &missingError{"ganesha has no plugins"}
		}
		n.do(func() error { return writeFTPTree(s.Root) })
		n.mkdir("run")
		n.writeText("other/far.txt", "far\n")
		n.writeText("root/odd/"+strings.Repeat("n", 255), "the longest name\n")
		n.symlink("root/odd/absolute", s.Root+"/pub/links/to-file")
		n.symlink("root/odd/export", n.path("other"))
		n.symlink("root/odd/upward", "../../other/far.txt")
		n.symlink("root/odd/outside", "/etc/passwd")
		n.symlink("root/odd/loop", "loop")
		n.run(n.command(root, "mount", "--bind", n.path("run"), "/run"))
		if n.err != nil {
			return n.err
		}
		if _, err := n.serveNumbers("unix", n.path("run/rpcbind.sock"), func() uint32 { return 1 }); err != nil { // TRUE: it is registered
			return err
		}
		var mountPort atomic.Uint32
		if s.Host, err = n.servePortmapper(mountPort.Load); err != nil {
			return err
		}
		return s.startListening(nil, nfsNull, "go!", func(port string) *exec.Cmd {
			mount, err := freePort()
			n.do(func() error { return err })
			number, _ := strconv.Atoi(mount)
			mountPort.Store(uint32(number))
			conf := strings.NewReplacer("@host@", s.Host, "@mount@", mount, "@plugins@", plugins[0]).Replace(ganeshaConf)
			return n.libraryCommand(n.daemonPath(program), "-F", "-L", n.path("log/ganesha"), "-p", n.path("pid"), "-f", n.writeConfig("ganesha.conf", conf, port))
		})
	})
}

// servePortmapper starts a portmapper that names a port, and returns its host, whose port of the portmapper is free.
func (n *namespace) servePortmapper(port func() uint32) (host string, err error) {
	for range startTries {
		host = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
		if _, err = n.serveNumbers("tcp", host+":111", port); err == nil {
			break
		}
	}
	return host, err
}

// serveNumbers listens as a portmapper (RFC 1833) and answers each call with a number. It returns the address, and stops with the
// namespace.
func (n *namespace) serveNumbers(network, addr string, number func() uint32) (string, error) {
	return n.serve(network, addr, func(c net.Conn) {
		defer c.Close()
		for {
			var mark uint32
			if binary.Read(c, binary.BigEndian, &mark) != nil {
				return
			}
			call := make([]byte, mark&^(1<<31))
			if _, err := io.ReadFull(c, call); err != nil || len(call) < 4 {
				return
			}
			reply := append([]byte("\x80\x00\x00\x1c"), call[:4]...)
			reply = append(reply, "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
			if _, err := c.Write(binary.BigEndian.AppendUint32(reply, number())); err != nil {
				return
			}
		}
	})
}
