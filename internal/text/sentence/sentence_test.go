package sentence_test

import (
	"errors"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/sentence"
	"gofer/protocols"
)

func TestOf(t *testing.T) {
	cause := errors.New("odd \x1b thing")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{cause, "odd ␛ thing"},
		{&protocols.Error{Reason: protocols.Broken}, "Connection lost"},
		{&protocols.Error{Reason: protocols.Broken, Err: cause}, "Connection lost (odd ␛ thing)"},
		{&protocols.Error{Reason: protocols.Broken, Err: errors.New(" ")}, "Connection lost"},
		{&protocols.Error{Op: "read a", Err: cause}, "Could not read a: odd ␛ thing"},
		{&protocols.Error{Op: "read a"}, "Could not read a: " + protocols.Unknown.String()},
		{&protocols.Error{Reason: protocols.TooBig, Op: "save it", Err: cause}, "Could not save it: odd ␛ thing"},
		{&protocols.Error{Reason: protocols.LocalFailure, Op: "send it", Text: "no\x1b", Err: cause}, "Could not send it: odd ␛ thing (the program said \"no␛\")"},
		{&protocols.Error{Reason: protocols.NoServer, Op: "find it", Err: cause}, "Could not find it: odd ␛ thing"},
		{&protocols.Error{Reason: protocols.NoServer, Op: "find it", Err: errors.New("")}, "Could not find it: " + protocols.NoServer.String()},
		{
			&protocols.Error{Reason: protocols.NotFound, Op: "read a", Code: 550, Text: "a:\tnone"},
			"Could not read a: " + protocols.NotFound.String() + " (the server said \"550 a: none\")",
		},
		{
			&protocols.Error{Reason: protocols.NotFound, Op: "read a", Code: 1, Text: "1 file is gone"},
			"Could not read a: " + protocols.NotFound.String() + " (the server said \"1 file is gone\")",
		},
		{
			&protocols.Error{Reason: protocols.NotFound, Op: "read a", Code: 550, Text: "550 none"},
			"Could not read a: " + protocols.NotFound.String() + " (the server said \"550 none\")",
		},
	} {
		fetchtest.Equal(t, sentence.Of(tt.err), tt.want, "%#v", tt.err)
	}
}
