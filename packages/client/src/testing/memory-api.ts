import { ApiError, type ApiObject, apiVersionOf, formatTimestamp } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { HandlerRequest, HandlerResponse, RequestHandler } from "../in-process/request-handler.ts";
import { ConnectionFault } from "../rest/transport.ts";
import { MemoryLog, type MemoryChange, type MemoryResourceType } from "./memory-log.ts";
import { FrameStream } from "./frame-stream.ts";

export interface MemoryApiDeps {
  clock: Clock;
  random: Random;
}

export interface MemoryApiOptions {
  /**
   * Objects with finalizers remain until the finalizers are removed, as on a real server. Default
   * false.
   */
  readonly finalizers?: boolean;
}

/**
 * The few rules of a Kubernetes API on which clients and informers depend, in memory: revisions,
 * conflicts, pages, selectors, watches with bookmarks. It does not implement the kinds' own rules;
 * tests that need such rules use the real server in the same process.
 */
export class MemoryApi implements RequestHandler {
  readonly log = new MemoryLog();
  readonly #deps: MemoryApiDeps;
  readonly #types: readonly MemoryResourceType[];
  readonly #options: MemoryApiOptions;
  readonly #watches = new Set<FrameStream>();
  /** While this is set, requests are answered with a broken connection. */
  isDown = false;
  /** The fields of a status that this server drops, like a server that is older than its client. */
  readonly unknownStatusFields = new Set<string>();
  /** The requests so far: "GET /api/v1/pods?watch=true". */
  readonly requests: string[] = [];

  constructor(deps: MemoryApiDeps, types: readonly MemoryResourceType[], options: MemoryApiOptions = {}) {
    this.#deps = deps;
    this.#types = types;
    this.#options = options;
  }

