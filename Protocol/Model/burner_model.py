#!/usr/bin/env python3
"""A member that makes another device take one replica id after the other (page 12, Exhaustion of ids): may a rule name it?

  python3 burner_model.py [DEPTH]    all worlds of so many moves; for each rule the shortest world in which it fails

Three devices and a relay. *Victim* writes, may be set back unnoticed (a machine snapshot), and takes a new id when somebody knows
more of its writes than it does. *Honest* only syncs. *Burner* makes up writes of the victim. Devices meet over links that prove
their keys, or leave and take versions at the relay, which proves the uploader's key to itself alone. A rule gets what the victim,
the relay and the others can know of such an event, and names whom it blames for two of them; all moves are within a day.

  unsound   it names the honest device, or the victim itself
  misses    the burner alone has caused two events through the relay, and is not named
  spends    it caused two events at all: the victim took two ids

Exit code 1: what a rule is listed to do is not what the search found.
"""
import sys
from collections import namedtuple

V, H, B = "victim", "honest", "burner"
RELAY = "relay"

# Of the victim's present id: `count` is what each device and the relay know of its writes, `source` from whom each has the highest,
# `true` how many it made at most. `back` is a kept state of the victim, `events` what the rules blame, `causes` who did it.
State = namedtuple("State", "number count source true signed back events causes")


def start():
    return State(0, (("burner", 0), ("honest", 0), ("relay", 0), ("victim", 1)),
                 (("burner", V), ("honest", V), ("relay", V)), 1, 0, None, (), ())


def put(pairs, key, value):
    return tuple((k, value if k == key else v) for k, v in pairs)


def tell(state, one, other):
    """What `one` knows of the victim's writes reaches `other`, which is no victim."""
    count, source = dict(state.count), dict(state.source)
    if count[one] <= count[other]:
        return state
    return state._replace(count=put(state.count, other, count[one]), source=put(state.source, other, one))


def blamed(state, giver, lies):
    """Whom each rule blames, as the victim hears from `giver` of more than it has written."""
    source = dict(state.source)
    uploader = source[RELAY] if giver == RELAY else None
    chain, last = [], uploader
    while last in (H, B) and last not in chain:
        chain.append(last)
        # The burner answers as it likes; here what serves it best, or what blames another.
        last = source[last] if last == H else lies
        if last == RELAY:
            last = None
    return {
        "by the key of a direct link": giver if giver != RELAY else None,
        "by the key of the uploader": uploader,
        "by the summary row that tells it": (H if lies == H else uploader) if uploader else None,
        "by asking whom the uploader has it from": chain[-1] if chain and last != V else None,
        "by asking, and whoever says 'from you' as well": chain[-1] if chain else None,
        "nobody": None,
    }


RULES = {
    # What the search finds: (unsound, misses)
    "by the key of a direct link": (True, True),
    "by the key of the uploader": (True, True),
    "by the summary row that tells it": (True, True),
    "by asking whom the uploader has it from": (True, True),
    "by asking, and whoever says 'from you' as well": (True, True),
    "nobody": (False, True),
}
NAMES = sorted(RULES)


def hear(state, giver, signs):
    """The victim hears what `giver` knows of its writes."""
    count = dict(state.count)
    if count[giver] <= count[V]:
        return [state]
    if signs and count[giver] > state.signed:
        # Nobody shows the victim's signature under so many: it goes on above them, under the same id.
        return [state._replace(count=put(state.count, V, count[giver]), true=count[giver], signed=state.signed)]
    forged = count[giver] > state.true
    found = []
    for lies in (V, H, RELAY):
        blame = blamed(state, giver, lies)
        event = (giver == RELAY,) + tuple(blame[n] for n in NAMES)
        fresh = start()
        found.append(fresh._replace(
            number=state.number + 1, back=state.back, events=state.events + (event,),
            causes=state.causes + (((B if forged else V), giver == RELAY),)))
    return found


def moves(state, signs):
    count = dict(state.count)
    yield "victim writes", [state._replace(
        count=put(state.count, V, count[V] + 1), true=max(state.true, count[V] + 1), signed=max(state.signed, count[V] + 1))]
    if count[B] > 0 and state.number < 2:
        # It has heard of the id.
        most = max(count.values()) + 1
        yield "burner makes up a write of the victim's", [state._replace(count=put(state.count, B, most), source=put(state.source, B, B))]
    yield "the victim's machine is kept as it is", [state._replace(back=(state.number, count[V], state.events, state.causes))]
    if state.back and state.back[:1] == (state.number,) and state.back[1] < count[V]:
        # What it counted since is forgotten too.
        yield "the victim's machine is set back, unnoticed", [state._replace(count=put(state.count, V, state.back[1]))]
    for one, other in ((H, B),):
        yield "honest meets burner", [tell(tell(state, one, other), other, one)]
    for other in (H, B):
        yield "victim meets " + other, [tell(s, V, other) for s in hear(state, other, signs)]
        yield other + " visits the relay", [tell(tell(state, other, RELAY), RELAY, other)]
    yield "victim visits the relay", [tell(s, V, RELAY) for s in hear(state, RELAY, signs)]


def judge(state):
    """What each rule does wrong in this state."""
    if len(state.events) < 2:
        return
    for index, name in enumerate(NAMES):
        blame = [e[index + 1] for e in state.events]
        named = {b for b in blame if b and blame.count(b) >= 2}
        if named & {H, V}:
            yield name, "unsound"
        if [c for c in state.causes if c == (B, True)] == list(state.causes) and B not in named:
            yield name, "misses"
    if all(c[0] == B for c in state.causes):
        yield "all", "spends"


def search(depth, signs):
    """The shortest world for each failure."""
    seen, front, found = {start()}, [(start(), ())], {}
    for _ in range(depth):
        following = []
        for state, path in front:
            for word, states in moves(state, signs):
                for after in states:
                    if after in seen:
                        continue
                    seen.add(after)
                    for failure in judge(after):
                        found.setdefault(failure, path + (word,))
                    if len(after.events) < 2:
                        following.append((after, path + (word,)))
        front = following
    return found, len(seen)


def main():
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    found, count = search(depth, False)
    print("%d states, worlds of %d moves" % (count, depth))
    is_well = True
    for name in NAMES:
        fails = tuple((name, kind) in found for kind in ("unsound", "misses"))
        print("\n%s: %s" % (name, ", ".join(k for k, f in zip(("unsound", "misses"), fails) if f) or "sound, and misses nothing"))
        for kind in ("unsound", "misses"):
            if (name, kind) in found:
                print("  %s: %s" % (kind, "; ".join(found[name, kind])))
        is_well = is_well and fails == RULES[name]
    signed, count = search(depth, True)
    print("\nwith a signature of its device under the counts of each replica: %d states, %s"
          % (count, "the burner spends no id" if ("all", "spends") not in signed else "the burner spends ids"))
    is_well = is_well and ("all", "spends") in found and ("all", "spends") not in signed
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
