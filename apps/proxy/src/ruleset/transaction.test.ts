import { expect, test } from "vitest";
import { emptyRuleset, type Ruleset } from "./ruleset.ts";
import { anotherTable, changes, wholeTable } from "./transaction.ts";

/** A minimal Service with these endpoints. */
function rules(...endpoints: string[]): Ruleset {
  const ways = endpoints.map((endpoint, i) => `${i} : goto ${endpoint}`);
  return {
    ...emptyRuleset,
    chains: new Map([
      ["service-a", [`numgen random mod ${endpoints.length} vmap { ${ways.join(", ")} }`]],
      ...endpoints.map((endpoint): [string, string[]] => [endpoint, [`update @affinity-${endpoint} { ip saddr }`]]),
    ]),
    maps: { ...emptyRuleset.maps, "service-ips": new Map([["10.96.0.1 . tcp . 80", "goto service-a"]]) },
    sets: { "cluster-ips": new Set(["10.96.0.1"]), "nodeport-ips": new Set() },
    affinitySets: new Map(endpoints.map((endpoint) => [`affinity-${endpoint}`, 60])),
  };
}

test("unchanged rules are not written", () => {
  expect(changes(rules("e1", "e2"), rules("e1", "e2"), [])).toEqual({ script: "", staleChains: [] });
});

test("an added or removed endpoint changes only its own chain and the Service's chain", () => {
  expect(changes(rules("e1"), rules("e1", "e2"), []).script.split("\n")).toEqual([
    "add set ip kube-proxy affinity-e2 { type ipv4_addr ; flags dynamic,timeout ; timeout 60s ; }",
    "add chain ip kube-proxy service-a",
    "flush chain ip kube-proxy service-a",
    "add chain ip kube-proxy e2",
    "flush chain ip kube-proxy e2",
    "add rule ip kube-proxy service-a numgen random mod 2 vmap { 0 : goto e1, 1 : goto e2 }",
    "add rule ip kube-proxy e2 update @affinity-e2 { ip saddr }",
    "",
  ]);
  const gone = changes(rules("e1", "e2"), rules("e1"), ["e0"]);
  expect(gone.staleChains).toEqual(["e2"]);
  expect(gone.script.split("\n")).toEqual([
    "add chain ip kube-proxy service-a",
    "flush chain ip kube-proxy service-a",
    "add rule ip kube-proxy service-a numgen random mod 1 vmap { 0 : goto e1 }",
    "flush chain ip kube-proxy e2",
    "delete set ip kube-proxy affinity-e2",
    "delete chain ip kube-proxy e0",
    "",
  ]);
});

test("a destination that leads to another place is removed before it is added again", () => {
  const maps = (verdict: string): Ruleset => ({
    ...emptyRuleset,
    maps: { ...emptyRuleset.maps, "no-endpoint-services": new Map([["10.96.0.1 . tcp . 80", verdict]]) },
  });
  expect(changes(maps("drop"), maps("goto reject-chain"), []).script).toBe(
    [
      "delete element ip kube-proxy no-endpoint-services { 10.96.0.1 . tcp . 80 : drop }",
      "add element ip kube-proxy no-endpoint-services { 10.96.0.1 . tcp . 80 : goto reject-chain }",
      "",
    ].join("\n"),
  );
});

test("the whole table replaces everything: rules and elements are removed, and clients of kept endpoints are not", () => {
  const present = { chains: new Set(["service-a", "e9"]), affinitySets: new Set(["affinity-e1", "affinity-e9"]) };
  const { script, staleChains } = wholeTable(rules("e1"), present);
  expect(staleChains).toEqual(["e9"]);
  expect(script).toContain("flush chain ip kube-proxy e9\n");
  expect(script).toContain("flush map ip kube-proxy service-ips\n");
  expect(script).toContain("delete set ip kube-proxy affinity-e9\n");
  expect(script).not.toContain("flush set ip kube-proxy affinity-e1");
  expect(script).not.toContain("delete set ip kube-proxy affinity-e1");
});

test("a table that cannot be repaired is replaced in one step", () => {
  expect(anotherTable(rules("e1")).script).toMatch(
    /^add table ip kube-proxy\ndelete table ip kube-proxy\nadd table ip kube-proxy \{/,
  );
});
