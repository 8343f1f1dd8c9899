import { countedNoun, nodeUserPrefix } from "@kintsugi/api";
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
  /** True for an eviction that a budget did not allow. */
  readonly isRefused: boolean;
  /** True for a cordon, false for an uncordon; undefined if the body does not show it. */
  readonly cordons: boolean | undefined;
  /** False if the audit policy does not keep the body. */
  readonly hasBody: boolean;
  /** The node to which the request binds a pod; "" for another request. */
  readonly boundTo: string;
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
  const subresource = stringIn(reference["subresource"]);
  const isRefused = subresource === "eviction" && code === refusedByBudget;
  if (!Number.isFinite(atMs) || (typeof code === "number" && code >= 300 && !isRefused)) return undefined;
  const { requestObject, requestURI } = event;
  if (isDryRun(stringIn(requestURI), requestObject)) return undefined;
  const body = isRecord(requestObject) ? requestObject : {};
  const binding = subresource === "binding" && isRecord(body["target"]) ? body["target"] : {};
  return {
    atMs,
    user: isRecord(user) ? stringIn(user["username"]) : "",
    verb: stringIn(verb),
    resource: stringIn(reference["resource"]),
    subresource,
    namespace: stringIn(reference["namespace"]),
    name: stringIn(reference["name"]),
    isRefused,
    cordons: cordonIn(requestObject, verb === "update"),
    hasBody: requestObject !== undefined,
    boundTo: stringIn(binding["name"]),
  };
}

/** The status of an eviction that a budget does not allow now. */
const refusedByBudget = 429;

/** `kubectl drain --dry-run=server` sends each of its requests without an effect. */
function isDryRun(uri: string, body: unknown): boolean {
  const options = isRecord(body) && isRecord(body["deleteOptions"]) ? body["deleteOptions"] : body;
  return /[?&]dryRun=All(&|$)/.test(uri) || (isRecord(options) && Array.isArray(options["dryRun"]));
}

/**
 * Reads spec.unschedulable in a merge patch or a whole Node, or in a JSON patch. `kubectl uncordon`
 * patches the field to null, and a whole Node that is schedulable lacks the field.
 */
function cordonIn(body: unknown, isWhole: boolean): boolean | undefined {
  if (Array.isArray(body)) {
    const change = (body as unknown[]).filter(isRecord).findLast(({ path }) => path === "/spec/unschedulable");
    return change === undefined ? undefined : change["op"] !== "remove" && change["value"] === true;
  }
  const spec = isRecord(body) ? body["spec"] : undefined;
  if (!isRecord(spec) || !(isWhole || "unschedulable" in spec)) return undefined;
  return spec["unschedulable"] === true;
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
  const drained = new Drains(options, homesIn(sorted));
  drained.read(sorted);
  const found = [
    ...silences(sorted, options.graceMs, leftOut),
    ...drained.found(leftOut),
    ...deletions(
      sorted.filter((entry) => !drained.explains(entry)),
      options,
      leftOut,
    ),
  ];
  return { found, leftOut };
}

