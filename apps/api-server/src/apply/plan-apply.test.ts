import {
  apiVersionOf,
  Deployment,
  describeSchema,
  type JsonObject,
  type JsonValue,
  type ManagedFieldsEntry,
  Service,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { FieldSet } from "../fields/field-set.ts";
import { sameInEveryVersion } from "../fields/field-versions.ts";
import { intersection, isFieldSet, pathsOf, withoutBranches } from "../fields/set-algebra.ts";
import { appliedFields } from "./applied-fields.ts";
import { mergeApplied } from "./merge-applied.ts";
import { type Applier, type ApplyPlan, planApply } from "./plan-apply.ts";
import { removeFields } from "./remove-fields.ts";

const deployment = { type: describeSchema(Deployment) };
const service = { type: describeSchema(Service) };

const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const specOf = (object: JsonValue): JsonObject =>
  (object as { spec: { template: { spec: JsonObject } } }).spec.template.spec;

describe("an apply merges", () => {
  const table: [string, JsonObject, JsonObject, JsonObject][] = [
    [
      "structs and maps field by field",
      { nodeSelector: { a: "1" }, hostname: "h" },
      { hostname: "i", subdomain: "s" },
      { nodeSelector: { a: "1" }, hostname: "i", subdomain: "s" },
    ],
    [
      "keyed lists item by item, in the order of what is applied",
      { containers: [{ name: "a", image: "1" }, { name: "b" }, { name: "c", image: "1" }] },
      { containers: [{ name: "c", image: "2" }, { name: "x" }, { name: "a" }] },
      { containers: [{ name: "b" }, { name: "c", image: "2" }, { name: "x" }, { name: "a", image: "1" }] },
    ],
    [
      "items by defaults of keys that are left out",
      { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
      { containers: [{ name: "a", ports: [{ containerPort: 80, name: "web" }] }] },
      { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] }] },
    ],
    [
      "what is atomic deep inside",
      { containers: [{ name: "a", securityContext: { capabilities: { add: ["A"] } } }], hostAliases: [] },
      { containers: [{ name: "a", securityContext: { capabilities: { add: ["B"] } } }] },
      { containers: [{ name: "a", securityContext: { capabilities: { add: ["B"] } } }], hostAliases: [] },
    ],
    [
      "atomic lists as a whole",
      { tolerations: [{ key: "a" }, { key: "b" }] },
      { tolerations: [{ key: "c" }] },
      { tolerations: [{ key: "c" }] },
    ],
    [
      "atomic maps as a whole",
      { nodeSelector: { a: "1", b: "1" } },
      { nodeSelector: { c: "1" } },
      { nodeSelector: { c: "1" } },
    ],
    [
      "an item that is listed twice is replaced",
      {
        containers: [
          {
            name: "a",
            env: [
              { name: "E", value: "1" },
              { name: "E", value: "2" },
            ],
          },
        ],
      },
      { containers: [{ name: "a", env: [{ name: "E", value: "3" }] }] },
      { containers: [{ name: "a", env: [{ name: "E", value: "3" }] }] },
    ],
    [
      "null for a scalar is stated; for a struct it says nothing",
      { hostname: "h", dnsConfig: { searches: ["a"] } },
      { hostname: null, dnsConfig: null },
      { hostname: null, dnsConfig: { searches: ["a"] } },
    ],
  ];
  test.each(table)("%s", (_what, live, applied, merged) => {
    expect(specOf(mergeApplied(pod(live), pod(applied), deployment))).toEqual(merged);
  });

  test("sets are merged member by member", () => {
    const held = (...finalizers: string[]) => ({ metadata: { finalizers } });
    expect(mergeApplied(held("a/b"), held("c/d", "a/b"), deployment)).toEqual(held("c/d", "a/b"));
    expect(mergeApplied(held("a/b"), held("c/d"), deployment)).toEqual(held("a/b", "c/d"));
  });

  test.each([
    [
      ["a", "b", "c"],
      ["c", "a"],
      ["b", "c", "a"],
    ],
    [["a", "b", "c"], ["b"], ["a", "b", "c"]],
    [["a"], ["x", "a", "y"], ["x", "a", "y"]],
    [
      ["a", "b"],
      ["x", "y"],
      ["a", "b", "x", "y"],
    ],
    [
      ["a", "b", "c", "d"],
      ["d", "c", "b", "a"],
      ["d", "c", "b", "a"],
    ],
  ])("%j with %j becomes %j", (live, applied, merged) => {
    const items = (names: string[]) => pod({ containers: names.map((name) => ({ name })) });
    expect(mergeApplied(items(live), items(applied), deployment)).toEqual(items(merged));
  });
});

