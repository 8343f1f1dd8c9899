import { describe, expect, test } from "vitest";
import { compileCel } from "../compile-cel.ts";
import { dyn, listOfType, mapOfType, objectWith, typeNamed, typeText } from "./cel-types.ts";

const text = typeNamed("string");
const variables = {
  object: dyn,
  request: objectWith("kubernetes.AdmissionRequest", {
    name: text,
    groups: listOfType(text),
    labels: mapOfType(text, text),
  }),
  authorizer: typeNamed("kubernetes.authorization.Authorizer"),
};

const check = (expression: string) => compileCel(expression).check(variables);

describe("the type of an expression", () => {
  test.each([
    ["object.spec.replicas", "dyn"],
    ["object.spec.replicas <= 5", "bool"],
    ["object.a + 1", "int"],
    ["request.name", "string"],
    ["request.groups", "list(string)"],
    ["request.groups.map(g, size(g))", "list(int)"],
    ["request.groups.filter(g, g != 'a')", "list(string)"],
    ["request.groups.exists(g, g == 'a')", "bool"],
    ["request.labels['a']", "string"],
    ["request.labels.all(k, k != 'a')", "bool"],
    ["request.labels[?'a']", "optional_type(string)"],
    ["object.?spec.name[0].orValue('a')", "dyn"],
    ["[1, 2]", "list(int)"],
    ["[1, 'a']", "list(dyn)"],
    ["{'a': 1}", "map(string, int)"],
    ["request.name == '' ? 'a' : 'b'", "string"],
    ["cel.bind(n, request.name, n + n)", "string"],
    ["has(object.spec)", "bool"],
    ["quantity('1').isGreaterThan(quantity('2'))", "bool"],
    ["authorizer.group('').resource('pods').check('get').allowed()", "bool"],
    ["object.?spec.orValue(null) == null", "bool"],
    ["type(object) == string", "bool"],
    ["request.groups.all(i, g, i < 5 && g != '')", "bool"],
    ["null", "null_type"],
    ["Object{spec: Object.spec{a: 1}}", "Object"],
    ["[JSONPatch{op: 'add'}]", "list(JSONPatch)"],
    ["format.dns1123Label().validate(request.name).hasValue()", "bool"],
    ["'%s'.format([request.name])", "string"],
  ])("%s is %s", (expression, type) => {
    const result = check(expression);
    expect(result.faults).toEqual([]);
    expect(typeText(result.type)).toBe(type);
  });
});

describe("a fault is reported with its place, as in upstream's library", () => {
  test.each([
    [
      "reqest.name == 'a'",
      "<input>:1:1: undeclared reference to 'reqest' (in container '')\n | reqest.name == 'a'\n | ^",
    ],
    ["request.nme == 'a'", "<input>:1:8: undefined field 'nme'\n | request.nme == 'a'\n | .......^"],
    [
      "request.name + 1",
      "<input>:1:14: found no matching overload for '_+_' applied to '(string, int)'\n | request.name + 1\n | .............^",
    ],
    [
      "request.name.contains(1)",
      "<input>:1:22: found no matching overload for 'contains' applied to 'string.(int)'\n | request.name.contains(1)\n | .....................^",
    ],
    ["nothing(1)", "<input>:1:8: undeclared reference to 'nothing' (in container '')\n | nothing(1)\n | .......^"],
    [
      "request.name.all(a, true)",
      "<input>:1:8: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)\n | request.name.all(a, true)\n | .......^",
    ],
    ["true &&\n request.x", "<input>:2:9: undefined field 'x'\n |  request.x\n | ........^"],
    ["1 == 'a'", "<input>:1:3: found no matching overload for '_==_' applied to '(int, string)'\n | 1 == 'a'\n | ..^"],
  ])("%s", (expression, fault) => {
    expect(check(expression).faults).toEqual([`ERROR: ${fault}`]);
  });
});
