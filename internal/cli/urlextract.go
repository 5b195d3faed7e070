package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gofer/internal/cli/urlbatch"
	"gofer/urlcore"
)

// foundURL is what extract writes with --json.
type foundURL struct {
	Start int `json:"start"` // where it stands in the text, in octets,
	End   int `json:"end"`   // its wrapper included
	urlbatch.Link
	Warnings []string `json:"warnings"`
}

func (p *Program) extractCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "extract [FILE]",
		Short: "print the URLs that running text holds, one a line",
		Long: "extract finds the URLs in a file, or in all of standard input, and prints the\n" +
			"canonical text of each in their order. It takes \"<URL:...>\", which may be broken over\n" +
			"lines, \"URL:...\" and, but for --strict, bare URLs of the schemes it knows. What is\n" +
			"malformed is passed over.\n\n" +
			"With --json each object tells where the URL stands, its fragment, and the other\n" +
			"readings of one that was broken after a hyphen.",
		Example: "  gofer url extract rfc1738.txt",
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.urlRun(flags)
			err := p.eachPiece(args, func(text string, offset int) error {
				for _, f := range r.parser.Extract(text) {
					if err := r.found(f, offset); err != nil {
						return err
					}
				}
				return nil
			})
			return errors.Join(err, r.out.Flush())
		},
	}
}

// found writes a URL of a text that begins offset octets into the whole.
func (r *urlRun) found(f urlcore.Found, offset int) error {
	if !r.json {
		_, err := fmt.Fprintln(r.out, f.URL)
		return err
	}
	return r.encode(foundURL{offset + f.Start, offset + f.End, urlbatch.LinkOf(f), f.Warnings.Names()})
}

// Sizes in octets of the pieces of a text, and of a URL in angle brackets.
const (
	pieceSize  = 1 << 20
	maxWrapped = 64 << 10
)

// eachPiece calls do with each piece of the file or standard input, and its offset.
func (p *Program) eachPiece(args []string, do func(text string, offset int) error) error {
	in := p.In
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	buf := make([]byte, pieceSize)
	for kept, offset := 0, 0; ; {
		n, err := io.ReadFull(in, buf[kept:])
		piece := buf[:kept+n]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		end := len(piece)
		if !last {
			end = pieceEnd(piece)
		}
		if err := do(string(piece[:end]), offset); err != nil || last {
			return err
		}
		offset += end
		kept = copy(buf, piece[end:])
	}
}

// pieceEnd returns where to cut text: after white space, outside of angle brackets.
func pieceEnd(text []byte) int {
	end := bytes.LastIndexAny(text, " \t\r\n") + 1
	if i := bytes.LastIndexAny(text[:end], "<>"); i >= 0 && text[i] == '<' && end-i <= maxWrapped {
		end = i
	}
	if end == 0 {
		return len(text)
	}
	return end
}
