import type { JsonObject, ManagedFieldsEntry, ResourceType, TypeDescription } from "@kintsugi/api";
import { describeStructural, openApiOf } from "@kintsugi/structural-schemas";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FieldVersions } from "../fields/field-versions.ts";
import { planManagedFields } from "../fields/managed-fields.ts";
import { pathsOf } from "../fields/set-algebra.ts";
import type { FieldSet } from "../fields/field-set.ts";
import type { KubeObject } from "../resources/resource.ts";
import { planApply } from "./plan-apply.ts";

// Two versions with different names for the same fields. The model knows only the names of the
// first version, so it converts each write before it inspects owners.

const versionNames = ["v1", "v2"] as const;
type Version = (typeof versionNames)[number];
const names: Record<Version, readonly string[]> = { v1: ["a", "b", "c"], v2: ["x", "y", "z"] };
const apiVersionOf = (version: Version) => `lanterns.example/${version}`;

function describe(version: Version): TypeDescription {
  const properties = Object.fromEntries(names[version].map((name) => [name, { type: "string" }]));
  const schema = { type: "object", properties };
  return describeStructural(version, schema, (of) => openApiOf(schema, of));
}

const types = new Map(versionNames.map((version) => [apiVersionOf(version), describe(version)]));

function versionOf(apiVersion: string): Version {
  return apiVersion.endsWith("v1") ? "v1" : "v2";
}

function renamed(values: JsonObject, from: Version, to: Version): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [names[to][names[from].indexOf(key)] ?? key, value]),
  );
}

const versions: FieldVersions = {
  typeOf: (apiVersion) => {
    const type = types.get(apiVersion);
    return type && { type };
  },
  convert: (object, apiVersion) => {
    const [from, to] = [versionOf(object["apiVersion"] as string), versionOf(apiVersion)];
    return { ...renamed(object, from, to), apiVersion };
  },
};

interface Write {
  manager: string;
  version: Version;
  applies: boolean;
  force: boolean;
  /** The values by their places in `names`; undefined leaves the field out. */
  values: readonly (string | undefined)[];
}

const write: fc.Arbitrary<Write> = fc.record({
  manager: fc.constantFrom("m1", "m2", "m3"),
  version: fc.constantFrom(...versionNames),
  applies: fc.boolean(),
  force: fc.boolean(),
  values: fc.array(fc.constantFrom(undefined, "1", "2"), { minLength: 3, maxLength: 3 }),
});

interface State {
  object: JsonObject;
  entries: readonly ManagedFieldsEntry[];
}

const time = "2026-01-01T00:00:00Z";

function objectOf({ version, values }: Pick<Write, "version" | "values">): JsonObject {
  const fields = values.flatMap((value, index) => (value === undefined ? [] : [[names[version][index] ?? "", value]]));
  return {
    apiVersion: apiVersionOf(version),
    kind: "Lantern",
    metadata: { name: "l" },
    ...(Object.fromEntries(fields) as JsonObject),
  };
}

/** Undefined for a rejected write. */
function written(state: State, one: Write): State | undefined {
  const apiVersion = apiVersionOf(one.version);
  const live = versions.convert(state.object, apiVersion);
  if (one.applies) {
    const plan = planApply(
      { live, applied: objectOf(one), entries: state.entries, versions, resets: {} },
      { manager: one.manager, subresource: "", apiVersion, time, force: one.force },
    );
    return plan.outcome === "conflict" ? undefined : { object: plan.object, entries: plan.managedFields };
  }
  const after = objectOf(one);
  const type = { group: "lanterns.example", version: one.version } as ResourceType;
  const managed = (object: JsonObject) =>
    ({ ...object, metadata: { name: "l", managedFields: state.entries } }) as unknown as KubeObject;
  const update = { type, before: managed(live), after: managed(after), versions, resets: {} };
  const entries = planManagedFields(update, { manager: one.manager, subresource: "", time });
  return { object: after, entries: entries ?? [] };
}

/** The fields by their places, and the owners of each by `manager operation [version]`. */
interface Model {
  values: readonly (string | undefined)[];
  owned: ReadonlyMap<string, ReadonlySet<number>>;
}

