package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gofer/internal/userfile/config"
)

// isPageContext reports whether a page, not a prompt, reads the keys.
func isPageContext(context string) bool {
	context, _ = strings.CutSuffix(context, besideFiles)
	return context == contextPage || context == contextNews || context == contextFiles || context == contextEntry
}

// overlayContexts are the contexts of some pages. Their keys have priority over the keys of contextPage.
var overlayContexts = []string{contextNews, contextFiles}

func isOverlay(context string) bool { return slices.Contains(overlayContexts, context) }

// Bindings are keys that replace the keys of actions, by context ("page", "news", "files", "bar", "prompt",
// "form", "editing", "question") and by name of the action. A key is written as in the help
// ("Ctrl-L") or as "ctrl+l".
type Bindings map[string]map[string][]string

// BindingError describes a binding that is not valid.
type BindingError struct {
	Context, Action, Text string
	Other                 string // the action that has the key already, or ""
}

// Check returns the errors in b. The bindings without errors can be used.
func (b Bindings) Check() []BindingError {
	_, wrong := newKeymap(false, b)
	return wrong
}

// keymap holds the keys of all actions.
type keymap struct {
	sections       []section
	tables         map[string]map[string]*action // actions by context and key
	pageContext    func() string                 // returns the context of the keys of the page; nil: contextPage
	restrictedKeys []string                      // keys of actions that restricted mode does not allow
}

// configuredKeymap returns the keymap for the settings.
func configuredKeymap(c *config.Config) *keymap {
	km, _ := newKeymap(c.Restrict.Enabled, c.Keys.PresetBindings(), c.Keys.OwnBindings())
	return km
}

// newKeymap returns a keymap with layers of bindings. A layer takes its keys away from the actions
// that have them by default or from an earlier layer. In restricted mode the keymap has only the
// allowed actions. newKeymap also returns the errors of the last layer.
func newKeymap(restricted bool, layers ...Bindings) (km *keymap, wrong []BindingError) {
	km = &keymap{sections: sections(), tables: make(map[string]map[string]*action)}
	overlays := Bindings{"news": {"follow up": {"f"}, "reply": {"r"}, "post": {"w"}, "catch up and go": {"c"}, "watch": {"["}, "kill": {"]"}}, // as in tin
		"files": {"open": {"f3"}, "edit file": {"f4"}, "copy across": {"f5"}, "move across": {"f6"}, "make directory": {"f7"}, "forget": {"f8"}, "compare": {"="}, "swap panes": {"ctrl+u"}}} // as in Midnight Commander
	for _, b := range append([]Bindings{overlays}, layers...) {
		wrong = km.bind(b)
	}
	for i := range km.sections {
		s := &km.sections[i]
		for _, ctx := range s.contexts {
			if km.tables[ctx] == nil {
				km.tables[ctx] = make(map[string]*action)
			}
		}
		s.actions = slices.DeleteFunc(s.actions, func(a action) bool {
			if !restricted || !a.availability.has(unlessRestricted) {
				return false
			}
			km.restrictedKeys = append(km.restrictedKeys, a.keys...)
			return true
		})
		for j := range s.actions {
			a := &s.actions[j]
			for _, ctx := range s.contexts {
				for _, k := range a.keys {
					for _, k := range expandDigits(k) {
						km.tables[ctx][k] = a
					}
				}
			}
		}
	}
	for _, overlay := range overlayContexts {
		for k, a := range km.tables[contextPage] {
			if km.tables[overlay][k] == nil {
				km.tables[overlay][k] = a
			}
		}
	}
	km.addEntryKeys()
	km.addKeysBeside()
	return km, wrong
}

// addEntryKeys makes the table of contextEntry: the keys of all pages, and the key of news pages that goes on to the next source.
func (km *keymap) addEntryKeys() {
	km.tables[contextEntry] = maps.Clone(km.tables[contextPage])
	for k, a := range km.tables[contextNews] {
		if a.name == "catch up and go" {
			km.tables[contextEntry][k] = a
		}
	}
}

// besideFiles is added to the name of a context in a pair. Its table has the keys of contextFiles too, except those that the
// context itself has.
const besideFiles = "+" + contextFiles

