package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gofer/internal/pages/explain"
	"gofer/urlcore"
)

// explanation is what explain writes with --json.
type explanation struct {
	Input string `json:"input"`
	OK    bool   `json:"ok"`
	explain.Explanation
}

func (p *Program) explainCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [URL...]",
		Short: "tell what URLs mean and what would be sent for them",
		Long: "explain tells of each URL what its parts are, what they mean and where RFC 1738 says\n" +
			"so, what to beware of, and the exact octets that gofer would send to which server.\n" +
			"Nothing is sent. Octets are written as in the language C: \\t is a TAB, \\r\\n the end\n" +
			"of a line, \\xE9 the octet E9. A password is not shown.",
		Example: "  gofer url explain 'ftp://ftp.example.org/pub/caf%C3%A9.txt;type=a'",
		RunE: func(_ *cobra.Command, args []string) error {
			st := p.open(nil)
			defer st.close()
			r := p.urlRun(flags)
			r.masked = true
			return r.eachURL(args, func(input string, parsed urlcore.Parsed) error {
				x := explain.URL(parsed.URL, st.fetchers.Plan)
				x.Fragment, x.Warnings = parsed.Fragment, explain.Warnings(parsed.Warnings)
				if r.json {
					if parsed.Warnings&urlcore.Password != 0 {
						input = urlcore.MaskPassword(input)
					}
					return r.encode(explanation{input, true, x})
				}
				r.separate()
				fmt.Fprintf(r.out, "%s\n\n", x.URL)
				for _, l := range x.Lines() {
					fmt.Fprintln(r.out, l.Text)
				}
				return nil
			})
		},
	}
}
