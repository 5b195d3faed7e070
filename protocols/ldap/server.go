package ldap

import (
	"bufio"
	"os"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// configFile is the file of OpenLDAP's programs that names the server of the machine (ldap.conf(5)).
const configFile = "/etc/ldap/ldap.conf"

// withServer returns u with the server that the user's programs ask: that of $LDAPURI, or else of ldap.conf (RFC 4516, section 2: a
// URL without a host leaves the server to the client).
func (c *Client) withServer(u urlcore.LDAP) (urlcore.LDAP, error) {
	if c.Getenv != nil {
		name := c.Getenv("LDAPCONF")
		if name == "" {
			name = configFile
		}
		for _, list := range []string{c.Getenv("LDAPURI"), readServer(name)} {
			for text := range strings.FieldsSeq(list) {
				parsed, err := urlcore.Parse(text)
				if server, ok := parsed.(urlcore.LDAP); ok && err == nil && server.Host != "" && (server.Name == secureScheme || u.Name != secureScheme) {
					u.HostPort, u.Name = server.HostPort, server.Name
					return u, nil
				}
			}
		}
	}
	return u, protocols.NewError(protocols.BadURL, "open "+u.String(), "it names no server: write "+u.Name+"://host/name, or set LDAPURI to the URL of your directory server")
}

// readServer returns the value of URI in a configuration file, or "".
func readServer(name string) (value string) {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 1 && strings.EqualFold(fields[0], "URI") {
			value = strings.Join(fields[1:], " ")
		}
	}
	return value
}
