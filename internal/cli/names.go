package cli

import (
	"context"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gofer/internal/app"
	"gofer/internal/text/charset"
	"gofer/internal/transfer"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
	"gofer/protocols"
	"gofer/urlcore"
)

func addRawNames(cmd *cobra.Command, raw *bool) {
	cmd.Flags().BoolVar(raw, "raw-names", false, "use the octets of names at FTP servers for local names, without decoding them")
}

// serverNames returns the Names for the server of u, with the charset chosen by the user or the settings.
func serverNames(st *app.State, u urlcore.URL, raw bool) mirror.Names {
	return mirror.Names{Raw: raw, Chosen: st.ReadingOf(u).Charset}
}

// proposeName returns the local name for u. If the name is at an FTP server, is not UTF-8, and its charset is not known,
// the listing of its directory shows the charset. Errors of this listing are ignored.
func (p *Program) proposeName(ctx context.Context, st *app.State, u urlcore.URL, o *getOptions) string {
	names := serverNames(st, u, o.rawNames)
	f, ok := u.(urlcore.FTP)
	if ok && o.out == "" && !o.rawNames && !utf8.ValidString(f.FileName()) && names.Chosen == charset.Auto {
		if dir, ok := f.Up(); ok {
			if _, page, err := transfer.ReadAll(ctx, st.Fetchers(app.Way{Use: app.Transfer, Retry: o.consents.retry}), protocols.Request{URL: dir}); err == nil {
				names.Learn(slices.All(page))
			}
		}
	}
	return download.ProposeName(u, "", &names)
}

// nameUpload sets the URL of a file to store. The name at the server is the name in the index of a mirror, or the name in
// the listing of the directory that is shown like the local name.
func (p *Program) nameUpload(ctx context.Context, st *app.State, f *localFile, o putOptions) error {
	u, ok := f.dir.(urlcore.FTP)
	name := filepath.Base(f.path)
	if !ok || o.rawNames || charset.IsASCII(name) || !utf8.ValidString(name) {
		return nil
	}
	octets, known := mirror.ReadNames(filepath.Dir(f.path))[name]
	if !known {
		names, server := serverNames(st, u, false), st.Fetchers(app.Way{Use: app.Transfer, Retry: p.answer(o.consents, false)})
		var page []protocols.Line
		err := p.withLogin(ctx, func() (err error) {
			_, page, err = transfer.ReadAll(ctx, server, protocols.Request{URL: u, Hidden: true})
			return err
		})
		if err != nil {
			return err
		}
		names.Learn(slices.All(page))
		octets = names.Octets(name, names.ByText(mirror.ListedNames(slices.All(page))))
	}
	target, err := u.Child(octets)
	if err == nil {
		f.url = target
	}
	return err
}
