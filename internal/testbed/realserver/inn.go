package realserver

import (
	"crypto/tls"
	"fmt"
	"os/exec"
	"strings"
	"sync"
)

// innd and nnrpd share one spool, which contains [Groups] and [Articles].
var (
	innd  = sync.OnceValues(startInnd)
	nnrpd = sync.OnceValues(func() (*Server, error) { return startNnrpd(nil) })
)

// Nnrpd returns INN's server for readers.
var Nnrpd = sharedDaemon(nnrpd)

// Innd returns INN's server for peers. After MODE READER, nnrpd serves the connection.
var Innd = sharedDaemon(innd)

// NnrpdLogin returns an [Nnrpd] that requires the login of the account. It supports STARTTLS.
var NnrpdLogin = sharedDaemon(func() (*Server, error) { return startNnrpd(nil, "-c", "readers-login.conf") })

// NnrpdTLS returns an [Nnrpd] that speaks TLS from the first octet.
var NnrpdTLS = sharedDaemon(func() (*Server, error) { return startNnrpd(insecureTLS, "-S") })

const innBin = "usr/lib/news/bin/"

// innCommand returns a command that runs a program of INN.
func (n *namespace) innCommand(program string, args ...string) *exec.Cmd {
	cmd := n.command(news, append([]string{n.daemonPath(innBin + program)}, args...)...)
	cmd.Env = append(cmd.Env, "INNCONF="+n.path("inn.conf"), "LD_LIBRARY_PATH="+n.daemonPath("usr/lib/news"))
	return cmd
}

func startInnd() (*Server, error) {
	return launch("inn", innBin+"innd", func(s *Server, n *namespace) error {
		s.Certificate = n.writeCertificate()
		n.writeSpool()
		n.run(n.innCommand("makedbz", "-i", "-o", "-f", n.path("db/history"), "-s", "20000"))
		if err := s.startListening(nil, "QUIT\r\n", n.token(), func(port string) *exec.Cmd { return n.innCommand("innd", "-f", "-P", port) }); err != nil {
			return err
		}
		return feedArticles(s.Addr, Articles())
	})
}

// startNnrpd starts nnrpd with additional arguments.
func startNnrpd(secure *tls.Config, args ...string) (*Server, error) {
	transit, err := innd()
	if err != nil {
		return nil, err
	}
	s := *transit
	err = s.startListening(secure, "QUIT\r\n", s.ns.token(), func(port string) *exec.Cmd {
		return s.ns.innCommand("nnrpd", append([]string{"-D", "-f", "-4", "127.0.0.1", "-p", port}, args...)...)
	})
	if err != nil {
		return nil, fmt.Errorf("nnrpd: %w\n%s", err, s.Log())
	}
	return &s, nil
}

// writeSpool writes the configuration and the empty spool of INN.
func (n *namespace) writeSpool() {
	n.writeConfig("inn.conf", innConf, "")
	n.writeText("conf/incoming.conf", "streaming: true\nmax-connections: 20\nhold-time: 0\npeer ME {\n    hostname: \"localhost, 127.0.0.1\"\n}\n")
	n.writeText("conf/newsfeeds", "ME:*::\n")
	n.writeText("conf/storage.conf", "method tradspool {\n    newsgroups: *\n    class: 0\n}\n")
	n.writeText("conf/expire.ctl", "/remember/:20000\n*:A:never:never:never\n")
	n.writeText("conf/moderators", "*:moderator@example.invalid\n")
	n.writeText("conf/control.ctl", "all:*:*:doit\n")
	n.writeText("conf/localgroups", "# none\n")
	n.writeText("conf/distrib.pats", "# none\n")
	n.writeText("conf/distributions", "world\tEverywhere\n")
	n.writeText("conf/subscriptions", "test.general\n")
	n.writeText("conf/motd.nnrpd", "The message of the day.\nIts second line.\n")
	n.writeText("conf/nnrpd.passwd", accountName+":"+accountHash+"\n")
	n.writeConfig("conf/readers.conf", readersConf, "")
	n.writeConfig("conf/readers-login.conf", strings.Replace(readersConf, "    default: \"<guest>\"\n", "", 1), "")
	active := "control 0000000000 0000000001 n\ncontrol.cancel 0000000000 0000000001 n\njunk 0000000000 0000000001 n\n"
	var names, times string
	for _, g := range Groups() {
		active += fmt.Sprintf("%s 0000000000 0000000001 %c\n", g.Name, g.Status)
		times += g.Name + " 1735689600 lab@example.invalid\n"
		if g.Description != "" {
			names += g.Name + "\t" + g.Description + "\n"
		}
	}
	n.writeText("db/active", active)
	n.writeText("db/newsgroups", names)
	n.writeText("db/active.times", times)
	n.writeText("db/history", "")
	for _, name := range []string{
		"tmp", "run", "filter", "http", "spool", "spool/articles", "spool/overview", "spool/incoming", "spool/incoming/bad",
		"spool/outgoing", "spool/archive", "spool/innfeed",
	} {
		n.mkdir(name)
		n.chown(name, news)
	}
	for _, name := range []string{".", "key.pem", "log", "db", "db/active", "db/newsgroups", "db/active.times", "db/history", "conf/nnrpd.passwd"} {
		n.chown(name, news)
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
