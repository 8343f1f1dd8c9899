import { readSnapshot, type SnapshotHeader } from "./snapshot-format.ts";

export interface SnapshotReport extends SnapshotHeader {
  readonly byteLength: number;
  /** Objects by resource: "core/pods" → 12. */
  readonly resources: ReadonlyMap<string, number>;
}

/**
 * Reads and verifies a whole snapshot.
 * @throws StoreCorrupt naming the first record that is damaged.
 */
export async function inspectSnapshot(snapshot: AsyncIterable<Uint8Array>): Promise<SnapshotReport> {
  let byteLength = 0;
  const counted = async function* () {
    for await (const chunk of snapshot) {
      byteLength += chunk.length;
      yield chunk;
    }
  };
  const reader = await readSnapshot(counted());
  const resources = new Map<string, number>();
  for await (const { record } of reader.records()) {
    const resource = record.key.split("/", 2).join("/");
    resources.set(resource, (resources.get(resource) ?? 0) + 1);
  }
  return { ...reader.header, byteLength, resources };
}
