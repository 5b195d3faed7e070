package protocols

import (
	"context"
	"fmt"
	"io"
	"time"

	"gofer/urlcore"
)

// Fetcher fetches the resources of URLs.
//
// Fetch returns when the server has begun to answer. Lines or octets may arrive later. The caller closes
// the Resource. When ctx ends, Fetch and every read of the Resource return [context.Cause] of ctx within
// 100 ms, and no goroutine or socket remains.
//
// The error may also be an *[Error] or a [Question]. A Fetcher is safe for concurrent use.
type Fetcher interface {
	Fetch(ctx context.Context, req Request) (*Resource, error)
}

// Registry maps a scheme to its Fetcher and is itself a Fetcher, Planner, Resumer,
// Putter, Changer and Identifier. Its methods return an *[Error] with reason [Unsupported] if the
// Fetcher of the scheme lacks the method.
type Registry map[string]Fetcher

// Fetch implements [Fetcher].
func (r Registry) Fetch(ctx context.Context, req Request) (*Resource, error) {
	return (&Guarded{Registry: r}).Fetch(ctx, req)
}

// unsupported returns the error for a URL whose Fetcher is missing or lacks a method. It says where the schemes are listed if r does
// not have the scheme.
func (r Registry) unsupported(op string, u urlcore.URL) *Error {
	e := &Error{Reason: Unsupported, Op: op + urlcore.Redact(u).String()}
	if r[u.Scheme()] == nil {
		list := urlcore.Generic{Name: "about", Rest: "schemes"}
		e.Lines = []Line{{}, {Kind: Menu, Text: "The page about:schemes lists the schemes that gofer opens or explains.", Link: list}}
	}
	return e
}

// Guard decides about each request before anything is sent.
type Guard interface {
	// Allow returns an error, such as a *[Confirm], if the request must not be sent. If change is set, the
	// request is a Put, a Change or a post, whose commands are not the commands of a Fetch.
	Allow(ctx context.Context, req Request, change bool) error
}

// Guarded is a Registry that asks Guard before it calls a Fetcher. If Guard is nil, it allows all requests.
type Guarded struct {
	Registry
	Guard Guard
}

// guardedFetcher returns the Fetcher for the scheme of req.URL as a T if the Guard allows the request, and the
// context that [CheckRedirect] needs. The parameter op is the start of Op in an *[Error].
func guardedFetcher[T any](ctx context.Context, g *Guarded, req Request, change bool, op string) (T, context.Context, error) {
	f, ok := g.Registry[req.URL.Scheme()].(T)
	if !ok {
		e := g.unsupported(op, req.URL)
		if known := g.Registry[req.URL.Scheme()] != nil; known && change {
			e.Err = fmt.Errorf("gofer only reads %s: URLs", req.URL.Scheme())
		}
		return f, ctx, e
	}
	if g.Guard == nil {
		return f, ctx, nil
	}
	ctx = context.WithValue(ctx, serviceGuard, &redirectGuard{g.Guard, req, change})
	return f, ctx, g.Guard.Allow(ctx, req, change)
}

type redirectGuard struct {
	Guard
	req    Request
	change bool
}

// CheckRedirect asks the Guard whether u may be requested. u is the target of a redirect in a fetch with
// ctx. A Fetcher calls CheckRedirect before it follows a redirect, and returns the error unchanged.
func CheckRedirect(ctx context.Context, u urlcore.URL) error {
	if g := serviceOf[*redirectGuard](ctx, serviceGuard); g != nil {
		return g.Allow(ctx, g.req.At(u), g.change)
	}
	return nil
}

// Fetch implements [Fetcher].
func (g *Guarded) Fetch(ctx context.Context, req Request) (*Resource, error) {
	f, ctx, err := guardedFetcher[Fetcher](ctx, g, req, false, "open ")
	if err != nil {
		return nil, err
	}
	return f.Fetch(ctx, req)
}

