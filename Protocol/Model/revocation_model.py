#!/usr/bin/env python3
"""Exhaustive model of a revocation that a member tries to take away again. Standard library only.

  revocation_model.py            every reachable state of each rule set; what breaks in which

A revocation is an element of a set in a record: a write with a dot. Records merge by what each side has seen: a write that one side
has and the other has seen and lacks is gone (page 4). So a member can take any write away that it knows: it sends the record with a
clock that has seen the write, and without the write; a purge is one such record.

HONEST   A, which revokes the device of T, and B and C, which hear of it. Each exchanges its state with any other at any time.
T        is the device that is revoked. It hears of each write, as a rekey message tells who is out (page 11, section 4), and exchanges
         states with whoever accepts it. It gives away any state: the writes that it knows as they are, or seen and taken away. It may have
         a second record under its key, so that it is still known after a purge of the first one.
RULES    records   a device is revoked for whoever has the write
         memory    ... or has had it: a merge that takes it away is remembered by the store where it happens
         renewed   ... and who remembers it writes it again into its own record, if no record has it
PROPERTIES stays (whoever has refused T never accepts it again), spreads (after T has stopped, and the others have met until nothing
changes any more, all refuse it)
"""
import sys

DEVICES = ("A", "B", "C")
# How often the revocation may be written again, all devices together: each takes another one by T.
WRITE_COUNT_MAX = 3
RULES = {
    "records": dict(memory=False, renewed=False),
    "memory": dict(memory=True, renewed=False),
    "renewed": dict(memory=True, renewed=True),
}


def merged(one, other):
    """Two sides' (seen, alive), each a set of dots."""
    (seen, alive), (other_seen, other_alive) = one, other
    return (seen | other_seen, (alive & other_alive) | (alive - other_seen) | (other_alive - seen))


# A state is, for each device: what it has seen, what is alive there, whether it remembers; then T's knowledge, and the next dot.
START = tuple((frozenset(), frozenset(), False) for _ in DEVICES) + (frozenset(), 0)


def refuses(device, rules):
    return bool(device[1]) or rules["memory"] and device[2]


def received(device, state, rules):
    """A device after it was given a state, and after it has looked at its records."""
    seen, alive, remembers = device
    seen, new = merged((seen, alive), state)
    return (frozenset(seen), frozenset(new), remembers or bool(alive - new))


def moves(state, rules):
    devices, known, dot = state[:3], state[3], state[4]

    def changed(index, device, known=known, dot=dot):
        after = list(devices)
        after[index] = device
        return tuple(after) + (known, dot)

    written = frozenset(range(dot))
    if known != written:
        yield "T hears of it", devices + (written, dot)
    for index, device in enumerate(devices):
        seen, alive, remembers = device
        wants = index == 0 and dot == 0 or rules["renewed"] and remembers and not alive
        if wants and dot < WRITE_COUNT_MAX:
            yield f"{DEVICES[index]} writes", changed(index, (seen | {dot}, alive | {dot}, remembers), dot=dot + 1)
        for other, peer in enumerate(devices):
            if other != index:
                yield f"{DEVICES[index]} hears {DEVICES[other]}", changed(index, received(device, peer[:2], rules))
        if refuses(device, rules):
            continue
        yield f"T clears {DEVICES[index]}", changed(index, received(device, (known, frozenset()), rules))
        yield f"T gives {DEVICES[index]}", changed(index, received(device, (known, known), rules))


def rested(state, rules):
    """The state after T has stopped: the others write what they have to, and meet until nothing changes."""
    while True:
        before = state
        for index in range(3):
            seen, alive, remembers = state[index]
            if rules["renewed"] and remembers and not alive:
                after = list(state)
                after[index] = (seen | {state[4]}, alive | {state[4]}, remembers)
                state = tuple(after[:4]) + (state[4] + 1,)
            for other in range(3):
                after = list(state)
                after[index] = received(state[index], state[other][:2], rules)
                state = tuple(after)
        if state == before:
            return state


def search(rules):
    """The first path to each property that breaks, and how many states there are."""
    paths, queue, broken = {START: ()}, [START], {}
    for state in queue:
        if state[4] > 0:
            final = rested(state, rules)
            # One that never heard of it cannot know; A has, as it wrote it.
            if not all(refuses(device, rules) for device in final[:3]):
                broken.setdefault("spreads", paths[state])
        for name, after in moves(state, rules):
            for before_device, after_device in zip(state[:3], after[:3]):
                if refuses(before_device, rules) and not refuses(after_device, rules):
                    broken.setdefault("stays", paths[state] + (name,))
            if after not in paths:
                paths[after] = paths[state] + (name,)
                queue.append(after)
    return broken, len(paths)


def main():
    good = True
    for name, rules in RULES.items():
        broken, count = search(rules)
        print(f"{name}: {count} states, " + ("all holds" if not broken else "breaks " + ", ".join(sorted(broken))))
        for prop, path in sorted(broken.items()):
            print(f"   {prop}: " + "; ".join(path))
        expected = {"records": {"stays", "spreads"}, "memory": {"spreads"}, "renewed": set()}[name]
        good = good and set(broken) == expected
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
