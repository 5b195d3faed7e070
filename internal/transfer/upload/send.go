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
	isRepeat := f.state == doubtful
	if isRepeat && t.checkStored(ctx, f) {
		return nil
	}
	unchecked := !isRepeat && strings.Trim(name, " ") == name // pure-ftpd changes names with blanks at the ends
	replace := isRepeat || t.Force || t.Replace || t.Update || f.remote == nil && !t.parent(f).incomplete
	upload := &protocols.Upload{
		Listed: replace, Unchecked: unchecked, Replace: replace, Resume: t.Continue && !isRepeat,
		Mode: octalMode(f.info), // a later change of the mode takes a round trip
	}
	if f.remote != nil && !t.Force && !isRepeat {
		size := f.info.Size()
		if f.remote.note.Size == size || t.KeepNewer {
			same, err := t.checkUnchanged(ctx, f)
			if same {
				t.update(func(p *Progress) {
					f.state = unchanged
					p.Unchanged, p.TotalFiles, p.Size = p.Unchanged+1, p.TotalFiles-1, p.Size-size
				})
			}
			if same || err != nil {
				return err
			}
		}
	}
	if f.remote != nil && !upload.Resume { // a server may keep the old file until the new one is complete
		upload.SizeBefore = f.remote.note.Size
	}
	return t.put(ctx, f, upload)
}

// finish records what the server has kept of f, a file that was sent. It may wait for the answer of the server. The refusal
// of a mode is no reason to try no other, unless the file is private: files that everybody may read often have their mode
// without a change.
func (t *Tree) finish(ctx context.Context, f *item) {
	if f == nil || t.DryRun {
		return
	}
	upload := f.upload
	if f.upload = nil; upload.Finish != nil {
		upload.Finish(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f.modeKept = upload.ModeKept
	t.noDates = t.noDates || !upload.DateKept
	t.noModes = t.noModes || !upload.ModeKept && upload.Mode != "" && f.info.Mode().Perm()&0o044 != 0o044
}

// put stores a file unless the server is full. It tries again after errors of the network.
func (t *Tree) put(ctx context.Context, f *item, upload *protocols.Upload) error {
	if t.isFull() {
		return errFull
	}
	var longest, sentOctets int64 // octets sent by the longest attempt, and by the current one
	put := func() error {
		sentOctets = 0
		file, err := t.openLocal(f)
		if err != nil {
			return protocols.LocalError("read the file", err)
		}
		return Send(ctx, t.Server, file, f.url, upload, func(done, _ int64) {
			t.update(func(p *Progress) { p.Done += done - sentOctets })
			sentOctets = done
		})
	}
	dry := !t.printAction("put %s", f.path)
	err := t.retry(ctx, func() (bool, error) {
		if dry {
			return false, nil
		}
		err := put()
		// NotSupported: the server cannot append, or still writes the part of the last attempt.
		if protocols.ReasonOf(err) == protocols.NotSupported && upload.Resume && upload.Replace {
			upload.Resume = false
			err = put()
		}
		if err != nil {
			t.update(func(p *Progress) { p.Done -= sentOctets })
		}
		if err != nil && upload.Sent > 0 { // the server has a part of the file
			upload.Resume, upload.Replace = true, true
		}
		progress := sentOctets > longest
		longest = max(longest, sentOctets)
		return progress, err
	})
	if err != nil {
		return err
	}
	t.update(func(p *Progress) {
		f.state, f.upload, t.parent(f).contentChanged = sent, upload, true
		p.Files++
		p.Done += f.info.Size() - sentOctets
	})
	return nil
}

// openLocal opens a local file. It returns an error if the file is not regular, because opening a named pipe would
// block.
func (t *Tree) openLocal(f *item) (*os.File, error) {
	if info, err := t.root.Stat(f.path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errSpecial
	}
	return t.root.Open(f.path)
}

// Send stores an open file and closes it. It calls report with the number of octets read so far and the size
// of the file.
func Send(ctx context.Context, server protocols.Putter, file *os.File, u urlcore.URL, upload *protocols.Upload, report func(done, size int64)) error {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return protocols.LocalError("read the file", err)
	}
	if upload.Sent > 0 && (info.Size() != upload.Size || !info.ModTime().Equal(upload.Modified)) { // the part on the server belongs to an older version of the file
		upload.Resume, upload.Sent = false, 0
	}
	upload.Size, upload.Modified = info.Size(), info.ModTime()
	upload.Body = &meteredFile{file, 0, func(done int64) { report(done, upload.Size) }}
	if err := server.Put(ctx, u, upload); err != nil {
		return err
	}
	now, err := file.Stat()
	if err == nil && (now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
		err = errChanged
	}
	return protocols.LocalError("send the file", err)
}

// meteredFile is a file that reports the number of octets read.
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
