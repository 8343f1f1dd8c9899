import { isRawObject, isRecord, rawKeyOf, type RawDocuments, type RawObject } from "./raw-object.ts";
import { readMsgpack } from "./read-msgpack.ts";
import { UnreadableSource } from "./unreadable.ts";

// A trace of SimKube is a map of MessagePack: {"version": 2, "config": …, "events": [{"ts": …,
// "applied_objs": […], "deleted_objs": […]}], "index": …, "pod_lifecycles": …}. Its first bytes are
// a map of five and the text "version".
const head = [0x85, 0xa7, ...new TextEncoder().encode("version")];
const version = 2;

export function isSimkubeTrace(bytes: Uint8Array): boolean {
  return head.every((byte, index) => bytes[index] === byte);
}

/**
 * Reads the objects that exist at the end of a trace. A trace has the workloads that SimKube was
 * configured to trace, but neither nodes nor pods.
 * @throws UnreadableSource
 */
export function readSimkubeTrace(bytes: Uint8Array, name: string): RawDocuments {
  const trace = readMsgpack(bytes, name);
  const found = isRecord(trace) ? trace["version"] : undefined;
  if (!isRecord(trace) || found !== version)
    throw new UnreadableSource(
      `${name} is a SimKube trace of version ${String(found)}, but only version ${version} is supported: export it again`,
    );
  const objects = new Map<string, RawObject>();
  for (const event of listOf(trace["events"])) {
    if (!isRecord(event)) continue;
    for (const object of listOf(event["applied_objs"])) if (isRawObject(object)) objects.set(rawKeyOf(object), object);
    for (const object of listOf(event["deleted_objs"])) if (isRawObject(object)) objects.delete(rawKeyOf(object));
  }
  return { objects: [...objects.values()], listed: [] };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
