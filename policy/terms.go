package policy

import "github.com/weirhq/weir"

// The words that stand where a rate can.
const (
	wordPlan      = "plan"
	wordUnlimited = "unlimited"
	wordBlocked   = "blocked"
)

// limit is one compiled limit of a rule.
type limit struct {
	name    string // stable within its rule
	named   bool   // by the configuration
	key     string // weir.Key.Limit: the name with the rule's pattern
	limit   *weir.Limit
	cost    cost
	group   *weir.Group
	shadow  bool
	onError weir.OnError
	path    string // in the configuration
}

// terms collects the limits that a LIMIT comes to, for one plan.
type terms struct {
	owner   string // for messages: "layer edge", "plan free"
	plan    int    // stands for the word plan; -1 where there are none
	planned bool   // the word was met
	inPlan  bool   // inside a plan: the word means nothing
	out     []limit
}

// collect walks a LIMIT. around holds the settings of what is around it.
func (k *compiler) collect(t *terms, l *Limit, path string, around Settings) {
	s := k.inherit(l.Settings, path, around)
	switch {
	case l.List != nil:
		if l.Name != "" {
			k.fail(inField(path, "name"), "name each limit of the list", "one name for several limits")
		}
		for i := range l.List {
			k.collectEntry(t, &l.List[i], inList(path, i), s)
		}
	case l.Rate == wordPlan:
		t.planned = true
		k.collectPlan(t, path, s)
	default:
		k.leaf(t, l, path, s, l.Name)
	}
}

func (k *compiler) collectEntry(t *terms, l *Limit, path string, s Settings) {
	if l.Rate == wordUnlimited || l.Rate == wordBlocked {
		k.fail(path, "write it as the only limit", "%s among other limits", l.Rate)
		return
	}
	k.collect(t, l, path, s)
}

// collectPlan walks the plan in place of the word.
func (k *compiler) collectPlan(t *terms, path string, around Settings) {
	switch {
	case t.inPlan:
		k.fail(path, "write COUNT/PERIOD, such as 60/min", "a plan's limit is a plan")
	case len(k.plans) == 0:
		k.fail(path, "define plans: {free: 60/min, …}", "%s: the limit is plan, and there are no plans", t.owner)
	case t.plan >= 0:
		k.within(t, func(l *Limit, path string) { k.collect(t, l, path, around) })
	}
}

// within visits the plan's LIMIT. Its mistakes are the plan's.
func (k *compiler) within(t *terms, visit func(l *Limit, path string)) {
	owner, name := t.owner, k.plans[t.plan]
	t.inPlan, t.owner = true, "plan "+name
	visit(&k.c.Plans[t.plan].Value, inMap("plans", name))
	t.inPlan, t.owner = false, owner
}

// candidates walks a LIMIT for what is evaluated beside it.
func (k *compiler) candidates(t *terms, l *Limit, path string, around Settings) {
	s := k.inherit(l.Settings, path, around)
	if l.Candidate != nil {
		k.candidate(t, l.Candidate, inField(path, "candidate"), s, l.Name)
	}
	for i := range l.List {
		k.candidates(t, &l.List[i], inList(path, i), s)
	}
	if l.Rate == wordPlan && t.plan >= 0 && !t.inPlan {
		t.planned = true
		k.within(t, func(l *Limit, path string) { k.candidates(t, l, path, s) })
	}
}

// candidate collects one. It takes the name of the limit that it stands beside.
func (k *compiler) candidate(t *terms, l *Limit, path string, around Settings, beside string) {
	if l.Candidate != nil {
		k.fail(inField(path, "candidate"), "write one candidate", "a candidate of a candidate")
	}
	from := len(t.out)
	if l.Rate != wordPlan && l.List == nil && l.Name == "" {
		k.leaf(t, l, path, k.inherit(l.Settings, path, around), beside)
	} else {
		k.collect(t, l, path, around)
	}
	for i := range t.out[from:] {
		t.out[from+i].shadow = true
	}
}