// addKeysBeside makes the tables of news and entries in a pair. There the keys of contextFiles have one meaning on all pages.
func (km *keymap) addKeysBeside() {
	for _, ctx := range []string{contextNews, contextEntry} {
		table := maps.Clone(km.tables[ctx])
		for k, a := range km.tables[contextFiles] {
			if a != km.tables[contextPage][k] && table[k] == km.tables[contextPage][k] {
				table[k] = a
			}
		}
		km.tables[ctx+besideFiles] = table
	}
}

// bind replaces the keys of actions. It binds the keys of some pages last, because binding a key for all pages releases the
// key on these pages.
func (km *keymap) bind(b Bindings) (wrong []BindingError) {
	order := slices.DeleteFunc(slices.Sorted(maps.Keys(b)), isOverlay)
	for _, context := range append(order, overlayContexts...) {
		bound := make(map[string]string)
		for _, name := range slices.Sorted(maps.Keys(b[context])) {
			a, s := km.findAction(context, name)
			if a == nil && isOverlay(context) {
				a, s = km.addOverlayAction(context, name)
			}
			if a == nil {
				wrong = append(wrong, BindingError{Context: context, Action: name, Text: fmt.Sprintf("there is no action %q in keys.%s: gofer config keys lists them", name, context)})
				continue
			}
			var keys []string
			for _, label := range b[context][name] {
				k, ok := parseKey(label)
				switch {
				case !ok:
					wrong = append(wrong, BindingError{Context: context, Action: name, Text: notAKey(label)})
				case bound[k] != "":
					wrong = append(wrong, BindingError{context, name, fmt.Sprintf("the key %q of %q is already bound to %q", label, name, bound[k]), bound[k]})
				default:
					bound[k] = name
					km.release(k, s.contexts)
					keys = append(keys, k)
				}
			}
			a.keys = keys
		}
	}
	return wrong
}

// TakenKey is a key that a binding takes away from another action.
type TakenKey struct {
	Context, Action string // the action that gets the key
	Key             string // label of the key
	FromContext     string
	From            string // the action that loses it
	Last            bool   // the other action has no other key
}

// Taken returns the keys that b takes away from actions that have them by default or by the layers below.
// It omits actions that b gives other keys.
func (b Bindings) Taken(below ...Bindings) (taken []TakenKey) {
	km, _ := newKeymap(false, below...)
	for _, context := range slices.Sorted(maps.Keys(b)) {
		for _, name := range slices.Sorted(maps.Keys(b[context])) {
			taken = append(taken, km.taken(context, name, b[context][name])...)
		}
	}
	return slices.DeleteFunc(taken, func(t TakenKey) bool { return b[t.FromContext][t.From] != nil })
}

// taken returns the keys that an action takes away from other actions if the keys with these labels are
// bound to it.
func (km *keymap) taken(context, name string, labels []string) (taken []TakenKey) {
	contexts := []string{context}
	if _, s := km.findAction(context, name); s != nil {
		contexts = slices.Clone(s.contexts)
	}
	if contexts[0] == contextPage {
		contexts = append(contexts, overlayContexts...)
	}
	for _, label := range labels {
		k, _ := parseKey(label)
		for _, ctx := range contexts {
			a := km.tables[ctx][k]
			if a == nil || a.name == name || slices.ContainsFunc(taken, func(t TakenKey) bool { return t.Key == keyLabel(k) && t.From == a.name }) {
				continue
			}
			taken = append(taken, TakenKey{context, name, keyLabel(k), km.sectionOf(a).bindingContext(), a.name, len(a.keys) == 1})
		}
	}
	return taken
}

// bindableActions returns the actions that can have keys in a context of [Bindings], in the order of the
// help.
func (km *keymap) bindableActions(context string) (names, help []string) {
	for _, s := range km.sections {
		if c := s.bindingContext(); c != context && (!isOverlay(context) || c != contextPage) {
			continue
		}
		for _, a := range s.actions {
			if !slices.Contains(names, a.name) {
				names, help = append(names, a.name), append(help, a.help)
			}
		}
	}
	return names, help
}

// keysIn returns the labels of the keys of an action in a context of [Bindings].
func (km *keymap) keysIn(context, name string) (labels []string) {
	if a, _ := km.findAction(context, name); a != nil {
		for _, k := range a.keys {
			labels = append(labels, keyLabel(k))
		}
	}
	return labels
}

