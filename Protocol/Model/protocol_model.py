#!/usr/bin/env python3
"""Executable model of the Tandem replication design (stdlib only). It is made to break the design, not to be fast.

  protocol_model.py traces                 minimal counterexamples, each with the design's rule and with the repaired rule
  protocol_model.py records [DEPTH]        exhaustive programs on one record, three replicas (delete/restore/purge/edit/merge)
  protocol_model.py explore [SEEDS] [RULES [KIND...]]  random worlds; RULES = preset or preset:key=value,key=value;
                                           KIND = fault kinds (see FAULTS). Exit code 1 = an invariant broke.
  protocol_model.py schedules [DEPTH]      every schedule of edits, message steps, cuts, power cuts in a tiny world
  protocol_model.py mutants [SEEDS]        plants each mutation into `fixed`; every one must be caught
  protocol_model.py all                    the whole lot, small

PRESETS: `design` = an earlier draft of the design, charitably read, kept because each trace shows what its rules lose;
`fixed` = the rules of pages 4, 5 and 10; `late` = fixed, but no copy/restore is noticed at open (the residual risk).
A *ghost* (set of all writes a record state has integrated) rides along every state and message; the oracle `naive`
recomputes the state from that set and the true causal past of each write. Ghosts are never read by the rules.
"""
import sys, random, itertools, collections
from types import SimpleNamespace as NS

DEL, PUR = '§', '§p'                         # the reserved fields `deleted` and `purged`
ELIDED = '<elided>'
FIELDS = ('title', 'due', 'tag:x')           # tag:x is one element of a set field: its own register

DESIGN = dict(
    policy='deletes-win',
    equal='design',        # design: value equal to the visible one is never written | fixed: written if the field has siblings
    restore='flag',        # flag: assigns deleted=null only | reassert: assigns every visible field again with it
    purge='bare',          # bare: drops assignments, leaves id+clock | marker: assigns deleted=purged
    isdel='maxts',         # maxts: visible value of `deleted` | any: any surviving delete (deletes-win)
    edits='exists',        # edits-win: recordclock | exists (one delete saw all) | join (all deletes together saw all)
    delta='design',        # off | design: writes not covered + all assignments of touched fields | elide: whole record, known values elided
    join='caughtup',       # when knowledge is joined: caughtup | batch | stale (`as of through`, from an older read transaction)
    verify=False,          # join an entry of stated knowledge only if the per-replica digest agrees
    digest='clock',        # clock: over (id, clock) | content: over the canonical records
    when='equal',          # compare when: equal (knowledge equal) | checksum (per id: equal knowledge, nothing beyond; content: all checksums equal)
    repair='merge',        # diverged: merge | union (equal claims, different bodies: keep both)
    relayjoin='claims',    # claims: relay states its own knowledge | sealed: forwards statements sealed by replicas, verified
    relaydelta=False, reseq=False,           # mutations: deltas through a relay; new sequence although nothing changed
    durable=True,          # a dot is on disk before it leaves
    epochs=True,           # checkpoints carry an epoch
    echo='counter',        # off | counter: highest counter | chain: (counter, opening) checked against own openings
    base='acked',          # re-dot above: acked (last acknowledged counter) | fork (exact fork point from the chain)
    mapclocks=False,       # re-dotting also rewrites clocks inside delete values
    dropcps=False,         # lowering knowledge drops all checkpoints
    abort=False,           # identity change ends all sessions of the replica
    detect=0.0,            # probability that a file-level copy/restore is detected at open (identity evidence)
    unclean='keep',        # replica id after a power cut: keep | newid (boot changed and the store was not sealed)
    bad='none',            # undecodable record: none (never happens) | skip | park
    consolidate=False,     # client uploads the merged version when a relay showed it several
    prune='clock',         # relay pruning: clock | sum, strict (mutations)
    forget=False,          # mutation: tombstones expire
    sides=False)           # mutation: one value per field wins, ties to the own side
FIXED = dict(DESIGN, equal='fixed', restore='reassert', purge='marker', isdel='any', edits='join', delta='elide', verify=True,
             digest='content', when='checksum', repair='union', relayjoin='sealed', echo='chain', base='fork', mapclocks=True,
             dropcps=True, abort=True, detect=1.0, unclean='newid', bad='park', consolidate=True)
LATE = dict(FIXED, detect=0.0)                # `fixed`, but no copy or restore is ever noticed at open
PRESETS = dict(design=DESIGN, fixed=FIXED, late=LATE)

class Violation(Exception): pass

# ------------------------------------------------------------------------------------------------- records and merge (pure)
def covers(clock, dot): return clock.get(dot[0], 0) >= dot[1]
def leq(a, b): return all(b.get(r, 0) >= n for r, n in a.items())
def vjoin(a, b):
    if leq(b, a): return a
    out = dict(a)
    for r, n in b.items():
        if out.get(r, 0) < n: out[r] = n
    return out
def ck(clock): return tuple(sorted((r, n) for r, n in clock.items() if n))

class Rec:
    """clock; asg: field -> {dot: (timestamp, value, wid)}; ghost: wids integrated. Immutable by convention."""
    __slots__ = ('clock', 'asg', 'ghost', '_k')
    def __init__(s, clock, asg, ghost): s.clock, s.asg, s.ghost, s._k = clock, asg, ghost, None
    def key(s):
        if s._k is None:
            s._k = (ck(s.clock), tuple(sorted((f, tuple(sorted((d, repr(x[:2])) for d, x in m.items()))) for f, m in s.asg.items() if m)))
        return s._k
    def body(s): return s.key()[1]
EMPTY = Rec({}, {}, frozenset())

def visible(rec, f):
    m = rec.asg.get(f)
    return max(((x[0], d[0], d[1], x[1]) for d, x in m.items()), key=lambda t: t[:3])[3] if m else None

def conflicted(rec, f):
    return len({repr(x[1]) if f != DEL else kind(x[1]) for x in rec.asg.get(f, {}).values()}) > 1
def kind(v): return 'live' if v is None else 'dead'

def is_deleted(rec, cfg):
    m = rec.asg.get(DEL, {})
    dels = [x[1] for x in m.values() if x[1] is not None]
    if cfg.purge == 'bare' and rec.clock and not (rec.asg.keys() - {DEL}): return True    # an empty tombstone shows nothing
    if not dels: return False
    if cfg.policy == 'deletes-win':
        return True if cfg.isdel == 'any' else visible(rec, DEL) is not None
    purged = any(x[1] is not None for x in rec.asg.get(PUR, {}).values())
    seen = [dict(v[1]) for v in dels]
    def covered(f, d, x, seen=seen):
        if f == DEL and x[1] is not None: return True                    # another delete is not an edit
        if f == PUR or purged and f != DEL: return True                              # only a restore can bring back a purged record
        if len(x) > 3: return True                                       # a recovered (re-dotted) write never revives
        return any(covers(c, d) for c in seen)
    if cfg.edits == 'recordclock': return any(leq(rec.clock, vjoin(dict(x[1][1]), {d[0]: d[1]})) for d, x in m.items() if x[1] is not None)
    todo = [(f, d, x) for f, m2 in rec.asg.items() for d, x in m2.items()]
    if cfg.edits == 'exists':
        return any(all(covered(f, d, x, [c]) for f, d, x in todo) for c in seen)
    return all(covered(f, d, x) for f, d, x in todo)

def merge(a, b, cfg, union=False, only=None):
    """only: set of touched fields of a delta b (others keep a's assignments)."""
    asg = {}
    for f in a.asg.keys() | b.asg.keys():
        A, B = a.asg.get(f, {}), b.asg.get(f, {})
        if only is not None and f not in only:
            if A: asg[f] = A
            continue
        out = {}
        for d, x in A.items():
            if d in B:
                y = B[d]
                out[d] = x if y[1] == ELIDED else max(x, y, key=lambda t: (t[0], repr(t[1])))
            elif union or not covers(b.clock, d): out[d] = x
        for d, y in B.items():
            if d not in A and (union or not covers(a.clock, d)): out[d] = y
        if cfg.sides and len(out) > 1: out = dict([max(out.items(), key=lambda t: (t[1][0], t[0] in A))])
        if out: asg[f] = out
    return Rec(vjoin(a.clock, b.clock), asg, a.ghost | b.ghost)

