import { countedNoun, formatTimestamp } from "@kintsugi/api";
import { instantIn, isRecord, rawKeyOf, type RawObject, stringIn } from "../source/raw-object.ts";
import type { RepeatableIncident, Incidents } from "./incident.ts";
import type { RecordedChange } from "../source/raw-object.ts";

export interface RecordIncidentOptions {
  /** The silence after which a node is considered lost. */
  readonly graceMs: number;
  /** The name of a pod's workload. */
  readonly workloadOf: (pod: RawObject) => string;
}

/** Pods that are removed within this time count as one action. */
const togetherMs = 10_000;

interface Trouble {
  readonly fault: "kill-node" | "runtime-away";
  readonly sinceMs: number;
  readonly bootId: string;
}

/** Finds in a record the external incidents of its cluster. */
export function recordIncidents(
  base: readonly RawObject[],
  observed: readonly RecordedChange[],
  options: RecordIncidentOptions,
): Incidents {
  const reader = new IncidentReader(options);
  for (const object of base) reader.begin(object);
  for (const change of observed) reader.observe(change);
  return reader.end();
}

class IncidentReader {
  readonly #options: RecordIncidentOptions;
  readonly #found: RepeatableIncident[] = [];
  readonly #leftOut: string[] = [];
  readonly #troubled = new Map<string, Trouble>();
  readonly #cordoned = new Map<string, { sinceMs: number; hasEvicted: boolean }>();
  readonly #pods = new Map<string, { workload: string; node: string }>();
  readonly #specs = new Map<string, string>();
  readonly #specChangedMs = new Map<string, number>();
  readonly #deleted: { workload: string; atMs: number; count: number; of: number }[] = [];

  constructor(options: RecordIncidentOptions) {
    this.#options = options;
  }

  /** The state before the record is not an incident. */
  begin(object: RawObject): void {
    if (object.kind === "Pod") this.#keepPod(object);
    else this.#specs.set(rawKeyOf(object), JSON.stringify(object["spec"]));
  }

  observe({ atMs, is, object }: RecordedChange): void {
    if (object.kind === "Node") this.#observeNode(object, is, atMs);
    else if (object.kind === "Pod") this.#observePod(object, is, atMs);
    else this.#observeOwner(object, atMs);
  }

  end(): Incidents {
    for (const [node, { fault, sinceMs }] of this.#troubled)
      this.#found.push({ fault, target: node, atMs: sinceMs, because: "it did not return in the record" });
    for (const [node, cordon] of this.#cordoned) this.#endCordon(node, cordon, undefined);
    for (const { workload, atMs, count, of } of this.#deleted) {
      if (count >= of)
        this.#found.push({
          fault: "delete-pods",
          target: workload,
          atMs,
          because: `${countedNoun(of, "pod")} deleted at the same time`,
        });
      else
        this.#leftOut.push(
          `${count} of ${countedNoun(of, "pod")} of ${workload} ${count === 1 ? "was" : "were"} deleted at ${formatTimestamp(atMs)}`,
        );
    }
    return { found: this.#found, leftOut: this.#leftOut };
  }

