import {
  type ApiError,
  apiVersionOf,
  type CrossVersionObjectReference,
  isApiError,
  objectPath,
  type ResourceType,
  type Scale,
} from "@kintsugi/api";
import { type Client, discoverTypes } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { known, type MetricReading, notKnown } from "./metrics/readings.ts";

/** The served kinds are read again after this time, as by upstream's mapper. */
const discoveryMaxAgeMs = 30_000;
/**
 * A kind that is not known may just have been added, but references to kinds that do not exist must
 * not cause a request each.
 */
const discoveryMinAgeMs = 5000;

export interface ScaleTargetDeps {
  client: Pick<Client, "call">;
  clock: Clock;
}

/** The size of one object, and where it is written. */
export interface ScaleTarget {
  type: ResourceType;
  scale: Scale;
}

/** Reads and writes the subresource `scale` of objects of any kind. */
export class ScaleTargets {
  readonly #deps: ScaleTargetDeps;
  #types: readonly ResourceType[] = [];
  #discoveredAtMs = -Infinity;

  constructor(deps: ScaleTargetDeps) {
    this.#deps = deps;
  }

  /** The text of a failure is that of upstream's REST mapper and scale client. */
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
    try {
      const path = scalePath(type, namespace, name);
      const scale = (await this.#deps.client.call({ method: "GET", path, signal })) as Scale;
      return known({ type, scale });
    } catch (error) {
      if (!isApiError(error)) throw error;
      return notKnown(isNoSubresource(error) ? noScale(type) : error.message);
    }
  }

  /** Writes a size; the write names the version that was read. @returns the text of a refusal. */
  async write({ type, scale }: ScaleTarget, replicas: number, signal: AbortSignal): Promise<MetricReading<undefined>> {
    const { name = "", namespace = "" } = scale.metadata;
    const body = { ...scale, spec: { ...scale.spec, replicas } };
    try {
      await this.#deps.client.call({ method: "PUT", path: scalePath(type, namespace, name), body, signal });
      return known(undefined);
    } catch (error) {
      if (!isApiError(error)) throw error;
      return notKnown(error.message);
    }
  }

  /** Finds a namespaced kind; an autoscaler has no say over objects outside of its namespace. */
  async findType(group: string, kind: string, signal: AbortSignal): Promise<ResourceType | undefined> {
    const find = () => this.#types.find((type) => type.group === group && type.kind === kind && type.namespaced);
    const ageMs = this.#deps.clock.monotonicMs() - this.#discoveredAtMs;
    if (ageMs > discoveryMaxAgeMs || (find() === undefined && ageMs > discoveryMinAgeMs)) {
      const { types } = await discoverTypes(this.#deps.client, signal);
      // A kind without a plural of its own URL, such as PodMetrics, cannot be meant.
      this.#types = types;
      this.#discoveredAtMs = this.#deps.clock.monotonicMs();
    }
    return find();
  }
}

function scalePath(type: ResourceType, namespace: string, name: string): string {
  return objectPath(type, { namespace, name }, "scale");
}

/** The refusal of a path, as against one of an object, names no object. */
function isNoSubresource(error: ApiError): boolean {
  return error.reason === "NotFound" && (error.details?.name ?? "") === "";
}

function noScale(type: ResourceType): string {
  const version = type.group === "" ? `/${type.version}` : apiVersionOf(type);
  return `could not find scale subresource for ${version}, Resource=${type.resource} in discovery information`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
