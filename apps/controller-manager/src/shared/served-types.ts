import {
  apiVersionOf,
  groupVersionPath,
  isApiError,
  type Logger,
  type ResourceType,
  pods,
  nodes,
  namespaces,
  configMaps,
  secrets,
  serviceAccounts,
  services,
  endpoints,
  events,
  eventsV1,
  deployments,
  replicaSets,
  leases,
  certificateSigningRequests,
  endpointSlices,
  podDisruptionBudgets,
  priorityClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

/** The time between two tries while the API server does not answer. */
const retryMs = 1000;
/** A kind needs these verbs to be followed and cleaned up. */
const neededVerbs = ["list", "watch", "delete"];

/** The kinds that the garbage collector and the namespace controller know. */
export const vocabulary: readonly ResourceType[] = [
  pods,
  nodes,
  namespaces,
  configMaps,
  secrets,
  serviceAccounts,
  services,
  endpoints,
  events,
  eventsV1,
  deployments,
  replicaSets,
  leases,
  certificateSigningRequests,
  endpointSlices,
  podDisruptionBudgets,
  priorityClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
];

export interface ServedTypesDeps {
  client: Pick<Client, "call">;
  clock: Clock;
  log: Logger;
}

/**
 * Returns the kinds of the vocabulary that this API server serves. Tries until it answers, or the
 * signal aborts.
 */
export async function findServedTypes(deps: ServedTypesDeps, signal: AbortSignal): Promise<ResourceType[]> {
  for (;;) {
    try {
      return await askOnce(deps.client, signal);
    } catch (error) {
      signal.throwIfAborted();
      deps.log.warn("the API server does not say what it serves", { error });
      await deps.clock.sleep(retryMs, signal);
    }
  }
}

async function askOnce(client: Pick<Client, "call">, signal: AbortSignal): Promise<ResourceType[]> {
  const served: ResourceType[] = [];
  for (const apiVersion of new Set(vocabulary.map((type) => apiVersionOf(type)))) {
    const ofVersion = vocabulary.filter((type) => apiVersionOf(type) === apiVersion);
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
    // A group that is not there is not an error: an API server may serve less than the vocabulary.
    if (isApiError(error, "NotFound")) return new Set();
    throw error;
  }
}