describe("the applied fields", () => {
  const table: [string, JsonObject, FieldSet][] = [
    ["a scalar, but not what is around it", { spec: { replicas: 1 } }, { "f:spec": { "f:replicas": {} } }],
    ["an empty struct", { spec: { strategy: {} } }, { "f:spec": { "f:strategy": {} } }],
    ["a null", { spec: { strategy: null } }, { "f:spec": { "f:strategy": {} } }],
    ["nothing by an empty list of items", { metadata: { finalizers: [] } }, {}],
    ["a map's members", { metadata: { labels: { a: "1" } } }, { "f:metadata": { "f:labels": { "f:a": {} } } }],
    ["a set's members", { metadata: { finalizers: ["a/b"] } }, { "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } } }],
    [
      "what is atomic, as a whole",
      { spec: { selector: { matchLabels: { a: "1" } } } },
      { "f:spec": { "f:selector": {} } },
    ],
    [
      "an item and what it has",
      pod({ containers: [{ name: "c", ports: [{ containerPort: 80 }] }] }),
      {
        "f:spec": {
          "f:template": {
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:name": {},
                  "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                },
              },
            },
          },
        },
      },
    ],
  ];
  test.each(table)("%s", (_what, applied, set) => {
    expect(appliedFields(applied, deployment)).toEqual(set);
  });
});

test("a removed field is removed with its children, and an emptied parent becomes null", () => {
  const value = { spec: { ports: [{ port: 80 }, { port: 81 }], selector: { a: "b" }, type: "ClusterIP" } };
  const ports = { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } };
  expect(removeFields(value, { "f:spec": { "f:ports": ports, "f:type": {} } }, service)).toEqual({
    spec: { ports: [{ port: 81 }], selector: { a: "b" } },
  });
  const all = { "f:ports": {}, "f:selector": {}, "f:type": {} };
  expect(removeFields(value, { "f:spec": all }, service)).toEqual({ spec: null });
});

describe("sets of fields", () => {
  test("paths are written and ordered as in upstream", () => {
    const set: FieldSet = {
      "f:spec": {
        "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } },
        "f:externalIPs": {},
      },
      "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } },
    };
    expect(pathsOf(set)).toEqual([
      '.metadata.finalizers[="a/b"]',
      ".spec.externalIPs",
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].name',
    ]);
  });

  test.each<[FieldSet, FieldSet, FieldSet]>([
    [{ "f:a": {}, "f:b": {} }, { "f:a": {} }, { "f:a": {} }],
    [{ "f:m": { ".": {}, "f:x": {} } }, { "f:m": {} }, { "f:m": {} }],
    [{ "f:m": { "f:x": {} } }, { "f:m": {} }, {}],
    [{ "f:m": { ".": {}, "f:x": {} } }, { "f:m": { ".": {}, "f:x": {} } }, { "f:m": { ".": {}, "f:x": {} } }],
  ])("%j and %j have %j in common", (a, b, both) => {
    expect(intersection(a, b)).toEqual(both);
    expect(intersection(b, a)).toEqual(both);
  });

  test.each<[FieldSet, FieldSet, FieldSet]>([
    [{ "f:status": { "f:a": {} }, "f:spec": {} }, { "f:status": {} }, { "f:spec": {} }],
    [{ "f:m": { "f:labels": { "f:a": {} } } }, { "f:m": { "f:labels": {} } }, {}],
    [{ "f:m": {} }, { "f:m": { "f:labels": {} } }, { "f:m": {} }],
  ])("%j without the branches %j is %j", (set, less, rest) => {
    expect(withoutBranches(set, less)).toEqual(rest);
  });

  test.each<[unknown, boolean]>([
    [{}, true],
    [{ "f:a": { ".": {}, 'k:{"name":"x"}': {}, "v:1": {}, "i:0": {} } }, true],
    [{ a: {} }, false],
    [{ "f:a": 1 }, false],
    [{ "k:name": {} }, false],
    [{ "k:1": {} }, false],
    [{ "i:x": {} }, false],
    [[], false],
  ])("%j is a field set: %s", (value, is) => {
    expect(isFieldSet(value)).toBe(is);
  });
});

