"""Checks JUnit XML files against the rules of the common schema (Jenkins' junit-10.xsd) and prints them as a JSON array.

For each element: {"tag", "attributes", "text", "children"}. Exits with a message where a rule is broken.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree

# element: (required attributes, optional attributes, children)
RULES = {
    "testsuites": ({"name"}, {"tests", "failures", "errors", "time", "disabled"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time", "timestamp", "hostname", "id", "package", "file"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name", "classname"},
        {"time", "file", "line"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "skipped": (set(), {"message", "type"}, set()),
    "error": (set(), {"message", "type"}, set()),
    "failure": (set(), {"message", "type"}, set()),
    "system-out": (set(), set(), set()),
}
NUMBERS = {"tests": int, "failures": int, "errors": int, "skipped": int, "time": float}
COUNTED = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error", "skipped": "testcase/skipped"}


def check(element):
    if element.tag not in RULES:
        sys.exit(f"<{element.tag}> is unknown")
    required, optional, children = RULES[element.tag]
    for name in required - element.attrib.keys():
        sys.exit(f"<{element.tag}> lacks {name}")
    for name, value in element.attrib.items():
        if name not in required | optional:
            sys.exit(f"<{element.tag}> has an unknown attribute {name}")
        if name in NUMBERS and NUMBERS[name](value) < 0:
            sys.exit(f"<{element.tag}> has {name}={value}")
    if children and (element.text or "").strip():
        sys.exit(f"<{element.tag}> holds text: {element.text}")
    for child in element:
        if child.tag not in children:
            sys.exit(f"<{child.tag}> within <{element.tag}>")
        check(child)
    if element.tag == "testsuite":
        for attribute, path in COUNTED.items():
            if int(element.get(attribute, 0)) != len(element.findall(path)):
                sys.exit(f"{attribute} of suite {element.get('name')} is not the number of {path}")
    if element.tag == "testsuites":
        for attribute in ("tests", "failures", "errors"):
            if int(element.get(attribute)) != sum(int(suite.get(attribute)) for suite in element):
                sys.exit(f"{attribute} is not the sum over suites")
    if element.tag == "testcase" and len([c for c in element if c.tag in ("skipped", "error", "failure")]) > 1:
        sys.exit(f"test case {element.get('name')} has two results")


def as_json(element):
    return {
        "tag": element.tag,
        "attributes": element.attrib,
        "text": element.text or "",
        "children": [as_json(child) for child in element],
    }


documents = []
for path in sys.argv[1:]:
    root = ElementTree.parse(path).getroot()
    if root.tag != "testsuites":
        sys.exit(f"the root is <{root.tag}>")
    check(root)
    documents.append(as_json(root))
print(json.dumps(documents))
