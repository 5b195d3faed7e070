package realserver

import (
	"os"
	"path/filepath"
)

// The account that the servers know, and its crypt(3) hash.
const (
	accountName     = "labuser"
	accountPassword = "labpass"
	accountHash     = "$6$gofersalt$sl6kBKmugo47wnMX5pv/GjnVcU6l4IHNOBF4J0Bht2BaVRXyixZK4CJy8cSAQW/mDsJw3qvm/y6psjzDZp3TW/"
)

// writeEtc makes the files of dir that lie over those of /etc in a namespace:
// no name is looked up but in hosts.
func writeEtc(dir string) error {
	home := filepath.Join(dir, "home")
	t := tree{root: dir}
	t.dir("etc")
	t.dir("log")
	t.dir("empty")
	t.file("etc/hosts", "127.0.0.1 localhost gofer.example.invalid\n::1 localhost\n")
	t.file("etc/resolv.conf", "# nobody is to be asked\n")
	t.file("etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n")
	t.file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnews:x:9:9:news:/nonexistent:/bin/sh\n"+
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"+
		"ftp:x:5556:5556:ftp:"+filepath.Join(dir, "root")+":/usr/sbin/nologin\n"+
		accountName+":x:5555:5555:Lab User:"+home+":/bin/sh\n")
	t.file("etc/group", "root:x:0:\ntty:x:5:\nnews:x:9:\nshadow:x:42:\nnogroup:x:65534:\nftp:x:5556:\n"+accountName+":x:5555:\n")
	t.file("etc/shadow", "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\nftp:*:19000:0:99999:7:::\n"+
		accountName+":"+accountHash+":19000:0:99999:7:::\n")
	t.file("etc/shells", "/bin/sh\n")
	t.file("pam.d/gofer", "auth required pam_unix.so\naccount required pam_unix.so\nsession optional pam_permit.so\n")
	t.file("lsb_release", "#!/bin/sh\ncase $1 in -i) echo Debian;; -r) echo 12;; *) echo n/a;; esac\n")
	t.chmod("lsb_release", 0o755)
	t.chmod("etc/shadow", 0o600)
	t.chmod(".", 0o755)
	if t.err != nil {
		return t.err
	}
	return os.Chown(filepath.Join(dir, "etc/shadow"), 0, 0)
}
