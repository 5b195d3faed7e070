package upload

import (
	"context"
	"os"
	"strings"

	"gofer/protocols"
	"gofer/urlcore"
)

// send stores a file unless the server has it.
func (t *Tree) send(ctx context.Context, f *item) error {
	name := f.url.FileName()
	again := f.state == doubtful
	if again && t.stored(ctx, f) {
		return nil
	}
	unchecked := !again && strings.Trim(name, " ") == name // pure-ftpd replaces blanks at the ends
	replace := again || t.Force || t.Replace || t.Update || f.remote == nil && !t.parent(f).incomplete
	up := &protocols.Upload{Listed: true, Unchecked: unchecked, Replace: replace, Resume: t.Continue && !again}
	if f.info.Mode().Perm()&0o044 != 0o044 { // keep it private meanwhile
		up.Mode = mode(f.info)
	}
	if f.remote != nil && !t.Force && !again {
		size := f.info.Size()
		if f.remote.note.Size == size || t.KeepNewer {
			same, err := t.unchanged(ctx, f)
			if same {
				t.update(func(p *Progress) {
					f.state = unchanged
					p.Unchanged, p.Of, p.Size = p.Unchanged+1, p.Of-1, p.Size-size
				})
			}
			if same || err != nil {
				return err
			}
		}
	}
	if f.remote != nil && !up.Resume { // a server may keep it until all of the new file has come
		up.Before = f.remote.note.Size
	}
	return t.put(ctx, f, up)
}

// put stores a file, and tries again while the network fails.
func (t *Tree) put(ctx context.Context, f *item, up *protocols.Upload) error {
	var most, got int64 // octets sent by the longest attempt, and by the last one
	put := func() error {
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
	dry := !t.act("put %s", f.path)
	err := t.try(ctx, func() (bool, error) {
		if dry {
			return false, nil
		}
		err := put()
		if protocols.ReasonOf(err) == protocols.NotSupported && up.Resume && up.Replace { // no resumption, or it is still being written
			up.Resume = false
			err = put()
		}
		if err != nil {
			t.update(func(p *Progress) { p.Done -= got })
		}
		if err != nil && up.Sent > 0 { // the server has a part
			up.Resume, up.Replace = true, true
		}
		progress := got > most
		most = max(most, got)
		return progress, err
	})
	if err != nil {
		return err
	}
	t.update(func(p *Progress) {
		f.state, t.parent(f).touched = sent, true
		p.Files++
		p.Done += f.info.Size() - got
		t.noDates = t.noDates || !dry && !up.DateKept
		t.noModes = t.noModes || !dry && !up.ModeKept && up.Mode != ""
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

// Send stores an open file, which it closes. It calls report with the number of octets that were
// read and the size of the file.
func Send(ctx context.Context, server protocols.Putter, file *os.File, u urlcore.URL, up *protocols.Upload, report func(done, size int64)) error {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	if up.Sent > 0 && (info.Size() != up.Size || !info.ModTime().Equal(up.Modified)) { // the part is of an older version
		up.Resume, up.Sent = false, 0
	}
	up.Size, up.Modified = info.Size(), info.ModTime()
	up.Body = &meteredFile{file, 0, func(done int64) { report(done, up.Size) }}
	if err := server.Put(ctx, u, up); err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && (now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
		err = errChanged
	}
	return protocols.LocalError("send the file", err)
}

// meteredFile reports how many octets of a file were read.
type meteredFile struct {
	*os.File
	done   int64
	report func(done int64)
}

func (m *meteredFile) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	if m.done += int64(n); n > 0 {
		m.report(m.done)
	}
	return n, err
}

func (m *meteredFile) Seek(offset int64, whence int) (at int64, err error) {
	m.done, err = m.File.Seek(offset, whence)
	return m.done, err
}
