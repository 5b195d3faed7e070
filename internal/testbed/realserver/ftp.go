package realserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func startVsftpd(more string) (*Server, error) {
	return startFTP("vsftpd", vsftpdConf+more, func(prefix, conf string) []string {
		return []string{filepath.Join(prefix, "usr/sbin/vsftpd"), conf}
	})
}

func startProftpd(more string) (*Server, error) {
	return startFTP("proftpd", proftpdConf+more, func(prefix, conf string) []string {
		return []string{filepath.Join(prefix, "usr/sbin/proftpd"), "-n", "-c", conf}
	})
}

// startPureFTPd starts a server whose settings are its arguments.
func startPureFTPd(more ...string) (*Server, error) {
	return startFTP("pure-ftpd", "127.0.0.1,@port@", func(prefix, conf string) []string {
		bind, _ := os.ReadFile(conf)
		dir := filepath.Dir(conf)
		return append([]string{
			filepath.Join(prefix, "usr/sbin/pure-ftpd"), "-S", string(bind), "-4", "-H", "-l", "unix", "-c", "200", "-C", "200",
			"-L", "20000:8", "-g", filepath.Join(dir, "pure-ftpd.pid"), "-O", "clf:" + filepath.Join(dir, "log", "transfers"),
			"-2", filepath.Join(dir, "both.pem"), "-z",
		}, more...)
	})
}

func startFTP(name, conf string, argv func(prefix, conf string) []string) (_ *Server, err error) {
	prefix, err := find(name, filepath.Join("usr/sbin", name))
	if err != nil {
		return nil, err
	}
	n, err := newNamespace(name)
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{
		Name: name, Root: filepath.Join(n.dir, "root"), Home: filepath.Join(n.dir, "home"),
		User: accountName, Password: accountPassword, ns: n,
	}
	if err := ftpTree(s.Root); err != nil {
		return nil, err
	}
	if err := homeTree(s.Home); err != nil {
		return nil, err
	}
	t := tree{root: n.dir}
	var passwd strings.Builder
	for _, a := range append(OddAccounts(), Account{User: accountName, hash: accountHash}) {
		passwd.WriteString(a.User + ":" + a.hash + ":5555:5555:Lab User:" + s.Home + ":/bin/sh\n")
	}
	t.file("ftp.passwd", passwd.String())
	t.file("ftp.group", accountName+":x:5555:\n")
	t.chmod("ftp.passwd", 0o600)
	t.chmod("ftp.group", 0o600)
	s.Certificate = t.certificate()
	if t.err != nil {
		return nil, t.err
	}
	token := filepath.Base(n.dir)
	if name == "pure-ftpd" {
		token = "Pure-FTPd" // its greeting cannot be set
	}
	n.tls = implicit(conf)
	addr, err := n.listen("", token, func(port string) (*exec.Cmd, error) {
		t.file("ftp.conf", strings.NewReplacer("@dir@", n.dir, "@port@", port, "@prefix@", prefix, "@token@", token).Replace(conf))
		return n.command(root, argv(prefix, t.path("ftp.conf"))...), t.err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, s.at(addr)
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
# Below are ports of other services, which gofer asks about.
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
