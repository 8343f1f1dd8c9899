import { strict as assert } from "node:assert";
import type { RuntimeEvent } from "../container-runtime.ts";
import { findMessage } from "../proto/definitions.ts";
import type { WireContainerStatus } from "./container.ts";
import {
  msFromNanoseconds,
  msFromTimestamp,
  nanosecondsFromMs,
  timestampFromMs,
  type WireTimestamp,
} from "./scalars.ts";

/** containerd stores everything that arrived through CRI in this namespace. */
export const containerdNamespace = "k8s.io";

export interface WireAny {
  typeUrl: string;
  value: Uint8Array;
}

export interface WireEnvelope {
  timestamp: WireTimestamp | null;
  namespace: string;
  topic: string;
  event: WireAny | null;
}

type CriEventType =
  | "CONTAINER_CREATED_EVENT"
  | "CONTAINER_STARTED_EVENT"
  | "CONTAINER_STOPPED_EVENT"
  | "CONTAINER_DELETED_EVENT";

export interface WireContainerEvent {
  containerId: string;
  containerEventType: CriEventType;
  createdAt: string;
  containersStatuses: WireContainerStatus[];
}

type ContainerEvent = Exclude<RuntimeEvent, { type: "connected" }>;

const markerPrefix = "/kintsugi/subscribed/";

/** The topic under which a subscriber receives its own marker. */
export function markerTopic(subscriberId: string): string {
  return `${markerPrefix}${subscriberId}`;
}

export const markerEvent: WireAny = { typeUrl: "google.protobuf.Empty", value: new Uint8Array() };

const topics = ["/containers/create", "/tasks/start", "/tasks/exit", "/tasks/oom", "/containers/delete"] as const;
type Topic = (typeof topics)[number];

/** containerd combines filters with "or"; within a filter, commas mean "and". */
export const subscriptionFilters: string[] = [
  ...topics.map((topic) => `namespace==${containerdNamespace},topic=="${topic}"`),
  `namespace==${containerdNamespace},topic~="^${markerPrefix}"`,
];

interface TaskExit {
  containerId: string;
  id: string;
  pid: number;
  exitStatus: number;
  exitedAt: WireTimestamp | null;
}

/**
 * Undefined for irrelevant events: other topics, and the exit of a command that was run inside a
 * container.
 */
export function eventFromEnvelope(envelope: WireEnvelope): ContainerEvent | undefined {
  const atMs = msFromTimestamp(envelope.timestamp);
  if (!envelope.event || !isTopic(envelope.topic)) return undefined;
  const body = decodeAny(envelope.event);
  switch (envelope.topic) {
    case "/containers/create":
      return { type: "created", containerId: (body as { id: string }).id, atMs };
    case "/containers/delete":
      return { type: "deleted", containerId: (body as { id: string }).id, atMs };
    case "/tasks/start":
      return { type: "started", containerId: (body as { containerId: string }).containerId, atMs };
    case "/tasks/oom":
      return { type: "oom", containerId: (body as { containerId: string }).containerId, atMs };
    case "/tasks/exit": {
      const { containerId, id, exitStatus, exitedAt } = body as TaskExit;
      if (id !== containerId) return undefined;
      return { type: "stopped", containerId, atMs: exitedAt ? msFromTimestamp(exitedAt) : atMs, exitCode: exitStatus };
    }
  }
}

/** Returns the envelope in which containerd would have published the event. */
export function envelopeOf(event: ContainerEvent): WireEnvelope {
  const { containerId, atMs } = event;
  const timestamp = timestampFromMs(atMs);
  const wrap = (topic: Topic, type: string, body: object): WireEnvelope => ({
    timestamp,
    namespace: containerdNamespace,
    topic,
    event: encodeAny(`containerd.events.${type}`, body),
  });
  switch (event.type) {
    case "created":
      return wrap("/containers/create", "ContainerCreate", { id: containerId });
    case "deleted":
      return wrap("/containers/delete", "ContainerDelete", { id: containerId });
    case "started":
      return wrap("/tasks/start", "TaskStart", { containerId });
    case "oom":
      return wrap("/tasks/oom", "TaskOOM", { containerId });
    case "stopped":
      return wrap("/tasks/exit", "TaskExit", {
        containerId,
        id: containerId,
        exitStatus: event.exitCode ?? 0,
        exitedAt: timestamp,
      });
  }
}

const typeOfCri: Record<CriEventType, "created" | "started" | "stopped" | "deleted"> = {
  CONTAINER_CREATED_EVENT: "created",
  CONTAINER_STARTED_EVENT: "started",
  CONTAINER_STOPPED_EVENT: "stopped",
  CONTAINER_DELETED_EVENT: "deleted",
};
const criOfType = {
  created: "CONTAINER_CREATED_EVENT",
  started: "CONTAINER_STARTED_EVENT",
  stopped: "CONTAINER_STOPPED_EVENT",
  deleted: "CONTAINER_DELETED_EVENT",
} as const;

/**
 * Returns the events in a message of CRI's stream. The stream has no events for OOM kills. An OOM
 * kill that ended a container is in the status of its end, and is emitted in containerd's order:
 * before the end.
 */
export function eventsFromCri(wire: WireContainerEvent): ContainerEvent[] {
  const type = typeOfCri[wire.containerEventType];
  const event = { type, containerId: wire.containerId, atMs: msFromNanoseconds(wire.createdAt) };
  const status = wire.containersStatuses.find(({ id }) => id === wire.containerId);
  if (type !== "stopped" || !status) return [event];
  const end = { ...event, exitCode: status.exitCode };
  return status.reason === "OOMKilled" ? [{ ...event, type: "oom" }, end] : [end];
}

/** Undefined for OOM kills, which CRI's stream does not report separately. */
export function criEventOf(event: ContainerEvent, status?: WireContainerStatus): WireContainerEvent | undefined {
  if (event.type === "oom") return undefined;
  return {
    containerId: event.containerId,
    containerEventType: criOfType[event.type],
    createdAt: nanosecondsFromMs(event.atMs),
    containersStatuses: status ? [status] : [],
  };
}

function isTopic(topic: string): topic is Topic {
  return (topics as readonly string[]).includes(topic);
}

function decodeAny({ typeUrl, value }: WireAny): object {
  const name = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
  const definition = findMessage(name);
  assert(definition, `containerd sent a ${name}, which is not an event of a requested topic`);
  return definition.deserialize(Buffer.from(value));
}

function encodeAny(typeUrl: string, body: object): WireAny {
  const definition = findMessage(typeUrl);
  assert(definition, `${typeUrl} is a message of the protos`);
  return { typeUrl, value: definition.serialize(body) };
}