# ------------------------------------------------------------------------------------------------- history: what really happened
class History:
    def __init__(s): s.kind, s.fields, s.past, s.rec, s.dots = [], [], [], [], collections.defaultdict(set)
    def add(s, rec, kind_, fields, past):
        s.kind.append(kind_); s.fields.append(fields); s.past.append(frozenset(past)); s.rec.append(rec)
        return len(s.kind) - 1
    def survivors(s, ghost):
        out = set()
        for w in ghost:
            for f in s.fields[w]:
                if not any(w in s.past[v] and (f in s.fields[v] or s.kind[v] == 'purge') for v in ghost): out.add((f, w))
        return out
    def deleted(s, ghost, cfg):
        sv = s.survivors(ghost)
        gone = [w for f, w in sv if f == DEL and s.kind[w] in ('delete', 'purge')]
        purges = [w for w in ghost if s.kind[w] == 'purge' and not any(w in s.past[v] and s.kind[v] == 'restore' for v in ghost)]
        if not gone and not purges: return False
        if cfg.policy == 'deletes-win': return True
        for f, w in sv:
            if s.kind[w] in ('delete', 'purge'): continue
            if purges and s.kind[w] != 'restore': continue
            if not any(w in s.past[g] for g in gone + purges): return False
        return True

def local(rec, rid, ctr, ts, kind_, assigns, hist, rec_id, cfg):
    """One local write on a record state; returns (record, wrote)."""
    todo = {}
    if kind_ == 'edit':
        for f, v in assigns.items():
            if rec.asg.get(f) and visible(rec, f) == v and not (cfg.equal == 'fixed' and conflicted(rec, f)): continue
            todo[f] = v
    elif kind_ == 'delete': todo = {DEL: ('del', ck(rec.clock))}
    elif kind_ == 'restore':
        todo = {DEL: None}
        if PUR in rec.asg:
            if None not in [x[1] for x in rec.asg.get(DEL, {}).values()]: return rec, False   # purged and nobody restored it whole
            todo[PUR] = None
        if cfg.restore == 'reassert':
            for f in rec.asg:
                if f not in (DEL, PUR): todo[f] = visible(rec, f)
    elif kind_ == 'purge': todo = {DEL: ('del', ck(rec.clock)), PUR: 1} if cfg.purge == 'marker' else {}
    if not todo and kind_ != 'purge': return rec, False
    wid = hist.add(rec_id, kind_, frozenset(todo), rec.ghost)
    dot = (rid, ctr); hist.dots[wid].add(dot)
    asg = {} if kind_ == 'purge' else dict(rec.asg)
    for f, v in todo.items(): asg[f] = {dot: (ts, v, wid)}
    clock = dict(rec.clock); clock[rid] = ctr
    return Rec(clock, asg, rec.ghost | {wid}), True

def check_record(rec, hist, cfg, where, strict=True):
    if any(len(x) > 3 for m in rec.asg.values() for x in m.values()): strict = False   # holds recovered writes: may keep too much
    have = {(f, x[2]) for f, m in rec.asg.items() for x in m.values()}
    want = hist.survivors(rec.ghost)
    if want - have: raise Violation(f'lost: {where} lacks {sorted(want - have)}')
    if strict and have - want: raise Violation(f'stale: {where} still holds {sorted(have - want)}')
    if rec.ghost and strict:
        d, ref = is_deleted(rec, cfg), hist.deleted(rec.ghost, cfg)
        if d != ref: raise Violation(f'{"resurrected" if ref else "wrongly deleted"}: {where} under {cfg.policy}')
    if not is_deleted(rec, cfg) and (rec.asg.keys() - {DEL, PUR}) and not rec.asg.get('title') and \
       any(hist.kind[w] == 'edit' and 'title' in hist.fields[w] for w in rec.ghost):
        raise Violation(f'husk: {where} is alive without a title')

# ------------------------------------------------------------------------------------------------- stores
class St:
    """One committed state. recs: id -> (Rec, seq); on a relay id -> tuple of (Rec, seq)."""
    __slots__ = ('rid', 'ctr', 'K', 'seq', 'recs', 'epochs', 'cps', 'acked', 'chain', 'chains', 'stmts', 'deferred')
    def __init__(s, rid):
        s.rid, s.ctr, s.K, s.seq, s.recs, s.epochs, s.cps = rid, 0, {}, 0, {}, (), {}
        s.acked, s.chain, s.chains, s.stmts, s.deferred = 0, (), {}, {}, {}
    def copy(s):
        t = St.__new__(St)
        for k in St.__slots__:
            v = getattr(s, k); setattr(t, k, dict(v) if isinstance(v, dict) else v)
        return t
    def seen(s, relay):
        out = {}
        for v in s.recs.values():
            for r, _ in (v if relay else (v,)): out = vjoin(out, r.clock)
        return out

