"""The schema (Protocol/tandem.cddl) against the frozen vectors (Protocol/Vectors), by zcbor."""

import collections
import contextlib
import glob
import io
import json
import os
import re
import sys
import unittest

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROTOCOL = os.path.join(REPOSITORY, "Protocol")
TOOLS = os.path.join(REPOSITORY, ".build", "python-tools", "lib", "python3*", "site-packages")
sys.path.extend(path for path in glob.glob(TOOLS) if path not in sys.path)

# Forms that CDDL cannot tell from good ones: what else is in the bytes decides.
BEYOND_CDDL = {"a clock in another field than deleted", "a clock for an element", "an indefinite text"}
# A store's own form of a value; no message has it (2-Values).
ONLY_IN_STORES = {"elided"}
SEALED_COLLECTION = 4294967295
NO_VECTOR_HAS_THIS = '"no vector has this"'


def vectors(name):
    with open(os.path.join(PROTOCOL, "Vectors", name + ".json")) as file:
        return json.load(file)


class Schema:
    """The rules of the schema, one text each, and what zcbor makes of them."""

    def __init__(self, rules=None):
        if rules is None:
            with open(os.path.join(PROTOCOL, "tandem.cddl")) as file:
                texts = re.split(r"\n(?=[a-z-]+ = )", re.sub(r" *;.*", "", file.read()))
            rules = dict(text.split(" = ", 1) for text in texts if " = " in text)
        self.rules = rules
        text = "\n".join("{} = {}".format(name, self.cut(rule)) for name, rule in rules.items())
        with contextlib.redirect_stdout(io.StringIO()):
            self.types = zcbor().DataTranslator.from_cddl(cddl_string=text, default_max_qty=1 << 20).my_types
        self.kinds = {
            int(kind): name for name, rule in rules.items() for kind in re.findall(r"^\{\s*0: (\d+)\b", rule)}

    @staticmethod
    def keys(rule):
        return [int(key) for key in re.findall(r"[{(,?]\s*(\d+): ", rule)]

    @classmethod
    def cut(cls, rule):
        """The rule with keys of newer versions behind its own ones.

        A key with ':' belongs to no other entry (RFC 8610, 3.5.4). zcbor does not know that, and would take a known key
        with a wrong value as one of a newer version.
        """
        if not re.search(r"\bfuture\b", rule):
            return rule
        more = "* {}..18446744073709551615 => any".format(max(cls.keys(rule)) + 1)
        return re.sub(r"\bfuture\b", more, rule)

    def changed(self, name):
        """The schema with another rule of that name, which no vector meets."""
        rules = dict(self.rules)
        if name == "future":
            return Schema({rule: re.sub(r",\s*future\b", "", text) for rule, text in rules.items()})
        is_group = rules[name].lstrip().startswith("(")
        rules[name] = "({})".format(NO_VECTOR_HAS_THIS) if is_group else NO_VECTOR_HAS_THIS
        return Schema(rules)

    def rule_of(self, message):
        """The rule of a message by its kind; that of others if no rule has the kind."""
        whole = decoded(message)
        return self.kinds.get(whole.get(0), "message") if isinstance(whole, dict) else "message"

    def fault(self, rule, document):
        """What is wrong with a document, or None."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self.types[rule].validate_str(document)
            return None
        except zcbor().CddlValidationError as error:
            return str(error)


def zcbor():
    try:
        from zcbor.zcbor import zcbor as module
    except ImportError as error:
        raise AssertionError("zcbor is missing (./Tools/setup --for-tests)") from error
    # Two entries of one type in a map have the same name for it, which only matters to those who read the result.
    module.namedtuple = lambda name, fields: collections.namedtuple(name, fields, rename=True)
    return module


def decoded(document):
    zcbor()
    import cbor2
    return cbor2.loads(document)


def encoded(value):
    zcbor()
    import cbor2
    return cbor2.dumps(value)


def is_of_version_1(message):
    """Whether a message is not the greeting of a peer that speaks newer versions alone, whose other keys may be anything."""
    versions = decoded(message).get(1) if decoded(message)[0] in (1, 20) else None
    return versions is None or versions[0] <= 1


def payloads(stream, has_checksum):
    """The messages of a stream of whole frames: length, message, checksum."""
    while len(stream) >= 4:
        end = 4 + int.from_bytes(stream[:4], "big")
        behind = end + (8 if has_checksum else 0)
        if len(stream) < behind:
            return
        yield stream[4:end]
        stream = stream[behind:]


def good_messages():
    for case in vectors("messages") + vectors("changes"):
        message = bytes.fromhex(case["hex"])
        if "value" in case and is_of_version_1(message):
            yield case["name"], message
    for case in vectors("sessions"):
        for message in case["messages"]:
            yield case["name"], bytes.fromhex(message["hex"])
    for case in vectors("frames"):
        if "fault" not in case:
            for message in payloads(bytes.fromhex(case["hex"]), case["checksum"]):
                yield case["name"], message


def good_documents(schema):
    """Each rule, name and bytes of what stands in the vectors."""
    for name, message in good_messages():
        yield schema.rule_of(message), name, message
    # The bodies of batches; those for a relay are sealed, and a deferred one may have any form.
    for case in vectors("changes"):
        batch = case.get("value", {"changes": []})
        for index, change in enumerate(batch["changes"]):
            if index not in batch.get("deferred", []) and change["record"]["collection"] != SEALED_COLLECTION:
                yield "body", case["name"], bytes.fromhex(change["body"])
    for rule, file in (("body", "records"), ("value", "values"), ("summary-row", "summary-rows")):
        for case in vectors(file):
            if "value" in case and not (file == "values" and case["name"] in ONLY_IN_STORES):
                yield rule, case["name"], bytes.fromhex(case["hex"])
    for case in vectors("merges"):
        for record in (case["left"], case["right"], case):
            yield "body", case["name"], bytes.fromhex(record["hex"])
    for case in vectors("forks"):
        for record in case["records"] + case["moved"]:
            yield "body", case["name"], bytes.fromhex(record["hex"])
    for case in vectors("unites"):
        for body in (case["left"]["hex"], case["right"]["hex"], case["united"]):
            yield "body", case["name"], bytes.fromhex(body)
    for case in vectors("checksums"):
        for record in case["records"]:
            if "hex" in record:
                yield "body", case["name"], bytes.fromhex(record["hex"])


class SchemaTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = Schema()
        cls.documents = list(good_documents(cls.schema))

    def test_every_vector_is_valid(self):
        self.assertGreater(len(self.documents), 300)
        for rule, name, document in self.documents:
            self.assertIsNone(self.schema.fault(rule, document), "{} ({})".format(name, rule))

    def test_a_message_is_of_the_rule_of_messages(self):
        seen = set()
        for name, message in good_messages():
            rule = self.schema.rule_of(message)
            if rule not in seen:
                seen.add(rule)
                self.assertIsNone(self.schema.fault("message", message), name)
        self.assertEqual(set(self.schema.kinds.values()) - seen, set())

    def test_every_rule_is_met_by_a_vector(self):
        for name in self.schema.rules:
            changed = self.schema.changed(name)
            # That of all messages is not asked above, as most of them have a rule of their own.
            documents = (("message" if name in ("message", "ignorable") else rule, document) for rule, _, document in self.documents)
            self.assertTrue(any(changed.fault(*document) for document in documents), "no vector meets " + name)

    def test_a_known_key_with_a_wrong_value_is_refused(self):
        for name, message in good_messages():
            rule = self.schema.rule_of(message)
            whole = decoded(message)
            for key in set(whole) & set(self.schema.keys(self.schema.rules[rule])):
                changed = encoded({**whole, key: 1.5})
                self.assertIsNotNone(self.schema.fault(rule, changed), "{} ({}), key {}".format(name, rule, key))

    def test_vectors_without_a_key_and_of_another_type_are_refused(self):
        count = 0
        for file, rule in (("messages", None), ("changes", None), ("records", "body"), ("values", "value"), ("summary-rows", "summary-row")):
            for case in vectors(file):
                if case.get("fault") in ("missing-key", "unexpected-type") and case["name"] not in BEYOND_CDDL:
                    document = bytes.fromhex(case["hex"])
                    self.assertIsNotNone(self.schema.fault(rule or self.schema.rule_of(document), document), case["name"])
                    count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
