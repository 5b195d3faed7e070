package cli

import (
	"github.com/spf13/cobra"

	"gofer/internal/transfer/download"
	"gofer/internal/transfer/mirror"
)

// addTree adds the flags that limit what is fetched of a tree, and how fast. The parameter when begins their help texts.
func (o *getOptions) addTree(cmd *cobra.Command, when string) {
	f := cmd.Flags()
	f.BoolVar(&o.noParent, "no-parent", false, when+"only menus and documents below the selector of the URL")
	f.BoolVar(&o.noParent, "np", false, "the same as --no-parent")
	f.BoolVarP(&o.yes, "yes", "y", false, "save directories without asking")
	f.StringVar(&o.rate, "limit-rate", "", "limit the octets per second, such as `500k` or 2M")
	f.IntVar(&o.depth, "depth", download.DefaultDepth, when+"number of levels of directories or menus; if given, deeper menus are only counted")
	f.IntVar(&o.tries, "tries", mirror.DefaultTries, "number of attempts while the network fails and no data arrives")
	f.DurationVar(&o.wait, "wait", download.DefaultDelay, when+"the time between requests to a Gopher server")
}

// newManager returns a Manager with the limits of the flags.
func (o *getOptions) newManager() *download.Manager {
	return &download.Manager{
		Parallel: o.parallel, Rate: o.rateOctets.N, Depth: o.depth, DepthGiven: o.depthGiven, Quota: o.quotaOctets.N, Delay: max(o.wait, 1),
		Tries: o.tries, RefusedTries: mirror.RefusedTries, PerServer: o.perServer, RawNames: o.rawNames,
	}
}