/** A kubelet renews its Lease every 10 s, so a node without renewals was silent. */
function silences(entries: readonly AuditEntry[], graceMs: number, leftOut: string[]): RepeatableIncident[] {
  const renewals = new Map<string, number[]>();
  for (const { user, resource, atMs } of entries) {
    if (resource !== "leases" || !user.startsWith(nodeUserPrefix)) continue;
    const node = user.slice(nodeUserPrefix.length);
    const times = renewals.get(node) ?? [];
    times.push(atMs);
    renewals.set(node, times);
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

interface BegunDrain {
  readonly sinceMs: number;
  /** The user who cordoned the node; "" if the log does not show the cordon. */
  readonly by: string;
  evictions: number;
  refusals: number;
}

// `kubectl drain` in an audit log, and its counterpart:
//   patch node-1 {spec: {unschedulable: true}}
//   create pods/web-1/eviction 201 · create pods/db-0/eviction 429
//   patch node-1 {spec: {unschedulable: null}}
// Requests do not have bodies at the level Metadata, so a patch is a cordon if its user evicts a
// pod of the node next, and a person's next patch of that node is the uncordon.
class Drains {
  readonly #podOf: AuditIncidentOptions["podOf"];
  readonly #homes: ReadonlyMap<string, readonly Home[]>;
  readonly #begun = new Map<string, BegunDrain>();
  /** The last patch without a body, by node. */
  readonly #patches = new Map<string, AuditEntry>();
  readonly #found: RepeatableIncident[] = [];
  readonly #leftOut: string[] = [];
  readonly #explained = new Set<AuditEntry>();
  #unknown = 0;

  constructor({ podOf }: Pick<AuditIncidentOptions, "podOf">, homes: ReadonlyMap<string, readonly Home[]>) {
    this.#podOf = podOf;
    this.#homes = homes;
  }

  /** Reads all entries, oldest first. */
  read(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      if (entry.resource === "nodes" && entry.subresource === "" && isChange(entry)) this.#nodeChanges(entry);
      else if (entry.verb === "create" && entry.subresource === "eviction") this.#evicts(entry);
      else if (entry.verb === "delete" && entry.resource === "pods" && entry.subresource === "") this.#deletes(entry);
    }
    for (const node of this.#begun.keys()) this.#end(node, undefined);
    if (this.#unknown > 0)
      this.#leftOut.push(
        `${countedNoun(this.#unknown, "eviction")} of pods that neither the cluster nor the log places on a node: name an earlier dump with --from`,
      );
  }

  found(leftOut: string[]): readonly RepeatableIncident[] {
    leftOut.push(...this.#leftOut);
    return this.#found;
  }

  /**
   * Reports whether a drain deleted the pod of the entry, as `kubectl drain --disable-eviction`
   * does.
   */
  explains(entry: AuditEntry): boolean {
    return this.#explained.has(entry);
  }

  #nodeChanges(entry: AuditEntry): void {
    const { name, user, cordons, hasBody, atMs } = entry;
    const drain = this.#begun.get(name);
    if (cordons === true) {
      if (drain === undefined) this.#begun.set(name, { sinceMs: atMs, by: user, evictions: 0, refusals: 0 });
    } else if (cordons === false) this.#end(name, atMs);
    else if (!hasBody && !isOfTheNode(user)) {
      if (drain !== undefined && drain.by !== "") this.#end(name, atMs);
      this.#patches.set(name, entry);
    }
  }

  #evicts(entry: AuditEntry): void {
    const node = this.#nodeOf(entry);
    if (node === "") return void this.#unknown++;
    const drain = this.#begun.get(node) ?? this.#beginAt(node, entry);
    if (entry.isRefused) drain.refusals++;
    else drain.evictions++;
  }

  #deletes(entry: AuditEntry): void {
    const drain = this.#begun.get(this.#nodeOf(entry));
    if (drain === undefined || drain.by !== entry.user) return;
    drain.evictions++;
    this.#explained.add(entry);
  }

  #beginAt(node: string, { user, atMs }: AuditEntry): BegunDrain {
    const patch = this.#patches.get(node);
    const isCordon = patch !== undefined && patch.user === user && atMs - patch.atMs <= togetherMs;
    const drain = { sinceMs: isCordon ? patch.atMs : atMs, by: isCordon ? user : "", evictions: 0, refusals: 0 };
    this.#begun.set(node, drain);
    return drain;
  }

  #end(node: string, untilMs: number | undefined): void {
    const drain = this.#begun.get(node);
    this.#begun.delete(node);
    if (drain === undefined) return;
    const { sinceMs, evictions, refusals } = drain;
    if (evictions + refusals === 0) {
      this.#leftOut.push(`${node} was cordoned, and none of its pods was evicted`);
      return;
    }
    const length = untilMs === undefined ? {} : { forMs: Math.max(1_000, untilMs - sinceMs) };
    const refused = refusals === 0 ? "" : `, and ${refusals} refused by budgets`;
    const because = `${countedNoun(evictions, "eviction")}${refused}`;
    this.#found.push({ fault: "drain", target: node, atMs: sinceMs, ...length, because });
  }

  /** The log is from the time of the incident, so it precedes the dump. */
  #nodeOf({ namespace, name, atMs }: AuditEntry): string {
    const homes = this.#homes.get(`${namespace}/${name}`) ?? [];
    const home = homes.findLast((each) => each.fromMs <= atMs);
    return home?.node ?? this.#podOf(namespace, name)?.node ?? "";
  }
}

interface Home {
  readonly node: string;
  readonly fromMs: number;
}

/**
 * Finds the nodes of the pods that were bound in the log, or whose kubelet wrote their status. The
 * name of a StatefulSet's pod moves from node to node.
 */
function homesIn(entries: readonly AuditEntry[]): Map<string, Home[]> {
  const homes = new Map<string, Home[]>();
  for (const { resource, subresource, namespace, name, user, boundTo, atMs } of entries) {
    if (resource !== "pods" || name === "") continue;
    const isKubelet = user.startsWith(nodeUserPrefix) && subresource === "status";
    const node = subresource === "binding" ? boundTo : isKubelet ? user.slice(nodeUserPrefix.length) : "";
    if (node === "") continue;
    const key = `${namespace}/${name}`;
    const known = homes.get(key) ?? [];
    // A kubelet writes the status of pods that were bound to its node before the log begins.
    const fromMs = known.length === 0 && isKubelet ? -Infinity : atMs;
    if (known.at(-1)?.node !== node) known.push({ node, fromMs });
    homes.set(key, known);
  }
  return homes;
}

function isChange({ verb }: AuditEntry): boolean {
  return verb === "patch" || verb === "update";
}

/** Kubelets and controllers patch nodes too, with labels, addresses and taints. */
function isOfTheNode(user: string): boolean {
  return user.startsWith(nodeUserPrefix) || user.startsWith("system:kube-") || user.endsWith(":node-controller");
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
    leftOut.push(
      `${countedNoun(unknown, "deletion")} of pods that the cluster does not contain: name an earlier dump with --from`,
    );
  return actions.flatMap(({ workload, atMs, count }): RepeatableIncident[] => {
    const of = podsOf(workload);
    if (count >= of)
      return [{ fault: "delete-pods", target: workload, atMs, because: `${countedNoun(count, "pod")} deleted` }];
    leftOut.push(`${count} of ${countedNoun(of, "pod")} of ${workload} ${count === 1 ? "was" : "were"} deleted`);
    return [];
  });
}
