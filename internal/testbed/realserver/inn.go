package realserver

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
)

// The two servers of INN have one spool, with the groups and articles of [Groups]
// and [Articles].
var (
	innd  = sync.OnceValues(startInnd)
	nnrpd = sync.OnceValues(func() (*Server, error) { return startNnrpd(false) })
)

// Nnrpd returns INN's server for readers.
var Nnrpd = daemon(nnrpd)

// Innd returns INN's server for peers: it hands a connection over to nnrpd at MODE
// READER.
var Innd = daemon(innd)

// NnrpdLogin returns a [Nnrpd] that requires the account's login. It has TLS by STARTTLS.
var NnrpdLogin = daemon(func() (*Server, error) { return startNnrpd(false, "-c", "readers-login.conf") })

// NnrpdTLS returns a [Nnrpd] that speaks TLS from the first octet on.
var NnrpdTLS = daemon(func() (*Server, error) { return startNnrpd(true, "-S") })

const innBin = "usr/lib/news/bin/"

// inn prepares a program of INN.
func (n *namespace) inn(program string, args ...string) *exec.Cmd {
	cmd := n.command(news, append([]string{n.installed(innBin + program)}, args...)...)
	cmd.Env = append(cmd.Env, "INNCONF="+n.path("inn.conf"), "LD_LIBRARY_PATH="+n.installed("usr/lib/news"))
	return cmd
}

func startInnd() (*Server, error) {
	return launch("inn", innBin+"innd", func(s *Server, n *namespace) error {
		s.Certificate = n.certificate()
		n.spool()
		n.run(n.inn("makedbz", "-i", "-o", "-f", n.path("db/history"), "-s", "20000"))
		if err := s.listen(false, "QUIT\r\n", n.token(), func(port string) *exec.Cmd { return n.inn("innd", "-f", "-P", port) }); err != nil {
			return err
		}
		return feed(s.Addr, Articles())
	})
}

// startNnrpd starts a server for readers with more arguments.
func startNnrpd(tls bool, args ...string) (*Server, error) {
	transit, err := innd()
	if err != nil {
		return nil, err
	}
	s := *transit
	err = s.listen(tls, "QUIT\r\n", s.ns.token(), func(port string) *exec.Cmd {
		return s.ns.inn("nnrpd", append([]string{"-D", "-f", "-4", "127.0.0.1", "-p", port}, args...)...)
	})
	if err != nil {
		return nil, fmt.Errorf("nnrpd: %w\n%s", err, s.Log())
	}
	return &s, nil
}

// spool writes the configuration and the empty spool of INN.
func (n *namespace) spool() {
	n.configure("inn.conf", innConf, "")
	n.file("conf/incoming.conf", "streaming: true\nmax-connections: 20\nhold-time: 0\npeer ME {\n    hostname: \"localhost, 127.0.0.1\"\n}\n")
	n.file("conf/newsfeeds", "ME:*::\n")
	n.file("conf/storage.conf", "method tradspool {\n    newsgroups: *\n    class: 0\n}\n")
	n.file("conf/expire.ctl", "/remember/:20000\n*:A:never:never:never\n")
	n.file("conf/moderators", "*:moderator@example.invalid\n")
	n.file("conf/control.ctl", "all:*:*:doit\n")
	n.file("conf/localgroups", "# none\n")
	n.file("conf/distrib.pats", "# none\n")
	n.file("conf/distributions", "world\tEverywhere\n")
	n.file("conf/subscriptions", "test.general\n")
	n.file("conf/motd.nnrpd", "The message of the day.\nIts second line.\n")
	n.file("conf/nnrpd.passwd", accountName+":"+accountHash+"\n")
	n.configure("conf/readers.conf", readersConf, "")
	n.configure("conf/readers-login.conf", strings.Replace(readersConf, "    default: \"<guest>\"\n", "", 1), "")
	active := "control 0000000000 0000000001 n\ncontrol.cancel 0000000000 0000000001 n\njunk 0000000000 0000000001 n\n"
	var names, times string
	for _, g := range Groups() {
		active += fmt.Sprintf("%s 0000000000 0000000001 %c\n", g.Name, g.Status)
		times += g.Name + " 1735689600 lab@example.invalid\n"
		if g.Description != "" {
			names += g.Name + "\t" + g.Description + "\n"
		}
	}
	n.file("db/active", active)
	n.file("db/newsgroups", names)
	n.file("db/active.times", times)
	n.file("db/history", "")
	for _, name := range []string{
		"tmp", "run", "filter", "http", "spool", "spool/articles", "spool/overview", "spool/incoming", "spool/incoming/bad",
		"spool/outgoing", "spool/archive", "spool/innfeed",
	} {
		n.mkdir(name)
		n.own(name, news)
	}
	for _, name := range []string{".", "key.pem", "log", "db", "db/active", "db/newsgroups", "db/active.times", "db/history", "conf/nnrpd.passwd"} {
		n.own(name, news)
	}
	n.chmod("conf/nnrpd.passwd", 0o600)
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
