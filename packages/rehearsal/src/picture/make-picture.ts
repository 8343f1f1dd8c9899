import {
  type ApiObject,
  apiVersionOf,
  applyDefaults,
  countedNoun,
  formatKey,
  type Job,
  jobs,
  isApiError,
  isPodBound,
  keyOf,
  type Event,
  events,
  type Node,
  nodes,
  parseObject,
  type Pod,
  pods,
  type ResourceType,
} from "@kintsugi/api";
import type { RecordedPast } from "../record/apply-record.ts";
import { isRecord, type ListedKind, type RawObject } from "../source/raw-object.ts";
import { UnreadableSource } from "../source/unreadable.ts";
import {
  type KindReading,
  type ClusterPicture,
  podsAreUnknown,
  type ShownPast,
  type UnmodelledKind,
} from "./picture.ts";
import { podsMaxOf, withPodsMax } from "./limit-pods.ts";
import { findOtherVersion, findRehearsedKind, type RehearsedKind, rehearsedKinds } from "./rehearsed-kinds.ts";
import { ownerCircles } from "./owner-circles.ts";
import { workloadFault } from "./workload-fault.ts";
import { takenAt } from "./taken-at.ts";

export interface PictureSource {
  readonly name: string;
  readonly objects: readonly RawObject[];
  readonly listed: readonly ListedKind[];
  /**
   * The source is complete, so a kind that it does not show has no objects. Manifests are such a
   * source. The output of `kubectl get` is not complete, because it does not name the kinds that
   * were requested.
   */
  readonly isWhole: boolean;
  /** The facts that a record shows beyond its last state. */
  readonly past?: RecordedPast | undefined;
}

const madePodsNote =
  "the source contains no pods: they were created from its workloads, and scheduled, before the first question";

/** Limit on sentences of one kind; further sentences are only counted. */
const notesPerSortMax = 5;

/**
 * Makes one picture of all objects of a source. Each is parsed as its kind, a later object of the
 * same name replaces an earlier object, and unreadable objects are named.
 * @throws UnreadableSource if the source is empty or has no node.
 */
export function makePicture(source: PictureSource): ClusterPicture {
  const reader = new PictureReader();
  for (const raw of source.objects) reader.read(raw);
  reader.limitCrowds();
  const objects = reader.objects();
  if ((objects.get(nodes.resource) ?? []).length === 0)
    throw new UnreadableSource(withoutNodes(source, reader.leftOut()));
  const taken = takenAt(objects);
  const kinds = rehearsedKinds.map((rehearsed) => readingOf(rehearsed, source, objects));
  return {
    source: source.name,
    takenAtMs: taken.takenAtMs,
    minor: minorOf(objects.get(nodes.resource) ?? []),
    objects,
    kinds,
    ...(source.past === undefined ? {} : { recorded: shownPast(source.past) }),
    unmodelled: reader.unmodelled(),
    leftOut: [...reader.leftOut(), ...podsElsewhere(objects), ...nodesWithoutRoom(objects)],
    notes: [...taken.notes, ...(podsAreUnknown({ objects, kinds }) ? [madePodsNote] : []), ...ownerCircles(objects)],
  };
}

/** Pods of nodes that are not in the source, so that their state is not known. */
function podsElsewhere(objects: ReadonlyMap<string, readonly ApiObject[]>): string[] {
  const names = new Set((objects.get(nodes.resource) ?? []).map(({ metadata }) => metadata.name));
  const all = (objects.get(pods.resource) ?? []) as readonly Pod[];
  const count = all.filter((pod) => isPodBound(pod) && !names.has(pod.spec?.nodeName)).length;
  return count === 0
    ? []
    : [
        `${countedNoun(count, "pod")} on nodes that the source does not contain: controllers replace each pod that has an owner`,
      ];
}

/**
 * A node without allocatable resources is full for every pod. The source was probably dumped
 * without the status of the nodes.
 */