class Node:
    def __init__(s, world, name, relay=False):
        s.w, s.name, s.relay, s.backups, s.unsynced = world, name, relay, [], []
        s.st = St(world.newid()); s.durable = s.st; s.liar = set(); s.reidentified = 0
        s.open()
    # -- disk
    def commit(s, st): s.unsynced.append(s.st); s.st = st
    def fsync(s): s.durable = s.st; s.unsynced = []
    def open(s):
        st = s.st.copy(); e = s.w.rnd.getrandbits(40)
        st.epochs = st.epochs + ((e, st.seq),); st.chain = st.chain + ((e, st.ctr),)
        s.commit(st)
    def powercut(s):
        s.st = s.w.rnd.choice([s.durable] + s.unsynced[1:] + [s.st]); s.durable, s.unsynced = s.st, []
        s.w.drop_sessions(s); s.open()
        if s.w.cfg.unclean == 'newid' and not s.relay: s.newid()
    def take_backup(s): s.backups.append(s.st)
    def restore_backup(s, st, reopen=True):
        s.w.drop_sessions(s); s.st = st; s.durable, s.unsynced = st, []
        if reopen:
            s.open()
            if not s.relay and s.w.rnd.random() < s.w.cfg.detect: s.newid()
    def newid(s):
        st = s.st.copy(); st.rid = s.w.newid(); st.ctr = 0; st.acked = 0; st.chain = ((s.w.rnd.getrandbits(40), 0),)
        s.commit(st); s.fsync(); s.reidentified += 1
    # -- reading
    def items(s, cursor):
        out = []
        for i, v in s.st.recs.items():
            for r, q in (v if s.relay else (v,)):
                if q > cursor: out.append((q, i, r))
        return sorted(out, key=lambda t: t[0])
    def get(s, i): return s.st.recs[i][0] if i in s.st.recs else EMPTY
    def digest(s):
        if s.relay: return None
        return frozenset((i, r.key() if s.w.cfg.digest == 'content' else ck(r.clock)) for i, (r, _) in s.st.recs.items())
    def settled(s): return leq(s.st.seen(s.relay), s.st.K)
    def perid(s, rid):
        """the digest of one replica's entries: sum over records of H(id, clock[rid])"""
        out = collections.Counter()
        for i, v in s.st.recs.items():
            n = 0
            for r, _ in (v if s.relay else (v,)): n = max(n, r.clock.get(rid, 0))
            if n: out[(i, n)] += 1
        return frozenset(out)
    def chains(s): return tuple(s.st.chains.items()) + (((s.st.rid, s.st.chain),) if not s.relay else ())
    def checksums(s): return {r: (s.st.K.get(r, 0), n, s.perid(r)) for r, n in s.st.seen(s.relay).items()}
    def statement(s): return {r: (n, s.perid(r)) for r, n in s.st.K.items()}
    # -- writing
    def write(s, i, kind_, assigns):
        st = s.st.copy(); rec = s.get(i); st.ctr += 1
        new, wrote = local(rec, st.rid, st.ctr, s.w.tick(), kind_, assigns, s.w.hist, i, s.w.cfg)
        if not wrote: return False
        st.seq += 1; st.recs[i] = (new, st.seq); st.K[st.rid] = st.ctr
        s.commit(st); s.check(i); return True
    def check(s, i):
        if not s.relay: check_record(s.get(i), s.w.hist, s.w.cfg, f'{s.name}/{i}', s.w.strict)
    def integrate(s, changes, sender, through, union=False):
        """changes: (id, Rec, touched or None). Returns list of ids that need the whole record."""
        cfg, st, need = s.w.cfg, s.st.copy(), []
        for i, rec, touched in changes:
            if s.relay:
                if touched is not None and not cfg.relaydelta: raise Violation('relay got a delta')
                s.store_version(st, i, rec); continue
            if (s.name, i) in s.w.badset and cfg.bad != 'none':           # this replica cannot decode this record (yet)
                if cfg.bad == 'park': st.deferred[i] = st.deferred.get(i, ()) + (rec,)
                continue
            old = st.recs[i][0] if i in st.recs else EMPTY
            un = union and (leq(rec.clock, old.clock) or leq(old.clock, rec.clock)) and rec.key() != old.key() and ck(rec.clock) == ck(old.clock)
            new = merge(old, rec, cfg, union=un, only=touched if isinstance(touched, frozenset) else None)
            if any(x[1] == ELIDED for m in new.asg.values() for x in m.values()): need.append(i); continue
            if new.key() != old.key() or cfg.reseq:
                st.seq += 1; st.recs[i] = (new, st.seq)
            elif new.ghost != old.ghost: st.recs[i] = (new, st.recs[i][1])
        if not need: st.cps[sender[0]] = (sender[1], through)
        s.commit(st)
        for i, _, _ in changes: s.check(i)
        return need
    def store_version(s, st, i, rec):
        """Relay: opaque versions, pruned by clock only."""
        vs = st.recs.get(i, ())
        dom = (lambda a, b: leq(a, b)) if s.w.cfg.prune != 'sum' else (lambda a, b: sum(a.values()) <= sum(b.values()))
        if any(dom(rec.clock, r.clock) and (s.w.cfg.prune != 'strict' or ck(rec.clock) != ck(r.clock)) for r, _ in vs): return
        st.seq += 1; st.recs[i] = tuple((r, q) for r, q in vs if not dom(r.clock, rec.clock) or s.w.cfg.prune == 'strict' and ck(rec.clock) == ck(r.clock)) + ((rec, st.seq),)
    def join(s, stated):
        """stated: rid -> (n, per-replica digest)"""
        st = s.st.copy(); ok = True
        for r, (n, d) in stated.items():
            if st.K.get(r, 0) >= n: continue
            if s.w.cfg.verify and d is not None and s.perid(r) != d:
                ok &= st.seen(s.relay).get(r, 0) > n              # being ahead explains the difference: undecided, no alarm
                continue
            if any(rc.clock.get(r, 0) > st.K.get(r, 0) for rs in st.deferred.values() for rc in rs): continue
            st.K[r] = n
        s.commit(st); return ok
    # -- identity
    def reid(s, base):
        """Rolled back: new id, own writes above base re-dotted, own old entry lowered to base (page 5)."""
        cfg, st = s.w.cfg, s.st.copy(); old, new = st.rid, s.w.newid(); s.reidentified += 1
        dots = sorted({d[1] for r, _ in st.recs.values() for m in r.asg.values() for d in m if d[0] == old and d[1] > base})
        ren = {n: k + 1 for k, n in enumerate(dots)}
        def clk(c):
            c = dict(c); n = c.get(old, 0)
            if n > base:
                c[old] = base; ks = [ren[m] for m in dots if m <= n]
                if ks: c[new] = max(ks)
                if not base: del c[old]
            return c
        for i, (r, q) in list(st.recs.items()):
            if r.clock.get(old, 0) <= base: continue
            asg = {}
            for f, m in r.asg.items():
                out = {}
                for d, x in m.items():
                    v = x[1]
                    if cfg.mapclocks and isinstance(v, tuple): v = (v[0], ck(clk(dict(v[1]))))
                    if d[0] == old and d[1] > base:
                        d = (new, ren[d[1]]); s.w.hist.dots[x[2]].add(d)
                        x = (x[0], v, x[2], 'recovered') if cfg.base == 'fork' else (x[0], v, x[2])
                    else: x = (x[0], v) + x[2:]
                    out[d] = x
                asg[f] = out
            own = [d[1] for m in asg.values() for d in m if d[0] == new]
            c = dict(r.clock); c[old] = base
            if not base: del c[old]
            if own: c[new] = max(own)
            st.seq += 1; st.recs[i] = (Rec(c, asg, r.ghost), st.seq)
        st.K[old] = min(st.K.get(old, 0), base); st.rid = new; st.ctr = len(dots); st.acked = 0
        if st.ctr: st.K[new] = st.ctr
        st.chain = ((s.w.rnd.getrandbits(40), 0),)
        if cfg.dropcps: st.cps = {}
        s.commit(st); s.fsync() if cfg.durable else None; s.w.log(f'{s.name} found itself rolled back: {old} above {base} becomes {new}')
        if cfg.abort: s.w.drop_sessions(s)

def forked(mine, ctr, n, theirs):
    """mine/theirs: tuple of (opening, start counter). None if (n, theirs) lies on my own past, else the fork counter."""
    k = 0
    while k < min(len(mine), len(theirs)) and mine[k] == theirs[k]: k += 1
    end = mine[k][1] if k < len(mine) else ctr                 # where the last common opening ends for me
    if k == len(theirs): return None if n <= end else end
    return min(end, theirs[k][1])

