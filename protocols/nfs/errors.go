package nfs

import (
	"errors"
	"fmt"
	"slices"

	"gofer/protocols"
)

// layer is where a failure comes from.
type layer uint8

const (
	layerNFS     layer = iota // nfsstat3 (RFC 1813, section 2.6)
	layerMount                // mountstat3 (appendix I, section 5.1.5), with the same numbers
	layerAccept               // accept_stat (RFC 5531, section 9)
	layerAuth                 // auth_stat
	layerVersion              // the server has another version of RPC
)

// failure is a refusal of a server. It is the cause in an error.
type failure struct {
	layer   layer
	code    uint32
	program string // the name of the program that was asked
}

// refuses reports whether err is a refusal of the server with one of the codes.
func refuses(err error, l layer, codes ...uint32) bool {
	f, ok := errors.AsType[failure](err)
	return ok && f.layer == l && slices.Contains(codes, f.code)
}

// isRefusal reports whether err is a refusal of the server, and not of the network.
func isRefusal(err error) bool {
	_, ok := errors.AsType[failure](err)
	return ok
}

// The codes that the client knows.
const (
	acceptNoProgram   = 1
	acceptNoVersion   = 2
	acceptNoProcedure = 3
	acceptGarbage     = 4
	acceptSystem      = 5

	statusPerm      = 1
	statusNoEntry   = 2
	statusIO        = 5
	statusAccess    = 13
	statusNotDir    = 20
	statusInvalid   = 22
	statusNameLong  = 63
	statusStale     = 70
	statusBadHandle = 10001
	statusBadCookie = 10003
	statusNotSupp   = 10004
	statusServer    = 10006
	statusJukebox   = 10008
)

// statuses describes the codes of NFS and MOUNT.
var statuses = map[uint32]struct {
	reason protocols.Reason
	text   string
}{
	statusPerm:      {protocols.Denied, "the server does not permit this" + portHint},
	statusNoEntry:   {protocols.NotFound, "there is no such file or directory"},
	statusIO:        {protocols.ServerFailed, "the server could not read its disk"},
	6:               {protocols.NotFound, "there is no such device"},
	statusAccess:    {protocols.Denied, "the server does not let the user with your number read it"},
	statusNotDir:    {protocols.NotFound, "it is not a directory"},
	21:              {protocols.NotFound, "it is a directory"},
	statusInvalid:   {protocols.ServerFailed, "the server finds the request invalid"},
	statusNameLong:  {protocols.NotFound, "the name is too long for the server"},
	statusStale:     {protocols.NotFound, "the server has removed or replaced it in the meantime; reload it"},
	71:              {protocols.NotSupported, "it is on another server"},
	statusBadHandle: {protocols.ServerFailed, "the server does not know its own file handle any more; reload it"},
	statusBadCookie: {protocols.ServerFailed, "the directory has changed while it was listed; reload it"},
	statusNotSupp:   {protocols.NotSupported, "the server does not support this"},
	10005:           {protocols.ServerFailed, "the server needs a larger reply than gofer accepts"},
	statusServer:    {protocols.ServerFailed, "the server has failed"},
	statusJukebox:   {protocols.ServerFailed, "the server must fetch it from a slow medium; try again later"},
}

// portHint explains the most frequent refusal.
const portHint = "; if it accepts only ports below 1024, its administrator can export with the option \"insecure\""

// Error describes the refusal and what helps.
func (f failure) Error() string {
	if f.layer <= layerMount {
		s, ok := statuses[f.code]
		switch {
		case !ok:
			return fmt.Sprintf("the server refused with the code %d", f.code)
		case f.layer == layerMount && (f.code == statusAccess || f.code == statusPerm):
			return "the server does not let this machine or user mount it" + portHint
		}
		return s.text
	}
	switch f.layer {
	case layerVersion:
		return "the server has another version of RPC"
	case layerAuth:
		return "the server does not accept the user" + portHint
	}
	switch f.code {
	case acceptNoProgram, acceptNoVersion:
		return "the server does not offer " + f.program
	case acceptNoProcedure:
		return "the server does not support this procedure"
	case acceptGarbage:
		return "the server could not decode the request"
	case acceptSystem:
		return "the server has failed"
	}
	return fmt.Sprintf("the server refused with the code %d", f.code)
}

// toError returns the error of the operation op.
func (f failure) toError(op string) error {
	e := &protocols.Error{Reason: protocols.ServerFailed, Op: op, Err: f}
	switch {
	case f.layer <= layerMount:
		if s, ok := statuses[f.code]; ok {
			e.Reason = s.reason
		}
	case f.layer == layerAuth:
		e.Reason = protocols.Denied
	case f.layer == layerVersion, f.code <= acceptNoProcedure:
		e.Reason = protocols.NotSupported
	}
	return e
}
