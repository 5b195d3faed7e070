package realserver

import "strings"

// The login of the account on all servers, and the crypt(3) hash of its password.
const (
	accountName     = "labuser"
	accountPassword = "labpass"
	accountHash     = "$6$gofersalt$sl6kBKmugo47wnMX5pv/GjnVcU6l4IHNOBF4J0Bht2BaVRXyixZK4CJy8cSAQW/mDsJw3qvm/y6psjzDZp3TW/"
)

// Stranger is a user whose password is empty.
const Stranger = "gopher"

// Account is a login of the FTP servers.
type Account struct{ User, Password, hash string }

// OddAccounts returns the other logins of the FTP servers. They share the home directory of the
// account of [Server]. Their passwords are easily changed in transit or mistaken for something
// else.
func OddAccounts() []Account {
	const salt = "$6$gofersalt$"
	return []Account{
		{"digit", "2", salt + "c3WQXBgtBxA91TrvWPf03RRcWu.igdPKjM3e74MCkyNGLcKpKpKsr/KyCUyC82lu8S86RJhmsvdy35ull4UkJ."},
		{"blank", " ", salt + "ft1Gcjht214IPFT5DQieNugpWXALl0AjiqNr.UMSGOti4Rc65nP3FoDTgX3N1AvEn7YpNn4/v3Tzuu0KmxKqh."},
		{"code", "230 ", salt + "BzJNyhtidmYItVMrkBqEue3EWbCwRLQeqqO3.VwS/pDvwCZ1sRWnNZPgvTzSCx97ibrCIrs/omcCbZP1Z7qyd."},
		{"percent", "100%", salt + "Havm6CQnAD587SQo1Vcj4a/liiLInUKV0AOLHcFbiTLAd.tzGqmP1crlVWPMxUFtWcQxfJvaQlU//2gdIXOUV/"},
		{"telnet", "x\xffy", salt + "7z2AcuLR0liJdaa9Zzy4P08Umr/XsKw84FqaQu2ucZYG1EhajWTFgmEu9O8.hCpNuUKgrUhNjeSryp8Dk0mDt."},
		{"latin", "gr\xfcn", salt + "Ys5agmtVqL5/WGqlNsgGjF0PUODxeG.Kmnlf99iKKbi9qBgknASjwXgUQOYUauLaLFQw67LDC./ghI9OZgEsu0"},
	}
}

// writeEtc writes the files of /etc for a namespace. Host names are looked up in etc/hosts
// only.
func (t *tree) writeEtc() {
	var passwd, shadow strings.Builder
	for _, a := range append(OddAccounts(), Account{User: accountName, hash: accountHash}, Account{User: Stranger}) {
		passwd.WriteString(a.User + ":x:5555:5555:Lab User:" + t.path("home") + ":/bin/sh\n")
		shadow.WriteString(a.User + ":" + a.hash + ":19000:0:99999:7:::\n")
	}
	t.mkdir("etc")
	t.mkdir("log")
	t.mkdir("empty")
	t.writeText("etc/hosts", "127.0.0.1 localhost gofer.example.invalid\n::1 localhost\n")
	t.writeText("etc/resolv.conf", "# nobody is to be asked\n")
	t.writeText("etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n")
	t.writeText("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnews:x:9:9:news:/nonexistent:/bin/sh\n"+
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"+
		"sshd:x:5557:65534:sshd:/run/sshd:/usr/sbin/nologin\n"+
		"ftp:x:5556:5556:ftp:"+t.path("root")+":/usr/sbin/nologin\n"+
		passwd.String())
	t.writeText("etc/group", "root:x:0:\ntty:x:5:\nnews:x:9:\nshadow:x:42:\nnogroup:x:65534:\nftp:x:5556:\n"+accountName+":x:5555:\n")
	t.writeText("etc/shadow", "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\nftp:*:19000:0:99999:7:::\n"+
		shadow.String())
	t.writeText("etc/shells", "/bin/sh\n")
	t.writeText("pam.d/gofer", "auth required pam_unix.so nodelay\naccount required pam_unix.so\nsession optional pam_permit.so\n")
	t.writeScript("lsb_release", "case $1 in -i) echo Debian;; -r) echo 12;; *) echo n/a;; esac\n")
	t.chmod("etc/shadow", 0o600)
	t.chown("etc/shadow", root)
	t.chmod(".", 0o755)
}
