#!/usr/bin/env python3
"""Writes the scenarios of Scenarios/pairs: every two deeds at one time, under both rules of deleting.

    Tools/simulate/pairs.py            writes them
    Tools/simulate/pairs.py --check    says whether those that are there are the ones it would write

What is expected stands in OUTCOMES and was worked out by hand from Protocol/4-Merge.md. Nothing here
was learned by running the engine, and nothing should be: a table that copies what it is to check
checks nothing. A deed of the laptop comes first, one of the phone a minute later, and neither has
heard of the other.
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "Scenarios" / "pairs"

DEEDS = ["create", "edit", "retitle", "complete", "move", "tag", "delete", "restore", "purge"]

# The result of an operation on the laptop (row) and one on the phone (column):
#
#   both       both deeds are there, and nothing is in conflict
#   title      both titles are kept, and listed
#   project    both projects are kept, and listed
#   completed  done, and both times at which it was done are kept, and listed
#   deleted    in the trash, nothing is in conflict
#   purged     gone for good, nothing is in conflict
#   was        wasDeleted: deletes-win leaves it in the trash, edits-win has it alive; listed in both
#   kept       purged, and what the other device wrote is kept and listed: editedAfterPurge
#   was-purged the same as `was` of a restore against a purge; if a delete decides it, what the restore
#              wrote is kept as in `kept`
#
# Why, by the numbers of Protocol/4-Merge.md:
#   - Two creations of one key are one item (its id comes from the key); equal values never conflict
#     (4), so a creation meets an edit in those fields alone that the edit changed.
#   - A restore writes every field again (7). It meets a concurrent edit like any writer of that field:
#     new title against title again. It knows the delete before it, so nothing is left of that (8.1).
#   - A delete, or a delete with a restore after it, that had not seen the other deed: contested (8.2).
#   - With a purge mark nothing counts but a restore (8.2), so an edit that did not know of the purge
#     brings nothing back, and neither does a creation: what they wrote is kept and listed (7).
#   - Deletes and purges never conflict with each other (5).
#   - Elements of sets are registers of their own (10).
OUTCOMES = """
           create   edit  retitle  complete   move     tag   delete   restore     purge
