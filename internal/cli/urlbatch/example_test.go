package urlbatch_test

import (
	"os"
	"strings"

	"gofer/internal/cli/urlbatch"
)

func ExampleRun() {
	questions := strings.NewReader(`{"input":"news:comp.lang.c"}
{"input":"news:a..b","mode":"strict","dialect":"1993-10","context":"partial"}
{"input":"URL:news:a.b, and so on","context":"text"}
{"input":"x:y","dialect":"1492"}
`)
	if err := urlbatch.Run(questions, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"ok":true,"canonical":"news:comp.lang.c","parts":{"group":"comp.lang.c","scheme":"news"},"native":{"kind":"newsgroup","scheme":"news","group":"comp.lang.c"},"warnings":[]}
	// {"ok":true,"canonical":"news:a..b","parts":{"group":"a..b","scheme":"news"},"native":{"kind":"newsgroup","scheme":"news","group":"a..b"},"warnings":[]}
	// {"ok":true,"urls":[{"canonical":"news:a.b"}]}
	// {"ok":false,"error":"bad-request","reason":"unknown dialect 1492"}
}
