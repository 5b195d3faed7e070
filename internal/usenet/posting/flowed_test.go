package posting

import (
	"testing"

	"gofer/internal/testbed/fetchtest"
)

// TestFlowedQuote checks that the rows of a quoted paragraph form one paragraph again.
func TestFlowedQuote(t *testing.T) {
	a := article(
		t,
		"Content-Type: text/plain; format=flowed; delsp=yes\n\nThe paragraph goes on  \n"+
			" and on, longer than one row of the screen is, and it ends behind a  \nword.\n> quoted \n> one\n-- \nJoe\n",
	)
	fetchtest.Equal(
		t, quoteText(a.Text, a.Flowed),
		"> The paragraph goes on and on, longer than one row of the screen is, and \n> it ends behind a word.\n>> quotedone\n",
	)
}
