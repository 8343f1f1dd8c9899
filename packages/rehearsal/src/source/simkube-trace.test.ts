import { expect, test } from "vitest";
import { isSimkubeTrace, readSimkubeTrace } from "./simkube-trace.ts";

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "n" },
});

/** Packs as SimKube does: maps by names, and keys of `pod_lifecycles` that are not texts. */
function packed(value: unknown): number[] {
  if (value === null) return [0xc0];
  if (typeof value === "boolean") return [value ? 0xc3 : 0xc2];
  if (typeof value === "number") {
    if (value >= 0 && value < 128) return [value];
    const bytes = Buffer.alloc(9, 0xd3);
    bytes.writeBigInt64BE(BigInt(value), 1);
    return [...bytes];
  }
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return bytes.length < 32 ? [0xa0 + bytes.length, ...bytes] : [0xd9, bytes.length, ...bytes];
  }
  if (Array.isArray(value)) return [0x90 + value.length, ...value.flatMap(packed)];
  if (value instanceof Map) return [0x80 + value.size, ...[...value].flat().flatMap(packed)];
  return [
    0x80 + Object.keys(value as object).length,
    ...Object.entries(value as object)
      .flat()
      .flatMap(packed),
  ];
}

function traceOf(version: number): Buffer {
  const events = [
    { ts: 1_700_000_000, applied_objs: [deployment("a"), deployment("b")], deleted_objs: [] },
    { ts: -5, applied_objs: [{ ...deployment("b"), spec: { replicas: 300 } }], deleted_objs: [deployment("a")] },
  ];
  const lifecycles = new Map([[[{ group: "apps", version: "v1", kind: "Deployment" }, "n/b"], { 7: [true, null] }]]);
  return Buffer.from(packed({ version, config: {}, events, index: {}, pod_lifecycles: lifecycles }));
}

test("the objects at the end of a trace are read, even if its maps have keys that are not text", () => {
  const bytes = traceOf(2);
  expect(isSimkubeTrace(bytes)).toBe(true);
  expect(isSimkubeTrace(Buffer.from("{}"))).toBe(false);
  expect(readSimkubeTrace(bytes, "t").objects).toEqual([{ ...deployment("b"), spec: { replicas: 300 } }]);
});

test.each([
  [traceOf(1), /version 1, but only version 2 is supported/],
  [traceOf(2).subarray(0, 60), /t is cut off/],
  [Buffer.from([0x85, 0xa7, ...Buffer.from("version"), 0xc1]), /t is not a SimKube trace/],
  [Buffer.from([0x85, 0xa7, ...Buffer.from("version"), ...Array<number>(100).fill(0x91)]), /more than 64 levels deep/],
])("a trace that cannot be parsed is rejected with one sentence: %#", (bytes, sentence) => {
  expect(() => readSimkubeTrace(bytes, "t")).toThrow(sentence);
});
