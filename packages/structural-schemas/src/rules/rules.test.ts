import { collectFaults, type JsonSchema, type JsonValue, type ValidationRule } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { ExpressionBudget } from "@kintsugi/cel";
import { checkExpressions } from "./check-expressions.ts";
import { escapedName } from "./cel-values.ts";
import { validateRules } from "./validate-rules.ts";

const properties: Record<string, JsonSchema> = {
  minReplicas: { type: "integer" },
  replicas: { type: "integer" },
  name: { type: "string", maxLength: 20 },
  "foo-bar": { type: "string", maxLength: 20 },
  namespace: { type: "string", maxLength: 20 },
  until: { type: "string", format: "date-time" },
  list: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
  keyed: {
    type: "array",
    maxItems: 10,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: {
      type: "object",
      properties: { k: { type: "string", maxLength: 5 }, v: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "self.v >= oldSelf.v", message: "v cannot decrease" }],
    },
  },
};

const withRules = (...rules: ValidationRule[]): JsonSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties, "x-kubernetes-validations": rules } },
});

function faultsOf(schema: JsonSchema, spec: JsonValue, before?: JsonValue): string[] {
  const old = before === undefined ? undefined : { spec: before };
  return collectFaults((faults) => validateRules({ value: { spec }, schema, path: "", before: old }, faults)).map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  );
}

describe("a rule validates a value", () => {
  test.each<[string, ValidationRule, JsonValue, string[]]>([
    ["true", { rule: "self.minReplicas <= self.replicas" }, { minReplicas: 1, replicas: 2 }, []],
    [
      "false",
      { rule: " self.minReplicas <= self.replicas " },
      { minReplicas: 3, replicas: 2 },
      ['FieldValueInvalid spec: Invalid value: "object": failed rule: self.minReplicas <= self.replicas'],
    ],
    [
      "message, reason and field",
      { rule: "self.replicas < 5", message: "too many", reason: "FieldValueForbidden", fieldPath: ".replicas" },
      { replicas: 6 },
      ["FieldValueForbidden spec.replicas: Forbidden: too many"],
    ],
    [
      "message by an expression",
      { rule: "self.replicas < 5", messageExpression: '"at most 4, not " + string(self.replicas)' },
      { replicas: 6 },
      ['FieldValueInvalid spec: Invalid value: "object": at most 4, not 6'],
    ],
    [
      "a fault of its own",
      { rule: "self.replicas > 0" },
      {},
      [
        expect.stringMatching(
          /^FieldValueInvalid spec: Invalid value: "object": .*replicas evaluating rule: self.replicas > 0$/,
        ) as string,
      ],
    ],
    ["escaped names", { rule: "self.foo__dash__bar == self.__namespace__" }, { "foo-bar": "a", namespace: "a" }, []],
    ["times", { rule: "self.until > timestamp('2020-01-01T00:00:00Z')" }, { until: "2026-01-01T00:00:00Z" }, []],
    ["lists", { rule: "self.list.all(x, x.startsWith('a'))" }, { list: ["a", "ab"] }, []],
  ])("%s", (_name, rule, spec, expected) => {
    expect(faultsOf(withRules(rule), spec)).toEqual(expected);
  });
});

describe("a transition rule", () => {
  test("is evaluated for a change only", () => {
    const schema = withRules({ rule: "self.replicas >= oldSelf.replicas", message: "no less" });
    expect(faultsOf(schema, { replicas: 1 })).toEqual([]);
    expect(faultsOf(schema, { replicas: 1 }, { replicas: 2 })).toEqual([
      'FieldValueInvalid spec: Invalid value: "object": no less',
    ]);
  });

  test("finds items of a list of type map by their keys", () => {
    const before = {
      keyed: [
        { k: "a", v: 2 },
        { k: "b", v: 2 },
      ],
    };
    const after = {
      keyed: [
        { k: "b", v: 1 },
        { k: "c", v: 0 },
        { k: "a", v: 3 },
      ],
    };
    expect(faultsOf(withRules(), after, before)).toEqual([
      'FieldValueInvalid spec.keyed[0]: Invalid value: "object": v cannot decrease',
    ]);
  });

  test("is also evaluated for new values if the old value is optional", () => {
    const rule = { rule: "oldSelf.hasValue() || self.replicas == 1", optionalOldSelf: true };
    expect(faultsOf(withRules(rule), { replicas: 2 })).toHaveLength(1);
    expect(faultsOf(withRules(rule), { replicas: 2 }, { replicas: 1 })).toEqual([]);
  });
});