# ------------------------------------------------------------------------------------------------- sessions
class Dir:
    """One direction of a session: x sends, y pulls."""
    def __init__(s, ses, x, y):
        cfg = ses.w.cfg; s.ses, s.x, s.y, s.q, s.done, s.stalled = ses, x, y, [], False, False
        s.peerK = dict(y.st.K) if not ses.full else {}
        s.epoch = x.st.epochs[-1][0]; s.cursor = 0
        if cfg.verify and not ses.full:                       # equal checksums: the same entries of that id, whoever vouches for them
            for r, n in x.st.seen(x.relay).items():
                if x.perid(r) == y.perid(r): s.peerK[r] = max(s.peerK.get(r, 0), n)
        cp = y.st.cps.get(x.st.rid)
        if cp and not ses.full:
            if not cfg.epochs: s.cursor = min(cp[1], x.st.seq)
            else:
                es = x.st.epochs
                for k, (e, start) in enumerate(es):
                    if e == cp[0]: s.cursor = min(cp[1], es[k + 1][1] if k + 1 < len(es) else x.st.seq)
        s.stale = (x.st.seq, x.statement(), s.cursor); s.stated = None; s.whole = set()
    def change(s, i, rec):
        cfg, pk = s.x.w.cfg, s.peerK
        plain = cfg.delta == 'off' or s.ses.full or i in s.whole or ((s.x.relay or s.y.relay) and not cfg.relaydelta)
        if plain or s.x.relay: return (i, rec, None)
        if cfg.delta == 'elide':
            asg = {f: {d: ((x[0], ELIDED) + x[2:] if covers(pk, d) else x) for d, x in m.items()} for f, m in rec.asg.items()}
            return (i, Rec(rec.clock, asg, rec.ghost), 'elided' if s.y.relay else None)
        touched = frozenset(f for f, m in rec.asg.items() if any(not covers(pk, d) for d in m))
        return (i, Rec(rec.clock, {f: rec.asg[f] for f in touched}, rec.ghost), touched)
    def send(s):
        """One read transaction of the sender; returns False if there is nothing to say."""
        x, y, cfg = s.x, s.y, s.x.w.cfg
        if s.stalled: return False
        if cfg.durable: x.fsync()
        items = x.items(s.cursor)
        if cfg.join == 'stale' and not s.done: items = [t for t in items if t[0] <= s.stale[0]]
        if items:
            part = items[:x.w.rnd.choice((1, 2))]
            s.cursor = part[-1][0]
            ch = [s.change(i, r) for _, i, r in part if s.ses.full or not leq(r.clock, s.peerK)]
            ch = [c for c in ch if not (x.relay and (c[0], y.name) in x.liar)]
            if cfg.join == 'batch': s.q.append(('changes', ch, s.cursor, x.chains())); s.q.append(('caughtup', x.statement(), s.cursor, None, False, x.chains()))
            elif ch: s.q.append(('changes', ch, s.cursor, x.chains()))
            return True
        st = s.stale[1] if cfg.join == 'stale' and not s.done else x.statement()
        if x.relay and cfg.relayjoin == 'sealed':
            st = {}                                           # forwarded, sealed by replicas; the newest word on each id
            for t in x.st.stmts.values():
                for r, (n, d) in t.items():
                    if r not in st or st[r][0] < n: st[r] = (n, d)
        key = (tuple(sorted((r, n) for r, (n, _) in st.items())), s.cursor if x.relay else x.digest())
        if s.stated == key: return False
        s.stated = key; s.done = True
        s.q.append(('caughtup', st, s.cursor, x.digest(), x.checksums(), x.chains())); return True
    def deliver(s):
        if not s.q: return False
        m, x, y, cfg = s.q.pop(0), s.x, s.y, s.x.w.cfg
        if cfg.echo == 'chain': y.w.note_chains(y, m[-1])
        sender = (s.ses.ids[x.name], s.epoch)
        if m[0] == 'changes':
            need = y.integrate(m[1], sender, m[2], union=s.ses.full and cfg.repair == 'union')
            if need:                                          # elided value is not here: ask for the whole record
                y.w.count['whole record asked'] += 1
                s.whole |= set(need); s.cursor = 0; s.q = []; s.stated = None
            if cfg.consolidate and x.relay and not y.relay:
                for i in {c[0] for c in m[1]}:
                    if len(x.st.recs.get(i, ())) > 1: s.ses.upload(y, i)
        elif m[0] == 'ack':
            st = y.st.copy(); st.acked = max(st.acked, m[1]); y.commit(st); y.fsync() if cfg.durable else None
        else:
            _, stated, through, dig, settled, _ = m
            ok = y.join({r: (n, d if cfg.verify or (x.relay and cfg.relayjoin == 'sealed') else None) for r, (n, d) in stated.items()})
            st = y.st.copy()
            if y.relay: st.stmts[x.st.rid] = stated
            st.cps[sender[0]] = (sender[1], through)
            if not ok and cfg.dropcps: del st.cps[sender[0]]
            y.commit(st)
            other = s.ses.other(s)
            for r, (n, _) in stated.items():                  # the peer's own word about itself, used as filter from now on
                if not x.relay and other.peerK.get(r, 0) < n: other.peerK[r] = n
            if y.relay and cfg.durable: y.fsync()
            own = stated.get(x.st.rid)
            if own and x.st.rid == s.ses.ids[x.name]: other.q.append(('ack', own[0], y.chains()))
            if not ok and not x.relay and not s.ses.full: y.w.count['unverified statement'] += 1
            if dig is not None and not y.relay and not s.ses.full:
                mine = y.checksums()
                if cfg.when == 'equal': bad = {r: n for r, (n, _) in stated.items() if n} == {r: n for r, n in y.st.K.items() if n} and dig != y.digest()
                else:
                    none = (0, 0, frozenset())
                    bad = any((p := settled.get(r, none))[2] != (q := mine.get(r, none))[2] and x_k == y.st.K.get(r, 0) and p[1] <= x_k >= q[1]
                              for r in settled.keys() | mine.keys() for x_k in [stated.get(r, (0,))[0]])
                    bad |= {r: t[2] for r, t in settled.items()} == {r: t[2] for r, t in mine.items()} and dig != y.digest()
                if bad:
                    if cfg.when == 'equal' and not (x.settled() and y.settled()): y.w.count['false alarm'] += 1
                    y.w.count['diverged'] += 1; y.w.log(f'{y.name} and {x.name} diverged, full exchange'); s.ses.restart_full()
        return True

class Session:
    def __init__(s, w, a, b, full=False):
        s.w, s.a, s.b, s.full, s.dead = w, a, b, full, False
        for me, peer in ((a, b), (b, a)): s.hello(me, peer)
        s.ids = {a.name: a.st.rid, b.name: b.st.rid}
        s.dirs = [Dir(s, a, b), Dir(s, b, a)]
    def other(s, d): return s.dirs[0] if d is s.dirs[1] else s.dirs[1]
    def upload(s, y, i):                                      # y sends its merged record to the relay once
        d = s.dirs[0] if s.dirs[0].x is y else s.dirs[1]
        y.fsync(); d.q.append(('changes', [(i, y.get(i), None)], d.cursor, y.chains()))
    def restart_full(s):
        s.full = True; s.dirs = [Dir(s, s.a, s.b), Dir(s, s.b, s.a)]
    def hello(s, me, peer):
        """peer echoes what it knows of me; I may find out that I was rolled back"""
        cfg = s.w.cfg
        if me.relay: return
        n = max(peer.st.K.get(me.st.rid, 0), peer.st.seen(peer.relay).get(me.st.rid, 0)) if not (peer.relay and cfg.relayjoin == 'sealed') \
            else max([t.get(me.st.rid, (0,))[0] for t in peer.st.stmts.values()] + [peer.st.seen(True).get(me.st.rid, 0)])
        if cfg.echo == 'counter' and n > me.st.ctr: me.reid(min(me.st.acked, me.st.ctr))
        if cfg.echo == 'chain' and n:
            f = forked(me.st.chain, me.st.ctr, n, peer.st.chains.get(me.st.rid, me.st.chain[:1]))
            if f is not None: me.reid(f if cfg.base == 'fork' else min(me.st.acked, me.st.ctr))
    def run(s, limit=400):
        for k in range(limit):
            if s.dead: return
            progress = False
            for d in list(s.dirs):
                if d not in s.dirs or s.dead: continue
                progress |= d.send(); 
                while d in s.dirs and d.q and not s.dead: progress |= d.deliver()
            if not progress: return
        raise Violation(f'endless session {s.a.name}-{s.b.name}')

