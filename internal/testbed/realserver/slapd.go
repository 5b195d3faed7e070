package realserver

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
)

// Slapd returns OpenLDAP's slapd with the base "dc=lab,dc=example" and StartTLS. The entries below ou=many are 1500, of which one search gets
// 1200 unless it asks for portions. The entries below ou=closed are shown to uid=labuser,ou=people,dc=lab,dc=example with the password
// of the account only.
var Slapd = sharedDaemon(func() (*Server, error) { return startSlapd("ldap", "") })

// SlapdSecure returns a [Slapd] that speaks TLS from the first octet.
var SlapdSecure = sharedDaemon(func() (*Server, error) { return startSlapd("ldaps", "") })

// SlapdStrict returns a [Slapd] that answers by TLS only.
var SlapdStrict = sharedDaemon(func() (*Server, error) { return startSlapd("ldap", "security tls=1\n") })

const slapdConf = `include @prefix@/etc/ldap/schema/core.schema
include @prefix@/etc/ldap/schema/cosine.schema
include @prefix@/etc/ldap/schema/inetorgperson.schema
modulepath @prefix@/usr/lib/ldap
moduleload back_mdb
pidfile @dir@/pid
TLSCertificateFile @dir@/cert.pem
TLSCertificateKeyFile @dir@/key.pem
TLSVerifyClient never
sizelimit size.soft=1200 size.hard=1200 size.prtotal=unlimited
database mdb
suffix "dc=lab,dc=example"
directory @dir@/data
access to dn.subtree="ou=closed,dc=lab,dc=example"
	by dn.exact="uid=labuser,ou=people,dc=lab,dc=example" read
	by * none
access to attrs=userPassword by anonymous auth by * none
access to * by * read
`

func startSlapd(scheme, settings string) (*Server, error) {
	const program = "usr/sbin/slapd"
	return launch("slapd", program, func(s *Server, n *namespace) error {
		s.Certificate = n.writeCertificate()
		n.mkdir("data")
		n.writeText("entries.ldif", slapdEntries(s.Password))
		conf := n.writeConfig("slapd.conf", settings+slapdConf, "")
		n.run(n.libraryCommand(n.daemonPath("usr/sbin/slapadd"), "-q", "-f", conf, "-l", n.path("entries.ldif")))
		secure, hello := insecureTLS, "0\x0c\x02\x01\x01\x60\x07\x02\x01\x03\x04\x00\x80\x00" // an anonymous bind
		if scheme == "ldap" {
			secure = nil
		}
		return s.startListening(secure, hello, "\x02\x01\x01\x61", func(port string) *exec.Cmd {
			return n.libraryCommand(n.daemonPath(program), "-d", "0", "-f", conf, "-h", scheme+"://127.0.0.1:"+port)
		})
	})
}

// slapdEntries returns the entries as LDIF (RFC 2849).
func slapdEntries(password string) string {
	var b strings.Builder
	b.WriteString(`dn: dc=lab,dc=example
objectClass: dcObject
objectClass: organization
o: The lab
dc: lab

dn: ou=people,dc=lab,dc=example
objectClass: organizationalUnit
ou: people

dn: ou=many,dc=lab,dc=example
objectClass: organizationalUnit
ou: many

dn: ou=closed,dc=lab,dc=example
objectClass: organizationalUnit
ou: closed

dn: cn=secret,ou=closed,dc=lab,dc=example
objectClass: organizationalRole
cn: secret

dn: uid=labuser,ou=people,dc=lab,dc=example
objectClass: inetOrgPerson
uid: labuser
cn: Laura Labuser
sn: Labuser
mail: laura@lab.example
userPassword: ` + password + `

dn: cn=alias,ou=people,dc=lab,dc=example
objectClass: alias
objectClass: extensibleObject
cn: alias
aliasedObjectName: ou=people,dc=lab,dc=example

dn: ou=elsewhere,dc=lab,dc=example
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://other.example/ou=elsewhere,dc=other,dc=example

`)
	name := base64.StdEncoding.EncodeToString([]byte("cn=Jörg\\, der \\+ Möwe,ou=people,dc=lab,dc=example"))
	photo := base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0" + strings.Repeat("photo\x00", 2000)))
	fmt.Fprintf(&b, "dn:: %s\nobjectClass: inetOrgPerson\ncn:: %s\nsn:: %s\nmanager: uid=labuser,ou=people,dc=lab,dc=example\njpegPhoto:: %s\nlabeledURI: http://lab.example/joerg his page\n\n",
		name, base64.StdEncoding.EncodeToString([]byte("Jörg, der + Möwe")), base64.StdEncoding.EncodeToString([]byte("Möwe")), photo)
	for i := range 1500 {
		fmt.Fprintf(&b, "dn: cn=number %d,ou=many,dc=lab,dc=example\nobjectClass: organizationalRole\ncn: number %d\n\n", i, i)
	}
	return b.String()
}
