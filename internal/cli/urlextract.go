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

// foundURL is the output of extract --json.
type foundURL struct {
	Start int `json:"start"` // offset of the URL with its wrapper, such as "<URL:", in octets
	End   int `json:"end"`   // the offset after the URL and its wrapper
	urlbatch.Link
	Warnings []string `json:"warnings"`
}

func (p *Program) extractCommand(flags *urlFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "extract [FILE]",
		Short: "print the URLs in a text, one a line",
		Long: "extract finds the URLs in a file, or in all of standard input, and prints the\n" +
			"canonical text of each and its fragment, in order. It finds \"<URL:...>\", which may be broken over\n" +
			"lines, \"URL:...\" and, except with --strict, bare URLs of known schemes. It skips\n" +
			"malformed URLs.\n\n" +
			"With --json each object has the position of the URL, its fragment, and other\n" +
			"readings of a URL that was broken after a hyphen.",
		Example: "  gofer url extract rfc1738.txt",
		Args:    checkArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			r := p.newURLRun(flags)
			err := p.eachPiece(args, func(text string, offset int) error {
				for _, f := range r.parser.Extract(text) {
					if err := r.writeFound(f, f.WrittenFragment(text), offset); err != nil {
						return err
					}
				}
				return nil
			})
			return errors.Join(err, r.out.Flush())
		},
	}
}

// writeFound writes a URL found in a piece of text that begins at offset, with its fragment.
func (r *urlRun) writeFound(f urlcore.Found, fragment string, offset int) error {
	if !r.json {
		_, err := fmt.Fprintln(r.out, urlcore.WithFragment(f.URL.String(), fragment))
		return err
	}
	return r.encode(foundURL{offset + f.Start, offset + f.End, urlbatch.LinkOf(f), f.Warnings.Names()})
}

// pieceSize is the size of a piece of text. A URL in angle brackets stays in one piece if it has at most
// maxWrapped octets.
const (
	pieceSize  = 1 << 20
	maxWrapped = 64 << 10
)

// eachPiece calls handle with each piece of the file in args, or of standard input, and the offset of the piece.
func (p *Program) eachPiece(args []string, handle func(text string, offset int) error) error {
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
	for pending, offset := 0, 0; ; {
		n, err := io.ReadFull(in, buf[pending:])
		piece := buf[:pending+n]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		end := len(piece)
		if !last {
			end = pieceEnd(piece)
		}
		if err := handle(string(piece[:end]), offset); err != nil || last {
			return err
		}
		offset += end
		pending = copy(buf, piece[end:])
	}
}

// pieceEnd returns the offset where text is cut: after white space and outside of angle brackets, if there is
// such a place.
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
