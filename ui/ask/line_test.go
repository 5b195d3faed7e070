package ask

import (
	"fmt"
	"testing"

	"gofer/internal/testbed/fetchtest"
)

func TestRecalledBounds(t *testing.T) {
	var r Recalled
	for i := range 3 * maxRecalled {
		r.Add(fmt.Sprint(i))
	}
	fetchtest.Equal(t, len(r), maxRecalled, "lines")
	fetchtest.Equal(t, r[0], fmt.Sprint(3*maxRecalled-1), "the first line")
}