test("a rule that costs too much is cancelled, and an object of many such rules is rejected", () => {
  const rule = "self.list.all(a, self.list.all(b, self.list.all(c, self.list.all(d, true))))";
  const list = Array.from({ length: 200 }, () => "a");
  const found = faultsOf(withRules(...Array.from({ length: 20 }, () => ({ rule }))), { list });
  expect(found[0]).toContain("operation cancelled: actual cost limit exceeded evaluating rule: self.list.all(a");
  expect(found.at(-1)).toContain("validation failed due to running out of cost budget");
  expect(found.length).toBeLessThan(15);
});

describe("a definition's rules are rejected", () => {
  const refusedBy = (schema: JsonSchema) =>
    collectFaults((faults) => checkExpressions(schema, { path: "root", budget: new ExpressionBudget() }, faults)).map(
      ({ field, message }) => `${field}: ${message}`,
    );
  const path = "root.properties[spec].x-kubernetes-validations[0]";

  test.each<[string, ValidationRule, string]>([
    [
      "an invalid expression",
      { rule: "self.replicas >" },
      `${path}.rule: Invalid value: {"rule":"self.replicas >"}: compilation failed: ERROR: `,
    ],
    ["an undeclared field", { rule: "self.replcas > 1" }, "compilation failed: ERROR: undefined field 'replcas'"],
    [
      "an undeclared name",
      { rule: "slf.replicas > 1" },
      "compilation failed: ERROR: undeclared reference to 'slf' (in container '')",
    ],
    [
      "an unknown function",
      { rule: "version('1.0.0').major() > 0" },
      "undeclared reference to 'version' (in container '')",
    ],
    ["a field of an item", { rule: "self.keyed.all(x, x.w > 1)" }, "undefined field 'w'"],
    ["metadata beyond names", { rule: "self.metadata.name == 'a'" }, "undefined field 'metadata'"],
    [
      "an optional that is not used",
      { rule: "self.replicas > 1", optionalOldSelf: true },
      `${path}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ])("%s", (_name, rule, expected) => {
    expect(refusedBy(withRules(rule)).join("\n")).toContain(expected);
  });

  test("unless they are valid", () => {
    const rules = [
      { rule: "self.minReplicas <= self.replicas" },
      { rule: "self.?name.orValue('') != 'x'" },
      { rule: "self.list.exists(x, x.matches('^a'))" },
      { rule: "cel.bind(n, self.replicas, n > 0 && n < 10)" },
      { rule: "has(self.name) ? self.name.size() > 1 : true" },
    ];
    expect(refusedBy(withRules(...rules))).toEqual([]);
  });

  test("if they may cost too much, by the limits of the schema", () => {
    const unbounded = (items: JsonSchema, rule: string): JsonSchema => ({
      type: "object",
      properties: { list: { type: "array", items, "x-kubernetes-validations": [{ rule }] } },
    });
    const quadratic = "self.all(a, self.exists(b, a == b))";
    expect(refusedBy(unbounded({ type: "string" }, quadratic))[0]).toBe(
      "root.properties[list].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    );
    const bounded = unbounded({ type: "string", maxLength: 10 }, quadratic);
    bounded.properties!["list"]!.maxItems = 100;
    expect(refusedBy(bounded)).toEqual([]);
    const ofItems: JsonSchema = { type: "string", "x-kubernetes-validations": [{ rule: "self.contains('a')" }] };
    expect(refusedBy(unbounded(ofItems, "true"))[0]).toContain("more than 100x");
  });

  test("but a rule may inspect the keys of a map without a length limit", () => {
    const rule = "self.all(key, key.matches('^[a-z]+$') && key.split('/')[0].size() < 253)";
    const labels: JsonSchema = {
      type: "object",
      maxProperties: 8,
      additionalProperties: { type: "string", maxLength: 63 },
      "x-kubernetes-validations": [{ rule }],
    };
    expect(refusedBy({ type: "object", properties: { labels } })).toEqual([]);
  });

  test("if they use the old value in a list whose items cannot be matched", () => {
    const items: JsonSchema = {
      type: "string",
      maxLength: 5,
      "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
    };
    const schema: JsonSchema = { type: "object", properties: { list: { type: "array", maxItems: 5, items } } };
    expect(refusedBy(schema)[0]).toContain(
      "oldSelf cannot be used on the uncorrelatable portion of the schema within root.properties[list]",
    );
  });
});

test("names of fields are escaped as in upstream", () => {
  expect(["a.b", "a-b", "a/b", "a__b", "in", "plain"].map(escapedName)).toEqual([
    "a__dot__b",
    "a__dash__b",
    "a__slash__b",
    "a__underscores__b",
    "__in__",
    "plain",
  ]);
});
