package demo

import (
	"embed"
	"net"
)

// StartUMN starts a GopherServer without files. It sends answers that were recorded from gopherd,
// the server of the University of Minnesota, mostly from versions 2.3.0 and 3.0.5. It answers a
// filled-in form with the lines that the client has sent.
func StartUMN() (*GopherServer, error) {
	s := &GopherServer{root: embed.FS{}, handlers: map[string]func(net.Conn, string){}, recordedAnswers: umnAnswers()}
	return s, s.start(s.serve)
}

// umnAnswers returns a map from request lines to recorded answers. The server replaces the menu
// field "@" with its host and port. It changes nothing else: it doubles no dots and adds no final
// dot.
func umnAnswers() map[string]string {
	const (
		root = "0Manual page\t0/man\t@\t+\r\n0Made by a program\t0/cut\t@\t+\r\n0Order\t0/order\t@\t?\r\n1Without Gopher+\t1/plain\t@\r\n"
		// plain lists items without Gopher+ attributes.
		plain = "0About\t0/about\t@\r\n0Manual page\t0/man\t@\r\n6Encoded\t6/uu\t@\r\nMMail\tM/mail\t@\r\ncCalendar\tc/calendar\t@\r\n"
		admin = "+ADMIN:\r\n Admin: A. N. Other <admin@example.invalid>\r\n Mod-Date: Sat Nov 21 20:22:23 2026 <20261121202223>\r\n"
		views = "+VIEWS:\r\n application/gopher-menu En_US: <.5k>\r\n text/html En_US: <.8k>\r\n Directory/recursive En_US: <2k>\r\n"
		html  = "<HTML>\r\n<BODY>\r\n<A HREF=\"gopher://example.invalid/\">Elsewhere</A>\r\n</BODY>\r\n</HTML>\r\n"
		// failure is the start of a Gopher+ error.
		failure = "--1\r\n1 A. N. Other <admin@example.invalid>\r\n"
	)
	return map[string]string{
		"":                               root + ".\r\n",
		"1/":                             root + ".\r\n",
		"1/\t!":                          "+-1\r\n+INFO 1Gopher Testing Labs\t\t@\t+\r\n" + admin + views + ".\r\n",
		"1/\t+text/html En_US":           "+-1\r\n" + html,
		"1/\t+Directory/recursive En_US": "+-1\r\n" + root + plain + ".\r\n",
		"1/plain":                        plain + ".\r\n",
		"1/plain\t$":                     plain + ".\r\n",
		"0/about":                        "About\r\n.\r\n",
		"0/man":                          ".SH NAME\ngofer\n.\r\n",
		"0/man\t+":                       "+15\r\n.SH NAME\ngofer\n.\r\n",
		"0/macro":                        ".de X\r\n.br\r\n.\r\n",
		"0/cut\t+":                       "+-1\r\nfirst line\r\nsecond line\r\n",
		"6/uu":                           "begin 644 a\r\n#86)C\r\n`\r\nend\r\n.\r\n",
		"M/mail":                         "MIME-Version: 1.0\r\n\r\nHello.\r\n.\r\n",
		"c/calendar":                     "11/26\tThanksgiving\r\n.\r\n",
		"0/gone\t+":                      failure + "'0/gone' does not exist!!\r\n.\r\n",
		"0/old\t+":                       failure + "0'0/old' does not exist!!\t\t\t\r\n.\r\n", // sent by version 1.2
		"0/order\t!":                     "+-1\r\n+INFO: 0Order\t0/order\t@\t?\r\n+ASK:\r\n Ask: Your name:\r\n Ask: Your town:\tMinneapolis\r\n Ask: What you order:\r\n.\r\n",
	}
}
