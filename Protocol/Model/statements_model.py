#!/usr/bin/env python3
"""Executable model of how two stores tell each other their *statements* (replica id -> counter, beyond, checksum). Standard library only.

  statements_model.py worlds [SEEDS] [SCHEME...]   random worlds: cuts, crashes, restores, copies, holds, rot, concurrent and live sessions
  statements_model.py small [DEPTH] [SCHEME...]    every schedule of DEPTH moves in a tiny world
  statements_model.py relay [SEEDS] [RULE...]      clients that meet at a blind relay only: words on a board
  statements_model.py forks [SEEDS] [RULE...]      clients that are set back unnoticed and meet at a blind relay: entries of a forked id
  statements_model.py poison                       a member that claims more of another than exists
  statements_model.py gap                          equal checksums taken for more than the rows as of the hello
  statements_model.py rest                         lists that leave out what differs, after a store was set back
  statements_model.py defer [MOVES]                exhaustive: what a bound on ids per source does to `same writes, same state`
  statements_model.py bytes                        bytes and round trips at 10 ... 100,000 ids
  statements_model.py all                          the whole lot, small.  Exit code 1 = a scheme meant to be sound broke.

SCHEMES  full    the whole statement in hello and caught-up (the reference; 36 bytes an id each time)
         memory  design's words: differences against a statement remembered durably per peer; no check of the base
         hashed  the same, the base named by its digest, a full one when it is not the same
         range   no memory: digest in hello; where it differs, ranges of the map are compared (split by rank, pairs at the leaves)
         recent  no memory: digest in hello; where it differs, the entries that moved since the *peer's checkpoint* (rows carry the
                 arrival sequence at which they last moved), own values for the peer's list, digest of the rest; ranges only if that differs
         lists   recent as the code has it: by turns, the second list with its answers to the first; moved and the second checkpoint by a
                 number of their own, which grows with each commit that moves an entry (rows keep their arrival sequence); a side without a
                 list compares ranges in its turn; the rest by subtraction from the digests in the hellos
         mutants of lists: norest (the rest is not compared)
         mutants of recent: nobase (rest digest not compared), liveK (an unlisted id is filtered by the counter as it is now),
                 split (counter and checksum read in two transactions), nochecksum, eqnow (equal checksums stand for rows that came after the hello too), nocap (a counter above what the receiver holds is joined), nobeyond (a mismatch drops the checkpoint although the receiver is ahead)
         blind   memory, judged by what becomes of the stores and not by the wrong view
Checked at every step: what is joined is held; what is skipped is held by the peer; a view of a peer equals what the peer read.
At the end: rest in bounded rounds, equal records, equal knowledge, then every session is one round trip; planted rot is told.
"""
import sys, random, itertools, collections, hashlib

class Broken(Exception): pass
LISTS = ('lists', 'norest')
def covers(a, b): return all(a.get(r, 0) >= n for r, n in b.items())
def joined(a, b):
    out = dict(a)
    for r, n in b.items(): out[r] = max(n, out.get(r, 0))
    return out

class Rep:
    """A committed state. recs: record -> (clock, seq); moved: id -> seq at which its statement entry last moved."""
    F = ('rid', 'ctr', 'K', 'recs', 'seq', 'mseq', 'moved', 'epochs', 'cps', 'heard', 'told', 'body', 'scp')
    def __init__(s, w, name):
        s.w, s.name, s.backups, s.hold = w, name, [], False
        s.rid, s.ctr, s.K, s.recs, s.seq, s.moved, s.cps, s.heard, s.told, s.body, s.scp = w.newid(), 0, {}, {}, 0, {}, {}, {}, {}, {}, {}; s.mseq = 0
        s.epochs = ((w.rnd.getrandbits(30), 0, 0),)
    def state(s): return {k: (dict(v) if isinstance(v := getattr(s, k), dict) else v) for k in s.F}
    def load(s, t):
        for k, v in t.items(): setattr(s, k, dict(v) if isinstance(v, dict) else v)
    def seen(s):
        out = {}
        for c, _ in s.recs.values():
            for r, n in c.items(): out[r] = max(n, out.get(r, 0))
        return out
    def map(s):
        """the statement: id -> (counter, highest seen, checksum), one read"""
        tal = collections.defaultdict(set)
        for p, (c, _) in s.recs.items():
            for r, n in c.items(): tal[r].add((p, n))
        see = s.seen()
        return {r: (s.K.get(r, 0), see.get(r, 0), frozenset(tal[r])) for r in s.K.keys() | tal.keys() if s.K.get(r, 0) or tal[r]}
    def touch(s, before):
        """after a commit: rows of the statement that moved get the sequence of this commit"""
        now = s.map(); ch = [r for r in now.keys() | before.keys() if now.get(r) != before.get(r)]
        if ch and s.w.scheme not in LISTS: s.seq += 1
        if ch: s.mseq = s.seq if s.w.scheme not in LISTS else s.mseq + 1
        for r in ch: s.moved[r] = s.mseq
    def digest(s): return frozenset((p, tuple(sorted(c.items())), s.body.get(p)) for p, (c, _) in s.recs.items())
    def write(s, p):
        b = s.map(); s.ctr += 1; s.seq += 1; c = joined(s.recs.get(p, ({}, 0))[0], {s.rid: s.ctr}); s.recs[p] = (c, s.seq)
        s.K[s.rid] = s.ctr; s.w.truth[(s.rid, s.ctr)] = p; s.body.pop(p, None); s.touch(b)
    def integrate(s, changes, cp):
        b = s.map()
        for p, c, body in changes:
            old = s.recs.get(p, ({}, 0))
            new = joined(old[0], c)
            if new != old[0]: s.seq += 1; s.recs[p] = (new, s.seq)
            if body is not None and covers(c, old[0]): s.body[p] = body
        s.cps[cp[0]] = cp[1:]; s.touch(b)
    def newid(s): s.rid = s.w.newid(); s.ctr = 0; s.epochs = ((s.w.rnd.getrandbits(30), s.seq, s.mseq),)
    def reopen(s): s.epochs += ((s.w.rnd.getrandbits(30), s.seq, s.mseq),)
    def start_at(s, resume, which=1):
        """which: 1 = rows by arrival, 2 = entries of the statement by the number of their last move"""
        if resume:
            for k, (e, _, _) in enumerate(s.epochs):
                if e == resume[0]: return min(resume[1], s.epochs[k + 1][which] if k + 1 < len(s.epochs) else (s.seq, s.mseq)[which - 1])
        return None