// findAction returns the first action with this name in a context of [Bindings], and its section. It
// returns nil if there is none.
func (km *keymap) findAction(context, name string) (*action, *section) {
	for i := range km.sections {
		s := &km.sections[i]
		if s.bindingContext() != context {
			continue
		}
		for j := range s.actions {
			if s.actions[j].name == name {
				return &s.actions[j], s
			}
		}
	}
	return nil, nil
}

// sectionOf returns the section of an action.
func (km *keymap) sectionOf(a *action) *section {
	for i := range km.sections {
		s := &km.sections[i]
		for j := range s.actions {
			if &s.actions[j] == a {
				return s
			}
		}
	}
	return nil
}

// helpBeside has the help of actions whose own help is about more than the items beside a directory.
var helpBeside = map[string]string{"open": "open the item", "forget": "remove the item or tagged items"}

// addOverlayAction copies a page action to the section of an overlay. It returns the copy and the section, or nil if no page
// action has this name.
func (km *keymap) addOverlayAction(overlay, name string) (*action, *section) {
	a, _ := km.findAction(contextPage, name)
	for i := range km.sections {
		if s := &km.sections[i]; a != nil && s.contexts[0] == overlay {
			s.actions = append(s.actions, *a)
			if help := helpBeside[name]; overlay == contextFiles && help != "" {
				s.actions[len(s.actions)-1].help = help
			}
			return &s.actions[len(s.actions)-1], s
		}
	}
	return nil, nil
}

// bindingContext returns the context of the section in [Bindings].
func (s *section) bindingContext() string {
	return cmp.Or(s.binding, s.contexts[0])
}

// release removes a key from the actions that have it in the contexts. If the first context is
// contextPage, release also removes the key in the overlays.
func (km *keymap) release(key string, contexts []string) {
	for i := range km.sections {
		s := &km.sections[i]
		if !slices.ContainsFunc(s.contexts, func(c string) bool { return slices.Contains(contexts, c) }) && (contexts[0] != contextPage || !isOverlay(s.contexts[0])) {
			continue
		}
		for j := range s.actions {
			a := &s.actions[j]
			a.keys = slices.DeleteFunc(slices.Clone(a.keys), func(k string) bool { return k == key })
		}
	}
}

// keyOf returns the label of the first key of an action on the current page. For an action without
// a key it returns the key of the palette and the name to type there.
func (km *keymap) keyOf(name string) string {
	a, _ := km.findAction(contextPage, name)
	if a == nil {
		return ""
	}
	if keys := km.keysHere(a); len(keys) > 0 {
		return keyLabel(keys[0])
	}
	if palette, _ := km.findAction(contextPage, "actions"); palette != nil && len(palette.keys) > 0 {
		return keyLabel(palette.keys[0]) + name
	}
	return ""
}

// currentContext returns the context of keys while no prompt is open.
func (km *keymap) currentContext() string {
	if km.pageContext != nil {
		return km.pageContext()
	}
	return contextPage
}

// keysHere returns the keys of an action on the current page.
func (km *keymap) keysHere(a *action) (keys []string) {
	ctx := km.currentContext()
	add := func(a *action) {
		for _, k := range a.keys {
			if km.tables[ctx][expandDigits(k)[0]] == a {
				keys = append(keys, k)
			}
		}
	}
	for _, overlay := range overlayContexts {
		if own, _ := km.findAction(overlay, a.name); own != nil {
			add(own)
		}
	}
	add(a)
	return keys
}

// KeyIn returns the label of a key of an action in a context of [Bindings]. It returns the
// parameter usual if the key with this label is bound to the action, and otherwise the label of the
// first key. It returns "" if no key is bound.
func (km *keymap) KeyIn(context, name, usual string) string {
	a, _ := km.findAction(context, name)
	switch {
	case a == nil || len(a.keys) == 0:
		return ""
	case slices.ContainsFunc(a.keys, func(k string) bool { return keyLabel(k) == usual }):
		return usual
	}
	return keyLabel(a.keys[0])
}

// Hint returns the label from [keymap.KeyIn], followed by text. It returns "" if no key is bound.
func (km *keymap) Hint(context, name, usual, text string) string {
	if key := km.KeyIn(context, name, usual); key != "" {
		return key + " " + text
	}
	return ""
}
