// Package portguard asks the user before anything is sent to a port that usually belongs to another
// service than the URL's (RFC 1738, section 6).
package portguard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// Ports is a set of ports.
type Ports struct{ ranges []span }

type span struct{ first, last uint16 }

// services maps ports to the names of well-known services that unexpected commands can harm.
var services = map[uint16]string{
	21: "FTP", 22: "SSH", 23: "telnet", 25: "SMTP", 53: "DNS", 79: "finger", 80: "HTTP", 110: "POP3", 119: "NNTP", 143: "IMAP",
	389: "LDAP", 443: "HTTPS", 465: "SMTP", 514: "syslog", 515: "printers", 587: "SMTP", 873: "rsync", 993: "IMAP", 995: "POP3",
	1433: "SQL Server", 1521: "Oracle", 2049: "NFS", 2375: "Docker", 2379: "etcd", 3128: "proxies", 3306: "MySQL", 3632: "distcc",
	4190: "ManageSieve", 5060: "SIP", 5222: "XMPP", 5432: "PostgreSQL", 5672: "AMQP", 5900: "VNC", 6000: "X11", 6379: "Redis",
	6566: "SANE", 6667: "IRC", 6697: "IRC", 9100: "printers", 9200: "Elasticsearch", 10050: "Zabbix", 11211: "memcached",
	22121: "twemproxy", 27017: "MongoDB",
}

const maxSystemPort = 1023 // RFC 6335, section 6

