import { describe, expect, test } from "vitest";
import { Pod } from "../kinds/core/pod/pod.ts";
import { leases, pods } from "../index.ts";
import { Lease } from "../kinds/coordination/lease/lease.ts";
import { parseObject } from "./parse-object.ts";

const parsePod = (body: unknown) => parseObject(Pod, pods, body);

test("unknown fields of a kind are dropped", () => {
  expect(
    parsePod({ metadata: { name: "a", shoes: 2 }, spec: { containers: [{ name: "c", imagee: "x" }] }, legs: 4 }),
  ).toEqual({
    metadata: { name: "a" },
    spec: { containers: [{ name: "c" }] },
  });
});

test("null counts as absent, and a required field gets its zero value", () => {
  expect(
    parsePod({ metadata: { name: "a", creationTimestamp: null }, spec: { containers: null, nodeName: null } }),
  ).toEqual({
    metadata: { name: "a" },
    spec: { containers: [] },
  });
  expect(parsePod({})).toEqual({ metadata: {} });
  expect(parsePod({ spec: { containers: [{}] } }).spec?.containers).toEqual([{ name: "" }]);
});

test("quantities and times get their canonical form", () => {
  const resources = { requests: { cpu: 0.5, memory: "1024Mi" } };
  const pod = parsePod({
    metadata: { deletionTimestamp: "2026-01-02T04:04:05.9+01:00" },
    spec: { containers: [{ name: "c", resources }] },
  });
  expect(pod.metadata.deletionTimestamp).toBe("2026-01-02T03:04:05Z");
  expect(pod.spec?.containers[0]?.resources?.requests).toEqual({ cpu: "500m", memory: "1Gi" });
  const lease = parseObject(Lease, leases, { spec: { renewTime: "2026-01-02T03:04:05Z" } });
  expect(lease.spec?.renewTime).toBe("2026-01-02T03:04:05.000000Z");
});

describe("a value of the wrong type is rejected as upstream's decoder rejects it", () => {
  const handled = 'Pod in version "v1" cannot be handled as a Pod: ';
  test.each<[string, unknown, string]>([
    ["no object", [], "json: cannot unmarshal array into Go value of type v1.Pod"],
    [
      "text for a number",
      { spec: { terminationGracePeriodSeconds: "30" } },
      "json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64",
    ],
    [
      "a number for text",
      { spec: { containers: [{ image: 5 }] } },
      "json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string",
    ],
    [
      "an object for a list",
      { spec: { containers: {} } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      "a fraction for a whole number",
      { spec: { containers: [{ ports: [{ containerPort: 80.5 }] }] } },
      "json: cannot unmarshal number 80.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
    ],
    [
      "a number for a label",
      { metadata: { labels: { app: 1 } } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels.app of type string",
    ],
    [
      "no quantity",
      { spec: { containers: [{ resources: { requests: { cpu: "lots" } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "no time",
      { metadata: { deletionTimestamp: "soon" } },
      'parsing time "soon": cannot parse as "2006-01-02T15:04:05Z07:00"',
    ],
  ])("%s", (_what, body, expected) => {
    expect(() => parsePod(body)).toThrow(
      expect.objectContaining({ reason: "BadRequest", message: handled + expected }),
    );
  });
});

describe("a body cannot reach a prototype", () => {
  const parseText = (text: string) => parsePod(JSON.parse(text));

  test("through a map", () => {
    const body = '{"metadata":{"labels":{"__proto__":"x"}}}';
    expect(() => parseText(body)).toThrow('the field name "__proto__" is not allowed');
  });

  test("through a field that is dropped", () => {
    const pod = parseText('{"__proto__":{"polluted":true},"metadata":{"constructor":{"prototype":{"polluted":true}}}}');
    expect(pod).toEqual({ metadata: {} });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(pod)).toBe(Object.prototype);
  });

  test("by names that objects inherit", () => {
    const pod = parseText('{"metadata":{"labels":{"constructor":"a","toString":"b"}}}');
    expect(Object.entries(pod.metadata.labels ?? {})).toEqual([
      ["constructor", "a"],
      ["toString", "b"],
    ]);
  });
});
