package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// undoStep reverts marks of articles, or a score rule together with the marks of the articles that it has killed.
type undoStep struct {
	rule  *ruleChange // nil for marks alone
	marks *newsMarks  // nil for a rule that has killed no article
}

// maxUndoSteps is the maximal number of steps that are kept.
const maxUndoSteps = 100

// addUndoStep adds the newest step. The marks of killed articles belong to the rule that was added just before.
func (m *Model) addUndoStep(step undoStep) {
	m.downloads.ForgetLatest()
	if n := len(m.undoSteps); n > 0 && step.marks != nil && step.marks.killed {
		if last := &m.undoSteps[n-1]; last.rule != nil && last.marks == nil {
			last.marks = step.marks
			return
		}
	}
	m.undoSteps = append(m.undoSteps, step)
	m.undoSteps = slices.Delete(m.undoSteps, 0, max(len(m.undoSteps)-maxUndoSteps, 0))
}

// undo reverts a save that has just begun, or else the newest step that belongs to the page: marks on a page of
// news, a score rule in a group. If there is none, undo reverts the last change of the bookmarks.
func (m *Model) undo() tea.Cmd {
	if cmd := m.downloads.Undo(); cmd != nil {
		return cmd
	}
	list := m.ruleList()
	for i, step := range slices.Backward(m.undoSteps) {
		if step.rule != nil && list == nil || !m.tab.IsNews() {
			continue
		}
		m.undoSteps = slices.Delete(m.undoSteps, i, i+1)
		if step.rule != nil {
			return m.changeRule(list, *step.rule, step.marks)
		}
		return m.mark(*step.marks)
	}
	return m.bookmarks.Undo()
}
