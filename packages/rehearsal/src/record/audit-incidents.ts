import { nodeUserPrefix } from "@kintsugi/api";
import { instantIn, isRecord, stringIn } from "../source/raw-object.ts";
import type { RepeatableIncident, Incidents } from "./incident.ts";

/** The fields of a Kubernetes audit log line that are read. */
export interface AuditEntry {
  readonly atMs: number;
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The body, if the audit policy keeps it. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Reads an event of an audit log; undefined for another line, or a rejected request. */
export function auditEntryOf(event: Readonly<Record<string, unknown>>): AuditEntry | undefined {
  const { apiVersion, kind, stage, verb, user, objectRef, responseStatus, requestReceivedTimestamp } = event;
  if (kind !== "Event" || typeof apiVersion !== "string" || apiVersion.split("/")[0] !== "audit.k8s.io")
    return undefined;
  if (stage !== undefined && stage !== "ResponseComplete") return undefined;
  const reference = isRecord(objectRef) ? objectRef : {};
  const code = isRecord(responseStatus) ? responseStatus["code"] : undefined;
  const atMs = instantIn(requestReceivedTimestamp);
  if (!Number.isFinite(atMs) || (typeof code === "number" && code >= 300)) return undefined;
  const { requestObject } = event;
  return {
    atMs,
    user: isRecord(user) ? stringIn(user["username"]) : "",
    verb: stringIn(verb),
    resource: stringIn(reference["resource"]),
    subresource: stringIn(reference["subresource"]),
    namespace: stringIn(reference["namespace"]),
    name: stringIn(reference["name"]),
    body: isRecord(requestObject) ? requestObject : undefined,
  };
}

export interface AuditIncidentOptions {
  readonly graceMs: number;
  /** The node and the workload of a pod; undefined for a pod that the cluster does not have. */
  readonly podOf: (namespace: string, name: string) => { node: string; workload: string } | undefined;
  /** The number of pods of a workload. */
  readonly podsOf: (workload: string) => number;
}

/** Requests within this time count as one action. */
const togetherMs = 60_000;

/** Finds in an audit log the external incidents of the cluster. */
export function auditIncidents(entries: readonly AuditEntry[], options: AuditIncidentOptions): Incidents {
  const sorted = entries.toSorted((a, b) => a.atMs - b.atMs);
  const leftOut: string[] = [];
  const found = [
    ...silences(sorted, options.graceMs, leftOut),
    ...drains(sorted, options, leftOut),
    ...deletions(sorted, options, leftOut),
  ];
  return { found, leftOut };
}

/** A kubelet renews its Lease every 10 s, so a node without renewals was silent. */
function silences(entries: readonly AuditEntry[], graceMs: number, leftOut: string[]): RepeatableIncident[] {
  const renewals = new Map<string, number[]>();
  for (const { user, resource, atMs } of entries) {
    if (resource !== "leases" || !user.startsWith(nodeUserPrefix)) continue;
    const node = user.slice(nodeUserPrefix.length);
    renewals.set(node, [...(renewals.get(node) ?? []), atMs]);
  }
  if (renewals.size === 0)
    leftOut.push("the log has no renewals of Leases (its policy omits them), so silent nodes cannot be detected");
  const endMs = entries.at(-1)?.atMs ?? 0;
  return [...renewals].flatMap(([node, times]) =>
    times.flatMap((atMs, index): RepeatableIncident[] => {
      const nextMs = times[index + 1];
      if ((nextMs ?? endMs) - atMs <= graceMs) return [];
      if (nextMs === undefined)
        return [
          { fault: "kill-node", target: node, atMs, because: "its kubelet sends no further heartbeat in the log" },
        ];
      return [
        { fault: "cut-node", target: node, atMs, forMs: nextMs - atMs, because: "its kubelet sent no heartbeat" },
      ];
    }),
  );
}

/** A cordon with evictions, or evictions alone if the policy keeps no bodies. */
function drains(
  entries: readonly AuditEntry[],
  { podOf }: AuditIncidentOptions,
  leftOut: string[],
): RepeatableIncident[] {
  const begun = new Map<string, { sinceMs: number; evictions: number; isCordon: boolean }>();
  const found: RepeatableIncident[] = [];
  let unknown = 0;
  const end = (node: string, untilMs: number | undefined) => {
    const drain = begun.get(node);
    begun.delete(node);
    if (drain === undefined) return;
    if (drain.evictions === 0) return void leftOut.push(`${node} was cordoned, and none of its pods was evicted`);
    const length = untilMs === undefined ? {} : { forMs: Math.max(1_000, untilMs - drain.sinceMs) };
    found.push({
      fault: "drain",
      target: node,
      atMs: drain.sinceMs,
      ...length,
      because: `${drain.evictions} evictions`,
    });
  };
  for (const { verb, resource, subresource, namespace, name, body, atMs } of entries) {
    if (resource === "nodes" && subresource === "" && isRecord(body?.["spec"]) && "unschedulable" in body["spec"]) {
      if (body["spec"]["unschedulable"] !== true) end(name, atMs);
      else if (!begun.has(name)) begun.set(name, { sinceMs: atMs, evictions: 0, isCordon: true });
    }
    if (verb !== "create" || subresource !== "eviction") continue;
    const node = podOf(namespace, name)?.node;
    if (node === undefined || node === "") unknown++;
    else {
      const drain = begun.get(node) ?? { sinceMs: atMs, evictions: 0, isCordon: false };
      drain.evictions++;
      begun.set(node, drain);
    }
  }
  for (const node of begun.keys()) end(node, undefined);
  if (unknown > 0)
    leftOut.push(`${unknown} evictions of pods that the cluster does not contain: name an earlier dump with --from`);
  return found;
}

/**
 * Pods that a person deleted. Pods that the cluster's services delete are the cluster's own
 * reaction.
 */
function deletions(
  entries: readonly AuditEntry[],
  { podOf, podsOf }: AuditIncidentOptions,
  leftOut: string[],
): RepeatableIncident[] {
  const actions: { workload: string; atMs: number; count: number }[] = [];
  let unknown = 0;
  for (const { user, verb, resource, subresource, namespace, name, atMs } of entries) {
    if (verb !== "delete" || resource !== "pods" || subresource !== "" || user.startsWith("system:")) continue;
    const workload = podOf(namespace, name)?.workload;
    const last = actions.findLast((each) => each.workload === workload);
    if (workload === undefined) unknown++;
    else if (last !== undefined && atMs - last.atMs <= togetherMs) last.count++;
    else actions.push({ workload, atMs, count: 1 });
  }
  if (unknown > 0)
    leftOut.push(`${unknown} deletions of pods that the cluster does not contain: name an earlier dump with --from`);
  return actions.flatMap(({ workload, atMs, count }): RepeatableIncident[] => {
    const of = podsOf(workload);
    if (count >= of) return [{ fault: "delete-pods", target: workload, atMs, because: `${count} pods were deleted` }];
    leftOut.push(`${count} of ${of} pods of ${workload} were deleted`);
    return [];
  });
}
