package newsreader

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
func (r *Reader) addUndoStep(step undoStep) {
	r.ForgetDownload()
	if n := len(r.undoSteps); n > 0 && step.marks != nil && step.marks.killed {
		if last := &r.undoSteps[n-1]; last.rule != nil && last.marks == nil {
			last.marks = step.marks
			return
		}
	}
	r.undoSteps = append(r.undoSteps, step)
	r.undoSteps = slices.Delete(r.undoSteps, 0, max(len(r.undoSteps)-maxUndoSteps, 0))
}

// Undo reverts the newest step that belongs to the page: marks on a page of news, a score rule in a group. It
// returns nil if there is none.
func (r *Reader) Undo() tea.Cmd {
	list := r.ruleList()
	for i, step := range slices.Backward(r.undoSteps) {
		if step.rule != nil && list == nil || !r.tab().IsNews() {
			continue
		}
		r.undoSteps = slices.Delete(r.undoSteps, i, i+1)
		if step.rule != nil {
			return r.changeRule(list, *step.rule, step.marks)
		}
		return r.mark(*step.marks)
	}
	return nil
}
