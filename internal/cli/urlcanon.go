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
		Long: "canon prints the canonical RFC 1738 text of each URL on a line of its own: two URLs\n" +
			"name the same item if theirs are the same. A fragment (\"#...\") is not part of a URL\n" +
			"and left out; --json tells it.",
		Example: "  gofer url canon 'Gopher://Example.ORG:70/0caf%e9'\n" +
			"  gofer url canon <urls.txt | sort -u",
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.urlRun(flags)
			return r.eachURL(args, r.canonical)
		},
	}
}

func (r *urlRun) canonical(input string, parsed urlcore.Parsed) error {
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
		Short: "print what partial URLs mean in the context of a base",
		Long: "resolve prints the canonical URL of each reference, a partial form or a full URL, as\n" +
			"it is meant in the context of the URL BASE. An empty reference, and an empty line of\n" +
			"standard input, is BASE itself. The rules are those of the drafts of 1993, which\n" +
			"RFC 1738 has for ftp, http and file: \"/a/b/..\" becomes \"/a\".",
		Example: "  gofer url resolve http://example.org/a/b ../c",
		Args:    usage(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.urlRun(flags)
			var base urlcore.URL
			err := r.each(args[:1], true, func(input string) error {
				parsed, err := r.parser.Resolve(nil, input)
				base = parsed.URL
				return err
			})
			if err != nil {
				return err
			}
			return r.each(args[1:], true, func(input string) error {
				parsed, err := r.parser.Resolve(base, input)
				if err != nil {
					return err
				}
				return r.canonical(input, parsed)
			})
		},
	}
}