create     title    both  title    both       project  both  was      both        kept
edit       both     both  both     both       both     both  was      both        kept
retitle    title    both  title    both       both     both  was      title       kept
complete   both     both  both     completed  both     both  was      both        kept
move       project  both  both     both       project  both  was      project     kept
tag        both     both  both     both       both     both  was      both        kept
delete     was      was   was      was        was      was   deleted  was         purged
restore    both     both  title    both       project  both  was      both        was-purged
purge      kept     kept  kept     kept       kept     kept  purged   was-purged  purged
"""

# The values of each device's operations, shown as long as the item is there.
TITLES = {"laptop": "Oat milk", "phone": "Soy milk"}
PROJECTS = {"laptop": "Work", "phone": "Garden"}
TAGS = {"laptop": "food", "phone": "cold"}
EDITS = {"laptop": "due 2027-02-01", "phone": 'notes "from the market"'}

FIRST = ("Buy milk", "Home", "shop")

STORIES = {
    "create": "makes the item, which it has never heard of",
    "edit": "fills in a field",
    "retitle": "changes the title",
    "complete": "marks it as done",
    "move": "moves it to another project",
    "tag": "adds a tag",
    "delete": "deletes it",
    "restore": "deletes it and brings it back",
    "purge": "deletes it and removes it for good",
}
# Of two restores or purges, and of one of each, the delete before them is known to both.
AFTER_SHARED_DELETE = {"restore": "brings it back", "purge": "removes it for good"}

REASONS = {
    "both": "Both deeds count, and nobody is asked anything.",
    "title": "Both titles are kept: the later one is shown, both are listed.",
    "project": "Both projects are kept: the later one is shown, both are listed.",
    "completed": "It is done; the two times at which that was so are kept and listed.",
    "deleted": "It is in the trash, and deletes do not contradict each other.",
    "purged": "It is gone for good.",
    "kept": "It is gone for good, and what the other device wrote is kept and listed.",
    "was/deletes-win": "It stays in the trash, and what speaks against that is listed.",
    "was/edits-win": "It is alive and whole, and that somebody deleted it is listed.",
    "was-purged/deletes-win": "It stays in the trash, and the restore that speaks for it is listed.",
    "was-purged/edits-win": "The restore brings it back whole, and the purge is listed.",
}


def outcomes():
    """The table as a dictionary."""
    lines = OUTCOMES.strip().splitlines()
    columns = lines[0].split()
    table = {}
    for line in lines[1:]:
        row, *cells = line.split()
        assert len(cells) == len(columns), row
        for column, cell in zip(columns, cells):
            table[row, column] = cell
    assert columns == DEEDS and len(table) == len(DEEDS) ** 2
    return table


def made(device, title):
    """The line that makes the item."""
    return f'{device} creates milk title "{title}" project "{FIRST[1]}" tags +{FIRST[2]}'


def deed(device, what, alone, shared_delete):
    """The lines of a deed; `alone` if the other device made no item that this one knows."""
    if what == "create":
        return [made(device, TITLES[device] if alone else FIRST[0])]
    return {
        "edit": [f"{device} edits milk {EDITS[device]}"],
        "retitle": [f'{device} retitles milk "{TITLES[device]}"'],
        "complete": [f"{device} completes milk"],
        "move": [f'{device} moves milk to "{PROJECTS[device]}"'],
        "tag": [f"{device} tags milk {TAGS[device]}"],
        "delete": [f"{device} deletes milk"],
        "restore": ([] if shared_delete else [f"{device} deletes milk"])
        + [f"{device} restores milk"],
        "purge": ([] if shared_delete else [f"{device} deletes milk"]) + [f"{device} purges milk"],
    }[what]


def title_of(device, what, both_create):
    """The title that a deed wrote, if it wrote one."""
    if what == "retitle" or both_create:
        return TITLES[device]
    return FIRST[0] if what in ("create", "restore") else None


def project_of(device, what):
    """The project that a deed wrote, if it wrote one."""
    if what == "move":
        return PROJECTS[device]
    return FIRST[1] if what in ("create", "restore") else None


def content(deeds):
    """What is to be seen of the item while it is there; the phone was later, so it is shown first."""
    both_create = set(deeds.values()) == {"create"}
    title, project, tags, lines = FIRST[0], FIRST[1], {FIRST[2]}, []
    for device, what in deeds.items():
        title = title_of(device, what, both_create) or title
        project = project_of(device, what) or project
        if what == "tag":
            tags.add(TAGS[device])
        if what == "edit":
            lines.append(EDITS[device])
        if what == "complete" and 'status "completed"' not in lines:
            lines.append('status "completed"')
    titles = {d: title_of(d, w, both_create) for d, w in deeds.items()}
    projects = {d: project_of(d, w) for d, w in deeds.items()}
    lines = [f'title "{title}"', f'project "{project}"', "tags " + ", ".join(sorted(tags))] + lines
    return lines, titles, projects


def ending(laptop, phone, outcome, policy):
    """The expectations after the two have met."""
    deeds = {"laptop": laptop, "phone": phone}
    lines, titles, projects = content(deeds)
    shown = [f"expect everyone shows milk {line}" for line in lines]
    none = ["expect everyone has no conflicts"]
    match outcome:
        case "both":
            return ["expect everyone has milk alive", "expect everyone lists 1 item"] + shown + none
        case "title" | "project":
            values = titles if outcome == "title" else projects
            pair = f'"{values["laptop"]}" and "{values["phone"]}"'
            kept = values["phone"]
            return (
                ["expect everyone has milk alive", "expect everyone lists 1 item"] + shown
                + [f"expect everyone has a conflict on milk {outcome} between {pair}"]
                + ["expect everyone has 1 conflict", "",
                   f'laptop resolves milk {outcome} to "{kept}"', "laptop syncs with phone"]
                + none + [f'expect everyone shows milk {outcome} "{kept}"'])
        case "completed":
            return (
                ["expect everyone has milk alive"] + shown
                + ["expect everyone has a conflict on milk completed",
                   "expect everyone has 1 conflict"])
        case "deleted":
            return ["expect everyone has milk deleted", "expect everyone lists no items"] + none
        case "purged":
            return [
                "expect everyone has milk purged", "expect everyone lists no items",
                "expect everyone has no items in the trash"] + none
        case "kept":
            return [
                "expect everyone has milk purged", "expect everyone lists no items",
                "expect everyone has no items in the trash",
                "expect everyone has a conflict on milk purged",
                "expect everyone has 1 conflict", ""] + letting_go(deeds) + [
                "laptop syncs with phone", "expect everyone has milk purged"] + none
    state = "alive" if policy == "edits-win" else "deleted"
    lines = [f"expect everyone has milk {state}"] + (shown if state == "alive" else [])
    lines += ["expect everyone has a conflict on milk deleted", "expect everyone has 1 conflict", ""]
    # Closed once each way: the pair the other way round is closed by the other deed.
    if DEEDS.index(laptop) < DEEDS.index(phone):
        lines += ["laptop restores milk", "laptop syncs with phone",
                  "expect everyone has milk alive"] + shown + none
    else:
        lines += ["phone deletes milk", "laptop syncs with phone"]
        if outcome == "was":
            return lines + ["expect everyone has milk deleted"] + none
        lines += ["expect everyone has milk purged",
                  "expect everyone has a conflict on milk purged",
                  "phone purges milk by force", "laptop syncs with phone"] + none
    return lines


def letting_go(deeds):
    """The end of a conflict after a purge: one way round both devices copy, the other way it is dropped."""
    if deeds["laptop"] == "purge":
        return ["phone purges milk by force"]
    return ["laptop copies milk as oat", "wait 1 minute", "phone copies milk as oat",
            "laptop syncs with phone", "expect everyone has oat alive", "expect everyone lists 1 item"]


def scenario(laptop, phone, outcome, policy):
    """The text of one file."""
    shared_delete = laptop in AFTER_SHARED_DELETE and phone in AFTER_SHARED_DELETE
    said = {}
    for device, what in (("laptop", laptop), ("phone", phone)):
        said[device] = AFTER_SHARED_DELETE[what] if shared_delete else STORIES[what]
    reason = REASONS.get(outcome) or REASONS[f"{outcome}/{policy}"]
    lines = [
        "# Written by Tools/simulate/pairs.py, which says why.",
        f"# The laptop {said['laptop']}.",
        f"# The phone {said['phone']}.",
        f"# {reason}",
        f'title "{laptop} against {phone}, {policy}"',
        f"policy {policy}",
        "devices laptop and phone",
        "",
    ]
    both_create = laptop == phone == "create"
    if laptop != "create" and phone != "create":
        lines += [made("laptop", FIRST[0])]
        lines += ["laptop deletes milk"] if shared_delete else []
        lines += ["laptop syncs with phone", ""]
    for device, what, other in (("laptop", laptop, phone), ("phone", phone, laptop)):
        if other == "create" and what != "create":
            lines += [made(device, FIRST[0])]
        lines += deed(device, what, both_create, shared_delete)
        lines += ["wait 1 minute"] if device == "laptop" else []
    caller, answerer = (
        ("laptop", "phone") if DEEDS.index(laptop) <= DEEDS.index(phone) else ("phone", "laptop"))
    lines += ["", f"{caller} syncs with {answerer}"]
    lines += ending(laptop, phone, outcome, policy) + ["expect everyone agrees"]
    return "\n".join(lines) + "\n"


def files():
    """Every file by its path."""
    table = outcomes()
    return {
        FOLDER / policy / f"{laptop}-against-{phone}.scenario":
            scenario(laptop, phone, outcome, policy)
        for policy in ("deletes-win", "edits-win")
        for (laptop, phone), outcome in table.items()
    }


def main():
    wanted = files()
    there = set(FOLDER.rglob("*.scenario")) if FOLDER.exists() else set()
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(there ^ wanted.keys())
        wrong += [path for path, text in wanted.items() if path in there and path.read_text() != text]
        for path in wrong:
            print(f"{path} is not as pairs.py writes it", file=sys.stderr)
        return 1 if wrong else 0
    for path in there - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"{len(wanted)} scenarios")
    return 0


if __name__ == "__main__":
    sys.exit(main())
