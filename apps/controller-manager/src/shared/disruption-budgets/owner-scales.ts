import { controllerOf, type OwnerReference, type Pod, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { DiscoveredKinds } from "../scale/discovered-kinds.ts";
import { groupOf } from "../scale/group-of.ts";
import { readScale } from "../scale/read-scale.ts";
import { type ControllerScale, findKnownScale, type ScaleSources } from "./controller-scale.ts";

/**
 * The scale of a controller, or the reason why it does not have a scale; undefined if the
 * controller does not exist.
 */
export type FoundScale = ControllerScale | { because: string } | undefined;

/** Finds the scale of a pod's controller. */
export type FindScale = (controller: OwnerReference) => FoundScale;

/**
 * Maximum number of controllers whose scale is requested for one judgement. The requests are
 * sequential, and pods that name more controllers must not delay all other budgets.
 */
const requestsMax = 100;

export interface OwnerScalesDeps {
  client: Pick<Client, "call">;
  clock: Clock;
  sources: ScaleSources;
}

/**
 * Reads the scales of controllers of pods as upstream's disruption controller does: from the caches
 * of the workloads, and through the subresource `scale` of all other kinds.
 */
export class OwnerScales {
  readonly #deps: OwnerScalesDeps;
  readonly #kinds: DiscoveredKinds;

  constructor(deps: OwnerScalesDeps) {
    this.#deps = deps;
    this.#kinds = new DiscoveredKinds(deps);
  }

  /** Reads the scale of every controller of these pods, each once. */
  async read(pods: readonly Pod[], signal: AbortSignal): Promise<FindScale> {
    const scales = new Map<string, FoundScale>();
    let requests = 0;
    for (const pod of pods) {
      const controller = controllerOf(pod);
      if (controller === undefined || scales.has(controller.uid)) continue;
      const { namespace = "" } = pod.metadata;
      let scale: FoundScale = findKnownScale(this.#deps.sources, controller, namespace);
      if (scale === undefined && requests === requestsMax)
        scale = { because: `more than ${requestsMax} controllers of its pods are of kinds that are not watched` };
      else if (scale === undefined) {
        requests++;
        scale = await this.#request(controller, namespace, signal);
      }
      scales.set(controller.uid, scale);
    }
    return ({ uid }) => scales.get(uid);
  }

  /** The text of a failure equals the text of upstream's REST mapper and disruption controller. */
  async #request(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
    signal: AbortSignal,
  ): Promise<FoundScale> {
    const type = await this.#kinds.find(groupOf(apiVersion), kind, signal);
    if (type === undefined)
      return { because: `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}` };
    if (!type.namespaced) return { because: noScale(type) };
    const answer = await readScale(this.#deps.client, { type, key: { namespace, name } }, signal);
    if ("scale" in answer) {
      const { metadata, spec } = answer.scale;
      return metadata.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
    }
    if (!answer.hasSubresource) return { because: noScale(type) };
    return answer.error.reason === "NotFound" ? undefined : { because: answer.error.message };
  }
}

function noScale({ group, resource }: ResourceType): string {
  return `${group === "" ? resource : `${resource}.${group}`} does not implement the scale subresource`;
}