// Step is one message that a fetch sends to a server.
type Step struct {
	Peer string // host:port of the connection
	Send string // the exact octets, line end included; for a binary protocol, the request in words
	Note string // the purpose of the message, or when it is sent
}

// Planner is a Fetcher that can list what Fetch would send, without sending it. In the result of Plan,
// passwords are masked. The error says why the URL cannot be requested.
type Planner interface {
	Plan(u urlcore.URL) ([]Step, error)
}

// Plan implements [Planner].
func (r Registry) Plan(u urlcore.URL) ([]Step, error) {
	if p, ok := r[u.Scheme()].(Planner); ok {
		return p.Plan(u)
	}
	return nil, r.unsupported("open ", u)
}

// Stater is a Fetcher that does not open all URLs itself.
type Stater interface {
	// State says what opens u, such as "built in" or "the program ssh", or why nothing does.
	State(u urlcore.URL) string
}

// State implements [Stater].
func (r Registry) State(u urlcore.URL) string {
	switch f := r[u.Scheme()].(type) {
	case nil:
		return "nothing"
	case Stater:
		return f.State(u)
	}
	return "built in"
}

// Resumer is a Fetcher that can fetch the rest of a document.
type Resumer interface {
	// Resume is like Fetch, but Body begins at the Offset of the request, and Size is the size of the rest.
	// The caller checks that the document has not changed. Resume fails if the server cannot resume, or does not send
	// the document in exact octets. If Body ends in an error that is not a network failure, the octets of
	// Body must not be used.
	Resume(ctx context.Context, req Request) (*Resource, error)
}

// Resume implements [Resumer].
func (r Registry) Resume(ctx context.Context, req Request) (*Resource, error) {
	return (&Guarded{Registry: r}).Resume(ctx, req)
}

// Resume implements [Resumer].
func (g *Guarded) Resume(ctx context.Context, req Request) (*Resource, error) {
	f, ctx, err := guardedFetcher[Resumer](ctx, g, req, false, "resume ")
	if err != nil {
		return nil, err
	}
	return f.Resume(ctx, req)
}

// Resumes reports whether the Fetcher of u's scheme is a [Resumer].
func (r Registry) Resumes(u urlcore.URL) bool {
	_, ok := r[u.Scheme()].(Resumer)
	return ok
}

// Putter is a Fetcher that can also store documents.
type Putter interface {
	// Put stores a document under u and returns when the server has the whole document. The error may be a
	// [Question], such as a *[Confirm] if the file exists; Body is unread in this case. If Body or ctx ends
	// early, the error says that the document on the server is incomplete. Put then resets the connection,
	// so that the server does not regard the document as complete.
	Put(ctx context.Context, u urlcore.URL, up *Upload) error
}

// Upload is a document to be stored.
type Upload struct {
	Body   io.Reader   // the octets to store; an io.Seeker if the upload may be resumed
	Size   int64       // in octets, or -1 if it is unknown before Body ends
	Within urlcore.URL // like [Request.Within], for the directories of the stored file; or nil
	// Modified is the time of the last change, zero if unknown. The stored file gets this date if the
	// server allows it. An upload is not resumed if the part on the server has this date or an earlier one.
	Modified time.Time
	Mode     string // the octal permissions that the stored file gets; "": the server's default
	Replace  bool   // an existing file is replaced
	Resume   bool   // only the octets after the end of an existing file are sent
	// SizeBefore is the size of the existing file before the first attempt, or 0. An upload is not resumed
	// if the file still has this size, because it may be the old file.
	SizeBefore int64
	// Unchecked means that Put does not check the size of the stored file. The caller checks the size
	// later. Put then need not wait for the answers about the date and the mode, either; see Finish.
	Unchecked bool
	// Listed means that the caller knows the directory from a listing. With Replace and without Resume, Put then need not ask the
	// server whether the file exists. Without Replace, the listing has shown that there is no such file: it decides where the
	// server does not report whether there is one.
	Listed bool
	// KeepPart means that the caller continues an interrupted upload or removes its Part. Otherwise Put leaves no part on this
	// machine. Servers have it in both cases.
	KeepPart bool
	// Part is the URL of the incomplete file that an interrupted Put has left, or nil. Put sets it before it reads Body. With Resume
	// it may be of an earlier run. It is nil after a refusal of the name at the end: the file of this name is of somebody else.
	Part urlcore.URL

	// Put sets the fields below.

	// ExistingSize is the size of the existing file when Put asks whether to replace it; 0 if
	// there is no file or its size is unknown.
	ExistingSize int64
	// Sent is the offset in the file up to which Body was read. An attempt that does not read Body leaves
	// Sent unchanged. If Sent is not 0, an existing file that is longer than Sent is not resumed.
	Sent               int64
	DateKept, ModeKept bool // whether the server has set Modified, and whether it has set Mode
	// Finish, if it is not nil, must be called after later uploads. It waits for the answers about the date and the
	// mode, which have usually arrived with those about the next upload, and sets DateKept and ModeKept.
	Finish func(ctx context.Context)
}