# ------------------------------------------------------------------------------------------------- worlds
class World:
    def __init__(s, cfg, seed=0, replicas=2, relays=0, strict=True):
        s.cfg, s.rnd, s.hist, s.count, s.trace = NS(**cfg), random.Random(seed), History(), collections.Counter(), []
        s.ids = itertools.count(1); s.clock = 1000; s.sessions = []; s.strict = strict; s.badset = set(); s.clones = 0
        s.reps = [Node(s, 'ABCDEF'[k]) for k in range(replicas)]
        s.relays = [Node(s, f'R{k}', True) for k in range(relays)]
    def newid(s): return f'r{next(s.ids)}'
    def tick(s): s.clock += s.rnd.choice((-3, 0, 1, 1, 2)); return s.clock
    def log(s, t): s.trace.append(t)
    def nodes(s): return s.reps + s.relays
    def note_chains(s, n, chains):
        """openings of every id travel ahead of the dots made in them"""
        new = {}
        for rid, ch in chains:
            old = n.st.chains.get(rid, ())
            if rid != n.st.rid and ch[:len(old)] == old and len(ch) > len(old): new[rid] = ch
            elif rid != n.st.rid and old[:len(ch)] != ch: s.count['third party sees a fork'] += 1
        if new: st = n.st.copy(); st.chains.update(new); n.commit(st)
    def truth(s, n): return {i: n.get(i).ghost for i in n.st.recs}
    def drop_sessions(s, n):
        for t in s.sessions:
            if n in (t.a, t.b): t.dead = True
        s.sessions = [t for t in s.sessions if not t.dead]
    def sync(s, a, b): 
        t = Session(s, a, b); s.sessions.append(t); t.run(); t.dead = True; s.sessions = [u for u in s.sessions if u is not t]
    def held(s):
        out = set()
        for n in s.nodes():
            for v in n.st.recs.values():
                for r, _ in (v if n.relay else (v,)): out |= r.ghost
        return out
    def check(s):
        held, dots = s.held(), {}
        for n in s.nodes():
            for i, v in n.st.recs.items():
                for r, _ in (v if n.relay else (v,)):
                    for f, m in r.asg.items():
                        if len(m) > next_id_bound(s): raise Violation('siblings unbounded')
                        for d, x in m.items():
                            if dots.setdefault(d, x[2]) != x[2]: raise Violation(f'dot {d} names two writes')
                if n.relay and len(v) > next_id_bound(s): raise Violation('versions unbounded')
        for n in s.nodes():
            have = set()
            for v in n.st.recs.values():
                for r, _ in (v if n.relay else (v,)): have |= r.ghost
            for rs in n.st.deferred.values():
                for r in rs: have |= r.ghost
            for w in held - have:
                if any(covers(n.st.K, d) for d in s.hist.dots[w]) and not (n.relay and n.liar):
                    raise Violation(f'knowledge unsound: {n.name} claims write {w} {sorted(s.hist.dots[w])} of {s.hist.rec[w]} and lacks it')
    def heal(s, direct=True, check=True):
        s.badset = set()
        for n in s.nodes():
            s.drop_sessions(n); n.liar = set()
            if n.st.deferred:
                st = n.st.copy(); deferred = st.deferred; st.deferred = {}; n.commit(st)
                for i, rs in deferred.items():
                    for r in rs: n.integrate([(i, r, None)], ('deferred', 0), 0)
        before = s.held(); rounds = 0
        while True:
            fp = [(n.st.K, {i: (v[0].key() if not n.relay else tuple(r.key() for r, _ in v)) for i, v in n.st.recs.items()}) for n in s.nodes()]
            pairs = [(a, b) for a, b in itertools.combinations(s.nodes(), 2) if not (a.relay and b.relay) and (direct or a.relay or b.relay)]
            s.rnd.shuffle(pairs)
            for a, b in pairs: s.sync(a, b)
            rounds += 1
            if fp == [(n.st.K, {i: (v[0].key() if not n.relay else tuple(r.key() for r, _ in v)) for i, v in n.st.recs.items()}) for n in s.nodes()]: break
            if rounds > 14: raise Violation('does not come to rest')
        s.count['rounds'] = max(s.count['rounds'], rounds)
        if not check: return
        s.check()
        ref = {i: r.key() for i, (r, _) in s.reps[0].st.recs.items()}
        for n in s.reps:
            mine = {i: r.key() for i, (r, _) in n.st.recs.items()}
            if mine != ref: raise Violation(f'diverged for ever: {n.name} and {s.reps[0].name}: {[(i, ref.get(i), mine.get(i)) for i in ref.keys() | mine.keys() if ref.get(i) != mine.get(i)][:1]}')
            have = set().union(*[n.get(i).ghost for i in n.st.recs]) if n.st.recs else set()
            if before - have: raise Violation(f'lost write: {n.name} never got {[(w, sorted(s.hist.dots[w])) for w in before - have][:3]}')
            for i in n.st.recs: n.check(i)
            if s.strict and not n.settled(): raise Violation(f'never settles: {n.name} holds {n.st.seen(False)} knows {n.st.K}')

def next_id_bound(w): return 2 + w.clones + sum(n.reidentified for n in w.nodes()) + len(w.nodes())

FAULTS = dict(base=(), purge=('purge',), power=('power',), relay=('relay', 'power'), fork=('backup', 'clone', 'power'), liar=('liar',), bad=('bad',))

def explore(cfg, seed, faults, steps=38, verbose=False):
    rnd = random.Random(seed * 7 + 1)
    nrep, nrel = rnd.choice(((2, 0), (3, 0), (2, 1), (3, 1), (2, 2), (4, 0)))
    if 'relay' in faults or 'liar' in faults: nrel = max(nrel, 1)
    w = World(cfg, seed, nrep, nrel, strict='backup' not in faults); w.cfg.policy = rnd.choice(('deletes-win', 'edits-win'))
    recs = ['p', 'q', 'r'][:rnd.choice((1, 2, 3))]; direct = nrel == 0 or rnd.random() < .6
    def pick(): return rnd.choice(w.reps)
    def say(t): w.log(t); verbose and print('   ', t)
    for _ in range(steps):
        o = rnd.random()
        if w.cfg.forget and rnd.random() < .05:
            n = pick(); st = n.st.copy(); st.recs = {i: v for i, v in st.recs.items() if not is_deleted(v[0], w.cfg)}; n.commit(st); say(f'{n.name} forgets tombstones')
        if o < .34:
            n, i = pick(), rnd.choice(recs); rec = n.get(i)
            alive = rec.ghost and not is_deleted(rec, w.cfg)
            fresh = not any(m for m in rec.asg.values()) and not rec.ghost
            if fresh: n.write(i, 'edit', {f: rnd.randrange(2) for f in FIELDS}); say(f'{n.name} creates {i}')
            elif alive:
                if rnd.random() < .25: n.write(i, 'delete', {}); say(f'{n.name} deletes {i}')
                else:
                    fs = rnd.sample(FIELDS, rnd.choice((1, 1, 2))); n.write(i, 'edit', {f: rnd.randrange(3) for f in fs}); say(f'{n.name} edits {i}.{fs}')
            elif 'purge' in faults and rnd.random() < .4 and rec.asg.keys() - {DEL, PUR}: n.write(i, 'purge', {}); say(f'{n.name} purges {i}')
            elif rnd.random() < .5 and (rec.asg.keys() - {DEL, PUR}): n.write(i, 'restore', {}); say(f'{n.name} restores {i}')
        elif o < .48:
            a, b = rnd.sample(w.nodes(), 2)
            if a.relay and b.relay or (not direct and not a.relay and not b.relay): continue
            say(f'session {a.name}-{b.name}'); t = Session(w, a, b)
            if not (a.st.rid == b.st.rid): w.sessions.append(t)
        elif o < .80 and w.sessions:
            t = rnd.choice(w.sessions)
            for _ in range(rnd.choice((1, 2, 4, 12))):
                if t.dead: break
                d = rnd.choice(t.dirs); (d.send if rnd.random() < .5 else d.deliver)()
        elif o < .86 and w.sessions:
            t = rnd.choice(w.sessions); t.dead = True; w.sessions.remove(t); say(f'cut {t.a.name}-{t.b.name}')
        elif o < .90 and 'power' in faults: n = rnd.choice(w.nodes()); n.powercut(); say(f'power cut {n.name}')
        elif o < .95 and 'backup' in faults:
            n = pick()
            if not n.backups or rnd.random() < .5: n.fsync(); n.take_backup(); say(f'backup {n.name}')
            else: n.restore_backup(rnd.choice(n.backups)); w.clones += 1; say(f'restore {n.name}')
        elif o < .97 and 'clone' in faults and len(w.reps) < 5:
            n = pick(); c = Node(w, 'ABCDEF'[len(w.reps)]); c.restore_backup(n.st); w.reps.append(c); w.clones += 1; say(f'clone {n.name} as {c.name}')
        elif o < .96 and 'relay' in faults and w.relays:
            n = rnd.choice(w.relays)
            if rnd.random() < .4: n.fsync(); n.take_backup(); say(f'backup {n.name}')
            elif n.backups and rnd.random() < .6: n.restore_backup(rnd.choice(n.backups)); say(f'restore {n.name}')
            else: w.drop_sessions(n); n.st = St(w.newid()); n.fsync(); n.open(); say(f'wipe {n.name}')
        elif o < .96 and 'liar' in faults: n = rnd.choice(w.relays); n.liar.add((rnd.choice(recs), pick().name)); say(f'{n.name} withholds {sorted(n.liar)}')
        elif o < .94 and 'bad' in faults: k = (pick().name, rnd.choice(recs)); w.badset.add(k); say(f'{k[0]} cannot read {k[1]}')
        if o > .5 and 'backup' not in faults and 'clone' not in faults: w.check()
    say('heal'); w.heal(direct)
    return w

