package realserver

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// Nginx returns the web server nginx, with listings of folders, compression and
// a login (guest, guest) for /private/.
var Nginx = daemon(func() (*Server, error) { return startNginx(false) })

// NginxTLS returns a [Nginx] with TLS and HTTP/2.
var NginxTLS = daemon(func() (*Server, error) { return startNginx(true) })

func startNginx(secure bool) (_ *Server, err error) {
	const program = "usr/sbin/nginx"
	prefix, err := find("nginx", program)
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("nginx")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	s := &Server{Name: "nginx", Root: filepath.Join(n.dir, "root"), ns: n}
	token := filepath.Base(n.dir)
	t := tree{root: n.dir}
	t.file("root/token.txt", token+"\n")
	t.file("root/index.html", "<!doctype html><meta charset=utf-8><title>Nginx</title><h1>A page</h1><p><a href=\"files/\">Files</a>\n"+strings.Repeat("<p>A paragraph.\n", 200))
	t.file("root/files/plain.txt", "Plain text.\n")
	t.file("root/files/a b%c.txt", "An odd name.\n")
	t.file("root/private/index.html", "<p>The private page.\n")
	t.file("root/large.bin", strings.Repeat("0123456789abcde\n", 1<<20))
	t.file("passwords", "guest:{PLAIN}guest\n")
	t.dir("tmp")
	listen := "listen 127.0.0.1:@port@;"
	if secure {
		s.Certificate = t.certificate()
		listen = "listen 127.0.0.1:@port@ ssl http2; ssl_certificate @dir@/cert.pem; ssl_certificate_key @dir@/key.pem;"
		n.tls = true
	}
	if t.err != nil {
		return nil, t.err
	}
	// A request of HTTP/0.9 is answered without a head.
	addr, err := n.listen("GET /token.txt\r\n", token, func(port string) (*exec.Cmd, error) {
		conf := tree{root: n.dir}
		conf.file("nginx.conf", strings.NewReplacer("@listen@", strings.ReplaceAll(strings.ReplaceAll(listen, "@dir@", n.dir), "@port@", port), "@dir@", n.dir).Replace(nginxConf))
		return n.command(root, filepath.Join(prefix, program), "-c", filepath.Join(n.dir, "nginx.conf"), "-p", n.dir, "-e", "stderr"), conf.err
	})
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}

const nginxConf = `daemon off;
master_process off;
pid @dir@/tmp/pid;
error_log stderr;
events {}
http {
	access_log off;
	default_type application/octet-stream;
	types { text/html html; text/plain txt; }
	client_body_temp_path @dir@/tmp;
	proxy_temp_path @dir@/tmp;
	fastcgi_temp_path @dir@/tmp;
	uwsgi_temp_path @dir@/tmp;
	scgi_temp_path @dir@/tmp;
	gzip on;
	gzip_types text/plain;
	server {
		@listen@
		root @dir@/root;
		location /files/ { autoindex on; }
		location = /moved { return 301 /files/; }
		location /private/ { auth_basic "the private page"; auth_basic_user_file @dir@/passwords; }
	}
}
`