// Put implements [Putter].
func (r Registry) Put(ctx context.Context, u urlcore.URL, up *Upload) error {
	return (&Guarded{Registry: r}).Put(ctx, u, up)
}

// Put implements [Putter].
func (g *Guarded) Put(ctx context.Context, u urlcore.URL, up *Upload) error {
	f, ctx, err := guardedFetcher[Putter](ctx, g, Request{URL: u}, true, "upload a file to ")
	if err != nil {
		return err
	}
	return f.Put(ctx, u, up)
}

// Changer is a Fetcher that can also change the directories of a server.
type Changer interface {
	// Change returns when the server has made the change. The result is the URL of the item under its new
	// name. The error may be a [Question], such as a *[Confirm] if another item has the new name.
	Change(ctx context.Context, c *Change) (urlcore.URL, error)
}

// Change is a change to an item of a directory.
type Change struct {
	Kind    ChangeKind
	URL     urlcore.URL // the item; for MakeDirectory and MakeLink the parent directory
	Name    string      // the new name of the item, in the server's octets
	Dir     urlcore.URL // for Rename: the directory of the same server to move the item to, or nil
	Replace bool        // an item that has the new name is replaced
	// Listed means, for Rename, that the listing of the directory has shown no item of the new name. It decides where the
	// server does not report whether there is one.
	Listed bool
	Mode   string      // for Chmod and MakeDirectory: the permissions in octal digits; "": the server's default
	Within urlcore.URL // like [Request.Within], for the directories of the item; or nil
	Target string      // for MakeLink: where the link leads, in the server's octets
	// Modified is the new date, for SetDate. If the server cannot set dates, the error has the
	// reason [NotSupported].
	Modified time.Time
}

// ChangeKind is a kind of [Change].
type ChangeKind uint8

// The kinds of change.
const (
	Remove ChangeKind = iota // removes a file or an empty directory
	Rename                   // renames an item, or moves it if Dir is set; a move with an empty Name keeps the old name
	MakeDirectory
	MakeLink // makes a symbolic link; [NotSupported] where the server cannot
	Chmod
	SetDate
)

// String returns the kind as a verb for errors.
func (k ChangeKind) String() string {
	return [...]string{Remove: "remove", Rename: "rename", MakeDirectory: "make the directory", MakeLink: "make the link", Chmod: "change the mode of", SetDate: "set the date of"}[k]
}

// Change implements [Changer].
func (r Registry) Change(ctx context.Context, c *Change) (urlcore.URL, error) {
	return (&Guarded{Registry: r}).Change(ctx, c)
}

// Change implements [Changer].
func (g *Guarded) Change(ctx context.Context, c *Change) (urlcore.URL, error) {
	f, ctx, err := guardedFetcher[Changer](ctx, g, Request{URL: c.URL}, true, c.Kind.String()+" ")
	if err != nil {
		return nil, err
	}
	return f.Change(ctx, c)
}
