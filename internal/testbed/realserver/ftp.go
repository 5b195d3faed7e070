package realserver

import (
	"crypto/tls"
	"os/exec"
	"strings"
)

func startVsftpd(more string) (*Server, error) { return startVsftpdFor(more, insecureTLS) }

// startVsftpdFor starts vsftpd with further settings. If it has implicit TLS, client is the configuration of its first client.
func startVsftpdFor(more string, client *tls.Config) (*Server, error) {
	if !strings.Contains(more, "implicit_ssl=YES") {
		client = nil
	}
	return startFTP("vsftpd", func(n *namespace, port string) []string {
		return []string{n.writeConfig("ftp.conf", vsftpdConf+more, port)}
	}, client)
}

func startProftpd(more string) (*Server, error) {
	var implicit *tls.Config
	if strings.Contains(more, "UseImplicitSSL") {
		implicit = insecureTLS
	}
	return startFTP("proftpd", func(n *namespace, port string) []string {
		return []string{"-n", "-c", n.writeConfig("ftp.conf", proftpdConf+more, port)}
	}, implicit)
}

// startPureFTPd starts pure-ftpd, which is configured by its arguments.
func startPureFTPd(more ...string) (*Server, error) {
	return startFTP("pure-ftpd", func(n *namespace, port string) []string {
		return append([]string{
			"-S", "127.0.0.1," + port, "-4", "-H", "-l", "unix", "-c", "200", "-C", "200",
			"-L", "20000:8", "-g", n.path("pure-ftpd.pid"), "-O", "clf:" + n.path("log/transfers"),
			"-2", n.path("both.pem"), "-z",
		}, more...)
	}, nil)
}

// startFTP starts a server with the arguments that args returns. If implicit is not nil the server
// speaks TLS from the first octet.
func startFTP(name string, args func(n *namespace, port string) []string, implicit *tls.Config) (*Server, error) {
	program := "usr/sbin/" + name
	return launch(name, program, func(s *Server, n *namespace) error {
		n.do(func() error { return writeFTPTree(s.Root) })
		n.do(func() error { return writeHomeTree(s.Home) })
		var passwd strings.Builder
		for _, a := range append(OddAccounts(), Account{User: accountName, hash: accountHash}) {
			passwd.WriteString(a.User + ":" + a.hash + ":5555:5555:Lab User:" + s.Home + ":/bin/sh\n")
		}
		n.writeText("ftp.passwd", passwd.String())
		n.writeText("ftp.group", accountName+":x:5555:\n")
		n.chmod("ftp.passwd", 0o600)
		n.chmod("ftp.group", 0o600)
		s.Certificate = n.writeCertificate()
		token := n.token()
		if name == "pure-ftpd" {
			token = "Pure-FTPd" // the greeting of Pure-FTPd cannot be set
		}
		return s.startListening(implicit, "", token, func(port string) *exec.Cmd {
			return n.command(root, append([]string{n.daemonPath(program)}, args(n, port)...)...)
		})
	})
}

const vsftpdConf = `background=NO
listen=YES
listen_address=127.0.0.1
listen_port=@port@
ftpd_banner=vsftpd @token@
anonymous_enable=YES
anon_root=@dir@/root
ftp_username=ftp
local_enable=YES
local_root=@dir@/home
write_enable=YES
local_umask=022
dirmessage_enable=YES
utf8_filesystem=YES
xferlog_enable=YES
log_ftp_protocol=YES
vsftpd_log_file=@dir@/log/protocol
pam_service_name=gofer
secure_chroot_dir=@dir@/empty
connect_from_port_20=NO
# Ports below 30000 may belong to other services: gofer asks before it uses them.
pasv_min_port=30000
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
max_clients=200
delay_failed_login=0
`

const proftpdConf = `ServerName "test"
ServerType standalone
ServerIdent on "proftpd @token@"
DefaultAddress 127.0.0.1
SocketBindTight on
Port @port@
UseIPv6 off
ModulePath @prefix@/usr/lib/proftpd
User nobody
Group nogroup
PidFile @dir@/proftpd.pid
ScoreboardFile @dir@/proftpd.score
SystemLog @dir@/log/system
TransferLog none
WtmpLog off
UseReverseDNS off
RequireValidShell off
UseFtpUsers off
AuthUserFile @dir@/ftp.passwd
AuthGroupFile @dir@/ftp.group
AuthOrder mod_auth_file.c mod_auth_unix.c
MaxInstances 100
TimesGMT on
ShowSymlinks on
AllowRetrieveRestart on
AllowOverwrite on
AllowStoreRestart on
ListOptions "-l"
DisplayChdir .message true
<IfModule mod_delay.c>
  DelayEngine off
</IfModule>
<IfModule mod_ctrls.c>
  ControlsEngine off
</IfModule>
<Anonymous @dir@/root>
  User nobody
  Group nogroup
  UserAlias anonymous nobody
  UserAlias ftp nobody
  RequireValidShell off
  AnonRequirePassword off
  <Limit WRITE>
    DenyAll
  </Limit>
</Anonymous>
`