function nodesWithoutRoom(objects: ReadonlyMap<string, readonly ApiObject[]>): string[] {
  const all = (objects.get(nodes.resource) ?? []) as readonly Node[];
  const bare = all.filter(({ status }) => Object.keys(status?.allocatable ?? status?.capacity ?? {}).length === 0);
  if (bare.length === 0) return [];
  const names = bare.slice(0, notesPerSortMax).map(({ metadata }) => metadata.name ?? "");
  const more = bare.length > names.length ? ` and ${bare.length - names.length} more` : "";
  const what = bare.length === 1 ? "the capacity of node" : "the capacity of nodes";
  return [`${what} ${names.join(", ")}${more}, so no further pod fits there: dump nodes with their status`];
}

function shownPast({ fromMs, toMs, pods: seen, events: told, stops, restarts }: RecordedPast): ShownPast {
  return {
    durationMs: toMs - fromMs,
    pods: seen.flatMap((raw) => readAs<Pod>(pods, raw)),
    events: told.flatMap((raw) => readAs<Event>(events, raw)),
    stops: stops.flatMap(({ pod: raw, stopMs }) => readAs<Pod>(pods, raw).map((pod) => ({ pod, stopMs }))),
    restarts,
  };
}

/** An unreadable object of the past is ignored. */
function readAs<T extends ApiObject>({ resource, group }: ResourceType<T>, raw: RawObject): T[] {
  const kind = rehearsedKinds.find(({ kind: { type } }) => type.resource === resource && type.group === group)?.kind;
  if (kind === undefined) return [];
  try {
    return [applyDefaults(kind, parseObject(kind.schema, kind.type, withoutManagers(raw))) as T];
  } catch (error) {
    if (!isApiError(error)) throw error;
    return [];
  }
}

class PictureReader {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #unmodelled = new Map<string, { apiVersion: string; kind: string; count: number }>();
  readonly #notes = new Map<string, string[]>();

  read(raw: RawObject): void {
    const { apiVersion, kind } = raw;
    const rehearsed = findRehearsedKind(apiVersion, kind);
    if (rehearsed !== undefined) return this.#keep(rehearsed, raw);
    const other = findOtherVersion(apiVersion, kind);
    if (other !== undefined) {
      this.#note(
        "version",
        `${kind} ${nameOf(raw)} is in ${apiVersion}, which is not supported: dump it in ${apiVersionOf(other.kind.type)}`,
      );
    }
    const key = `${apiVersion} ${kind}`;
    const counted = this.#unmodelled.get(key) ?? { apiVersion, kind, count: 0 };
    counted.count++;
    this.#unmodelled.set(key, counted);
  }

  /** Limits workloads to few more pods than the nodes can hold. */
  limitCrowds(): void {
    const podsMax = podsMaxOf([...(this.#objects.get(nodes.resource)?.values() ?? [])] as Node[]);
    for (const [resource, byKey] of this.#objects) {
      for (const [key, object] of byKey) {
        const limited = withPodsMax(resource, object, podsMax);
        if (limited === undefined) continue;
        byKey.set(key, limited);
        const { parallelism } = (limited as Job).spec ?? {};
        this.#note(
          "crowd",
          resource === jobs.resource
            ? `jobs ${key} requests more simultaneous pods than a rehearsal starts, and has ${parallelism} here`
            : `${resource} ${key} requests more pods than these nodes can run, and has ${podsMax} here`,
        );
      }
    }
  }

  objects(): Map<string, readonly ApiObject[]> {
    const sorted = [...this.#objects].map(([resource, byKey]): [string, readonly ApiObject[]] => [
      resource,
      [...byKey].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, object]) => object),
    ]);
    return new Map(sorted);
  }

  unmodelled(): UnmodelledKind[] {
    return [...this.#unmodelled.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : Number(a.kind > b.kind)));
  }

  leftOut(): string[] {
    return [...this.#notes.values()].flatMap((notes) => {
      const more = notes.length - notesPerSortMax;
      return more <= 0 ? notes : [...notes.slice(0, notesPerSortMax), `and ${more} more of this kind`];
    });
  }

  #keep({ kind, key: resource }: RehearsedKind, raw: RawObject): void {
    try {
      const object = applyDefaults(kind, parseObject(kind.schema, kind.type, withoutManagers(raw)));
      const key = keyOf(object);
      if (key.name === "") return this.#note("name", `a ${kind.type.kind} has no name and is left out`);
      if (kind.type.namespaced && key.namespace === "") object.metadata.namespace = "default";
      const fault = workloadFault(kind.type.resource, object);
      if (fault !== undefined) return this.#note("workload", `${kind.type.kind} ${nameOf(raw)} is left out: ${fault}`);
      const byKey = this.#objects.get(resource) ?? new Map<string, ApiObject>();
      byKey.set(formatKey(keyOf(object)), object);
      this.#objects.set(resource, byKey);
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#note("shape", `${kind.type.kind} ${nameOf(raw)} is left out: ${error.message}`);
    }
  }

  #note(sort: string, sentence: string): void {
    const notes = this.#notes.get(sort) ?? [];
    notes.push(sentence);
    this.#notes.set(sort, notes);
  }
}