def sweep(cfg, seeds, kinds, start=0, stop_at=None):
    """-> {fault kind: (runs, Counter of violation classes, first seed per class, counts)}"""
    out = {}
    for k in kinds:
        bad, first, counts = collections.Counter(), {}, collections.Counter()
        for sd in range(start, start + seeds):
            try: w = explore(cfg, sd, FAULTS[k]); counts.update({x: v for x, v in w.count.items() if x != 'rounds'}); counts['rounds'] = max(counts['rounds'], w.count['rounds'])
            except Violation as e:
                c = str(e).split(':')[0]; bad[c] += 1; first.setdefault(c, (sd, str(e)[:150]))
                if stop_at and sum(bad.values()) >= stop_at: break
        out[k] = (seeds, bad, first, counts)
    return out

# ------------------------------------------------------------------------------------------------- exhaustive, one record
def records(cfg, depth, synced=True, limit=400000):
    """Every program up to depth over three replicas of one record; each state is also closed by merging everything."""
    cfg = NS(**cfg); hist = History(); memo = {}; ids = 'ABC'
    real = hist.add
    def add(rec, kind_, fields, past):
        k = (add.dot, kind_, fields, frozenset(past))
        if k not in memo: memo[k] = real(rec, kind_, fields, past)
        return memo[k]
    hist.add = add
    def write(state, k, kind_, assigns):
        r = state[k]; n = r.clock.get(ids[k], 0) + 1; add.dot = (ids[k], n)
        new, wrote = local(r, ids[k], n, 1, kind_, assigns, hist, 'p', cfg)
        return state[:k] + (new,) + state[k + 1:] if wrote else None
    start = write((EMPTY,) * 3, 0, 'edit', dict(title='t', due='d'))
    if synced: start = (start[0],) * 3
    seen = {tuple((r.key(), r.ghost) for r in start): ()}; frontier = [(start, ())]; bad = {}; states = 1; closed = {}
    def close(state):
        k = frozenset((r.key(), r.ghost) for r in state)
        if k in closed: return closed[k]
        a = merge(merge(state[0], state[1], cfg), state[2], cfg); b = merge(state[2], merge(state[1], state[0], cfg), cfg)
        closed[k] = None
        try:
            if a.key() != b.key() or merge(a, a, cfg).key() != a.key(): raise Violation('merge order matters')
            check_record(a, hist, cfg, 'all')
        except Violation as e: closed[k] = str(e)
        return closed[k]
    for d in range(depth):
        nxt = []
        for state, tr in frontier:
            for k in range(3):
                r = state[k]; dead = is_deleted(r, cfg); moves = []
                content = r.asg.keys() - {DEL, PUR}
                if r.ghost and not dead: moves += [('edit', dict(title=f'{ids[k]}{r.clock.get(ids[k], 0)}')), ('edit', dict(due=f'{ids[k]}{r.clock.get(ids[k], 0)}')), ('delete', {})]
                if dead and content: moves += [('restore', {}), ('purge', {})]
                for kind_, a in moves:
                    t = write(state, k, kind_, a)
                    if t: nxt.append((t, tr + (f'{ids[k]} {kind_} {" ".join(a)}'.strip(),)))
                for j in range(3):
                    if j != k and not (state[j].ghost <= r.ghost):
                        nxt.append((state[:k] + (merge(r, state[j], cfg),) + state[k + 1:], tr + (f'{ids[k]}<-{ids[j]}',)))
        frontier = []
        for t, tr in nxt:
            k = tuple((r.key(), r.ghost) for r in t)
            if k in seen: continue
            seen[k] = tr; states += 1; why = None
            try:
                for x, r in zip(ids, t): check_record(r, hist, cfg, x)
            except Violation as e: why = str(e)
            why = why or close(t)
            if why:
                c = why.split(':')[0]; bad.setdefault(c, [0, tr, why]); bad[c][0] += 1; continue
            frontier.append((t, tr))
        if states > limit: break
    return states, d + 1, bad

# ------------------------------------------------------------------------------------------------- scripted counterexamples
def world(cfg, n=2, relays=0, **kw):
    w = World(dict(cfg, **kw), 3, n, relays); w.rnd.choice = lambda seq: seq[0]      # batches of one record
    return w, w.reps + w.relays
def new(n, i, **v): n.write(i, 'edit', dict(dict(title='t', due='d'), **v))
def outcome(w, direct=True):
    try: w.heal(direct)
    except Violation as e: return 'BROKEN ' + str(e)[:130]
    return 'ok' + ''.join(f', {k}' for k in ('diverged', 'false alarm') if w.count[k])
def show(n, i): return {f: [x[1] for x in m.values()] for f, m in n.get(i).asg.items()}
TRACES = []
def trace(f): TRACES.append(f); return f

@trace
def purge_in_a_delta(cfg):
    """A creates p; A-B; A deletes p; A-B; A purges p; A-B (delta: no surviving write, so no field is touched)"""
    w, (A, B) = world(cfg); new(A, 'p'); w.sync(A, B); A.write('p', 'delete', {}); w.sync(A, B); A.write('p', 'purge', {})
    try: w.sync(A, B)
    except Violation as e: return f'BROKEN {str(e)[:80]}; clock digests equal: {ck(A.get("p").clock) == ck(B.get("p").clock)}'
    return outcome(w)
@trace
def purge_against_edit(cfg):
    """A creates p; A-B; A edits p.due; B deletes and purges p; A-B"""
    w, (A, B) = world(cfg); w.strict = False; new(A, 'p'); w.sync(A, B); A.write('p', 'edit', dict(due='x')); B.write('p', 'delete', {}); B.write('p', 'purge', {})
    try: w.sync(A, B)
    except Violation as e: return 'BROKEN ' + str(e)
    return f'deleted: {is_deleted(A.get("p"), w.cfg)}, kept {show(A, "p").get("due")}'
@trace
def purge_against_restore(cfg):
    """edits-win. A creates and deletes p; A-B; B restores p; A purges p; A-B (whole records)"""
    w, (A, B) = world(cfg, policy='edits-win', delta='off'); w.strict = False; new(A, 'p'); A.write('p', 'delete', {}); w.sync(A, B); B.write('p', 'restore', {}); A.write('p', 'purge', {})
    try: w.sync(A, B)
    except Violation as e: return 'BROKEN ' + str(e)
    return f'alive: {not is_deleted(A.get("p"), w.cfg)}, {show(A, "p")}'
@trace
def keep_the_shown_value(cfg):
    """A creates p; A-B; A edits title=a; B edits title=b; A-B; A resolves by choosing the value that is shown"""
    w, (A, B) = world(cfg); new(A, 'p'); w.sync(A, B); A.write('p', 'edit', dict(title='a')); B.write('p', 'edit', dict(title='b')); w.sync(A, B)
    A.write('p', 'edit', dict(title=visible(A.get('p'), 'title')))
    return 'BROKEN still a conflict, nothing was written' if conflicted(A.get('p'), 'title') else 'ok resolved'
@trace
def delete_and_restore_by_clock(cfg):
    """deletes-win. A creates p; A-B; A deletes p (its clock is slow); B deletes and restores p; A-B"""
    w, (A, B) = world(cfg); new(A, 'p'); w.sync(A, B); A.write('p', 'delete', {}); w.clock += 50; B.write('p', 'delete', {}); B.write('p', 'restore', {})
    try: w.sync(A, B)
    except Violation as e: return 'BROKEN ' + str(e)
    return 'ok deleted' if is_deleted(A.get('p'), w.cfg) else 'BROKEN alive'
