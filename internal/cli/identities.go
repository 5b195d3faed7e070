package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gofer/internal/wire/identities"
	"gofer/urlcore"
)

var errNoIdentities = errors.New("no folder for identities: set HOME or XDG_DATA_HOME")

func (p *Program) identitiesCommand() *cobra.Command {
	format := listFormat{}
	cmd := &cobra.Command{
		Use:   "identities",
		Short: "list the certificates by which servers know you, or change them",
		Long: "identities lists your identities: certificates with their keys, each in a PEM file that\n" +
			"only you can read. A server gets an identity only if it asks, and only where you have\n" +
			"accepted it.\n\n" +
			"  text   the day it expires, the name, where it is sent, and what is wrong with it\n" +
			"  json   one JSON object a line: name, expires, expired, fingerprint, scopes, file, fault",
		Example: "  gofer identities make oscar\n" +
			"  gofer identities use oscar gemini://example.org/private/\n" +
			"  gofer identities import --name oscar ~/oscar.pem",
		Args: checkArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := format.check(cmd); err != nil {
				return err
			}
			store, err := p.identities()
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			return writeList(p.Out, format.name, list, identityItem)
		},
	}
	format.add(cmd)
	for _, sub := range []*cobra.Command{p.makeIdentityCommand(), p.importIdentityCommand(), p.useIdentityCommand(), p.removeIdentityCommand()} {
		cmd.AddCommand(p.forbidRestricted(sub))
	}
	return cmd
}

// identities returns the identities of the user.
func (p *Program) identities() (*identities.Store, error) {
	folder := p.AllFolders().Identities()
	if folder == "" {
		return nil, errNoIdentities
	}
	return identities.Open(folder), nil
}

func identityItem(f identities.File) listItem {
	var scopes []string
	for _, scope := range f.Scopes {
		scopes = append(scopes, scope.String())
	}
	expires, fault := f.Expires.UTC().Format(time.DateOnly), ""
	text := fmt.Sprintf("%-10s  %s", expires, f.Name)
	if f.Fault != nil {
		fault = errorLine(f.Fault)
		text = fmt.Sprintf("%-10s  %s", "unusable", f.Name)
	}
	if f.Expired() {
		text += "  (expired)"
	}
	for _, scope := range scopes {
		text += "\n            " + scope
	}
	if fault != "" {
		text += "\n            " + fault
	}
	return listItem{text: text, object: struct {
		Name        string   `json:"name"`
		Expires     string   `json:"expires,omitempty"`
		Expired     bool     `json:"expired"`
		Fingerprint string   `json:"fingerprint,omitempty"`
		Scopes      []string `json:"scopes"`
		File        string   `json:"file"`
		Fault       string   `json:"fault,omitempty"`
	}{f.Name, expires, f.Expired(), f.Fingerprint, append([]string{}, scopes...), f.Path, fault}}
}

func (p *Program) makeIdentityCommand() *cobra.Command {
	years := identities.DefaultYears
	cmd := &cobra.Command{
		Use:   "make NAME",
		Short: "make an identity, which no server gets before you accept it for the server",
		Args:  checkArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := p.identities()
			if err != nil {
				return err
			}
			return store.Make(args[0], years)
		},
	}
	cmd.Flags().IntVar(&years, "years", years, "the number of years until it expires")
	return cmd
}

func (p *Program) importIdentityCommand() *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "copy an identity from a PEM file with a certificate and its key",
		Args:  checkArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := p.identities()
			if err != nil {
				return err
			}
			return store.Import(name, args[0])
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the `NAME`; without it, that of the file")
	return cmd
}

func (p *Program) useIdentityCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME URL",
		Short: "accept an identity for the server of a URL, and in Gemini for its path and all below",
		Long: "use accepts an identity for a server: of a gemini: or titan: URL for its path and all\n" +
			"below, of an https: URL for / and all below, of other URLs for the whole server. With - in place of the name, no identity is\n" +
			"sent there any more.",
		Args: checkArgs(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			u, err := urlcore.Guess(args[1])
			if err != nil {
				return err
			}
			scope, ok := identities.ScopeOf(u)
			if !ok {
				return refusedError(urlcore.Redact(u).String() + ": only servers with TLS know users by certificates")
			}
			store, err := p.identities()
			if err != nil {
				return err
			}
			if args[0] == "-" {
				store.SendNone(scope)
			} else {
				store.Accept(scope, strings.TrimSpace(args[0]))
			}
			return store.Settle()
		},
	}
}

func (p *Program) removeIdentityCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "remove an identity and its key",
		Args:  checkArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := p.identities()
			if err != nil {
				return err
			}
			return store.Remove(args[0])
		},
	}
}
