package realserver

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// GophernicusOf starts gophernicus with what fill writes to its root, in which
// about.txt has the token.
func GophernicusOf(t testing.TB, token string, fill func(root string) error) *Server {
	t.Helper()
	return need(t, func() (*Server, error) { return startGophernicus(token, fill) })
}

func startGophernicus(token string, fill func(root string) error) (_ *Server, err error) {
	const program = "usr/sbin/gophernicus"
	prefix, err := find("gophernicus", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("gophernicus")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "gophernicus", Root: filepath.Join(n.dir, "root"), ns: n}
	if err := fill(s.Root); err != nil {
		return nil, err
	}
	addr, err := n.serve(func(port string) *exec.Cmd {
		return n.command(nobody, filepath.Join(prefix, program), "-h", "127.0.0.1", "-p", port, "-r", s.Root,
			"-nu", "-nm", "-np", "-D", "A hole for tests", "-L", "Loopback", "-A", "lab@example.invalid")
	})
	if err != nil {
		return nil, err
	}
	if err := greet(addr, "/about.txt\r\n", token, false); err != nil {
		return nil, fmt.Errorf("gophernicus: %w\n%s", err, n.logs())
	}
	return s, s.at(addr)
}

func startPygopherd() (_ *Server, err error) {
	const program = "usr/sbin/pygopherd"
	prefix, err := find("pygopherd", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("pygopherd")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "pygopherd", Root: filepath.Join(n.dir, "root"), ns: n}
	if err := pygopherdTree(s.Root); err != nil {
		return nil, err
	}
	token := filepath.Base(n.dir)
	t := tree{root: n.dir}
	t.file("root/token.txt", token+"\n")
	t.file("mime.types", mimeTypes)
	t.dir("run")
	t.own("run", nobody)
	if t.err != nil {
		return nil, t.err
	}
	addr, err := n.listen("/token.txt\r\n", token, func(port string) (*exec.Cmd, error) {
		conf := tree{root: n.dir}
		conf.file("pygopherd.conf", strings.NewReplacer("@dir@", n.dir, "@port@", port).Replace(pygopherdConf))
		cmd := n.command(nobody, "/usr/bin/python3", "-W", "ignore", filepath.Join(prefix, program), filepath.Join(n.dir, "pygopherd.conf"))
		cmd.Env = append(cmd.Env, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(prefix, "usr/lib/python3/dist-packages"))
		return cmd, conf.err
	})
	if err != nil {
		return nil, fmt.Errorf("pygopherd: %w", err)
	}
	return s, s.at(addr)
}

const mimeTypes = `application/octet-stream bin
application/pdf pdf
audio/x-wav wav
image/gif gif
image/png png
text/html html
text/plain txt
`

// pygopherdConf has every option: pygopherd has no defaults.
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
