import { parseObjectPath, type ResourcePath } from "@kintsugi/api";
import type { HandlerRequest, HandlerResponse } from "@kintsugi/client";
import { parseValue } from "../../committed-values.ts";

/**
 * Called with a request when it reaches the server.
 * @returns an observer of its response.
 */
export type RequestWitness = (request: HandlerRequest) => AnswerWitness | undefined;

/** @returns an observer of the remaining frames, if the response is a stream. */
type AnswerWitness = (answer: HandlerResponse) => StreamWitness | undefined;

/** Observes the response of a watch. */
export interface StreamWitness {
  /** A client waits for its next frame. */
  awaited(): void;
  sent(): void;
  ended(): void;
}

/** A granted request that may have an effect. */
export interface SeenRequest {
  readonly request: HandlerRequest;
  readonly path: ResourcePath;
  /** The entry at its arrival. */
  readonly target: WriteTarget | undefined;
  /** The body of the request, when it is JSON. */
  readonly sent: () => Sent;
  /** The object, or the Status, in the response. */
  readonly answered: () => Sent;
}

export interface WriteTarget {
  readonly uid: string;
  /** The node to which a pod is bound. */
  readonly nodeName: string;
  readonly owners: readonly string[];
}

/** The part of a body that checks need. */
export interface Sent {
  readonly metadata?: { uid?: string; name?: string };
  readonly details?: { uid?: string };
  readonly spec?: { nodeName?: string; replicas?: number };
  readonly gracePeriodSeconds?: number;
  /** An eviction's. */
  readonly deleteOptions?: { gracePeriodSeconds?: number };
  readonly propagationPolicy?: string;
  readonly preconditions?: { uid?: string; resourceVersion?: string };
}

/** The objects by which a request's target is found. */
interface Targets {
  entryOf(path: ResourcePath): WriteTarget | undefined;
}

/**
 * The request in the view of checks, before its result is known; undefined for reads and for other
 * paths.
 */
export function beginRequest(request: HandlerRequest, known: Targets): Omit<SeenRequest, "answered"> | undefined {
  if (request.method === "GET") return undefined;
  const path = parseObjectPath(request.path.split("?", 1)[0] ?? "");
  if (!path) return undefined;
  // Half of all writes are renewals, of which only the path matters.
  let body: Sent | undefined = path.resource === "leases" && request.method === "PUT" ? {} : undefined;
  return { request, path, sent: () => (body ??= parsed(request.body)), target: known.entryOf(path) };
}

export function parsed(body: unknown): Sent {
  if (!(body instanceof Uint8Array) || body.byteLength === 0) return {};
  try {
    const value = parseValue<unknown>(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** Reports whether a request deletes a pod without waiting for its node. */
export function isForcedDeletion({ request, path, sent, target }: Omit<SeenRequest, "answered">): boolean {
  const isEviction = request.method === "POST" && path.subresource === "eviction";
  if (!(isEviction || request.method === "DELETE") || path.resource !== "pods" || !target) return false;
  const { gracePeriodSeconds } = (isEviction ? sent().deleteOptions : sent()) ?? {};
  const isNow = gracePeriodSeconds === 0 || /[?&]gracePeriodSeconds=0(&|$)/.test(request.path);
  return isNow && request.identity.name !== `system:node:${target.nodeName}`;
}