@trace
def both_edit_then_both_delete(cfg):
    """edits-win. A creates p; A-B; each edits p.due and then deletes p; A-B"""
    w, (A, B) = world(cfg, policy='edits-win'); w.strict = False; new(A, 'p'); w.sync(A, B)
    for n in (A, B): n.write('p', 'edit', dict(due=n.name)); n.write('p', 'delete', {})
    try: w.sync(A, B)
    except Violation as e: return 'BROKEN ' + str(e)
    return 'ok deleted' if is_deleted(A.get('p'), w.cfg) else 'BROKEN alive though everybody deleted it'
@trace
def knowledge_of_an_older_read(cfg):
    """A creates p, q; hello A-B; A sends p; C's edit of q reaches A and B; A states its knowledge as of the hello; cut"""
    w, (A, B, C) = world(cfg, 3, join='stale', verify=cfg['verify']); new(A, 'p'); new(A, 'q'); w.cfg.join = 'caughtup'; w.sync(A, C); w.cfg.join = 'stale'
    s = Session(w, A, B); d = s.dirs[0]; d.send(); d.deliver(); C.write('q', 'edit', dict(due='c')); w.cfg.join = 'caughtup'; w.sync(C, A); w.cfg.join = 'stale'
    d.send(); d.deliver()
    try: w.check()
    except Violation as e: return 'BROKEN ' + str(e)
    return 'ok'
@trace
def bad_record_skipped(cfg):
    """A creates p, q; B cannot decode p (newer version, full disk, a held mass delete), goes on with q, joins A's knowledge"""
    w, (A, B) = world(cfg, 2, bad='park' if cfg['verify'] else 'skip'); new(A, 'p'); new(A, 'q'); w.badset = {('B', 'p')}; w.sync(A, B); w.badset = set()
    try: w.check()
    except Violation as e: return 'BROKEN ' + str(e)
    return outcome(w)
@trace
def digest_after_a_cut(cfg):
    """A-B equal; C creates p, q; C sends p to A and is cut; A-B"""
    w, (A, B, C) = world(cfg, 3); new(A, 'x'); w.sync(A, B); w.sync(B, C); new(C, 'p'); new(C, 'q'); s = Session(w, C, A); s.dirs[0].send(); s.dirs[0].send(); s.dirs[0].deliver(); s.dead = True
    w.sync(B, A); return 'BROKEN false alarm: a full exchange of the store' if w.count['false alarm'] else 'ok'
@trace
def stale_peer_first(cfg):
    """C creates p; backup; C-D; C creates q; C-D; backup restored unnoticed; C creates r; C-E (E knows nothing newer); C creates s; C-D"""
    w, (C, D, E) = world(cfg, 3); new(C, 'p'); w.sync(C, E); C.fsync(); C.take_backup(); w.sync(C, D); new(C, 'q'); w.sync(C, D)
    C.restore_backup(C.backups[0]); new(C, 'r'); w.sync(C, E); new(C, 's'); w.sync(C, D)
    return outcome(w)
@trace
def rolled_back_writes_more_than_was_lost(cfg):
    """C creates p; backup; C creates q; C-D; backup restored unnoticed; C creates r, s; C-D (echo 2 < own counter 3)"""
    w, (C, D) = world(cfg, 2); new(C, 'p'); C.fsync(); C.take_backup(); new(C, 'q'); w.sync(C, D); C.restore_backup(C.backups[0]); new(C, 'r'); new(C, 's'); w.sync(C, D)
    return outcome(w)
@trace
def redotted_past_revives(cfg):
    """edits-win. C creates p; backup; C-D; D deletes p; C writes q; C-D; backup restored unnoticed; C-D"""
    w, (C, D) = world(cfg, 2, policy='edits-win'); new(C, 'p'); C.fsync(); C.take_backup(); w.sync(C, D); D.write('p', 'delete', {}); new(C, 'q'); w.sync(C, D); C.restore_backup(C.backups[0])
    try: w.sync(C, D); w.sync(C, D)
    except Violation as e: return 'BROKEN ' + str(e)
    return outcome(w)
@trace
def repair_destroys_both(cfg):
    """two clones unnoticed write dot (r,2) on p.title and on p.due; a later full exchange `repairs`"""
    w, (A, B) = world(cfg, 2, echo='off', detect=0); w.strict = False; new(A, 'p'); w.sync(A, B); C = Node(w, 'C'); A.fsync(); C.restore_backup(A.st); w.reps.append(C); w.clones += 1
    if cfg['detect']: C.newid()
    A.write('p', 'edit', dict(title='A')); C.write('p', 'edit', dict(due='C'))
    s = Session(w, A, C, full=True)
    try: s.run()
    except Violation as e: return 'BROKEN ' + str(e)
    return f'{show(A, "p")}'
@trace
def clones_through_a_relay(cfg):
    """A creates p; A-R; store copied unnoticed; A creates q; the copy creates r; each syncs with the relay only"""
    w, (A, R) = world(cfg, 1, 1); new(A, 'p'); w.sync(A, R); C = Node(w, 'C'); C.restore_backup(A.st); w.reps.append(C); w.clones += 1
    new(A, 'q'); new(C, 'r'); w.sync(A, R); w.sync(C, R); return outcome(w, direct=False)
@trace
def new_id_lost_by_power_cut(cfg):
    """copy of A noticed at open, new id in an unsynced commit; power cut; opens again, identity file already rewritten"""
    w, (A, B) = world(cfg, 2, detect=1.0); new(A, 'p'); w.sync(A, B); C = Node(w, 'C'); C.restore_backup(A.st); w.reps.append(C)
    if not cfg['abort']: C.durable, C.unsynced = A.st, []; C.st = A.st; C.open()          # the design does not say that it must be durable first
    new(A, 'q'); new(C, 'r'); w.sync(A, B); w.sync(C, B); return outcome(w)
@trace
def withholding_relay(cfg):
    """A creates p, q; A-R; R gives B only p and says it knows all of A; B then meets A directly"""
    w, (A, B, R) = world(cfg, 2, 1); new(A, 'p'); new(A, 'q'); w.sync(A, R); R.liar = {('q', 'B')}; w.sync(B, R)
    bad = 'q' not in B.st.recs and B.st.K.get(A.st.rid, 0) >= 2
    new(B, 'x'); s = Session(w, A, B); s.run()                                           # direct
    return 'BROKEN joined a lie; A skips q for ever' + ('' if 'q' in B.st.recs else ' (still lost after a direct session)') if bad else 'ok not joined' + (', q came from A' if 'q' in B.st.recs else '')
@trace
def running_snapshot(cfg):
    """S relays for T; B reads S up to sequence 3; the running machine of S is set back to sequence 1 without a new opening; S reads T again, other order"""
    w, (S, B, T, U) = world(cfg, 4, digest=cfg['digest']); new(T, 'p'); w.sync(T, S); S.fsync(); snap = S.st; w.sync(S, B)
    new(T, 'q'); new(T, 'r'); w.sync(T, S); w.sync(S, B); S.restore_backup(snap, reopen=False); new(U, 'u'); new(U, 'v'); w.sync(U, S); w.sync(T, S)
    d = Session(w, S, B).dirs[0]
    while d.send():
        while d.q: d.deliver()
        if d not in d.ses.dirs: break
    try: w.check()
    except Violation as e: return 'BROKEN ' + str(e)
    return 'ok'
@trace
def versions_on_the_relay(cfg):
    """4 replicas edit p offline; all sync with the relay twice; how many versions stay?"""
    w, ns = world(cfg, 4, 1); R = ns[-1]; new(ns[0], 'p'); [w.sync(n, R) for n in ns[:4]]
    for k, n in enumerate(ns[:4]): n.write('p', 'edit', dict(due=k))
    for n in ns[:4]:
        d = Session(w, n, R).dirs[0]
        while d.send():
            while d.q: d.deliver()
    for _ in range(2): [w.sync(n, R) for n in ns[:4]]
    return f'{len(R.st.recs["p"])} versions'

