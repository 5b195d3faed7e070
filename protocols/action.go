package protocols

// Action is the Note of a line of gofer's own that tells of something the
// reader can do: its name in the screen's table of actions. The screen writes
// the key behind the text; without a screen there is none.
type Action string

// The actions of which lines tell.
const (
	ActionReload  Action = "reload"
	ActionUp      Action = "up a level"
	ActionBack    Action = "back"
	ActionEditURL Action = "address"
	ActionCopy    Action = "copy"
	ActionSave    Action = "save"
	ActionRestore Action = "restore"
	ActionOutline Action = "outline"
	ActionList    Action = "actions"
	ActionOpen    Action = "open"
	ActionForget  Action = "forget"
	ActionOutside Action = "open outside"
	ActionOlder   Action = "older articles"

	ActionSubscribe Action = "subscribe"
)

func (Action) Row() Row                { return Row{} }
func (Action) Columns() []Column       { return nil }
func (Action) Attributes() []Attribute { return nil }
func (a Action) Memory() int           { return noteSize + len(a) }
