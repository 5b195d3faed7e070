package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gofer/internal/pages/explain"
	"gofer/urlcore"
)

// explanation is the output of explain --json.
type explanation struct {
	Input string `json:"input"`
	OK    bool   `json:"ok"`
	explain.Explanation
}

func (p *Program) explainCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [URL...]",
		Short: "explain URLs and what would be sent for them",
		Long: "explain prints the parts of each URL, their meaning with the section of RFC 1738,\n" +
			"warnings, and the server with the exact octets that gofer would send to it.\n" +
			"Nothing is sent. Octets are written as in the language C: \\t is a TAB, \\r\\n the end\n" +
			"of a line, \\xE9 the octet E9. A password is not shown.",
		Example: "  gofer url explain 'ftp://ftp.example.org/pub/caf%C3%A9.txt;type=a'",
		RunE: func(_ *cobra.Command, args []string) error {
			st := p.openState(nil)
			defer st.Close()
			r := p.newURLRun(flags)
			r.maskPasswords = true
			return r.eachURL(args, func(input string, parsed urlcore.Parsed) error {
				x := explain.URL(parsed.URL, st.Plan)
				x.Fragment, x.Warnings = parsed.Fragment, explain.Warnings(parsed.Warnings)
				if r.json {
					if parsed.Warnings&urlcore.Password != 0 {
						input = urlcore.MaskPassword(input)
					}
					return r.encode(explanation{input, true, x})
				}
				r.writeSeparator()
				fmt.Fprintf(r.out, "%s\n\n", x.URL)
				for _, l := range x.Lines() {
					fmt.Fprintln(r.out, l.Text)
				}
				return nil
			})
		},
	}
}