def traces():
    for f in TRACES:
        print(f'{f.__name__}: {f.__doc__}')
        for name in ('design', 'fixed', 'late'):
            if name == 'late' and 'unnoticed' not in f.__doc__: continue
            try: r = f(PRESETS[name])
            except Violation as e: r = 'BROKEN ' + str(e)[:140]
            print(f'    {name:7} {r}')

# ------------------------------------------------------------------------------------------------- exhaustive schedules
def schedules(cfg, depth, names=('A', 'B', 'C'), relay=False):
    """Every schedule of edits, message steps, cuts and power cuts in a world of two replicas and a third (replica or relay)."""
    moves = ['eA', 'eB', 'eC' if not relay else 'dA', '+AB', '+BC', '+AC', '>AB', '<AB', '>BC', '<BC', '>AC', '<AC', 'xAB', 'xBC', 'pB', 'pC']
    runs, bad = 0, {}
    def play(seq):
        w, ns = world(cfg, 2 if relay else 3, 1 if relay else 0); by = dict(zip('ABC', ns)); new(by['A'], 'p'); new(by['B'], 'p'); ses = {}
        new(by['A'], 'q')
        for m in seq:
            op, k = m[0], m[1:]
            if op == 'e':
                if is_deleted(by[k].get('p'), w.cfg): return None
                if not by[k].write('p', 'edit', dict(due=f'{k}{by[k].st.ctr}')): return None
            elif op == 'd':
                if is_deleted(by[k].get('p'), w.cfg): return None
                by[k].write('p', 'delete', {})
            elif op == '+':
                if k in ses: return None
                ses[k] = Session(w, by[k[0]], by[k[1]]); w.sessions.append(ses[k])
            elif op in '<>':
                if k not in ses or ses[k].dead: return None
                d = ses[k].dirs['><'.index(op)]
                if not (d.send() | d.deliver()): return None
            elif op == 'x':
                if k not in ses or ses[k].dead: return None
                ses.pop(k).dead = True
            elif op == 'p': by[k].powercut(); ses = {a: t for a, t in ses.items() if not t.dead}
            w.check()
        return w
    stack = [()]
    while stack:
        seq = stack.pop(); runs += 1
        try:
            w = play(seq)
            if w is None: continue
            w.heal()
        except Violation as e:
            c = str(e).split(':')[0]; bad.setdefault(c, [0, seq, str(e)]); bad[c][0] += 1
            if len(seq) < len(bad[c][1]): bad[c][1:] = [seq, str(e)]
            continue
        if len(seq) < depth: stack += [seq + (m,) for m in moves]
    return runs, bad

# ------------------------------------------------------------------------------------------------- mutations and main
MUTANTS = [  # (what, change to `fixed`, fault kinds, invariant that must catch it)
    ('knowledge joined with every batch', dict(join='batch', verify=False), 'base', 'knowledge unsound'),
    ('knowledge of an older read transaction', dict(join='stale', verify=False), 'base', 'knowledge unsound'),
    ('checkpoint without epoch', dict(epochs=False, verify=False), 'relay', 'knowledge unsound'),
    ('bad record skipped, knowledge joined', dict(bad='skip', verify=False), 'bad', 'knowledge unsound'),
    ('relay word on knowledge believed', dict(relayjoin='claims', verify=False), 'liar', 'knowledge unsound'),
    ('dot leaves before fsync, id kept after power cut', dict(durable=False, unclean='keep'), 'power', 'dot'),
    ('copy or restore not noticed at open', dict(detect=0.0, unclean='keep'), 'fork', 'lost'),
    ('roll-back: re-dot above last acknowledged', dict(detect=0.0, unclean='keep', echo='counter', base='acked', mapclocks=False), 'fork', 'lost'),
    ('delta without purge rule', dict(delta='design'), 'purge', 'stale'),
    ('delta through a relay', dict(delta='design', relaydelta=True), 'base', 'lost'),
    ('relay prunes by sum of counters', dict(prune='sum'), 'base', 'knowledge unsound'),
    ('relay keeps equal clocks twice, clients consolidate', dict(prune='strict'), 'base', 'endless'),
    ('new sequence although nothing changed', dict(reseq=True), 'base', 'endless'),
    ('ties by side, one value per field', dict(sides=True), 'base', 'lost'),
    ('tombstones expire', dict(forget=True), 'base', 'knowledge unsound'),
    ('purge leaves no marker', dict(purge='bare'), 'purge', 'resurrected'),
    ('restore writes the flag only', dict(restore='flag', policy='edits-win'), 'records', 'husk'),
    ('deleted by latest timestamp', dict(isdel='maxts'), 'base', 'resurrected'),
    ('edits-win by one delete that saw all', dict(edits='exists'), 'base', 'resurrected'),
    ('edits-win by record clock', dict(edits='recordclock'), 'base', 'resurrected'),
    ('digest compared while something lies beyond knowledge', dict(when='equal'), 'base', 'false alarm')]

def mutants(seeds):
    silent = 0
    for what, change, kind_, want in MUTANTS:
        if kind_ == 'records':
            n, _, found = records(dict(FIXED, **change), 5); bad, counts = {c: v[0] for c, v in found.items()}, collections.Counter()
        else: n, bad, first, counts = sweep(dict(FIXED, **change), seeds, [kind_])[kind_]
        hit = {c: k for c, k in bad.items() if c.startswith(want)} or ({want: counts[want]} if counts[want] else {})
        silent += not hit
        print(f'{"caught" if hit else "SILENT":7} {what:56} {kind_:6} {sum(bad.values()):4} of {n}  {want}: {sum(hit.values())}', flush=True)
    return silent

def report(spec, seeds, kinds):
    base, _, rest = spec.partition(':'); cfg = dict(PRESETS[base])
    for kv in rest.split(',') if rest else []:
        k, v = kv.split('='); cfg[k] = type(cfg[k])(eval(v)) if isinstance(cfg[k], (bool, float)) else v
    total = 0
    for k, (n, bad, first, counts) in sweep(cfg, seeds, kinds).items():
        total += sum(bad.values()); print(f'{spec} {k:6} {sum(bad.values())} of {n} worlds broken {dict(counts)}', flush=True)
        for c, (sd, e) in first.items(): print(f'      {bad[c]:5} first seed {sd}: {e}')
    return total

def main(a):
    cmd = a[0] if a else 'help'; num = [int(x) for x in a[1:] if x.isdigit()]; txt = [x for x in a[1:] if not x.isdigit()]
    if cmd == 'traces': traces(); return 0
    if cmd == 'mutants': return mutants(num[0] if num else 400)
    if cmd == 'explore': return report(txt[0] if txt else 'fixed', num[0] if num else 500, txt[1:] or list(FAULTS))
    if cmd in ('records', 'schedules'):
        worst = 0
        for policy in ('deletes-win', 'edits-win'):
            cfg = dict(PRESETS[txt[0] if txt else 'fixed'], policy=policy); depth = num[0] if num else 5 if cmd == 'records' else 4
            for alt in (True, False):
                r = records(cfg, depth, synced=alt) if cmd == 'records' else schedules(cfg, depth, relay=alt)
                print(cmd, policy, ('synced start' if alt else 'fresh start') if cmd == 'records' else ('with relay' if alt else 'three replicas'), r[:-1], flush=True)
                for c, (k, tr, why) in r[-1].items(): worst += k; print(f'    {k} {c} | {" ; ".join(tr)} | {why}')
        return worst
    if cmd == 'all': traces(); return report('fixed', 300, list(FAULTS)) + mutants(300) + main(['records', '4'])
    print(__doc__); return 0
if __name__ == '__main__': sys.exit(bool(main(sys.argv[1:])))
