import { ApiError, type ApiObject, apiVersionOf, type JsonObject, type Kind, type Logger } from "@kintsugi/api";
import { type Clock, onAbort, type Random } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import type { WebhookTransport } from "../../admission/webhooks/webhook-transport.ts";
import { failureText, raced, statusText } from "../../admission/webhooks/webhook-failures.ts";
import type { Conversions } from "../../resources/conversions.ts";
import { decodeEntry, encodeObject, joinEncoded } from "../../resources/encoding.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import { ConvertedEntries } from "./converted-entries.ts";
import { conversionReview, readConverted } from "./conversion-review.ts";

type Conversion = NonNullable<NonNullable<Kind<KubeObject>["storedForm"]>["conversion"]>;

export interface WebhookConversionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Transport of the calls; every call fails if it is undefined. */
  readonly transport: WebhookTransport | undefined;
  /** Finds an endpoint of a Service. @throws ApiError */
  locateService(service: { namespace: string; name: string; port: number }): { address: string; port: number };
}

export interface WebhookConversionOptions {
  /** Limit of concurrent calls of one definition's webhook. */
  callsMax: number;
}

/** The timeout of upstream's client. */
const timeoutMs = 30_000;

/**
 * Limit on the bytes of the objects in one review, except the last object. The answer, of 8 MB at
 * most, then has room for objects that grow.
 */
const reviewBytesMax = 2 * 1024 * 1024;

/** Calls the webhooks of definitions whose objects are stored in another version. */
export class WebhookConversions implements Conversions {
  readonly #deps: WebhookConversionDeps;
  readonly #callsMax: number;
  readonly #calls = new Map<string, number>();
  /**
   * Converted entries are cached with the kind, because another definition may convert differently.
   */
  readonly #converted = new WeakMap<Conversion, ConvertedEntries>();

  constructor(deps: WebhookConversionDeps, options: WebhookConversionOptions) {
    this.#deps = deps;
    this.#callsMax = options.callsMax;
  }

  toServed(
    resource: Resource,
    entries: readonly Entry[],
    signal: AbortSignal,
  ): readonly Entry[] | Promise<readonly Entry[]> {
    const conversion = resource.kind.storedForm?.conversion;
    if (conversion === undefined) return entries;
    const opening = Buffer.from(openingOf(resource));
    const others = entries.filter(({ value }) => Buffer.compare(value.subarray(0, opening.length), opening) !== 0);
    return others.length === 0 ? entries : this.#convertEntries(conversion, { resource, entries, others, signal });
  }

  toStored(resource: Resource, object: KubeObject, signal: AbortSignal): Promise<ApiObject> {
    const stored = resource.kind.storedForm?.conversion?.stored ?? object.apiVersion ?? "";
    return this.toVersion(resource, { object, apiVersion: stored }, signal);
  }

  async toVersion(
    resource: Resource,
    { object, apiVersion }: { object: KubeObject; apiVersion: string },
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const conversion = resource.kind.storedForm?.conversion;
    const from = object.apiVersion ?? conversion?.own ?? "";
    if (conversion === undefined || from === apiVersion) return object;
    const request = { kind: resource.type.kind, from, desired: apiVersion, objects: [object as unknown as JsonObject] };
    const [converted] = await this.#convert(conversion, request, signal);
    return converted as unknown as KubeObject;
  }

