package cli

import (
	"github.com/spf13/cobra"

	"gofer/internal/cli/urlbatch"
	"gofer/urlcore"
)

func (p *Program) canonCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "canon [URL...]",
		Short: "print the canonical text of URLs, one a line",
		Long: "canon prints the canonical RFC 1738 text of each URL, one per line: two URLs\n" +
			"name the same item if these texts are equal. A fragment (\"#...\") is not part of a\n" +
			"URL and is omitted, except with --json.",
		Example: "  gofer url canon 'Gopher://Example.ORG:70/0caf%e9'\n" +
			"  gofer url canon <urls.txt | sort -u",
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.newURLRun(flags)
			return r.eachURL(args, r.writeCanonical)
		},
	}
}

func (r *urlRun) writeCanonical(input string, parsed urlcore.Parsed) error {
	text := parsed.URL.String()
	if r.json {
		return r.encode(urlAnswer{
			Input:    input,
			Answer:   urlbatch.Answer{OK: true, Canonical: text, Warnings: parsed.Warnings.Names()},
			Fragment: parsed.Fragment,
		})
	}
	if _, err := r.out.WriteString(text); err != nil {
		return err
	}
	return r.out.WriteByte('\n')
}

func (p *Program) resolveCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "resolve BASE [REFERENCE...]",
		Short: "resolve partial URLs against a base URL",
		Long: "resolve prints the canonical URL of each reference, a partial or a full URL, resolved\n" +
			"against the URL BASE. An empty reference, and an empty line of standard input, is\n" +
			"BASE itself. The rules are from the drafts of 1993, which RFC 1738 follows for ftp,\n" +
			"http and file: \"/a/b/..\" becomes \"/a\".",
		Example: "  gofer url resolve http://example.org/a/b ../c",
		Args:    checkArgs(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.newURLRun(flags)
			var base urlcore.URL
			err := r.eachInput(args[:1], true, func(input string) error {
				parsed, err := r.parser.Resolve(nil, input)
				base = parsed.URL
				return err
			})
			if err != nil {
				return err
			}
			return r.eachInput(args[1:], true, func(input string) error {
				parsed, err := r.parser.Resolve(base, input)
				if err != nil {
					return err
				}
				return r.writeCanonical(input, parsed)
			})
		},
	}
}
