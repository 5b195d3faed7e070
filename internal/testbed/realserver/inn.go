package realserver

import (
	"crypto/x509"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// newsServer is INN: two servers over one spool.
type newsServer struct {
	transit, reader Server
	program         func(argv ...string) *exec.Cmd
	starting        sync.Mutex
}

// Log returns the last lines of the logs of both.
func (s *newsServer) Log() string { return s.reader.Log() }

const innBin = "usr/lib/news/bin"

func startINN() (_ *newsServer, err error) {
	prefix, err := find("inn", innBin+"/innd")
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("inn")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	program := func(argv ...string) *exec.Cmd {
		argv[0] = filepath.Join(prefix, innBin, argv[0])
		cmd := n.command(news, argv...)
		cmd.Env = append(cmd.Env, "INNCONF="+filepath.Join(n.dir, "inn.conf"), "LD_LIBRARY_PATH="+filepath.Join(prefix, "usr/lib/news"))
		return cmd
	}
	token := filepath.Base(n.dir)
	fill := strings.NewReplacer("@dir@", n.dir, "@prefix@", prefix, "@token@", token)
	certificate, err := innTree(n.dir, fill)
	if err != nil {
		return nil, err
	}
	history := filepath.Join(n.dir, "db", "history")
	if err := n.run(program("makedbz", "-i", "-o", "-f", history, "-s", "20000")); err != nil {
		return nil, err
	}
	server := func(name string) Server {
		return Server{Name: name, ns: n, User: accountName, Password: accountPassword, Certificate: certificate}
	}
	s := &newsServer{transit: server("innd"), reader: server("nnrpd"), program: program}
	addr, err := n.listen("QUIT\r\n", token, func(port string) (*exec.Cmd, error) {
		return program("innd", "-f", "-P", port), nil
	})
	if err != nil {
		return nil, fmt.Errorf("innd: %w", err)
	}
	if err := s.transit.at(addr); err != nil {
		return nil, err
	}
	if err := feed(addr, Articles()); err != nil {
		return nil, fmt.Errorf("innd: %w\n%s", err, n.logs())
	}
	return s, s.nnrpd(&s.reader, false)
}

// nnrpd starts a server for readers with more arguments.
func (s *newsServer) nnrpd(reader *Server, tls bool, args ...string) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	n := reader.ns
	n.tls = tls
	addr, err := n.listen("QUIT\r\n", filepath.Base(n.dir), func(port string) (*exec.Cmd, error) {
		return s.program(append([]string{"nnrpd", "-D", "-f", "-4", "127.0.0.1", "-p", port}, args...)...), nil
	})
	if err != nil {
		return fmt.Errorf("nnrpd: %w", err)
	}
	return reader.at(addr)
}

// anotherNnrpd starts one more server over the spool of INN.
func anotherNnrpd(tls bool, args ...string) (*Server, error) {
	s, err := inn()
	if err != nil {
		return nil, err
	}
	reader := s.reader
	return &reader, s.nnrpd(&reader, tls, args...)
}

// innTree writes the configuration and the empty spool.
func innTree(dir string, fill *strings.Replacer) (*x509.Certificate, error) {
	t := tree{root: dir}
	certificate := t.certificate()
	t.file("inn.conf", fill.Replace(innConf))
	t.file("conf/incoming.conf", "streaming: true\nmax-connections: 20\nhold-time: 0\npeer ME {\n    hostname: \"localhost, 127.0.0.1\"\n}\n")
	t.file("conf/newsfeeds", "ME:*::\n")
	t.file("conf/storage.conf", "method tradspool {\n    newsgroups: *\n    class: 0\n}\n")
	t.file("conf/expire.ctl", "/remember/:20000\n*:A:never:never:never\n")
	t.file("conf/moderators", "*:moderator@example.invalid\n")
	t.file("conf/control.ctl", "all:*:*:doit\n")
	t.file("conf/localgroups", "# none\n")
	t.file("conf/distrib.pats", "# none\n")
	t.file("conf/distributions", "world\tEverywhere\n")
	t.file("conf/subscriptions", "test.general\n")
	t.file("conf/motd.nnrpd", "The message of the day.\nIts second line.\n")
	t.file("conf/nnrpd.passwd", accountName+":"+accountHash+"\n")
	t.file("conf/readers.conf", fill.Replace(readersConf))
	t.file("conf/readers-login.conf", strings.Replace(fill.Replace(readersConf), "    default: \"<guest>\"\n", "", 1))
	active := "control 0000000000 0000000001 n\ncontrol.cancel 0000000000 0000000001 n\njunk 0000000000 0000000001 n\n"
	var names, times string
	for _, g := range Groups() {
		active += fmt.Sprintf("%s 0000000000 0000000001 %c\n", g.Name, g.Status)
		times += g.Name + " 1735689600 lab@example.invalid\n"
		if g.Description != "" {
			names += g.Name + "\t" + g.Description + "\n"
		}
	}
	t.file("db/active", active)
	t.file("db/newsgroups", names)
	t.file("db/active.times", times)
	t.file("db/history", "")
	for _, name := range []string{
		"tmp", "run", "filter", "http", "spool", "spool/articles", "spool/overview", "spool/incoming", "spool/incoming/bad",
		"spool/outgoing", "spool/archive", "spool/innfeed",
	} {
		t.dir(name)
		t.own(name, news)
	}
	for _, name := range []string{".", "key.pem", "log", "db", "db/active", "db/newsgroups", "db/active.times", "db/history", "conf/nnrpd.passwd"} {
		t.own(name, news)
	}
	t.chmod("conf/nnrpd.passwd", 0o600)
	return certificate, t.err
}

const innConf = `mta:                "/bin/true %s"
organization:       "A test"
domain:             example.invalid
fromhost:           example.invalid
pathhost:           @token@.example.invalid
server:             "127.0.0.1"
port:               119
bindaddress:        "127.0.0.1"
bindaddress6:       none
runasuser:          news
runasgroup:         news
hismethod:          hisv6
enableoverview:     true
ovmethod:           tradindexed
wireformat:         true
artcutoff:          0
remembertrash:      true
maxartsize:         20000000
localmaxartsize:    5000000
allownewnews:       true
readerswhenstopped: false
noreader:           false
nnrpdloadlimit:     0
nnrpdcheckart:      true
addinjectionpostingaccount: false
addinjectionpostinghost: false
syntaxchecks:       "no-laxmid"
verifycancels:      false
docancels:          all
usecontrolchan:     false
logipaddr:          false
status:             0
timer:              0
tlscertfile:        @dir@/cert.pem
tlskeyfile:         @dir@/key.pem
tlscafile:          @dir@/cert.pem
pathnews:           @prefix@/usr/lib/news
pathbin:            @prefix@/usr/lib/news/bin
pathetc:            @dir@/conf
pathfilter:         @dir@/filter
pathdb:             @dir@/db
pathhttp:           @dir@/http
pathlog:            @dir@/log
pathrun:            @dir@/run
pathtmp:            @dir@/tmp
pathspool:          @dir@/spool
patharticles:       @dir@/spool/articles
pathoverview:       @dir@/spool/overview
pathincoming:       @dir@/spool/incoming
pathoutgoing:       @dir@/spool/outgoing
patharchive:        @dir@/spool/archive
`

const readersConf = `auth anyone {
    hosts: "127.0.0.1, localhost"
    auth: "ckpasswd -f @dir@/conf/nnrpd.passwd"
    default: "<guest>"
    default-domain: "example.invalid"
}
access all {
    users: "*"
    newsgroups: "*"
    access: RPAN
}
`
