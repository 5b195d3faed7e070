package loopback

import (
	"errors"
	"strings"

	"github.com/spf13/afero"
)

// WorldWeb is the small web of the world, and its capsule.
type WorldWeb struct {
	Web     *WebServer
	Gemini  *GeminiServer
	Spartan *SpartanServer
}

// start starts the servers of trees that are filled when their addresses are
// known, which are returned as words and what to put in their place.
func (w *WorldWeb) start() (fill func(addrs *strings.Replacer) error, words []string, err error) {
	site, capsule := afero.NewMemMapFs(), afero.NewMemMapFs()
	files := func(tree afero.Fs) afero.IOFS { return afero.NewIOFS(afero.NewBasePathFs(tree, "/")) }
	if w.Web, err = StartWeb(files(site)); err != nil {
		return nil, nil, err
	}
	if w.Gemini, err = StartGemini(files(capsule)); err != nil {
		return nil, nil, err
	}
	if w.Spartan, err = StartSpartan(files(capsule)); err != nil {
		return nil, nil, err
	}
	words = []string{"@WEB@", w.Web.Addr(), "@GEMINI@", w.Gemini.Addr(), "@SPARTAN@", w.Spartan.Addr()}
	return func(addrs *strings.Replacer) error {
		return errors.Join(copyTree(site, "/", "world/web", addrs), copyTree(capsule, "/", "world/gemini", addrs))
	}, words, nil
}

// close stops the servers.
func (w *WorldWeb) close() error {
	var errs []error
	if w.Web != nil {
		errs = append(errs, w.Web.Close())
	}
	if w.Gemini != nil {
		errs = append(errs, w.Gemini.Close())
	}
	if w.Spartan != nil {
		errs = append(errs, w.Spartan.Close())
	}
	return errors.Join(errs...)
}