  #observeNode(node: RawObject, is: RecordedChange["is"], atMs: number): void {
    const { name } = metaOf(node);
    if (is === "removed") {
      this.#troubled.delete(name);
      this.#cordoned.delete(name);
      this.#found.push({ fault: "kill-node", target: name, atMs, because: "the node was removed" });
      return;
    }
    this.#observeReady(node, name, atMs);
    const isCordoned = isRecord(node["spec"]) && node["spec"]["unschedulable"] === true;
    const cordon = this.#cordoned.get(name);
    if (isCordoned && cordon === undefined) this.#cordoned.set(name, { sinceMs: atMs, hasEvicted: false });
    if (!isCordoned && cordon !== undefined) {
      this.#cordoned.delete(name);
      this.#endCordon(name, cordon, atMs);
    }
  }

  #observeReady(node: RawObject, name: string, atMs: number): void {
    const ready = readyOf(node);
    const trouble = this.#troubled.get(name);
    const bootId = bootIdOf(node);
    if (ready === undefined) return;
    const changedMs = Number.isFinite(ready.sinceMs) ? ready.sinceMs : atMs;
    if (ready.status !== "True" && trouble === undefined) {
      const isSilent = ready.status === "Unknown";
      const sinceMs = isSilent ? changedMs - this.#options.graceMs : changedMs;
      this.#troubled.set(name, { fault: isSilent ? "kill-node" : "runtime-away", sinceMs, bootId });
    }
    if (ready.status !== "True" || trouble === undefined) return;
    this.#troubled.delete(name);
    const forMs = Math.max(1_000, changedMs - trouble.sinceMs);
    // A machine that did not boot again kept running without a connection.
    const isCut = trouble.fault === "kill-node" && bootId !== "" && bootId === trouble.bootId;
    const because = isCut ? "silent, and back without a reboot" : "not Ready, then Ready again";
    this.#found.push({
      fault: isCut ? "cut-node" : trouble.fault,
      target: name,
      atMs: trouble.sinceMs,
      forMs,
      because,
    });
  }

  #endCordon(
    node: string,
    { sinceMs, hasEvicted }: { sinceMs: number; hasEvicted: boolean },
    untilMs: number | undefined,
  ): void {
    if (!hasEvicted)
      return void this.#leftOut.push(
        `${node} was cordoned at ${formatTimestamp(sinceMs)}, and none of its pods was removed`,
      );
    const end = untilMs === undefined ? {} : { forMs: untilMs - sinceMs };
    this.#found.push({
      fault: "drain",
      target: node,
      atMs: sinceMs,
      ...end,
      because: "cordoned, and its pods were removed",
    });
  }

  #observePod(pod: RawObject, is: RecordedChange["is"], atMs: number): void {
    const { uid, deletionTimestamp } = metaOf(pod);
    const known = this.#pods.get(uid);
    if (is === "put" && deletionTimestamp === undefined) return this.#keepPod(pod);
    if (known === undefined) return;
    const of = [...this.#pods.values()].filter(({ workload }) => workload === known.workload).length;
    this.#pods.delete(uid);
    const cordon = this.#cordoned.get(known.node);
    if (cordon !== undefined) cordon.hasEvicted = true;
    const isByOwner = atMs - (this.#specChangedMs.get(known.workload) ?? -Infinity) < togetherMs * 6;
    if (cordon !== undefined || this.#troubled.has(known.node) || isByOwner) return;
    const last = this.#deleted.findLast(({ workload }) => workload === known.workload);
    if (last !== undefined && atMs - last.atMs <= togetherMs) last.count++;
    else this.#deleted.push({ workload: known.workload, atMs, count: 1, of });
  }

  /** A workload whose own spec has changed replaces its pods by itself. */
  #observeOwner(object: RawObject, atMs: number): void {
    const spec = JSON.stringify(object["spec"]);
    if (this.#specs.get(rawKeyOf(object)) === spec) return;
    this.#specs.set(rawKeyOf(object), spec);
    const { namespace, name } = metaOf(object);
    this.#specChangedMs.set(`${namespace}/${object.kind.toLowerCase()}/${name}`, atMs);
  }

  #keepPod(pod: RawObject): void {
    const spec = isRecord(pod["spec"]) ? pod["spec"] : {};
    const node = stringIn(spec["nodeName"]);
    if (metaOf(pod).deletionTimestamp === undefined && !isTerminal(pod))
      this.#pods.set(metaOf(pod).uid, { workload: this.#options.workloadOf(pod), node });
    else this.#pods.delete(metaOf(pod).uid);
  }
}

/** A pod whose work is done ends by itself. */
function isTerminal({ status }: RawObject): boolean {
  return isRecord(status) && (status["phase"] === "Succeeded" || status["phase"] === "Failed");
}

function readyOf({ status }: RawObject): { status: string; sinceMs: number } | undefined {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? (status["conditions"] as unknown[]) : [];
  const ready = conditions.find((each) => isRecord(each) && each["type"] === "Ready");
  if (!isRecord(ready) || typeof ready["status"] !== "string") return undefined;
  return { status: ready["status"], sinceMs: instantIn(ready["lastTransitionTime"]) };
}

function bootIdOf({ status }: RawObject): string {
  const info = isRecord(status) && isRecord(status["nodeInfo"]) ? status["nodeInfo"] : {};
  return stringIn(info["bootID"]);
}

interface Meta {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly deletionTimestamp: string | undefined;
}

function metaOf({ metadata }: RawObject): Meta {
  const { uid, name, namespace, deletionTimestamp } = isRecord(metadata) ? metadata : {};
  return {
    uid: stringIn(uid),
    name: stringIn(name),
    namespace: stringIn(namespace),
    deletionTimestamp: typeof deletionTimestamp === "string" ? deletionTimestamp : undefined,
  };
}
