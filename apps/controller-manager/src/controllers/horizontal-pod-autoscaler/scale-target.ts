import {
  apiVersionOf,
  type CrossVersionObjectReference,
  isApiError,
  type ResourceType,
  type Scale,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { DiscoveredKinds } from "../../shared/scale/discovered-kinds.ts";
import { readScale, scalePath } from "../../shared/scale/read-scale.ts";
import { known, type MetricReading, notKnown } from "./metrics/metric-values.ts";

export interface ScaleTargetDeps {
  client: Pick<Client, "call">;
  clock: Clock;
}

/** The size of one object, and the address of its scale. */
export interface ScaleTarget {
  type: ResourceType;
  scale: Scale;
}

/** Reads and writes the subresource `scale` of objects of any kind. */
export class ScaleTargets {
  readonly #deps: ScaleTargetDeps;
  readonly #kinds: DiscoveredKinds;

  constructor(deps: ScaleTargetDeps) {
    this.#deps = deps;
    this.#kinds = new DiscoveredKinds(deps);
  }

  /** The text of a failure equals the text of upstream's REST mapper and scale client. */
  async read(
    { apiVersion = "", kind, name }: CrossVersionObjectReference,
    namespace: string,
    signal: AbortSignal,
  ): Promise<MetricReading<ScaleTarget>> {
    const parts = apiVersion.split("/");
    if (parts.length > 2) return notKnown(`unexpected GroupVersion string: ${apiVersion}`);
    const group = parts.length === 2 ? (parts[0] ?? "") : "";
    const type = await this.findType(group, kind, signal);
    if (type === undefined) return notKnown(`no matches for kind ${quoted(kind)} in group ${quoted(group)}`);
    const answer = await readScale(this.#deps.client, { type, key: { namespace, name } }, signal);
    if ("scale" in answer) return known({ type, scale: answer.scale });
    return notKnown(answer.hasSubresource ? answer.error.message : noScale(type));
  }

  /**
   * Writes a size; the write names the version that was read. @returns the text of the error, if
   * any.
   */
  async write({ type, scale }: ScaleTarget, replicas: number, signal: AbortSignal): Promise<MetricReading<undefined>> {
    const { name = "", namespace = "" } = scale.metadata;
    const body = { ...scale, spec: { ...scale.spec, replicas } };
    try {
      await this.#deps.client.call({ method: "PUT", path: scalePath(type, { namespace, name }), body, signal });
      return known(undefined);
    } catch (error) {
      if (!isApiError(error)) throw error;
      return notKnown(error.message);
    }
  }

  /**
   * Finds a namespaced kind, because an autoscaler may not scale objects outside of its namespace.
   */
  async findType(group: string, kind: string, signal: AbortSignal): Promise<ResourceType | undefined> {
    const type = await this.#kinds.find(group, kind, signal);
    return type?.namespaced === true ? type : undefined;
  }
}

function noScale(type: ResourceType): string {
  const version = type.group === "" ? `/${type.version}` : apiVersionOf(type);
  return `could not find scale subresource for ${version}, Resource=${type.resource} in discovery information`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