  /** Ends every watch, as a server that restarts does; with `broken`, in the middle of a frame. */
  endWatches(broken = false): void {
    for (const watch of this.#watches) watch.end(broken ? new ConnectionFault("reset", { sent: true }) : undefined);
    this.#watches.clear();
  }

  async handle(request: HandlerRequest): Promise<HandlerResponse> {
    this.requests.push(`${request.method} ${request.path}`);
    if (this.isDown) throw new ConnectionFault("connection refused", { sent: false });
    try {
      return this.#route(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return answer(error.code, statusOf(error));
    }
  }

  #route(request: HandlerRequest): HandlerResponse {
    const { pathname, searchParams } = new URL(request.path, "https://memory");
    if (pathname === "/readyz")
      return { status: 200, headers: { "content-type": "text/plain" }, body: Buffer.from("ok") };
    const target = this.#resolve(pathname);
    const body = request.body === undefined ? undefined : (JSON.parse(Buffer.from(request.body).toString()) as Body);
    const dryRun = searchParams.get("dryRun") === "All";
    switch (request.method) {
      case "GET":
        if (target.name !== undefined) return answer(200, this.#get(target));
        return searchParams.get("watch") === "true"
          ? this.#watch(target, searchParams, request)
          : answer(200, this.#list(target, searchParams, formOf(request)));
      case "POST":
        return answer(201, this.#create(target, body ?? {}, dryRun));
      case "PUT":
        return answer(200, this.#update(target, body ?? {}, dryRun));
      case "PATCH":
        return answer(200, this.#patch(target, body ?? {}, request.headers["content-type"] ?? ""));
      case "DELETE":
        return answer(200, this.#delete(target, body ?? {}));
      default:
        throw new ApiError("MethodNotAllowed", `${request.method} is not known here`);
    }
  }

  #resolve(pathname: string): MemoryTarget {
    const parts = pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const [group, rest] = parts[0] === "api" ? ["", parts.slice(2)] : [parts[1], parts.slice(3)];
    const namespace = rest[0] === "namespaces" && rest.length > 2 ? rest[1] : undefined;
    const [resource, name] = namespace === undefined ? rest : rest.slice(2);
    const type = this.#types.find((known) => known.group === group && known.resource === resource);
    if (type === undefined) throw new ApiError("NotFound", "the server could not find the requested resource");
    return { type, namespace: namespace ?? "", name };
  }

  #get({ type, namespace, name = "" }: MemoryTarget): ApiObject {
    const found = this.log.find(type.resource, namespace, name);
    if (found !== undefined) return found;
    throw new ApiError("NotFound", `${type.resource} "${name}" not found`, { details: { name, kind: type.resource } });
  }

  #list({ type, namespace }: MemoryTarget, query: URLSearchParams, form: ObjectForm) {
    const selected = this.log.list(type.resource).filter((object) => matches(object, namespace, query));
    const [revision, offset] = (query.get("continue") ?? `${this.log.revision}:0`).split(":").map(Number);
    if (revision !== this.log.revision) throw new ApiError("Expired", "The provided continue parameter is too old");
    const limit = Number(query.get("limit") ?? 0);
    const start = offset ?? 0;
    const items = limit === 0 ? selected.slice(start) : selected.slice(start, start + limit);
    const more = start + items.length < selected.length;
    return {
      apiVersion: apiVersionOf(type),
      kind: `${type.kind}List`,
      metadata: {
        resourceVersion: String(this.log.revision),
        ...(more ? { continue: `${revision}:${start + items.length}` } : {}),
      },
      items: items.map(form),
    };
  }

  #watch(target: MemoryTarget, query: URLSearchParams, request: HandlerRequest): HandlerResponse {
    const { signal } = request;
    const form = formOf(request);
    const { type, namespace } = target;
    const from = Number(query.get("resourceVersion") ?? 0);
    const past = this.log.changesSince(type.resource, from);
    if (past === undefined) throw new ApiError("Expired", `too old resource version: ${from} (${this.log.floor})`);
    const stream = new FrameStream();
    const send = (change: MemoryChange) => {
      const isIn = matches(change.object, namespace, query);
      const wasIn = change.before !== undefined && matches(change.before, namespace, query);
      if (!isIn && !wasIn) return;
      const type = change.type === "DELETED" || !isIn ? "DELETED" : wasIn ? "MODIFIED" : "ADDED";
      stream.send({ type, object: form(change.object) });
    };
    const bookmark = () => {
      if (query.get("allowWatchBookmarks") !== "true") return;
      const metadata = { resourceVersion: String(this.log.revision) };
      stream.send({ type: "BOOKMARK", object: { apiVersion: apiVersionOf(type), kind: type.kind, metadata } });
    };
    for (const change of past) send(change);
    bookmark();
    const unsubscribe = this.log.subscribe((change) => {
      if (change.resource === type.resource) send(change);
    });
    const timer = this.#deps.clock.after(Number(query.get("timeoutSeconds") ?? 1800) * 1000, () => stream.end());
    this.#watches.add(stream);
    stream.whenOver(() => {
      unsubscribe();
      timer.cancel();
      this.#watches.delete(stream);
    });
    signal.addEventListener("abort", () => stream.end(), { once: true });
    return { status: 200, headers: { "content-type": "application/json" }, body: stream };
  }

  #create({ type, namespace }: MemoryTarget, body: Body, dryRun: boolean): ApiObject {
    const name = body.metadata?.name ?? "";
    if (this.log.find(type.resource, namespace, name) !== undefined) {
      throw new ApiError("AlreadyExists", `${type.resource} "${name}" already exists`);
    }
    const object: ApiObject = {
      ...body,
      metadata: {
        ...body.metadata,
        ...(type.namespaced ? { namespace } : {}),
        uid: this.#deps.random.uuid(),
      },
    };
    return dryRun ? object : this.log.put(type.resource, object);
  }

  #update(target: MemoryTarget, body: Body, dryRun: boolean): ApiObject {
    const current = this.#get(target);
    const expected = body.metadata?.resourceVersion;
    if (expected !== undefined && expected !== current.metadata.resourceVersion) throw conflict(target);
    const object: ApiObject = { ...body, metadata: { ...body.metadata, uid: current.metadata.uid } };
    if (this.unknownStatusFields.size > 0 && "status" in object) object.status = this.#knownPart(object.status);
    if (dryRun) return object;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isOver = this.#options.finalizers === true && deletionTimestamp !== undefined && finalizers.length === 0;
    return isOver ? this.log.delete(target.type.resource, object) : this.log.put(target.type.resource, object);
  }

