import { type ApiObject, isApiError, type Logger, type Pod, pods, type ResourceType, messageOf } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { inParallel } from "../../shared/writes/in-parallel.ts";
import type { ContentReport } from "./plan.ts";

/** Concurrent deletions of one namespace. */
const deletionsInFlightMax = 16;

export interface ContentDeps {
  client: Client;
  log: Logger;
  /** The kinds whose objects live in namespaces. */
  types: readonly ResourceType[];
}

interface TypeReport {
  remaining: number;
  finalizers: string[];
  graceSeconds: number;
  failures: string[];
}

/**
 * Deletes everything in the namespace, and reports the objects that still exist. Pods are deleted
 * first and other objects only once the pods no longer exist, because a pod must not outlive its
 * policies and credentials (upstream's ordered deletion).
 */
export async function deleteContent(
  deps: ContentDeps,
  namespace: string,
  signal: AbortSignal,
): Promise<Omit<ContentReport, "unknownGroups">> {
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  let graceSeconds = 0;
  const [first, rest] = [deps.types.filter(isPods), deps.types.filter((type) => !isPods(type))];
  for (const types of [first, rest]) {
    for (const type of types) {
      signal.throwIfAborted();
      const report = await deleteOfType(deps, { type, namespace }, signal);
      if (report.remaining > 0) remaining.set(qualified(type), report.remaining);
      for (const name of report.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
      failures.push(...report.failures);
      graceSeconds = Math.max(graceSeconds, report.graceSeconds);
    }
    if (remaining.size > 0 || failures.length > 0) break;
  }
  return { remaining, finalizers, failures, graceSeconds };
}

async function deleteOfType(
  { client, log }: ContentDeps,
  { type, namespace }: { type: ResourceType; namespace: string },
  signal: AbortSignal,
): Promise<TypeReport> {
  try {
    // Pods are read as a whole because of their grace periods. Of other objects, only the metadata
    // is read.
    const options = { namespace, metadataOnly: !isPods(type), signal };
    const { items } = await client.list(type, options);
    const asked = items.filter((item) => item.metadata.deletionTimestamp === undefined);
    const errors = await inParallel(asked, deletionsInFlightMax, (item) => deleteOne(client, type, item));
    const left = asked.length === 0 ? items : (await client.list(type, options)).items;
    return {
      remaining: left.length,
      finalizers: left.flatMap((item) => item.metadata.finalizers ?? []),
      graceSeconds: Math.max(0, ...left.map((item) => graceSecondsOf(type, item))),
      failures: errors.length === 0 ? [] : [`${qualified(type)}: ${messageOf(errors[0])}`],
    };
  } catch (error) {
    signal.throwIfAborted();
    log.warn("cannot delete the objects of one kind in a namespace", { namespace, resource: qualified(type), error });
    return { remaining: 0, finalizers: [], graceSeconds: 0, failures: [`${qualified(type)}: ${messageOf(error)}`] };
  }
}

async function deleteOne(client: Client, type: ResourceType, { metadata }: ApiObject): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata;
  try {
    await client.delete(type, { namespace, name }, { propagationPolicy: "Background", preconditions: { uid } });
  } catch (error) {
    // The object was removed, or replaced by another object, which the next pass finds.
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}

function graceSecondsOf(type: ResourceType, object: ApiObject): number {
  return isPods(type) ? ((object as Pod).spec?.terminationGracePeriodSeconds ?? 0) : 0;
}

function isPods({ group, resource }: ResourceType): boolean {
  return group === pods.group && resource === pods.resource;
}

/** "replicasets.apps", or "pods". */
function qualified({ resource, group }: ResourceType): string {
  return group === "" ? resource : `${resource}.${group}`;
}
