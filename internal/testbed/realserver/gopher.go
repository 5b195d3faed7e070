package realserver

import (
	"os/exec"
	"testing"
)

// GophernicusWith starts gophernicus with the files that the function fill writes into the folder
// root. The file about.txt must contain token.
func GophernicusWith(t testing.TB, token string, fill func(root string) error) *Server {
	t.Helper()
	return startOrSkip(t, func() (*Server, error) { return startGophernicus(token, fill) })
}

func startGophernicus(token string, fill func(root string) error) (*Server, error) {
	const program = "usr/sbin/gophernicus"
	return launch("gophernicus", program, func(s *Server, n *namespace) error {
		n.do(func() error { return fill(s.Root) })
		if err := s.serveAsInetd(func(port string) *exec.Cmd {
			return n.command(nobody, n.daemonPath(program), "-h", "127.0.0.1", "-p", port, "-r", s.Root,
				"-nu", "-nm", "-np", "-D", "A hole for tests", "-L", "Loopback", "-A", "lab@example.invalid")
		}); err != nil {
			return err
		}
		return checkGreeting(s.Addr, "/about.txt\r\n", token, nil)
	})
}

// PygopherdWith starts pygopherd with the files that the function fill writes into the folder
// root.
func PygopherdWith(t testing.TB, fill func(root string) error) *Server {
	t.Helper()
	return startOrSkip(t, func() (*Server, error) { return startPygopherd(fill) })
}

func startPygopherd(fill func(root string) error) (*Server, error) {
	const program = "usr/sbin/pygopherd"
	return launch("pygopherd", program, func(s *Server, n *namespace) error {
		n.do(func() error { return fill(s.Root) })
		n.writeText("root/token.txt", n.token()+"\n")
		n.writeText("mime.types", mimeTypes)
		n.mkdir("run")
		n.chown("run", nobody)
		return s.startListening(nil, "/token.txt\r\n", n.token(), func(port string) *exec.Cmd {
			cmd := n.command(nobody, "/usr/bin/python3", "-W", "ignore", n.daemonPath(program), n.writeConfig("pygopherd.conf", pygopherdConf, port))
			cmd.Env = append(cmd.Env, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+n.daemonPath("usr/lib/python3/dist-packages"))
			return cmd
		})
	})
}

const mimeTypes = `application/octet-stream bin
application/pdf pdf
audio/x-wav wav
image/gif gif
image/png png
text/html html
text/plain txt
`

// pygopherdConf sets every option, because pygopherd has no defaults.
const pygopherdConf = `[pygopherd]
detach = no
pidfile = @dir@/run/pid
servername = 127.0.0.1
interface = 127.0.0.1
port = @port@
servertype = ForkingTCPServer
timeout = 60
abstract_headers = on
abstract_entries = unsupported
tracebacks = yes
usechroot = no
enable_tls = no
root = @dir@/root
mimetypes = @dir@/mime.types
encoding = list(mimetypes.encodings_map.items())
[logger]
logmethod = file
priority = LOG_INFO
facility = LOG_LOCAL3
[GopherEntry]
defaultmimetype = text/plain
mapping = [['text/html', 'h'], ['text/.+', '0'], ['audio/.+', 's'], ['image/gif', 'g'], ['image/.+', 'I'],
    ['application/gopher-menu', '1'], ['application/gopher\\+-menu', '1'], ['application/.+', '9'], ['.*', '0']]
eaexts = {'.abstract': 'ABSTRACT', '.keywords': 'KEYWORDS', '.ask': 'ASK'}
[handlers.HandlerMultiplexer]
handlers = [url.HTMLURLHandler, gophermap.BuckGophermapHandler, UMN.UMNDirHandler, mbox.MBoxMessageHandler, mbox.MBoxFolderHandler, scriptexec.ExecHandler, file.FileHandler, url.URLTypeRewriter]
[handlers.file.CompressedFileHandler]
decompressors = {}
decompresspatt = .*
[handlers.dir.DirHandler]
ignorepatt = /.cap$|/gophermap$|\.abstract$|\.keywords$|\.ask$|~$
cachetime = 0
cachefile = .cache.pygopherd.dir
[handlers.UMN.UMNDirHandler]
extstrip = none
[handlers.ZIP.ZIPHandler]
enabled = false
pattern = \.zip$
[protocols.ProtocolMultiplexer]
protocols = [gopherp.GopherPlusProtocol, rfc1436.GopherProtocol]
[protocols.gopherp.GopherPlusProtocol]
admin = Lab Admin <lab@example.invalid>
[protocols.http.HTTPProtocol]
iconmapping = {}
pagetopper = none
[protocols.wap.WAPProtocol]
waptop = /wap
`
