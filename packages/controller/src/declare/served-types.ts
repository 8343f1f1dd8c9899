import { apiVersionOf, groupVersionPath, isApiError, type Logger, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";
import { isSameKind } from "./informer-pool.ts";

/**
 * The shortest time between two attempts while the server does not answer. The longest time is
 * twice as long.
 */
const retryMs = 1000;
/** A kind needs these verbs to be followed and cleaned up. */
const neededVerbs = ["list", "watch", "delete"];

export interface ServedTypesDeps {
  client: Pick<Client, "call">;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Returns the kinds that a list of controllers names, each once, in the order of the list. */
export function namedKinds(controllers: readonly { kinds: readonly ResourceType[] }[]): ResourceType[] {
  const named: ResourceType[] = [];
  for (const kind of controllers.flatMap(({ kinds }) => kinds)) {
    if (!named.some((known) => isSameKind(known, kind))) named.push(kind);
  }
  return named;
}

/**
 * Returns the given kinds that this API server serves with the verbs that an informer needs. The
 * informer of a kind that is not served would never be in sync. Retries until the server answers.
 * @throws the signal's reason, when it aborts.
 */
export async function findServedTypes(
  deps: ServedTypesDeps,
  kinds: readonly ResourceType[],
  signal: AbortSignal,
): Promise<ResourceType[]> {
  for (;;) {
    try {
      return await findOnce(deps.client, kinds, signal);
    } catch (error) {
      signal.throwIfAborted();
      deps.log.warn("the API server does not list the kinds that it serves", { error });
      await deps.clock.sleep(jittered(deps.random, retryMs, 1), signal);
    }
  }
}

async function findOnce(
  client: Pick<Client, "call">,
  kinds: readonly ResourceType[],
  signal: AbortSignal,
): Promise<ResourceType[]> {
  const served: ResourceType[] = [];
  for (const apiVersion of new Set(kinds.map((type) => apiVersionOf(type)))) {
    const ofVersion = kinds.filter((type) => apiVersionOf(type) === apiVersion);
    const [first] = ofVersion;
    const resources = first ? await listResources(client, first, signal) : new Set();
    served.push(...ofVersion.filter((type) => resources.has(type.resource)));
  }
  return served;
}

async function listResources(
  client: Pick<Client, "call">,
  type: ResourceType,
  signal: AbortSignal,
): Promise<Set<string>> {
  try {
    const answer = (await client.call({ method: "GET", path: groupVersionPath(type), signal })) as {
      resources?: { name?: string; verbs?: string[] }[];
    };
    const usable = (answer.resources ?? []).filter(({ verbs }) => neededVerbs.every((verb) => verbs?.includes(verb)));
    return new Set(usable.map(({ name }) => name ?? ""));
  } catch (error) {
    // A missing group is not an error, because an API server may serve fewer kinds.
    if (isApiError(error, "NotFound")) return new Set();
    throw error;
  }
}