  #knownPart(status: unknown): unknown {
    return Object.fromEntries(Object.entries(status ?? {}).filter(([field]) => !this.unknownStatusFields.has(field)));
  }

  #patch(target: MemoryTarget, body: Body, contentType: string): ApiObject {
    const isStrategic = contentType === "application/strategic-merge-patch+json";
    if (!isStrategic && contentType !== "application/merge-patch+json")
      throw new ApiError("UnsupportedMediaType", contentType);
    const current = this.#get(target);
    const { uid } = body.metadata ?? {};
    if (uid !== undefined && uid !== current.metadata.uid) throw conflict(target);
    const expected = body.metadata?.resourceVersion;
    if (expected !== undefined && expected !== current.metadata.resourceVersion) throw conflict(target);
    return this.log.put(target.type.resource, merged(current, body, isStrategic ? mergedList : undefined) as ApiObject);
  }

  #delete(target: MemoryTarget, options: Body): ApiObject {
    const current = this.#get(target);
    const { uid, resourceVersion } = (options["preconditions"] ?? {}) as { uid?: string; resourceVersion?: string };
    if (uid !== undefined && uid !== current.metadata.uid) throw conflict(target);
    if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion) throw conflict(target);
    const { finalizers = [] } = current.metadata;
    if (this.#options.finalizers !== true || finalizers.length === 0)
      return this.log.delete(target.type.resource, current);
    const deletionTimestamp = current.metadata.deletionTimestamp ?? formatTimestamp(this.#deps.clock.nowMs());
    return this.log.put(target.type.resource, { ...current, metadata: { ...current.metadata, deletionTimestamp } });
  }
}

type Body = Partial<ApiObject> & Record<string, unknown>;

interface MemoryTarget {
  type: MemoryResourceType;
  namespace: string;
  name: string | undefined;
}

type ObjectForm = (object: ApiObject) => ApiObject;

/** Returns whole objects, or their metadata where the request accepts only metadata. */
function formOf({ headers }: HandlerRequest): ObjectForm {
  if (headers["accept"]?.includes("as=PartialObjectMetadata") !== true) return (object) => object;
  return ({ metadata }) => ({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
}

function matches(object: ApiObject, namespace: string, query: URLSearchParams): boolean {
  if (namespace !== "" && object.metadata.namespace !== namespace) return false;
  const labels = object.metadata.labels ?? {};
  const wanted = pairs(query.get("labelSelector"));
  if (!wanted.every(([name, value]) => labels[name] === value)) return false;
  const fields: Record<string, string | undefined> = {
    "metadata.name": object.metadata.name,
    "spec.nodeName": (object as { spec?: { nodeName?: string } }).spec?.nodeName,
    "spec.driver": (object as { spec?: { driver?: string } }).spec?.driver,
  };
  return pairs(query.get("fieldSelector")).every(([name, value]) => fields[name] === value);
}

function pairs(selector: string | null): [string, string][] {
  if (selector === null || selector === "") return [];
  return selector.split(",").map((term) => {
    const [name = "", value = ""] = term.split(/==?/);
    return [name, value];
  });
}

function merged(target: unknown, patch: unknown, lists?: typeof mergedList): unknown {
  if (lists !== undefined && Array.isArray(patch) && Array.isArray(target)) return lists(target, patch);
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value, lists);
  }
  return result;
}

/** The keys by which lists of objects are merged, for the patches that this API's clients send. */
const listKeys = ["name", "type"] as const;

function mergedList(target: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const key = listKeys.find((each) => patch.every((item) => isObject(item) && each in item));
  if (key === undefined) return [...patch];
  const keyOfItem = (item: unknown) => (item as Record<string, unknown>)[key];
  const known = new Set(target.map(keyOfItem));
  const kept = target.map((item) => {
    const change = patch.find((each) => keyOfItem(each) === keyOfItem(item));
    return change === undefined ? item : merged(item, change, mergedList);
  });
  return [...kept, ...patch.filter((item) => !known.has(keyOfItem(item)))];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function conflict({ type, name }: MemoryTarget): ApiError {
  return new ApiError("Conflict", `Operation cannot be fulfilled on ${type.resource} "${name}"`);
}

function statusOf(error: ApiError) {
  const { reason, code, message, details } = error;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code, details };
}

function answer(status: number, body: unknown): HandlerResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(body)) };
}