// Each row: the stored object with its owners, the object that `me` applied before, the object that
// `me` applies now, and the result.
describe("an apply", () => {
  const me: Applier = {
    manager: "me",
    subresource: "",
    apiVersion: "apps/v1",
    time: "2026-01-01T00:00:00Z",
    force: false,
  };
  const owned = (manager: string, spec: JsonObject, operation: "Apply" | "Update" = "Apply"): ManagedFieldsEntry => ({
    manager,
    operation,
    apiVersion: apiVersionOf({ group: "apps", version: "v1" }),
    fieldsType: "FieldsV1",
    fieldsV1: appliedFields(pod(spec), deployment),
  });
  const planned = (live: JsonObject, applied: JsonObject, entries: ManagedFieldsEntry[], force = false): ApplyPlan =>
    planApply(
      {
        live: pod(live),
        applied: pod(applied),
        entries,
        versions: sameInEveryVersion(deployment),
        resets: { "f:status": {} },
      },
      { ...me, force },
    );

  const web = (more: JsonObject = {}) => ({ name: "web", ...more });
  const table: [
    string,
    { live: JsonObject; mine: JsonObject; theirs?: JsonObject; applied: JsonObject },
    JsonObject,
  ][] = [
    [
      "removes an item that it applied earlier and that has no other owner",
      {
        live: { containers: [web({ image: "1" }), { name: "log", image: "1" }] },
        mine: { containers: [web({ image: "1" }), { name: "log", image: "1" }] },
        applied: { containers: [web({ image: "1" })] },
      },
      { containers: [web({ image: "1" })] },
    ],
    [
      "keeps an item with a field of another owner, without fields that have no owner",
      {
        live: { containers: [web(), { name: "log", image: "1", tty: true }] },
        mine: { containers: [web(), { name: "log", image: "1" }] },
        theirs: { containers: [{ name: "log", tty: true }] },
        applied: { containers: [web()] },
      },
      { containers: [web(), { name: "log", tty: true }] },
    ],
    [
      "removes the defaults of a removed item",
      {
        live: { containers: [web(), { name: "log", terminationMessagePath: "/dev/termination-log" }] },
        mine: { containers: [web(), { name: "log" }] },
        applied: { containers: [web()] },
      },
      { containers: [web()] },
    ],
    [
      "removes fields without an owner",
      { live: { containers: [web()], hostname: "h" }, mine: { containers: [web()] }, applied: { containers: [web()] } },
      { containers: [web()], hostname: "h" },
    ],
    [
      "removes a struct whose fields it applied all",
      {
        live: { containers: [web()], securityContext: { runAsUser: 1, runAsGroup: 1 } },
        mine: { containers: [web()], securityContext: { runAsUser: 1, runAsGroup: 1 } },
        applied: { containers: [web()] },
      },
      { containers: [web()] },
    ],
    [
      "keeps a struct with fields of another owner",
      {
        live: { containers: [web()], securityContext: { runAsUser: 1, runAsGroup: 1 } },
        mine: { containers: [web()], securityContext: { runAsUser: 1 } },
        theirs: { securityContext: { runAsGroup: 1 } },
        applied: { containers: [web()] },
      },
      { containers: [web()], securityContext: { runAsGroup: 1 } },
    ],
    [
      "removes an atomic list that it owned alone",
      {
        live: { containers: [web()], tolerations: [{ key: "a" }] },
        mine: { containers: [web()], tolerations: [{ key: "a" }] },
        applied: { containers: [web()] },
      },
      { containers: [web()] },
    ],
  ];
  test.each(table)("%s", (_what, { live, mine, theirs, applied }, left) => {
    const entries = [owned("me", mine), ...(theirs === undefined ? [] : [owned("them", theirs)])];
    const plan = planned(live, applied, entries);
    expect(plan.outcome).toBe("applied");
    expect(plan.outcome === "applied" && specOf(plan.object)).toEqual(left);
  });

  test("fields of an updater are not pruned, even if they were applied too", () => {
    const spec = { containers: [web()], hostname: "h" };
    const entries = [owned("me", spec), owned("them", { hostname: "h" }, "Update")];
    const plan = planned(spec, { containers: [web()] }, entries);
    expect(plan.outcome === "applied" && specOf(plan.object)).toEqual(spec);
  });

  test("a changed field of another owner is a conflict; with force the owner loses it, and an owner without fields is removed", () => {
    const live = { containers: [web()], hostname: "h" };
    const entries = [owned("them", { hostname: "h" })];
    expect(planned(live, { hostname: "i" }, entries)).toEqual({
      outcome: "conflict",
      conflicts: [{ owner: '"them"', path: ".spec.template.spec.hostname" }],
    });
    const forced = planned(live, { hostname: "i" }, entries, true);
    expect(forced.outcome === "applied" && forced.managedFields.map(({ manager }) => manager)).toEqual(["me"]);
  });

  test("a manager that applied an empty object still owns it after all fields of other managers are removed", () => {
    const live = { containers: [web()], securityContext: { runAsUser: 1 } };
    const entries = [owned("me", live), owned("them", { securityContext: {} })];
    const plan = planned(live, { containers: [web()] }, entries);
    const theirs =
      plan.outcome === "applied" ? plan.managedFields.find(({ manager }) => manager === "them") : undefined;
    expect(theirs?.fieldsV1).toEqual(appliedFields(pod({ securityContext: {} }), deployment));
  });

  test("neither the stored object nor the applied configuration is modified", () => {
    const live = { containers: [web({ env: [{ name: "A", value: "1" }] })], hostname: "h" };
    const applied = { containers: [web({ env: [{ name: "B", value: "2" }] })] };
    const entries = [owned("me", live), owned("them", { hostname: "h" })];
    const before = JSON.stringify({ live, applied, entries });
    planned(live, applied, entries, true);
    expect(JSON.stringify({ live, applied, entries })).toBe(before);
  });
});
