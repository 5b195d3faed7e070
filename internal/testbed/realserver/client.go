package realserver

import (
	"crypto/tls"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
)

// NginxAsking starts an [NginxTLS] that asks for the certificate of client, which is signed by its own key. The parameter verify
// is the value of ssl_verify_client: "on" or "optional". The page /who.txt says whom the server knows.
func NginxAsking(t testing.TB, verify string, client tls.Certificate) *Server {
	t.Helper()
	file := writeClient(t, client)
	return startOrSkip(t, func() (*Server, error) {
		return startNginx(asClient(client), "\n\t\tssl_client_certificate "+file+"; ssl_verify_client "+verify+";\n"+
			"\t\tlocation = /who.txt { return 200 \"known: $ssl_client_s_dn\\n\"; }")
	})
}

// VsftpdAsking starts a vsftpd that refuses connections without the certificate of client, as [NginxAsking] does.
func VsftpdAsking(t testing.TB, implicit bool, client tls.Certificate) *Server {
	t.Helper()
	conf := vsftpdTLSConf + "require_cert=YES\nvalidate_cert=YES\nca_certs_file=" + writeClient(t, client) + "\n"
	if implicit {
		conf += "implicit_ssl=YES\n"
	}
	return startOrSkip(t, func() (*Server, error) { return startVsftpdFor(conf, asClient(client)) })
}

// asClient is like insecureTLS with the certificate of a client.
func asClient(client tls.Certificate) *tls.Config {
	c := insecureTLS.Clone()
	c.Certificates = []tls.Certificate{client}
	return c
}

// writeClient writes a certificate into a file of the test.
func writeClient(t testing.TB, client tls.Certificate) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "clients.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: client.Certificate[0]}), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