/** The record of fields' managers is two fifths of an object, and has no effect here. */
function withoutManagers(raw: RawObject): RawObject {
  const { metadata } = raw;
  if (!isRecord(metadata)) return raw;
  const { managedFields: _, ...kept } = metadata;
  return { ...raw, metadata: kept };
}

function nameOf({ metadata }: RawObject): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  return `${typeof namespace === "string" ? `${namespace}/` : ""}${typeof name === "string" ? name : "without a name"}`;
}

function readingOf(
  { kind, key: resource, use, without }: RehearsedKind,
  { listed, isWhole }: PictureSource,
  objects: ReadonlyMap<string, readonly ApiObject[]>,
): KindReading {
  const count = (objects.get(resource) ?? []).length;
  const lists = listed.filter((each) => each.kind === kind.type.kind && each.apiVersion === apiVersionOf(kind.type));
  const refused = lists.find((list) => list.refused !== undefined)?.refused;
  const isRead = count > 0 || isWhole || (lists.length > 0 && refused === undefined);
  if (isRead && refused === undefined) return { resource, state: "read", count, because: "" };
  if (refused === undefined) return { resource, state: "unknown", count, because: "" };
  const effect = use === "times" ? "defaults replace" : "not known:";
  return { resource, state: "unknown", count, because: `${resource}: ${refused}; ${effect} ${without}` };
}

function withoutNodes({ name, objects }: PictureSource, leftOut: readonly string[]): string {
  if (objects.length === 0)
    return `${name} contains no objects: \`kintsugi rehearse --print-dump-command\` prints a command that writes them`;
  const unread = objects.filter(({ kind, apiVersion }) => kind === nodes.kind && apiVersion === nodes.version).length;
  const because = leftOut.find((sentence) => sentence.startsWith(`${nodes.kind} `)) ?? leftOut[0] ?? "";
  if (unread > 0) return `${name} contains ${countedNoun(unread, "Node")}, of which none can be read: ${because}`;
  return `${name} contains ${countedNoun(objects.length, "object")} but no Node: describe the nodes, as in \`--nodes 3x4cpu16Gi@a,b,c\`, or dump nodes too`;
}

/** The version of most nodes. */
function minorOf(all: readonly ApiObject[]): number | undefined {
  const counts = new Map<number, number>();
  for (const node of all) {
    const version = (node as { status?: { nodeInfo?: { kubeletVersion?: string } } }).status?.nodeInfo?.kubeletVersion;
    const minor = /^v?1\.(\d+)/.exec(version ?? "")?.[1];
    if (minor !== undefined) counts.set(Number(minor), (counts.get(Number(minor)) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || b - a)[0]?.[0];
}