  async #convertEntries(
    conversion: Conversion,
    wanted: { resource: Resource; entries: readonly Entry[]; others: readonly Entry[]; signal: AbortSignal },
  ): Promise<readonly Entry[]> {
    const { resource, entries, others, signal } = wanted;
    let kept = this.#converted.get(conversion);
    if (kept === undefined) this.#converted.set(conversion, (kept = new ConvertedEntries()));
    const found = new Map<Entry, Entry>();
    const groups = new Map<string, Entry[][]>();
    for (const entry of others) {
      const known = kept.find(entry);
      if (known !== undefined) found.set(entry, known);
      else addToGroup(groups, entry);
    }
    for (const [from, reviews] of groups) {
      for (const group of reviews) {
        const objects = group.map((entry) => decodeEntry(entry) as unknown as JsonObject);
        const request = { kind: resource.type.kind, from, desired: conversion.own, objects };
        const converted = await this.#convert(conversion, request, signal);
        for (const [index, entry] of group.entries()) {
          const object = converted[index] as unknown as KubeObject;
          const next = { ...entry, value: joinEncoded(encodeObject(object), entry.revision) };
          kept.put(entry, next);
          found.set(entry, next);
        }
      }
    }
    return entries.map((entry) => found.get(entry) ?? entry);
  }

  /** @throws ApiError InternalError with upstream's text. */
  async #convert(
    conversion: Conversion,
    request: { kind: string; from: string; desired: string; objects: readonly JsonObject[] },
    signal: AbortSignal,
  ): Promise<JsonObject[]> {
    const { kind, from, desired, objects } = request;
    // The objects may already have the requested version.
    if (from === desired) return [...objects];
    try {
      return await this.#counted(conversion, { desired, objects }, signal);
    } catch (error) {
      signal.throwIfAborted();
      const text = `conversion webhook for ${from}, Kind=${kind} ${(error as Error).message}`;
      this.#deps.log.warn("objects not converted", { definition: conversion.definition, error: text });
      throw new ApiError("InternalError", text, { cause: error });
    }
  }

  /** Limits the calls of each definition. */
  async #counted(
    conversion: Conversion,
    request: { desired: string; objects: readonly JsonObject[] },
    signal: AbortSignal,
  ): Promise<JsonObject[]> {
    const { definition } = conversion;
    const calls = this.#calls.get(definition) ?? 0;
    if (calls >= this.#callsMax) throw new Error(`failed: ${calls} calls are in flight already`);
    this.#calls.set(definition, calls + 1);
    try {
      return await this.#call(conversion, request, signal);
    } finally {
      const left = (this.#calls.get(definition) ?? 1) - 1;
      if (left === 0) this.#calls.delete(definition);
      else this.#calls.set(definition, left);
    }
  }

  async #call(
    { webhook }: Conversion,
    request: { desired: string; objects: readonly JsonObject[] },
    signal: AbortSignal,
  ): Promise<JsonObject[]> {
    const { clock, random, transport } = this.#deps;
    const { url: given, service, caBundle = "" } = webhook.clientConfig ?? {};
    const url = given ?? serviceUrl(service);
    const uid = random.uuid();
    const body = JSON.stringify(conversionReview({ uid, ...request }, webhook.conversionReviewVersions));
    const stop = new AbortController();
    const timer = clock.after(timeoutMs, () => stop.abort(new Error("context deadline exceeded")));
    const stopListening = onAbort(signal, () => stop.abort(signal.reason));
    let answer;
    try {
      if (transport === undefined) throw new Error("this API server does not call webhooks");
      const ca = caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8");
      const endpoint = service === undefined ? undefined : this.#deps.locateService(withPort(service));
      const target = { url: `${url}?timeout=${timeoutMs / 1000}s`, endpoint, ca };
      answer = await raced(transport.post(target, body, stop.signal), stop.signal);
    } catch (error) {
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
      const text = `failed: Post ${JSON.stringify(`${url}?timeout=${timeoutMs / 1000}s`)}: ${failureText(cause)}`;
      throw new Error(text, { cause });
    } finally {
      timer.cancel();
      stopListening();
    }
    if (answer.status < 200 || answer.status > 299) throw new Error(`failed: ${statusText(answer)}`);
    return readConverted(answer.body, { uid, ...request });
  }
}

/** The start of each object of the version, as `encodeObject` writes it. */
function openingOf({ type }: Resource): string {
  return `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(apiVersionOf(type))},`;
}

/** One review has objects of one version, and a limited number of objects. */
function addToGroup(groups: Map<string, Entry[][]>, entry: Entry): void {
  const from = decodeEntry(entry).apiVersion ?? "";
  const reviews = groups.get(from) ?? [[]];
  groups.set(from, reviews);
  let last = reviews.at(-1) as Entry[];
  const bytes = last.reduce((sum, { value }) => sum + value.byteLength, 0);
  if (bytes >= reviewBytesMax) reviews.push((last = []));
  last.push(entry);
}

type Service = NonNullable<Conversion["webhook"]["clientConfig"]>["service"];

function serviceUrl(service: Service): string {
  const { name = "", namespace = "", port = 443, path = "" } = service ?? {};
  return `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? path : `/${path}`}`;
}

function withPort({ namespace, name, port = 443 }: NonNullable<Service>) {
  return { namespace, name, port };
}
