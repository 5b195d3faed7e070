package upload

import (
	"context"
	"os"

	"gofer/protocols"
	"gofer/urlcore"
)

// send sends a file unless the server has it.
func (t *Tree) send(ctx context.Context, f *item) error {
	up := &protocols.Upload{
		Mode: mode(f.info), Listed: true, DryRun: t.DryRun,
		Replace: t.Force || t.Update || f.there == nil, Resume: t.Continue,
	}
	if f.there != nil {
		up.Update = (t.Update || t.Continue) && f.there.note.Size == f.info.Size()
		up.Resume = up.Resume || t.Update && f.there.note.Size < f.info.Size()
	}
	var most, got int64 // octets sent in one attempt, and in the last one
	attempt := func() error {
		got = 0
		file, err := t.open(f)
		if err != nil {
			return protocols.LocalError("read the file", err)
		}
		return Send(ctx, t.Server, file, f.url, up, func(done, _ int64) {
			t.update(func(p *Progress) { p.Done += done - got })
			got = done
		})
	}
	err := t.try(ctx, func() (bool, error) {
		if t.DryRun && !up.Update {
			return false, nil
		}
		err := attempt()
		if protocols.ReasonOf(err) == protocols.NotSupported && up.Resume && up.Replace { // no resumption, or it is still being written
			up.Resume = false
			err = attempt()
		}
		if err != nil && got > 0 { // what is there is a part of it
			t.update(func(p *Progress) { p.Done -= got })
			up.Resume, up.Replace, up.Update = true, true, false
		}
		progress := got > most
		most = max(most, got)
		return progress, err
	})
	if err != nil {
		return err
	}
	if !up.Unchanged {
		t.act("put %s", f.path)
	}
	t.update(func(p *Progress) {
		if up.Unchanged {
			t.keep(f)
			return
		}
		f.state, t.parent(f).touched = sent, true
		p.Done += f.info.Size() - got // what was there
		if p.Files++; t.DryRun {
			return
		}
		t.noDates = t.noDates || !up.DateKept
		t.noModes = t.noModes || !up.ModeKept && up.Mode != ""
	})
	return nil
}

// open opens a file. To open a named pipe, which may have taken its place, would wait for ever.
func (t *Tree) open(f *item) (*os.File, error) {
	if info, err := t.root.Stat(f.path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errSpecial
	}
	return t.root.Open(f.path)
}

// Send stores an open file, which it closes. report gets the octets that were read of it.
func Send(ctx context.Context, server protocols.Putter, file *os.File, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	up.Body, up.Size, up.Modified = &meteredFile{File: file, size: info.Size(), report: report}, info.Size(), info.ModTime()
	if err := server.Put(ctx, u, up); err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && (now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
		err = errChanged
	}
	return protocols.LocalError("send the file", err)
}

// meteredFile tells how much of a file has been read.
type meteredFile struct {
	*os.File
	done, size int64
	report     func(done, size int64)
}

func (m *meteredFile) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	m.done += int64(n)
	if n > 0 {
		m.report(m.done, m.size)
	}
	return n, err
}

func (m *meteredFile) Seek(offset int64, whence int) (int64, error) {
	at, err := m.File.Seek(offset, whence)
	m.done = at
	return at, err
}
