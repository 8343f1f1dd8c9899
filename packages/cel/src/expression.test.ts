import { describe, expect, test } from "vitest";
import { compileCel } from "./compile-cel.ts";

const budget = () => ({ costLeft: 1_000_000 });

function valueOf(text: string, variables: Readonly<Record<string, unknown>> = {}): unknown {
  const result = compileCel(text).evaluate(variables, budget());
  return result.outcome === "value" ? result.value : result;
}

const self = {
  replicas: 3n,
  minReplicas: 1n,
  name: "my-name",
  list: ["a", "b"],
  health: "ok",
  map: { a: 1n },
  spec: { nested: "x" },
};

describe("expressions of Kubernetes' documentation have their results", () => {
  test.each<[string, unknown]>([
    ["self.minReplicas <= self.replicas && self.replicas <= 5", true],
    ["'Available' in self.map", false],
    ["self.list.exists(x, x == 'b')", true],
    ["has(self.expired) && self.expired", false],
    ["self.health.startsWith('ok')", true],
    ["size(self.name) == 7", true],
    ["self.list.all(x, x.matches('^[a-z]$'))", true],
    ["self.map.all(k, self.map[k] > 0)", true],
    ["type(self.replicas) == int", true],
    ["self.?spec.nested.orValue('none')", "x"],
    ["self.?missing.deeper.orValue('none')", "none"],
    ["self.?missing.hasValue()", false],
    ["optional.of(1).value() == 1", true],
    ["cel.bind(n, self.replicas, n + n)", 6n],
    // Lists.
    ["[1, 2, 3].isSorted()", true],
    ["[3, 1].isSorted()", false],
    ["[1, 3].sum()", 4n],
    ["[1, 3].max()", 3n],
    ["['b', 'a'].min()", "a"],
    ["[1, 2, 2, 3].indexOf(2)", 1n],
    ["[1, 2, 2, 3].lastIndexOf(2)", 2n],
    // Regular expressions.
    ['"abc 123".find("[0-9]+")', "123"],
    ['"abc 123".find("xyz")', ""],
    ['"123 abc 456".findAll("[0-9]+").size()', 2n],
    ['"123 abc 456".findAll("[0-9]+", 1).size()', 1n],
    // Texts.
    ['"hello".charAt(4)', "o"],
    ['"TacoCat".lowerAscii()', "tacocat"],
    ['"hello wello".replace("he", "we")', "wello wello"],
    ['"hello hello hello".split(" ").size()', 3n],
    ['"  trim\\n ".trim()', "trim"],
    ['["hello", "mellow"].join(" ")', "hello mellow"],
    ['"%s is %d".format(["a", 1])', "a is 1"],
    // URLs.
    ['url("https://example.com:80/").getHost()', "example.com:80"],
    ['url("https://[::1]:80/").getHostname()', "::1"],
    ['url("https://example.com:80/").getPort()', "80"],
    [
      'url("https://example.com/path with spaces/").getHost()',
      { outcome: "error", message: expect.stringContaining("URL parse error") as string },
    ],
    ['url("https://example.com/a?k=1&k=2").getQuery()["k"].size()', 2n],
    ['isURL("https://user:pass@example.com:80/path?query=val#fragment")', true],
    ['isURL("/absolute-path")', true],
    ['isURL("../relative-path")', false],
    // Quantities.
    ['isQuantity("1.3G")', true],
    ['isQuantity("1.3X")', false],
    ['quantity("50k").isGreaterThan(quantity("50"))', true],
    ['quantity("200M").compareTo(quantity("0.2G"))', 0n],
    ['quantity("50k").add(20) == quantity("50020")', true],
    ['quantity("50k").sub(20000).asInteger()', 30000n],
    ['quantity("-50k").sign()', -1n],
    // Addresses.
    ['isIP("127.0.0.1")', true],
    ['isIP("hello")', false],
    ['ip("::1").family()', 6n],
    ['ip("127.0.0.1").isLoopback()', true],
    ['ip("192.168.0.1").isGlobalUnicast()', true],
    ['isCIDR("192.168.0.0/24")', true],
    ['cidr("192.168.0.0/24").containsIP("192.168.0.1")', true],
    ['cidr("192.168.0.0/24").containsCIDR("192.168.0.0/23")', false],
    ['cidr("192.168.0.0/24").prefixLength()', 24n],
    // Sets.
    ["sets.contains([1, 2, 3], [2, 3.0])", true],
    ["sets.contains([1], [2])", false],
    ["sets.equivalent([1, 1, 2], [2, 1])", true],
    ["sets.intersects(['a'], ['b', 'a'])", true],
    ["sets.intersects([[1]], [[2]])", false],
    // Semantic versions.
    ["semver('1.2.3').major()", 1n],
    ["semver('1.2.3').isLessThan(semver('1.10.0'))", true],
    ["semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", true],
    ["semver('1.2.3').compareTo(semver('1.2.3'))", 0n],
    ["semver('v1.02', true) == semver('1.2.0')", true],
    ["isSemver('v1.0')", false],
    ["isSemver('v1.0', true)", true],
    // Formats.
    ["!format.dns1123Label().validate('my-name').hasValue()", true],
    ["format.dns1123Label().validate('My_Name').value().size()", 1n],
    ["format.named('uuid').value().validate('x').hasValue()", true],
    ["format.named('none').hasValue()", false],
    ["format.date().validate('2021-01-01').hasValue()", false],
    // Macros with two variables.
    ["[1, 2, 3].all(i, v, i < v)", true],
    ["{'a': 1, 'b': 2}.exists(k, v, k == 'b' && v == 2)", true],
    ["[1, 2, 2].existsOne(i, v, v == 2 && i > 1)", true],
    ["[1, 2].transformList(i, v, i + v)[1]", 3n],
    ["[1, 2, 3].transformList(i, v, i > 0, v * 2).size()", 2n],
    ["{'a': 1}.transformMap(k, v, v + 1)['a']", 2n],
    ["{'a': 1, 'b': 2}.transformMap(k, v, k != 'a', v).size()", 1n],
    ["{'a': 'x'}.transformMapEntry(k, v, {v: k})['x']", "a"],
    // Optional elements.
    ["self.map[?'a'].orValue(5)", 1n],
    ["self.list[?7].hasValue()", false],
    ["self.?list[0].orValue('none')", "a"],
    ["self.?spec['nested'].value()", "x"],
    // Faults.
    ["self.missing == 1", { outcome: "error", message: expect.stringContaining("missing") as string }],
    ["1 / 0", { outcome: "error", message: expect.stringContaining("divi") as string }],
  ])("%s", (text, expected) => {
    expect(valueOf(text, { self })).toEqual(expected);
  });
});