// DefaultPorts returns the system ports and the ports of well-known services.
func DefaultPorts() Ports {
	s := Ports{[]span{{1, maxSystemPort}}}
	for port := range services {
		if port > maxSystemPort {
			s.ranges = append(s.ranges, span{port, port})
		}
	}
	slices.SortFunc(s.ranges, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return s
}

// Has reports whether port is in the set.
func (p Ports) Has(port uint16) bool {
	return slices.ContainsFunc(p.ranges, func(r span) bool { return r.first <= port && port <= r.last })
}

// MarshalText writes the set in the syntax of UnmarshalText.
func (p Ports) MarshalText() ([]byte, error) {
	var parts []string
	for _, r := range p.ranges {
		part := strconv.Itoa(int(r.first))
		if r.last != r.first {
			part += "-" + strconv.Itoa(int(r.last))
		}
		parts = append(parts, part)
	}
	return []byte(strings.Join(parts, ", ")), nil
}

// UnmarshalText reads ports and ranges of ports, with commas between them.
func (p *Ports) UnmarshalText(text []byte) error {
	p.ranges = nil
	if strings.TrimSpace(string(text)) == "" {
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseUint(strings.TrimSpace(first), 10, 16)
		to, toErr := strconv.ParseUint(strings.TrimSpace(last), 10, 16)
		if err != nil || toErr != nil || from > to {
			return fmt.Errorf("%q is not a list of ports such as \"1-1023, 6379\"", strings.TrimSpace(part))
		}
		p.ranges = append(p.ranges, span{uint16(from), uint16(to)})
	}
	return nil
}

// Guard is a [protocols.Guard]. It asks once for each host and port.
// [protocols.Guarded] calls the Guard before any Fetcher. Fetchers call it for redirects, with
// [protocols.CheckRedirect]. The FTP client calls [Guard.DataPort].
type Guard struct {
	Ask  Ports                                         // the ports that need consent; the default ports of the URL's scheme never do
	Plan func(u urlcore.URL) ([]protocols.Step, error) // returns what would be sent for u
	// Shared has the consents that several Guards share. If nil, the Guard has its own.
	Shared *Consents

	own Consents
}

// Consents records what the user has agreed to.
type Consents struct{ sync.Map }

func (g *Guard) consents() *Consents { return cmp.Or(g.Shared, &g.own) }

// consent is the user's consent to send something to addr. If sends is not set, it is only the
// consent to receive something from addr.
type consent struct {
	addr  string
	sends bool
}

// Allow returns a *[protocols.Confirm] if the user has to agree to the request first. A typed URL
// ([protocols.Request.Typed]) needs no consent.
func (g *Guard) Allow(_ context.Context, req protocols.Request, change bool) error {
	u := req.URL
	addr, port := serverAddr(u)
	if port == 0 || req.Typed || isDefaultPort(u, addr, port) || !g.needsConsent(consent{addr, true}, port) {
		return nil
	}
	steps, err := g.Plan(u)
	_, asks := errors.AsType[*protocols.Ask](err)
	if _, handoff := errors.AsType[*protocols.Handoff](err); asks || handoff || protocols.ReasonOf(err) == protocols.BadURL {
		return nil // nothing will be sent, or another program will send it
	}
	confirm := &protocols.Confirm{
		URL:      u,
		Question: describePort(port) + ". Send this anyway",
		Reason:   "These octets would go to " + addr + ":",
		Details:  formatSteps(steps),
	}
	if change {
		confirm.Question = describePort(port) + ". Connect anyway"
		confirm.Reason, confirm.Details = "Commands and data would go to "+addr+".", nil
	}
	return g.withConsent(consent{addr, true}, confirm)
}

// DataPort returns a *[protocols.Confirm] if the user has to agree before gofer opens a data
// connection to port. The FTP server at addr has chosen the port. The parameter sends is set for
// uploads. The default data port, the one below the server's port (RFC 959, section 3.2), needs no
// consent, unless it belongs to another well-known service.
func (g *Guard) DataPort(addr string, port uint16, sends bool) error {
	host, control, _ := net.SplitHostPort(addr)
	c := consent{net.JoinHostPort(host, strconv.Itoa(int(port))), sends}
	if strconv.Itoa(int(port)+1) == control && services[port] == "" || !g.needsConsent(c, port) {
		return nil
	}
	danger := "The data of that service would be taken for the file."
	if sends {
		danger = "It may take the file for commands."
	}
	return g.withConsent(c, &protocols.Confirm{
		Question: describePort(port) + ". Open a data connection to " + c.addr + " anyway",
		Reason:   "The FTP server has named this port. " + danger,
	})
}

// needsConsent reports whether port, the port of a.addr, needs the consent a, and the user has not
// given it yet. A consent to send includes the consent to receive.
func (g *Guard) needsConsent(a consent, port uint16) bool {
	_, agreed := g.consents().Load(a)
	_, sends := g.consents().Load(consent{a.addr, true})
	return g.Ask.Has(port) && !agreed && !sends
}

// withConsent completes c so that the answer yes records the consent a.
func (g *Guard) withConsent(a consent, c *protocols.Confirm) error {
	c.Consent = protocols.ConsentPort
	c.GiveConsent = func() { g.consents().Store(a, nil) }
	return c
}

func describePort(port uint16) string {
	service := "another service"
	switch name := services[port]; {
	case name != "":
		service = name
	case port <= maxSystemPort:
		service = "a system service"
	}
	return fmt.Sprintf("Port %d usually belongs to %s", port, service)
}

// maxSteps is the largest number of steps that are shown. maxShown is the largest number of octets
// that are shown of each step.
const (
	maxSteps = 12
	maxShown = 1000
)

// formatSteps returns the octets that would be sent, one line for each step.
func formatSteps(steps []protocols.Step) (lines []string) {
	for i, s := range steps {
		text := clean.Octets(s.Send)
		switch {
		case i == maxSteps:
			return append(lines, fmt.Sprintf("... (%d more)", len(steps)-maxSteps))
		case text == "":
			text = "(" + s.Note + ")"
		case len(text) > maxShown:
			text = text[:maxShown] + fmt.Sprintf("... (%d octets)", len(s.Send))
		}
		lines = append(lines, text)
	}
	return lines
}

// serverAddr returns the host:port of u, and the port as a number. The port is 0 if u has no server, or if
// neither u nor its scheme has a port.
func serverAddr(u urlcore.URL) (addr string, port uint16) {
	addr, _ = urlcore.Addr(u)
	if g, ok := u.(urlcore.Generic); ok {
		if s, _, ok := g.Server(); ok && s.Port != 0 {
			addr = net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port)))
		}
	}
	_, number, _ := net.SplitHostPort(addr)
	n, _ := strconv.ParseUint(number, 10, 16)
	return addr, uint16(n)
}

// isDefaultPort reports whether port is the default port of u's scheme, with or without TLS, or of the kind of
// item, such as a phone book, which has a Gopher URL.
func isDefaultPort(u urlcore.URL, addr string, port uint16) bool {
	scheme := u.Scheme()
	if m, ok := u.(interface {
		At(host string, port uint16) urlcore.URL
	}); ok {
		if usual, ok := urlcore.Addr(m.At(urlcore.Host(u), 0)); ok && usual == addr {
			return true
		}
	}
	for _, s := range []string{scheme, scheme + "s", strings.TrimSuffix(scheme, "s")} {
		if urlcore.DefaultPort(s) == port {
			return true
		}
	}
	return protocols.KindOf(u).Port() == port
}
