package cli

import (
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"gofer/internal/cli/urlbatch"
	"gofer/internal/pages/explain"
	"gofer/internal/text/clean"
	"gofer/urlcore"
)

func (p *Program) parseCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "parse [URL...]",
		Short: "print the parts of URLs, decoded",
		Long: "parse prints the canonical text of each URL and its parts, one \"name: value\" on a\n" +
			"line, in the words of RFC 1738: decoded, and with the port filled in. What is not\n" +
			"there has no line; what is there and empty has one. A password is not shown.\n\n" +
			"With --json the objects have the keys of gofer url batch, all octets and the\n" +
			"password included.",
		Example: "  gofer url parse ftp://joe@ftp.example.org/%2Fetc/motd;type=a",
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.urlRun(flags)
			return r.each(args, false, func(input string) error {
				if r.json {
					a := urlAnswer{Input: input, Answer: urlbatch.Ask(r.question(input))}
					r.refused = r.refused || !a.OK
					return r.encode(a)
				}
				parsed, err := r.parser.Parse(input)
				if err != nil {
					return err
				}
				r.separate()
				r.printParts(parsed)
				return nil
			})
		},
	}
}

func (r *urlRun) printParts(parsed urlcore.Parsed) {
	u, port := parsed.URL, ""
	if addr, ok := urlcore.Addr(u); ok {
		_, port, _ = net.SplitHostPort(addr)
	}
	r.printPart("canonical", explain.Text(u))
	for _, p := range urlcore.Parts(u) {
		switch {
		case p.Name == "password":
			p.Value = explain.Mask
		case p.Name == "delimiter", p.Name == "port" && port != "":
			continue
		}
		r.printPart(p.Name, p.Value)
		if p.Name == "host" && port != "" {
			r.printPart("port", port)
		}
	}
	if parsed.HasFragment {
		r.printPart("fragment", parsed.Fragment)
	}
	for _, w := range parsed.Warnings.Names() {
		r.printPart("warning", w)
	}
}

func (r *urlRun) printPart(name, octets string) {
	fmt.Fprintln(r.out, strings.TrimRight(name+": "+clean.Line(octets), " "))
}
