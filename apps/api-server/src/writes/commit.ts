import { type ApiObject, isFeatureOn, type PrepareContext } from "@kintsugi/api";
import { explainTrustBundle } from "@kintsugi/pki";
import { checkSchemas } from "@kintsugi/structural-schemas";
import type { Change, Entry, StoreReader } from "@kintsugi/store";
import { checkAdmissionExpressions } from "../admission/expressions/check-expressions.ts";
import { pathNotFound } from "../http/refusals.ts";
import { encodeObject, joinEncoded } from "../resources/encoding.ts";
import { indexEntry } from "../resources/entry-index.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { explainSigningRequest } from "../resources/signed-subject.ts";
import type { ServerContext } from "../server-context.ts";
import type { WriteOperation } from "../metrics/commit-durations.ts";
import { assertStorable } from "../resources/object-size.ts";

/** A verb's decision about one object, given the stored object. */
export type Decision<R> =
  /** `object` differs from the stored object. */
  | { action: "put"; object: KubeObject; result: R }
  /** `object` is the final state. */
  | { action: "delete"; object: KubeObject; result: R }
  | { action: "keep"; result: R };

export interface CommitTarget {
  key: string;
  /** The stored resource, not a view of it. */
  resource: Resource;
  dryRun?: boolean;
  /** The stored form of an object that a webhook has converted. */
  stored?: (object: KubeObject) => ApiObject;
  /** Leases and deletes are accepted even when the disk is nearly full. */
  important?: boolean;
  /** Heartbeats of nodes and events may wait some milliseconds for each other, and share a sync. */
  patient?: boolean;
}

/**
 * Evaluates `decide` when the write's batch is formed, so that it changes exactly the state that it
 * read, without retries. An error that it throws is the rejection. `entry` is the object as
 * written, deleted or unchanged. A dry run performs all steps but writes nothing.
 */
export async function commit<R>(
  context: ServerContext,
  target: CommitTarget,
  decide: (current: Entry | undefined, reader: StoreReader) => Decision<R>,
): Promise<{ result: R; entry: Entry | undefined }> {
  let preview: Entry | undefined;
  let wrote: WriteOperation | undefined;
  const change = (current: Entry | undefined, reader: StoreReader): Change<R> => {
    // Only the last call counts, because earlier calls decided over a state that another writer has
    // changed.
    preview = undefined;
    wrote = undefined;
    try {
      assertServed(context, target.resource);
      const decision = decide(current, reader);
      const change = toChange(decision, {
        resource: target.resource,
        prepare: prepareContext(context),
        stored: target.stored,
      });
      if ("keep" in change || "refuse" in change) return change;
      if ("put" in change && decision.action === "put") {
        assertStorable(target.resource, decision.object, { encoded: change.put, current });
      }
      if (target.dryRun === true) {
        preview = previewOf(target.key, change, current);
        return { keep: true, result: change.result };
      }
      wrote = "delete" in change ? "delete" : current === undefined ? "create" : "update";
      return change;
    } catch (error) {
      return { refuse: error instanceof Error ? error : new Error(String(error)) };
    }
  };
  const { important = false, patient = false } = target;
  const startedMs = context.clock.monotonicMs();
  try {
    const committed = await context.store.update(target.key, change, { important, patient });
    if (wrote !== undefined) {
      const seconds = (context.clock.monotonicMs() - startedMs) / 1000;
      context.commitDurations.observe({ type: target.resource.type, operation: wrote }, seconds);
    }
    return { result: committed.result, entry: preview ?? committed.entry };
  } catch (error) {
    // A rejection is not a failure of the store, and does not write.
    if (wrote !== undefined) context.commitDurations.failed({ type: target.resource.type, operation: wrote });
    throw error;
  }
}

export function prepareContext({ clock, options, allocator }: ServerContext): PrepareContext {
  return {
    nowMs: clock.nowMs(),
    options,
    isFeatureOn: (name) => isFeatureOn(options.features, name),
    allocator,
    explainSigningRequest,
    explainTrustBundle,
    checkDefinition: checkSchemas,
    checkExpressions: checkAdmissionExpressions,
  };
}

/**
 * @throws ApiError for a kind that was removed while its write waited for the batch, because
 * requests would never find the object.
 */
function assertServed({ registry }: ServerContext, resource: Resource): void {
  const served = registry.findStored(resource.storeName);
  if (served === resource) return;
  // A definition may change while its objects are written. Its UID identifies it.
  const uid = resource.kind.storedForm?.definition.uid;
  if (uid === undefined || served?.kind.storedForm?.definition.uid !== uid) throw pathNotFound();
}

function toChange<R>(
  decision: Decision<R>,
  as: { resource: Resource; prepare: PrepareContext; stored: CommitTarget["stored"] },
): Change<R> {
  if (decision.action === "keep") return { keep: true, result: decision.result };
  const { storedForm } = as.resource.kind;
  const stored = as.stored?.(decision.object) ?? storedForm?.write(decision.object) ?? decision.object;
  const encoded = encodeObject(stored);
  const index = indexEntry(as.resource, decision.object, as.prepare);
  if (decision.action === "delete") return { delete: encoded, index, result: decision.result };
  return { put: encoded, index, result: decision.result };
}

/** The object that the write would have stored, with the revision that the object has now. */
function previewOf<R>(key: string, change: Extract<Change<R>, { index: unknown }>, current: Entry | undefined): Entry {
  const encoded = "put" in change ? change.put : change.delete;
  const revision = current?.revision ?? 0;
  return { key, revision, value: joinEncoded(encoded, revision), index: change.index };
}
