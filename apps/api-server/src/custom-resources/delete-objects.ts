import type { CustomResourceDefinition } from "@kintsugi/api";
import type { Change, Entry } from "@kintsugi/store";
import { decodeEntry, encodeObject } from "../resources/encoding.ts";
import type { Resource } from "../resources/resource.ts";
import { storePrefix } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import { planDelete } from "../verbs/plan-delete.ts";

/** Number of deletes that share one disk write. */
const deletesAtOnce = 100;

/** A custom kind has no strategy for deletes. */
const plain = { kind: { strategy: {} } } as unknown as Resource;

/**
 * Deletes all objects of a definition, regardless of their stored version and of whether the
 * definition is served. @returns true if all objects are removed; objects with finalizers are
 * removed later.
 */
export async function deleteObjects(context: ServerContext, { spec }: CustomResourceDefinition): Promise<boolean> {
  const prefix = storePrefix({ group: spec.group, resource: spec.names.plural }, "");
  const { entries } = context.store.list(prefix);
  for (let start = 0; start < entries.length; start += deletesAtOnce) {
    const group = entries.slice(start, start + deletesAtOnce);
    await Promise.all(group.map(({ key }) => deleteOne(context, key)));
  }
  return context.store.count(prefix) === 0;
}

async function deleteOne({ store, clock }: ServerContext, key: string): Promise<void> {
  await store.update(key, (current) => planOne(current, clock.nowMs()), { important: true });
}

function planOne(current: Entry | undefined, nowMs: number): Change<undefined> {
  if (current === undefined) return { keep: true, result: undefined };
  const request = { dryRun: false, gracePeriodSeconds: undefined, propagation: undefined, preconditions: {} };
  const plan = planDelete(plain, decodeEntry(current), { request, nowMs });
  if (plan.action === "keep") return { keep: true, result: undefined };
  const encoded = encodeObject(plan.object);
  const index = { ...current.index, deleting: true };
  return plan.action === "delete"
    ? { delete: encoded, index, result: undefined }
    : { put: encoded, index, result: undefined };
}
