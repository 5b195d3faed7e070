package realserver

import (
	"crypto/tls"
	"os/exec"
	"strings"
)

// Nginx returns the web server nginx, with directory listings, compression and a login (guest,
// guest) for /private/.
var Nginx = sharedDaemon(func() (*Server, error) { return startNginx(nil, "") })

// NginxTLS returns an [Nginx] with TLS and HTTP/2.
var NginxTLS = sharedDaemon(func() (*Server, error) { return startNginx(insecureTLS, "") })

// startNginx starts nginx with further settings of its server. The parameter secure is the configuration of a client, or nil.
func startNginx(secure *tls.Config, more string) (*Server, error) {
	const program = "usr/sbin/nginx"
	return launch("nginx", program, func(s *Server, n *namespace) error {
		n.writeText("root/token.txt", n.token()+"\n")
		n.writeText("root/index.html", "<!doctype html><meta charset=utf-8><title>Nginx</title><h1>A page</h1><p><a href=\"files/\">Files</a>\n"+strings.Repeat("<p>A paragraph.\n", 200))
		n.writeText("root/files/plain.txt", "Plain text.\n")
		n.writeText("root/files/a b%c.txt", "An odd name.\n")
		n.writeText("root/private/index.html", "<p>The private page.\n")
		n.writeText("root/large.bin", strings.Repeat("0123456789abcde\n", 1<<20))
		n.writeText("passwords", "guest:{PLAIN}guest\n")
		n.mkdir("tmp")
		s.Certificate = n.writeCertificate()
		conf := nginxConf
		if secure != nil {
			conf = strings.Replace(conf, "@port@;", "@port@ ssl http2; ssl_certificate @dir@/cert.pem; ssl_certificate_key @dir@/key.pem;"+more, 1)
		}
		// An HTTP/0.9 request is answered without a header.
		return s.startListening(secure, "GET /token.txt\r\n", n.token(), func(port string) *exec.Cmd {
			return n.command(root, n.daemonPath(program), "-c", n.writeConfig("nginx.conf", conf, port), "-p", n.dir, "-e", "stderr")
		})
	})
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
		listen 127.0.0.1:@port@;
		root @dir@/root;
		location /files/ { autoindex on; }
		location = /moved { return 301 /files/; }
		location /private/ { auth_basic "the private page"; auth_basic_user_file @dir@/passwords; }
	}
}
`