describe("no expression exceeds its budget", () => {
  const list = Array.from({ length: 1000 }, (_, index) => BigInt(index));
  test.each([
    "self.all(a, self.all(b, self.all(c, self.all(d, true))))",
    "self.map(a, self.map(b, self.map(c, c))).size() >= 0",
    "self.exists(a, self.exists(b, self.exists(c, 1 / 0 > 0)))",
    `self.all(a, self.all(b, "${"x".repeat(5000)}" + string(b) != "y"))`,
  ])("%s", (text) => {
    expect(compileCel(text).evaluate({ self: list }, budget())).toEqual({ outcome: "tooCostly" });
  });

  test.each([
    [140, "value"],
    [300, "tooCostly"],
  ])("every pair of %i items is inspected, or the evaluation exceeds its cost limit: %s", (items, outcome) => {
    const self = Array.from({ length: items }, (_, index) => ({ name: `n${index}` }));
    const text = "self.all(a, self.exists(b, b.name == a.name))";
    expect(compileCel(text).evaluate({ self }, budget()).outcome).toBe(outcome);
  });

  test("an evaluation without a loop costs as much as one turn of a loop", () => {
    const left = { costLeft: 100 };
    expect(compileCel("1 + 1").evaluate({}, left)).toEqual({ outcome: "value", value: 2n });
    expect(left.costLeft).toBe(80);
    left.costLeft = 10;
    expect(compileCel("1 + 1").evaluate({}, left)).toEqual({ outcome: "tooCostly" });
  });

  test("strings that double in length are charged before they fill the memory", () => {
    let text = "s";
    for (let depth = 0; depth < 40; depth++) text = `cel.bind(s, s + s, ${text})`;
    const result = compileCel(`cel.bind(s, "0123456789", ${text}).size() > 0`).evaluate({}, budget());
    expect(result).toEqual({ outcome: "tooCostly" });
  });

  test("the evaluation of expressions whose results outgrow their inputs ends", () => {
    const doubled = `cel.bind(a, "${"a".repeat(4000)}", cel.bind(b, a + a + a + a + a, b.replace("a", b).size() > 0))`;
    expect(compileCel(doubled).evaluate({}, budget())).toEqual({ outcome: "tooCostly" });
    const self = new Map([["x", "a".repeat(200_000)]]);
    const policy = compileCel("self.all(k, self[k].replace('a', 'b').size() >= 0)");
    expect(policy.evaluate({ self }, budget())).toEqual({ outcome: "value", value: true });
  });

  test("a pattern that is slow in backtracking engines is matched in linear time", () => {
    expect(valueOf('self.matches("^(a+)+$")', { self: `${"a".repeat(50_000)}b` })).toBe(false);
  });
});

describe("an invalid expression is rejected", () => {
  test.each([["1 +"], ["self."], [""], ["a b"]])("%s", (text) => {
    expect(() => compileCel(text)).toThrow(/expecting|empty|end of input/);
  });

  test("that is too long", () => {
    expect(() => compileCel("1".repeat(20_000))).toThrow("expression is longer than 10240 characters");
  });

  test.each([
    ["lists", (depth: number) => "[".repeat(depth) + "]".repeat(depth)],
    ["sums", (depth: number) => `1${"+1".repeat(depth)}`],
    ["selections", (depth: number) => `self${".a".repeat(depth)}`],
    ["conditions", (depth: number) => `${"true?1:".repeat(depth)}1`],
  ])("with %s nested too deeply", (_, text) => {
    for (const depth of [300, 1400]) {
      expect(() => compileCel(text(depth))).toThrow("expression recursion limit exceeded: 250");
    }
    expect(() => compileCel(text(100))).not.toThrow();
  });
});

describe("the compilation time is linear in the text", () => {
  test.each([
    ["blanks behind an optional selection", `self.?a${" ".repeat(10_000)}`],
    ["optional selections", `${"self.?a == 1 && ".repeat(600)}true`],
    ["conditions", `${"(true?true:false)&&".repeat(500)}true`],
  ])("%s", (_, text) => {
    compileCel(text).check({});
    const before = process.cpuUsage();
    compileCel(text).check({});
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });

  test("types that double with each variable are limited", () => {
    let text = "x40 == x40";
    for (let depth = 40; depth > 0; depth--) text = `cel.bind(x${depth}, {x${depth - 1}: x${depth - 1}}, ${text})`;
    expect(compileCel(`cel.bind(x0, 1, ${text})`).check({}).faults).toEqual([]);
  });

  test("faults have a limit, as in upstream", () => {
    const { faults } = compileCel(`${"a1 && ".repeat(1500)}true`).check({});
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toBe("1400 more errors were truncated");
  });
});