function modelled(model: Model, one: Write): Model | undefined {
  const me = one.applies ? `${one.manager} Apply` : `${one.manager} Update ${one.version}`;
  const stated = new Set(one.values.flatMap((value, index) => (value === undefined ? [] : [index])));
  let owned = model.owned;
  const there = new Set(model.values.flatMap((value, index) => (value === undefined ? [] : [index])));
  if (owned.size === 0 && !one.applies) return { values: one.values, owned };
  if (owned.size === 0 && there.size > 0) {
    owned = new Map([[`before-first-apply Update ${one.version}`, there]]);
  }
  const others = [...owned].filter(([owner]) => owner !== me);
  const isOthers = (index: number) => others.some(([, fields]) => fields.has(index));
  const last = owned.get(me) ?? new Set();
  const next = model.values.map((value, index) => {
    if (!one.applies || stated.has(index)) return one.values[index];
    return last.has(index) && !isOthers(index) ? undefined : value;
  });
  const changed = new Set(next.flatMap((value, index) => (value === model.values[index] ? [] : [index])));
  if (one.applies && !one.force && [...changed].some(isOthers)) return undefined;
  const mine = one.applies
    ? stated
    : new Set([...last, ...changed].filter((index) => next[index] !== undefined && !(changed.size === 0)));
  const kept = others.map(([owner, fields]): [string, Set<number>] => [
    owner,
    new Set([...fields].filter((index) => !changed.has(index))),
  ]);
  const all = changed.size === 0 && !one.applies ? [...owned] : [...kept, [me, mine] as const];
  return { values: next, owned: new Map(all.filter(([, fields]) => fields.size > 0)) };
}

function ownersOf({ entries }: State): Map<string, Set<number>> {
  return new Map(
    entries.map(({ manager, operation, apiVersion = "", fieldsV1 }) => {
      const version = versionOf(apiVersion);
      const places = pathsOf((fieldsV1 ?? {}) as FieldSet).map((path) => names[version].indexOf(path.slice(1)));
      return [`${manager} ${operation}${operation === "Update" ? ` ${version}` : ""}`, new Set(places)];
    }),
  );
}

test("owners in several versions are compared as if all had written in one version", () => {
  fc.assert(
    fc.property(
      fc.array(write, { minLength: 1, maxLength: 12 }),
      withinLimits((writes) => {
        let state: State = { object: objectOf({ version: "v1", values: ["1", "1", undefined] }), entries: [] };
        let model: Model = { values: ["1", "1", undefined], owned: new Map() };
        for (const one of writes) {
          const [next, expected] = [written(state, one), modelled(model, one)];
          expect(next === undefined).toBe(expected === undefined);
          if (next === undefined || expected === undefined) continue;
          [state, model] = [next, expected];
          const object = versions.convert(state.object, apiVersionOf("v1"));
          expect(names.v1.map((name) => object[name])).toEqual(model.values);
          expect(ownersOf(state)).toEqual(model.owned);
          // An applier has one entry, even if it applied in several versions.
          const appliers = state.entries.flatMap(({ manager, operation }) => (operation === "Apply" ? [manager] : []));
          expect(new Set(appliers).size).toBe(appliers.length);
        }
      }),
    ),
    { numRuns: 200 },
  );
});

test("an entry of a version that the kind no longer has is removed and causes no conflict", () => {
  const live = objectOf({ version: "v1", values: ["1", undefined, undefined] });
  const gone: ManagedFieldsEntry = {
    manager: "old",
    operation: "Apply",
    apiVersion: "lanterns.example/v0",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:a": {} },
  };
  const applied = objectOf({ version: "v1", values: ["2", undefined, undefined] });
  const noV0 = {
    ...versions,
    typeOf: (apiVersion: string) => (apiVersion.endsWith("v0") ? undefined : versions.typeOf(apiVersion)),
  };
  const plan = planApply(
    { live, applied, entries: [gone], versions: noV0, resets: {} },
    { manager: "m1", subresource: "", apiVersion: apiVersionOf("v1"), time, force: false },
  );
  expect(plan.outcome === "applied" && plan.managedFields.map(({ manager }) => manager)).toEqual(["m1"]);
});
