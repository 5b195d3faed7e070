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
			"line, in the terms of RFC 1738: decoded, and with the default port. An absent part\n" +
			"has no line, an empty part has one. Passwords are masked.\n\n" +
			"With --json the objects have the keys of gofer url batch, including all octets and\n" +
			"the password.",
		Example: "  gofer url parse ftp://joe@ftp.example.org/%2Fetc/motd;type=a",
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.newURLRun(flags)
			return r.eachInput(args, false, func(input string) error {
				if r.json {
					a := urlAnswer{Input: input, Answer: urlbatch.AnswerQuestion(r.newQuestion(input))}
					r.hasRefused = r.hasRefused || !a.OK
					return r.encode(a)
				}
				parsed, err := r.parser.Parse(input)
				if err != nil {
					return err
				}
				r.writeSeparator()
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
