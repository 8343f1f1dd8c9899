import type { Container, PodSandbox, RuntimeEvent } from "@kintsugi/cri";
import { labelNames } from "../../model/labels.ts";

/**
 * The kubelet's record of a sandbox or container between two listings, just enough to detect a
 * change.
 */
export interface RuntimeRecord {
  kind: "sandbox" | "container";
  pod: PodIdentity;
  state: "created" | "running" | "exited" | "unknown";
}

export interface PodIdentity {
  uid: string;
  name: string;
  namespace: string;
}

/** The records by sandbox or container id. */
export type RuntimeRecords = ReadonlyMap<string, RuntimeRecord>;

export interface PodLifecycleEvent {
  type: "ContainerStarted" | "ContainerDied" | "ContainerRemoved" | "ContainerChanged";
  pod: PodIdentity;
  id: string;
}

/**
 * Makes records from the runtime's lists. A container without a pod's labels does not belong to the
 * kubelet.
 */
export function recordsOf(
  sandboxes: readonly Pick<PodSandbox, "id" | "labels" | "ready">[],
  containers: readonly Pick<Container, "id" | "labels" | "state">[],
): Map<string, RuntimeRecord> {
  const records = new Map<string, RuntimeRecord>();
  for (const { id, labels, ready } of sandboxes) {
    const pod = identityFrom(labels);
    if (pod) records.set(id, { kind: "sandbox", pod, state: ready ? "running" : "exited" });
  }
  for (const { id, labels, state } of containers) {
    const pod = identityFrom(labels);
    if (pod) records.set(id, { kind: "container", pod, state });
  }
  return records;
}

/**
 * Lists the events between two listings:
 *
 *   before      after       event
 *   none        running     ContainerStarted
 *   none        exited      ContainerDied       it started and ended; the runtime still has it
 *   running     exited      ContainerDied
 *   any         none        ContainerDied if it ran, then ContainerRemoved
 *   any         unknown     ContainerChanged
 */
export function containerEvents(before: RuntimeRecords, after: RuntimeRecords): PodLifecycleEvent[] {
  const events: PodLifecycleEvent[] = [];
  for (const [id, record] of after) {
    const type = eventOf(before.get(id)?.state, record.state);
    if (type) events.push({ type, pod: record.pod, id });
  }
  for (const [id, record] of before) {
    if (after.has(id)) continue;
    if (record.state === "running" || record.state === "unknown")
      events.push({ type: "ContainerDied", pod: record.pod, id });
    events.push({ type: "ContainerRemoved", pod: record.pod, id });
  }
  return events;
}

/**
 * A record after an event of the runtime; undefined when the container no longer exists. An exited
 * container never runs again under the same id, so a late or repeated event changes nothing.
 */
export function recordAfter(record: RuntimeRecord, event: RuntimeEvent): RuntimeRecord | undefined {
  switch (event.type) {
    case "stopped":
      return { ...record, state: "exited" };
    case "started":
      return record.state === "exited" ? record : { ...record, state: "running" };
    case "deleted":
      return undefined;
    case "connected":
    case "created":
    case "oom":
      // A created container is reported when it starts; an OOM kill is reported by the container's
      // end.
      return record;
  }
}

function eventOf(
  before: RuntimeRecord["state"] | undefined,
  after: RuntimeRecord["state"],
): PodLifecycleEvent["type"] | undefined {
  if (before === after) return undefined;
  switch (after) {
    case "running":
      return "ContainerStarted";
    case "exited":
      return "ContainerDied";
    case "unknown":
      return "ContainerChanged";
    case "created":
      return undefined;
  }
}

function identityFrom(labels: Readonly<Record<string, string>>): PodIdentity | undefined {
  const uid = labels[labelNames.podUid];
  const name = labels[labelNames.podName];
  const namespace = labels[labelNames.podNamespace];
  return uid !== undefined && name !== undefined && namespace !== undefined ? { uid, name, namespace } : undefined;
}
