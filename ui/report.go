package ui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"gofer/internal/text/clean"
	"gofer/protocols"
)

// crashError writes a report of the panic that ended the program. It returns an error with the path
// of the report and, if the tabs were saved, the command that opens them again.
func (m *Model) crashError(p *protocols.Panic) error {
	path, err := m.report(p)
	if err != nil {
		return fmt.Errorf("%w; no report was written: %w\n%s", p, err, p.Stack)
	}
	details := ""
	if m.opts.Sessions != nil && m.saver.hasPages && !m.private {
		details = "; gofer --restore opens the tabs again"
	}
	return fmt.Errorf("%w; the report is in %s%s", p, path, details)
}

func (m *Model) report(p *protocols.Panic) (path string, err error) {
	if m.opts.Report == nil {
		return "", errors.New("no folder for reports")
	}
	return m.opts.Report(p, m.width, m.height)
}

// reportPanic writes a report if err is a panic.
func (m *Model) reportPanic(err error) tea.Cmd {
	p, ok := errors.AsType[*protocols.Panic](err)
	if m.opts.Report == nil || !ok {
		return nil
	}
	report, width, height := m.opts.Report, m.width, m.height
	return m.writeInBackground(func() resultFunc {
		path, err := report(p, width, height)
		if err != nil {
			return m.noticeResult("internal error: no report was written: " + clean.Short(err.Error()))
		}
		return m.noticeResult("internal error: report in " + clean.Short(path))
	})
}