def fp(m, lo=None, hi=None, out=()): return frozenset((r, e) for r, e in m.items() if (lo is None or r >= lo) and (hi is None or r < hi) and r not in out)

class Side:
    def __init__(s, ses, me):
        s.ses, s.me, s.w, s.scheme = ses, me, me.w, me.w.scheme
        s.H = me.map(); s.hseq = me.seq; s.q = []; s.V = None; s.D = None; s.dead = s.stalled = False; s.said = dict(s.H); s.stated = None
        s.rid = me.rid; s.full = False; s.rec = s.prec = s.ownsent = None; s.out = frozenset(); s.quiet = False; s.sentmaps = []; s.later = []; s.early = []; s.ranged = False
    def open(s): s.send('hello', s.rid, s.me.epochs[-1][0], s.root(s.H), s.me.cps.get(s.peer.rid), s.me.scp.get(s.peer.rid), s.H if s.scheme == 'full' or s.ses.full else None, s.me.digest(), s.me.seq, s.me.mseq)
    @property
    def peer(s): return s.ses.sides[1 - s.ses.sides.index(s)]
    def send(s, *m): s.w.size += 1; s.peer.q.append(m)
    def root(s, m): return fp(m)
    def learn(s, view):
        """the peer's statement as of its hello is known"""
        s.V = view; s.check_view(view, s.peer.H, 'hello'); s.begin()
        for m in s.later: s.on_cu(*m)
        s.later = []
    def check_view(s, v, true, when):
        v = {r: e for r, e in v.items() if e}
        if v != true and s.scheme not in ('full', 'blind'): raise Broken(f'view: {s.me.name} takes {s.peer.me.name} ({when}) for what it is not')
    def begin(s):
        cur = s.me.start_at(s.resume); s.cursor = 0 if cur is None or s.ses.full else cur
        s.filter = {}; s.equal = {}
        for r, (k, b, t) in s.V.items(): s.filter[r] = k
        if not s.ses.full:
            for r, e in s.V.items():
                m = s.H.get(r)
                if m and m[2] == e[2]: s.equal[r] = m[1]                            # equal checksums: the same entries of that id, in rows as of the hello
        else: s.filter = {}
    # -- what is done with a message
    def deliver(s):
        if not s.q: return False
        m = s.q.pop(0); getattr(s, 'on_' + m[0])(*m[1:]); return True
    def on_hello(s, rid, epoch, root, resume, sresume, full, dig, seq, mseq):
        s.prid, s.pepoch, s.proot, s.resume, s.sresume = rid, epoch, root, resume, sresume
        if rid == s.rid: s.ses.cut('one id twice'); s.me.newid(); s.w.count['one id twice'] += 1; return
        if full is not None: s.learn(dict(full)); return
        if root == s.root(s.H):
            if dig != s.me.digest() and s.me.map() == s.H: s.w.count['diverged'] += 1; s.ses.repair(); return
            if dig == s.me.digest() and s.me.map() == s.H and s.scheme not in ('memory', 'blind', 'hashed'):    # hello was the caught-up
                s.me.cps[rid] = (epoch, seq); s.me.scp[rid] = (epoch, mseq); s.stated = (fp(s.H), dig); s.quiet = True
            s.learn(dict(s.H)); return
        s.w.count['unequal'] += 1
        if s.scheme in ('memory', 'blind', 'hashed'):
            base = s.me.told.get(rid); s.sentmaps.append(dict(s.H)); s.send('diff', base is None, fp(base or {}), {r: s.H.get(r) for r in s.H.keys() | (base or {}).keys() if s.H.get(r) != (base or {}).get(r)})
        elif s.scheme == 'range':
            if s.rid < rid: s.rng_D = dict(s.H); s.send('rng', s.split(None, None)); 
            else: s.rng_D = dict(s.H)
        elif s.scheme in LISTS:
            s.rng_D = dict(s.H); s.rec = s.prec = None
            for m in s.early: getattr(s, 'on_' + m[0])(*m[1:])
            if s.rid > rid: s.turn()
        else:                                                            # recent
            cur = s.me.start_at(sresume, 2); s.rec = {r: s.H[r] for r in s.H if cur is None or s.me.moved.get(r, 0) > cur} if cur is not None else {}
            s.send('rec', dict(s.rec)); s.both()
    def on_diff(s, full, base, ent):
        old = {} if full else s.me.heard.get(s.prid, {})
        if s.scheme == 'hashed' and not full and fp(old) != base: s.w.count['full again'] += 1; s.send('again'); return
        v = {r: e for r, e in {**old, **ent}.items() if e}
        if s.scheme in ('memory', 'blind') and fp(v) != s.proot: s.w.count['memory: does not add up'] += 1
        s.me.heard[s.prid] = v; s.send('got'); s.learn(v)
    def on_again(s): s.me.told.pop(s.prid, None); s.send('diff', True, fp({}), dict(s.H))
    def on_got(s): s.me.told[s.prid] = s.sentmaps.pop(0)
    def turn(s):
        """the own list, or ranges if there is none"""
        cur = s.me.start_at(s.sresume, 2)
        if cur is None or s.w.rnd.random() < .1: s.w.count['no list'] += 1; s.prec = None; s.rec = {}; s.ranged = True; s.send('rng', s.split(None, None)); return
        mine = {r for r in s.H if s.me.moved.get(r, 0) > cur} | {r for r in s.prec or {} if r in s.H}
        s.rec = {r: s.H[r] for r in mine}; first = s.prec is None; s.send('l1' if first else 'l2', dict(s.rec))
        if not first and not mine - set(s.prec): s.both_lists()
    def on_l1(s, ent):
        if not hasattr(s, 'proot'): s.early.append(('l1', ent)); return
        s.prec = dict(ent); s.turn()
    def on_l2(s, ent):
        asked = [r for r in ent if r not in s.rec]; s.prec = dict(ent)
        if asked: s.send('l3', {r: s.H[r] for r in asked if r in s.H})
        s.both_lists()
    def on_l3(s, ent): s.prec.update(ent); s.both_lists()
    def both_lists(s):
        s.w.count['lists'] += 1; s.out = frozenset(s.rec) | frozenset(s.prec); rest = frozenset(x for x in s.proot if x[0] not in s.out)
        if frozenset(s.prec.items()) != frozenset(x for x in s.proot if x[0] in s.out): raise Broken('view: a list that is not so')
        v = {r: e for r, e in s.H.items() if r not in s.out}; v.update(s.prec); s.rng_D = v
        if s.scheme == 'norest' or rest == fp(s.H, out=s.out): s.learn(v); return
        s.w.count['ranges'] += 1
        if s.rid > s.prid: s.send('rng', s.split(None, None))
    def on_rec(s, ent): s.prec = ent; s.both()
    def both(s):
        if s.rec is None or s.prec is None: return
        s.out = frozenset(s.rec) | frozenset(s.prec)
        s.send('own', {r: s.H.get(r) for r in s.prec if r not in s.rec}, fp(s.H, out=s.out))
    def on_own(s, ent, rest):
        v = {r: e for r, e in s.H.items() if r not in s.out}
        v.update(s.prec); v.update(ent); s.rng_D = v
        if s.scheme == 'nobase' or rest == fp(s.H, out=s.out): s.learn({r: e for r, e in v.items() if e}); return
        s.w.count['ranges'] += 1
        if s.rid < s.prid: s.send('rng', s.split(None, None))
    def split(s, lo, hi):
        ids = sorted(r for r in s.H if (lo is None or r >= lo) and (hi is None or r < hi) and r not in s.out)
        if len(ids) <= 1: return [(lo, hi, 'ask', {r: s.H[r] for r in ids})]
        mid = ids[len(ids) // 2]; return [(lo, mid, 'fp', fp(s.H, lo, mid, s.out)), (mid, hi, 'fp', fp(s.H, mid, hi, s.out))]
    def on_rng(s, parts):
        if s.scheme in LISTS and not s.out and not s.ranged and s.rec is not None: s.rec = None; s.rng_D = dict(s.H)    # the peer has no list: all ids are compared
        ans = []
        for lo, hi, kind, x in parts:
            if kind == 'fp':
                if x != fp(s.H, lo, hi, s.out): ans += s.split(lo, hi)
            else:
                for r in [r for r in s.rng_D if (lo is None or r >= lo) and (hi is None or r < hi) and r not in s.out]: s.rng_D[r] = None
                s.rng_D.update(x)
                if kind == 'ask': ans.append((lo, hi, 'tell', {r: e for r, e in s.H.items() if (lo is None or r >= lo) and (hi is None or r < hi) and r not in s.out}))
        if ans: s.send('rng', ans)
        else: s.send('rngend')
        if not [a for a in ans if a[2] != 'tell']: s.learn({r: e for r, e in s.rng_D.items() if e})
    def on_rngend(s):
        if s.V is None: s.learn({r: e for r, e in s.rng_D.items() if e})
    def on_chg(s, changes, through):
        if s.me.hold and any(p == 'q' for p, _, _ in changes): s.stalled = True
        if s.stalled: s.w.count['held'] += 1; return
        s.me.integrate(changes, (s.prid, s.pepoch, through))
        if s.ses.full:
            for p, c, body in changes:
                if body is not None or p in s.me.body: s.me.body.pop(p, None)     # repair keeps both sides: modelled as whole again
    def on_cu(s, ent, root, dig, through, seq):
        if s.V is None and s.scheme == 'hashed': s.later.append((ent, root, dig, through, seq)); return
        if s.V is None: raise Broken('caught-up before the peer is known')
        s.V = {r: e for r, e in {**s.V, **ent}.items() if e}
        if fp(s.V) != root:
            s.w.count['statement does not add up'] += 1
            if s.scheme not in ('memory', 'blind', 'nobase', 'norest'): raise Broken('view: caught-up')
        if s.stalled: return
        b = s.me.map(); see = s.me.seen(); bad = False; short = False
        for r, (k, top, t) in s.V.items():
            if s.me.K.get(r, 0) >= k: continue
            if s.scheme != 'nochecksum' and b.get(r, (0, 0, frozenset()))[2] != t or s.scheme != 'nocap' and k > see.get(r, 0):
                bad |= see.get(r, 0) <= k or s.scheme == 'nobeyond'; short = True
                continue
            s.me.K[r] = k
        s.me.cps[s.prid] = (s.pepoch, through)
        if not short: s.me.scp[s.prid] = (s.pepoch, seq)
        if bad:
            s.me.cps.pop(s.prid, None); s.me.scp.pop(s.prid, None); s.me.heard.pop(s.prid, None); s.w.count['checkpoint dropped'] += 1
        elif s.scheme in ('memory', 'blind', 'hashed'): s.me.heard[s.prid] = dict(s.V); s.send('got')
        s.me.touch(b); s.filter.update({r: max(e[0], s.filter.get(r, 0)) for r, e in s.V.items()})
        mine = s.me.map()
        none = (0, 0, frozenset())
        div = any((p := s.V.get(r, none))[2] != (q := mine.get(r, none))[2] and p[0] == q[0] and p[1] <= p[0] and q[1] <= q[0] for r in s.V.keys() | mine.keys())
        div |= {r: e[2] for r, e in s.V.items() if e[2]} == {r: e[2] for r, e in mine.items() if e[2]} and dig != s.me.digest()
        if div and not s.ses.full: s.w.count['diverged'] += 1; s.ses.repair()
    # -- what is sent unasked
    def pump(s):
        if s.V is None or s.dead: return False
        me = s.me
        rows = sorted((q, p, c) for p, (c, q) in me.recs.items() if q > s.cursor)
        if rows:
            part = rows[:s.w.rnd.choice((1, 2))]; s.cursor = part[-1][0]; ch = []
            for q, p, c in part:
                know = joined(s.filter, {r: me.K.get(r, 0) for r in s.V if s.V[r] == s.H.get(r)}) if s.scheme == 'liveK' else s.filter
                if q <= s.hseq or s.scheme == 'eqnow': know = joined(know, s.equal)
                if not s.ses.full and covers(know, c):
                    if not s.w.loose and not covers(s.peer.me.recs.get(p, ({}, 0))[0], c) and not s.peer.dead and s.peer.rid == s.peer.me.rid and not s.peer.me.w.setback:
                        raise Broken(f'skipped: {me.name} thinks {s.peer.me.name} has {p} {c}')
                    continue
                ch.append((p, c, me.body.get(p)))
            if ch: s.send('chg', ch, s.cursor)
            return True
        now = me.map()
        if s.scheme == 'split' and s.w.last.get(me.name): now = {r: (e[0],) + s.w.last[me.name].get(r, e)[1:] for r, e in now.items()}
        if s.stated == (fp(now), me.digest()): return False
        ent = {r: now.get(r) for r in now.keys() | s.said.keys() if now.get(r) != s.said.get(r)}
        s.said = now; s.stated = (fp(now), me.digest())
        s.sentmaps.append(now)
        s.send('cu', ent, fp(now), me.digest(), s.cursor, me.mseq if s.scheme in LISTS else me.seq); return True

class Session:
    def __init__(s, w, a, b, full=False):
        s.w, s.full, s.off = w, full, False
        s.sides = [Side(s, a), Side(s, b)]
        for x in s.sides: x.open()
    def cut(s, why=''): s.off = True
    def repair(s):
        s.w.count['repair'] += 1; s.full = True; a, b = s.sides[0].me, s.sides[1].me
        s.sides = [Side(s, a), Side(s, b)]
        for x in s.sides: x.open()
    def step(s):
        if s.off: return False
        x = s.w.rnd.choice(s.sides)
        for x in (x, x.peer):
            if s.w.rnd.random() < .5 and x.deliver() or not s.off and x in s.sides and x.pump() or not s.off and x in s.sides and x.deliver(): return True
        return False
    def run(s):
        for _ in range(600):
            if not s.step(): return
        raise Broken('endless session')

class World:
    def __init__(s, scheme, seed, n=3):
        s.rnd, s.scheme, s.truth, s.count, s.size, s.ids = random.Random(seed), scheme, {}, collections.Counter(), 0, itertools.count(1)
        s.loose = s.setback = False; s.last = {}; s.sessions = []
        s.reps = [Rep(s, 'ABCDE'[k]) for k in range(n)]
    def newid(s): return f'r{next(s.ids):02}' if s.rnd.random() < .5 else f'a{next(s.ids):02}'
    def sync(s, a, b): t = Session(s, a, b); t.run(); t.off = True; return t
    def drop(s, rep): 
        for t in s.sessions:
            if rep in [x.me for x in t.sides]: t.off = True
        s.sessions = [t for t in s.sessions if not t.off]
    def check(s):
        if s.loose: return
        held = {d for d, p in s.truth.items() if any(r.recs.get(p, ({}, 0))[0].get(d[0], 0) >= d[1] for r in s.reps)}
        for r in s.reps:
            for d in held:
                if r.K.get(d[0], 0) >= d[1] and r.recs.get(s.truth[d], ({}, 0))[0].get(d[0], 0) < d[1]: raise Broken(f'unsound: {r.name} claims {d} of {s.truth[d]}')
    def heal(s, limit=10):
        s.setback = False
        for t in s.sessions: t.off = True
        s.sessions = []
        for r in s.reps: r.hold = False
        def snap(): return [(r.rid, r.K.copy(), r.recs.copy(), r.body.copy()) for r in s.reps]
        for k in range(limit + 1):
            was = [(a, {i: n for i, n in b.items() if n}, {p: c for p, (c, _) in d.items()}, e) for a, b, d, e in snap()]
            pairs = list(itertools.combinations(s.reps, 2)); s.rnd.shuffle(pairs)
            for a, b in pairs: s.sync(a, b)
            if was == [(a, {i: n for i, n in b.items() if n}, {p: c for p, (c, _) in d.items()}, e) for a, b, d, e in snap()]: break
            if k == limit: raise Broken('no rest')
        s.check(); ref = s.reps[0]
        for r in s.reps[1:]:
            if {p: c for p, (c, _) in r.recs.items()} != {p: c for p, (c, _) in ref.recs.items()}: raise Broken('lost: records differ at rest')
            if r.body != ref.body: raise Broken('rot not found')
            if r.map() != ref.map(): raise Broken('never equal: statements differ at rest')
        for a, b in itertools.combinations(s.reps, 2):
            t = Session(s, a, b); n = s.size; t.run()
            if t.off or s.size != n and s.scheme in ('range', 'recent', 'lists'): raise Broken('no-op is more than one round trip')
            t.off = True

def world(scheme, seed, steps=45, kinds=('cut', 'restore', 'silent', 'clone', 'hold', 'rot')):
    w = World(scheme, seed, random.Random(seed).choice((2, 3, 3, 4))); rnd = w.rnd; rot = 0
    for _ in range(steps):
        o = rnd.random(); r = rnd.choice(w.reps)
        if o < .22: r.write(rnd.choice('pqstu'))
        elif o < .36: a, b = rnd.sample(w.reps, 2); w.sessions.append(Session(w, a, b))
        elif o < .80 and w.sessions:
            t = rnd.choice(w.sessions)
            for _ in range(rnd.choice((1, 3, 8, 20))):
                if not t.step(): break
        elif o < .84 and w.sessions and 'cut' in kinds: w.sessions.pop(rnd.randrange(len(w.sessions))).off = True
        elif o < .86: w.last[r.name] = r.map()
        elif o < .89: r.backups.append(r.state())
        elif o < .93 and r.backups and ('restore' in kinds or 'silent' in kinds):
            b = rnd.choice(r.backups)
            if b['rid'] == r.rid and b['ctr'] == r.ctr and 'silent' in kinds and rnd.random() < .7:
                w.drop(r); r.load(b); w.count['silent restore'] += 1             # nothing of its own was lost: nobody can notice; half of them with no new opening
                if rnd.random() < .5: r.reopen()
            elif 'restore' in kinds: w.drop(r); r.load(b); r.newid()
        elif o < .95 and 'clone' in kinds and len(w.reps) < 5:
            c = Rep(w, 'ABCDEFG'[len(w.reps)]); c.load(r.state()); w.reps.append(c)
            c.newid()                                                            # noticed at open; it keeps all that r remembered of others
        elif o < .97 and 'hold' in kinds: r.hold = not r.hold
        elif o < .975 and 'rot' in kinds and r.recs and not w.sessions and not rot:
            p = rnd.choice(list(r.recs)); r.body[p] = rnd.getrandbits(20); rot = 1    # a body that changed under an unchanged clock
        w.sessions = [t for t in w.sessions if not t.off]; w.check()
    w.heal(); return w

def worlds(seeds, schemes):
    worst = {}
    for sc in schemes:
        bad, first, counts = collections.Counter(), {}, collections.Counter()
        for sd in range(seeds):
            try: w = world(sc, sd); counts.update(w.count)
            except Broken as e: c = str(e).split(':')[0]; bad[c] += 1; first.setdefault(c, (sd, str(e)[:90]))
        worst[sc] = sum(bad.values()); print(f'{sc:8} {sum(bad.values())} of {seeds} worlds broken {dict(bad)} {dict(counts)}', flush=True)
        for c, x in first.items(): print('         ', c, x)
    return worst

def poison(scheme):
    """a member D claims a million of A's writes with the checksum that B itself holds; then A writes; does B get it?"""
    w = World(scheme, 1, 3); A, B, D = w.reps; A.write('p'); A.write('q')
    for x, y in ((A, B), (A, D), (B, D)): w.sync(x, y)
    D.K[A.rid] = 10 ** 6; D.touch({}); w.loose = True; w.sync(D, B); w.sync(D, B); A.write('s'); w.sync(A, B)
    print(f'poison {scheme:8} B believes {B.K[A.rid]:,} of A, A wrote {A.ctr}; the new record reached B: {"s" in B.recs}'); return 's' not in B.recs

def gap(scheme):
    """A and B hold the second write of X (a cut session) and have met; they greet; C gives A the first write of X and is gone, X too; A and B go on"""
    w = World(scheme, 1, 4); A, B, C, X = w.reps; w.loose = True
    A.write('p'); w.sync(A, B); X.write('q'); X.write('u')
    for y in (A, B): y.integrate([('u', dict(X.recs['u'][0]), None)], (X.rid, 0, 0))
    w.sync(A, B); t = Session(w, A, B); A.integrate([('q', dict(X.recs['q'][0]), None)], (C.rid, 0, 0)); t.run(); t.off = True
    for _ in range(5): w.sync(A, B)
    print(f'gap {scheme:8} q is at B: {"q" in B.recs}'); return 'q' not in B.recs

def rest(scheme):
    """B is set back unnoticed, and then has C's write under a number that A takes for an old one: B does not list it. Does A get it?"""
    lost = 0
    for seed in range(20):
        w = World(scheme, seed, 3); w.loose = w.setback = True; A, B, C = w.reps; A.write('p'); w.sync(A, B); backup = B.state()
        for p in 'qst': A.write(p); w.sync(A, B)
        w.sync(A, B); B.load(backup); C.write('u'); w.sync(C, B)
        try:
            for _ in range(4): w.sync(A, B)
            lost += 'u' not in A.recs
        except Broken: lost += 1
    print(f'rest {scheme:8} broken in {lost} of 20'); return lost

def small(depth, schemes):
    """every schedule of DEPTH moves; A and B have met, C is new, A has a backup of before"""
    moves = ['eA', 'eB', 'eC', '+AB', '+BC', '+AC', '>AB', '<AB', '>BC', '<BC', '>AC', '<AC', 'xAB', 'xBC', 'sB', 'rB', 'hB', 'cB']
    total = {}
    for sc in schemes:
        runs = 0; bad = {}
        def play(seq):
            w = World(sc, 1, 3); by = {r.name: r for r in w.reps}; A, B, C = w.reps
            A.write('p'); B.write('q'); w.sync(A, B); backup = B.state(); C.write('q'); w.sync(C, A); w.sync(A, B); A.write('s'); ses = {}; far = 0
            for m in seq:
                op, k = m[0], m[1:]
                if op == 'e': by[k].write('p')
                elif op == '+':
                    if k in ses: return None
                    ses[k] = Session(w, by[k[0]], by[k[1]]); w.sessions.append(ses[k])
                elif op in '<>':
                    if k not in ses or ses[k].off: return None
                    x = ses[k].sides['><'.index(op)]; n = 0
                    while not ses[k].off and x in ses[k].sides and n < 3 and (x.deliver() or x.pump()): n += 1
                    if not n: return None
                elif op == 'x':
                    if k not in ses or ses[k].off: return None
                    ses[k].off = True
                elif op == 's':
                    if B.ctr != backup['ctr'] or B.rid != backup['rid']: return None
                    w.drop(B); B.load(backup)
                elif op == 'r': w.drop(B); B.load(backup); B.newid()
                elif op == 'h': B.hold = not B.hold
                elif op == 'c':
                    if len(w.reps) > 3: return None
                    c = Rep(w, 'D'); c.load(B.state()); c.newid(); w.reps.append(c)
                w.check()
            return w
        stack = [()]
        while stack:
            seq = stack.pop(); runs += 1
            try:
                w = play(seq)
                if w is None: continue
                if len(seq) == depth or seq and seq[-1][0] in '<>sx': w.heal()
            except Broken as e:
                c = str(e).split(':')[0]; bad.setdefault(c, [0, seq, str(e)]); bad[c][0] += 1
                if len(seq) < len(bad[c][1]): bad[c][1:] = [seq, str(e)]
                continue
            if len(seq) < depth: stack += [seq + (m,) for m in moves]
        total[sc] = len(bad); print(f'small {sc:8} depth {depth}: {runs} schedules, broken {({c: v for c, v in bad.items()})}', flush=True)
    return total

def steady(seeds):
    """whole sessions only, one edit here and there: how often are ranges needed, how many messages does a catch-up take"""
    c = collections.Counter()
    for sd in range(seeds):
        w = World('recent', sd, 5)
        for a, b in itertools.combinations(w.reps, 2): w.sync(a, b)
        w.heal(); w.count.clear()
        for _ in range(40):
            for _ in range(w.rnd.choice((0, 1, 3))): w.rnd.choice(w.reps).write(w.rnd.choice('pqstuvxyz'))
            a, b = w.rnd.sample(w.reps, 2); w.sync(a, b)
            c['sessions'] += 1
        c.update(w.count)
    print('steady', dict(c))

# ------------------------------------------------------------------------------------------------- through a blind relay
class Board:
    def __init__(s, w): s.id, s.num, s.rows, s.words = w.rnd.getrandbits(40), 0, {}, {}
    def state(s): return s.id, s.num, dict(s.rows), dict(s.words)
    def put(s, p, k):
        """keeps a version, and drops those that it covers, unless one that is there covers it"""
        vs = s.rows.get(p, ())
        if not any(covers(v, k) for v, _ in vs): s.num += 1; s.rows[p] = tuple((v, x) for v, x in vs if not covers(k, v)) + ((k, s.num),)
def relay_world(rule, seed, steps=40):
    """rule: words = rows (about, by), kept at the client until joined or overtaken, sent when moved since last sent and not on the board
             newest = one word per id | forget = words that do not add up are not kept | always = sent whenever not on the board
             whole = each replica's whole statement (the reference)"""
    w = World('full', seed, random.Random(seed).choice((2, 3, 4))); rnd = w.rnd; R = Board(w); mem = {}; backups = []; sent = [0]
    def fresh(c):
        m = mem.setdefault(c.name, {})
        if m.get('id') != R.id or m.get('rid') != c.rid: mem[c.name] = dict(id=R.id, rid=c.rid, cp=0, wcp=0, board={}, up=0, said={})
        return mem[c.name]
    def session(c, cut=10**9):
        m = fresh(c); n = 0
        def step():
            nonlocal n
            n += 1; return n > cut
        rows = sorted((q, p, k) for p, vs in R.rows.items() for k, q in vs if q > m['cp'])
        for q, p, k in rows:
            c.integrate([(p, k, None)], ('relay', 0, 0)); m['cp'] = q
            if step(): return
        for (about, by), (q, e) in sorted(R.words.items(), key=lambda x: x[1][0]):
            if q > m['wcp']: m['board'][(about, by)] = e; m['wcp'] = q
        if step(): return
        b = c.map()
        for (about, by), e in m['board'].items():
            if rule == 'forget' and m.get('tried', {}).get((about, by)) == e: continue
            if e[0] > c.K.get(about, 0) and b.get(about, (0, 0, frozenset()))[2] == e[2]: c.K[about] = e[0]
        if rule == 'forget': m['tried'] = dict(m['board'])
        c.touch(b)
        if step(): return
        for q, p, k in sorted((q, p, k) for p, (k, q) in c.recs.items() if q > m['up']):
            R.put(p, k)
            if step(): return
            m['up'] = q
        for r, e in sorted(c.map().items()):
            if not e[0]: continue
            key = (r, None if rule == 'newest' else c.rid)
            if rule != 'always' and m['said'].get(r) == e: continue
            if rule != 'whole' and any(x == e for (a, by), x in m['board'].items() if a == r and (by != c.rid)): m['said'][r] = e; continue
            R.num += 1; R.words[key] = (R.num, e); sent[0] += 1
            if step(): return
            m['said'][r] = e
    live = list(w.reps)
    for _ in range(steps):
        o = rnd.random(); c = rnd.choice(live)
        if o < .3: c.write(rnd.choice('pqst'))
        elif o < .6: session(c, rnd.randrange(1, 14))
        elif o < .8: session(c)
        elif o < .84: backups.append(R.state())
        elif o < .88 and backups: R.id, R.num, R.rows, R.words = rnd.choice(backups); R.rows, R.words, R.id = dict(R.rows), dict(R.words), rnd.getrandbits(40)
        elif o < .90: R.__init__(w)
        elif o < .92: c.backups.append(c.state())
        elif o < .94 and c.backups: c.load(rnd.choice(c.backups)); c.newid()
        elif o < .965 and len(live) > 2: live.remove(c)
        elif o < .985 and len(w.reps) < 7: x = Rep(w, 'ABCDEFGH'[len(w.reps)]); w.reps.append(x); live.append(x)
        w.check()
    for k in range(9):
        was = [(c.map(), {p: x for p, (x, _) in c.recs.items()}) for c in live]; n0 = sent[0]
        rnd.shuffle(live)
        for c in live: session(c)
        live.sort(key=lambda c: c.name); now = [(c.map(), {p: x for p, (x, _) in c.recs.items()}) for c in live]
        if now == [x for x in was] and sent[0] == n0: break
    else: raise Broken('no rest: words go round for ever')
    w.check()
    if any(x[1] != now[0][1] for x in now): raise Broken('lost: records differ')
    if any(x[0] != now[0][0] for x in now): raise Broken('stuck: knowledge differs at rest')
    return len(R.words), sent[0]

def relay(seeds, rules):
    out = {}
    for rule in rules:
        bad, words, sent = collections.Counter(), 0, 0
        first = {}
        for sd in range(seeds):
            try: a, b = relay_world(rule, sd); words += a; sent += b
            except Broken as e: c = str(e).split(':')[0]; bad[c] += 1; first.setdefault(c, sd)
        out[rule] = sum(bad.values()); print(f'relay {rule:7} {sum(bad.values())} of {seeds} broken {dict(bad)} first {first}; words kept {words}, sent {sent}', flush=True)
    return out

def fork_world(rule, seed, steps=24):
    """Clients that meet at a blind relay; some are set back unnoticed, write on under their id, and give a new id what they wrote above the fork (page 4, 12).
       rule: drops = an entry that does not add up has the relay read whole again | marks = not for an id of which a record says that it was forked"""
    w = World('full', seed, random.Random(seed).choice((2, 3))); w.loose = True; rnd = w.rnd; R = Board(w); mem = {}; whole = [0]
    for c in w.reps: c.base = None
    def memory(c):
        m = mem.get(c.name)
        if not m or m['rid'] != c.rid: m = mem[c.name] = dict(rid=c.rid, cp=0, wcp=0, board={}, up=0, said={})
        return m
    def fork(c):
        old, f = c.rid, c.base; c.base = None; b = c.map(); c.newid()
        own = sorted({k[old] for k, _ in c.recs.values() if k.get(old, 0) > f}); moving = list(c.recs.items())
        c.ctr = len(own); c.write(('forked', old))                                  # before all that is moved, so it is uploaded first
        for p, (k, _) in moving:
            if k.get(old, 0) <= f: continue
            k = dict(k); k[c.rid] = sum(n <= k[old] for n in own); k[old] = f; c.seq += 1
            c.recs[p] = ({r: n for r, n in k.items() if n}, c.seq)
        c.K[old] = min(c.K.get(old, 0), f); mem.pop(c.name, None); c.touch(b)
    def session(c, cut=10**9):
        m = memory(c); n = 0
        if not m['cp'] and R.rows: whole[0] += 1
        def step():
            nonlocal n
            n += 1; return n > cut
        for q, p, k in sorted((q, p, k) for p, vs in R.rows.items() for k, q in vs if q > m['cp']):
            if c.base is not None and k.get(c.rid, 0) > c.base: return fork(c)
            c.integrate([(p, k, None)], ('relay', 0, 0)); m['cp'] = q
            if step(): return
        for (about, by), (q, e) in sorted(R.words.items(), key=lambda x: x[1][0]):
            if about == c.rid and c.base is not None and e[1] > c.base: return fork(c)
            if q > m['wcp'] and by != c.rid: m['board'][(about, by)] = e; m['wcp'] = q
        c.base = None                                                               # nobody here knows what was lost
        if step(): return
        b = c.map(); bad = False
        for (about, by), (k, top, t) in m['board'].items():
            mine = c.map().get(about, (0, 0, frozenset()))
            if about == c.rid or mine[0] >= k and mine[1] >= top: continue
            if k <= mine[1] and t == mine[2]: c.K[about] = max(k, c.K.get(about, 0))
            elif not (mine[1] > k and mine[1] >= top) and not (rule == 'marks' and ('forked', about) in c.recs): bad = True
        c.touch(b)
        if bad: m.update(cp=0, wcp=0, board={})
        if step(): return
        for q, p, k in sorted((q, p, k) for p, (k, q) in c.recs.items() if q > m['up']):
            R.put(p, k)
            if step(): return
            m['up'] = q
        for r, e in sorted(c.map().items()):
            if not e[0] or m['said'].get(r) == e: continue
            if any(x == e for (a, by), x in m['board'].items() if a == r and by != c.rid): m['said'][r] = e; continue
            R.num += 1; R.words[(r, c.rid)] = (R.num, e)
            if step(): return
            m['said'][r] = e
    live = list(w.reps)
    for _ in range(steps):
        o = rnd.random(); c = rnd.choice(live)
        if o < .35: c.write(rnd.choice('pqstuv'))
        elif o < .5: session(c, rnd.randrange(1, 14))
        elif o < .7: session(c)
        elif o < .8: c.backups.append(c.state())
        elif o < .84 and c.base is None:                                            # a machine is rolled back behind its last visit
            old = c.state(); c.write(rnd.choice('pqstuv')); session(c)
            if c.rid == old['rid']: c.load(old); c.base = c.ctr; mem.pop(c.name, None); c.write(rnd.choice('pqstuv'))
        elif o < .92 and c.backups and c.base is None and c.backups[-1]['rid'] == c.rid: c.load(c.backups[-1]); c.base = c.ctr; mem.pop(c.name, None)
        elif o < .95 and len(live) > 2: live.remove(c)
        elif len(w.reps) < 5: x = Rep(w, 'ABCDEFGH'[len(w.reps)]); x.base = None; w.reps.append(x); live.append(x)
    for k in range(12):
        def snap(): return [(c.rid, c.map(), {p: x for p, (x, _) in c.recs.items()}) for c in sorted(live, key=lambda c: c.name)]
        was, again, number = snap(), whole[0], R.num
        for c in rnd.sample(live, len(live)): session(c)
        now = snap()
        if now == was and (whole[0], R.num) == (again, number): break
    else: raise Broken('whole: read for ever' if now == was and R.num == number else 'no rest')
    if any(x[2] != now[0][2] for x in now): raise Broken('lost: records differ')
    if any(x[1] != now[0][1] for x in now): raise Broken('stuck: knowledge differs at rest')

def forks(seeds, rules):
    out = {}
    for rule in rules:
        bad, first = collections.Counter(), {}
        for sd in range(seeds):
            try: fork_world(rule, sd)
            except Broken as e: c = str(e).split(':')[0]; bad[c] += 1; first.setdefault(c, sd)
        out[rule] = sum(bad.values()); print(f'forks {rule:6} {sum(bad.values())} of {seeds} broken {dict(bad)} first {first}', flush=True)
    return out

# ------------------------------------------------------------------------------------------------- a bound on ids per source
def defer(bound=2, moves=5):
    """D, a bad member, makes records whose clocks name made-up ids; A edits one of them. Every order of MOVES deliveries, then everyone meets everyone.
    source: over the bound of made-up ids brought by one peer a change is set aside, out of checksums (design) | envelope: set aside, counted by its clock
    none: no bound | pause: the direction from D stops when it is over the bound (nothing skipped), A, B, C give each other more room
    pauseall: the same bound for every peer"""
    fake = [(f'x{k}', {f'f{k}': 1}) for k in range(16)]
    links = [('D', 'A'), ('E', 'A'), ('D', 'C'), ('E', 'B'), ('A', 'B'), ('B', 'C'), ('C', 'A'), ('edit', 'A')]      # D, E: two bad members, or one with two faces
    for rule in ('source', 'envelope', 'none', 'pause', 'pauseall'):
        bad = collections.Counter(); first = {}; runs = 0
        for seq in itertools.product(links, repeat=moves):
            st = {n: dict(recs={}, side={}, src=collections.Counter(), ids={'A', 'B', 'C', 'D'}) for n in 'ABCDEF'}
            for k, (p, c) in enumerate(fake): st['DE'[k % 2]]['recs'][p] = dict(c)
            st['A']['recs']['m'] = {'A': 1}; ctr = 1; edited = None
            def give(x, y):
                X, Y = st[x], st[y]
                for p, c in sorted({**X['side'], **X['recs']}.items()):
                    old = Y['recs'].get(p, {})
                    if covers(old, c): continue
                    new = {i for i in c if i not in Y['ids']}
                    room = bound if rule != 'pause' or x in 'DEF' else 99
                    if rule != 'none' and Y['src'][x] + len(new) > room:
                        if rule[:5] == 'pause': return
                        Y['side'][p] = joined(Y['side'].get(p, {}), c); continue
                    Y['src'][x] += len(new); Y['ids'] |= new; Y['recs'][p] = joined(old, c)
            for x, y in seq:
                if x == 'edit':
                    for p, _ in reversed(fake):
                        if p in st['A']['recs'] and not edited: ctr += 1; st['A']['recs'][p] = joined(st['A']['recs'][p], {'A': ctr}); edited = p
                else: give(x, y)
            st['A']['recs']['zz'] = {'A': ctr + 1}; ctr += 1                                # an honest record written after it all
            for _ in range(4):
                for x, y in itertools.permutations('ABC', 2): give(x, y)
            runs += 1
            def checksum(n, i, side): return frozenset((p, c[i]) for p, c in ({**st[n]['side'], **st[n]['recs']} if side else st[n]['recs']).items() if i in c)
            for a, b in itertools.combinations('ABC', 2):
                seen = {p: c for p, c in {**st[a]['side'], **st[a]['recs']}.items()} == {p: c for p, c in {**st[b]['side'], **st[b]['recs']}.items()}
                if seen and st[a]['recs'] != st[b]['recs']: k = 'same writes, other state'; bad[k] += 1; first.setdefault(k, seq)
                if checksum(a, 'A', rule == 'envelope') != checksum(b, 'A', rule == 'envelope'): k = 'an honest id never adds up'; bad[k] += 1; first.setdefault(k, seq)
                if any('zz' not in st[n]['recs'] for n in (a, b)): k = 'an honest record does not arrive'; bad[k] += 1; first.setdefault(k, seq)
                if edited and any(st[n]['recs'].get(edited, {}).get('A', 0) < 2 for n in (a, b)): k = 'an honest edit is not shown'; bad[k] += 1; first.setdefault(k, seq)
        print(f'defer {rule:9} {runs} orders {dict(bad)}'); 
        for k, s in first.items(): print('       first:', k, s)

# ------------------------------------------------------------------------------------------------- bytes
def ranges_bytes(n, changed, arity, leaf, extra=0, ent=37, item=13):
    rnd = random.Random(5); ids = sorted(rnd.getrandbits(64) for _ in range(n)); A = {i: 1 for i in ids}; B = dict(A)
    for i in rnd.sample(ids, changed): B[i] = 2
    size = 0; trips = 0; todo = [(0, n)]; side = 0
    import bisect
    diff = [0]
    for i in ids: diff.append(diff[-1] + (A[i] != B[i]))
    msg = []; level = [(0, n)]
    while level:                                                         # each level: one message; equal ranges end
        nxt = []; trips += 1
        for lo, hi in level:
            if diff[hi] == diff[lo]: continue
            if hi - lo <= leaf: size += (hi - lo) * (ent if leaf <= 4 else 10) + (diff[hi] - diff[lo]) * (ent * (1 if leaf <= 4 else 2)) + 5; continue
            k = min(arity, hi - lo); cuts = [lo + (hi - lo) * j // k for j in range(k + 1)]
            size += k * item; nxt += list(zip(cuts, cuts[1:]))
        level = nxt
    return size + 2 * 120, trips
def bytes_table():
    ent = 37
    print('both ways, hellos included; trips = half round trips before the first change may leave (full: 1)')
    print('    ids  changed |     full        hashed/memory (disk per peer)      range 16/4        recent')
    for n in (10, 1000, 10000, 100000):
        for ch in sorted({0, 1, max(1, n // 100)}):
            full = 2 * (120 + ent * n) + (ent * n * 2 if ch else 0)                    # hello and caught-up, both ways
            mem = 2 * 120 + (2 * (ch * ent + 20) + ch * ent * 2 if ch else 0)
            rg, tr = ranges_bytes(n, ch, 16, 4) if ch else (240, 1)
            if ch: rg += ch * ent * 2
            rec = 2 * 120 + (ch * ent * 2 + 2 * 20 + ch * ent * 2 if ch else 0)
            print(f'{n:7} {ch:7}  | {full:10,} (1)  {mem:9,} (2) {2 * ent * n:11,}   {rg:9,} ({1 if not ch else 1 + tr})   {rec:9,} ({3 if ch else 1})')
    for n in (10, 1000, 10000, 100000): print(f'first meeting, nothing in common but {n} ids on one side: full {ent * n * 2:,}, recent/range {ent * n + 2 * 120 + 60:,}')

def main(a):
    cmd = a[0] if a else 'help'; num = [int(x) for x in a[1:] if x.isdigit()]; txt = [x for x in a[1:] if not x.isdigit()]
    sound = ['full', 'hashed', 'range', 'recent', 'lists']
    if cmd == 'worlds': r = worlds(num[0] if num else 1000, txt or sound + ['memory']); return any(r.get(x) for x in sound)
    if cmd == 'small': r = small(num[0] if num else 3, txt or sound + ['memory', 'blind']); return any(r.get(x) for x in sound)
    if cmd == 'forks': r = forks(num[0] if num else 1000, txt or ['marks', 'drops']); return r.get('marks', 0) or not r.get('drops', 1)
    if cmd == 'relay': r = relay(num[0] if num else 1000, txt or ['words', 'whole', 'newest', 'forget', 'always']); return r.get('words', 0)
    if cmd == 'poison': return [poison(x) for x in txt or ['recent', 'full', 'range', 'nocap']][0]
    if cmd == 'gap': return [gap(x) for x in txt or ['recent', 'full', 'range', 'eqnow']][0]
    if cmd == 'rest': return [rest(x) for x in txt or ['lists', 'norest']][0]
    if cmd == 'defer': return defer(moves=num[0] if num else 4)
    if cmd == 'bytes': bytes_table(); return steady(50)
    if cmd == 'all': return any(main(c.split()) for c in ('worlds 200', 'poison', 'gap', 'rest', 'small 3 recent lists range', 'relay 500', 'forks 500', 'defer', 'bytes'))
    print(__doc__)
if __name__ == '__main__': sys.exit(bool(main(sys.argv[1:])))
