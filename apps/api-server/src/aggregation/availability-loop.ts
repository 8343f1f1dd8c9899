import {
  type APIService,
  type APIServiceCondition,
  apiServices,
  endpoints,
  type Endpoints,
  findCondition,
  isApiError,
  parseForeignJson,
  type Service,
  services,
  withCondition,
} from "@kintsugi/api";
import { type Timer, Waiter } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { serverCall } from "../bootstrap/ensure-objects.ts";
import type { PlainResource } from "../discovery/discovery.ts";
import { openApiBudget } from "../openapi/merge-swagger.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { parseStoreKey, storeKey, storeResource } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";
import type { AvailabilityMetrics } from "./availability-metrics.ts";
import { failedDiscovery, passed, planAvailability } from "./plan-availability.ts";
import { fetchRemote, type RemoteCallerDeps, targetOf, urlOf } from "./remote-caller.ts";
import type { RemoteDocuments } from "./remote-documents.ts";
import type { RemoteService, ApiServiceDirectory } from "./service-directory.ts";

/** Services that are checked at the same time; upstream has as many workers. */
const checksAtOnce = 5;
/** Interval after which a server that answers is queried again; upstream's resync. */
const passedIntervalMs = 30_000;
/** Interval after which a server that does not answer is called again. */
const failedIntervalMs = 5_000;

type Condition = Omit<APIServiceCondition, "lastTransitionTime">;

interface LoopDeps extends RemoteCallerDeps {
  readonly context: ServerContext;
  readonly directory: ApiServiceDirectory;
  readonly documents: RemoteDocuments;
  readonly measured: AvailabilityMetrics;
}

/**
 * Checks the servers that are registered for other groups, writes the condition Available, and
 * stores the documents that they return.
 */
export class AvailabilityLoop {
  readonly #deps: LoopDeps;
  /** Each registered service is due at most once. */
  readonly #due = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #waiter = new Waiter();

  constructor(deps: LoopDeps) {
    this.#deps = deps;
  }

  /** Checks services that changed, and services whose Service or endpoints changed. */
  observe(changes: readonly CommittedChange[], changedServices: readonly string[]): void {
    for (const name of changedServices) this.#add(name);
    const remotes = this.#deps.directory.remotes();
    if (remotes.length === 0) return;
    for (const { resource, entry } of changes) {
      if (resource !== storeResource(services) && resource !== storeResource(endpoints)) continue;
      const { namespace, name } = parseStoreKey(entry.key);
      for (const { name: due, service } of remotes) {
        if (service.namespace === namespace && service.name === name) this.#add(due);
      }
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const { name } of this.#deps.directory.remotes()) this.#add(name);
    while (!signal.aborted) {
      const names = [...this.#due].slice(0, checksAtOnce);
      if (names.length === 0) await this.#waiter.wait(signal);
      for (const name of names) this.#due.delete(name);
      await Promise.all(names.map((name) => this.#handle(name, signal)));
    }
    for (const timer of this.#timers.values()) timer.cancel();
  }

  #add(name: string): void {
    this.#due.add(name);
    this.#waiter.wake();
  }

  async #handle(name: string, signal: AbortSignal): Promise<void> {
    const { directory, documents, clock, context, measured } = this.#deps;
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    const remote = directory.remotes().find((each) => each.name === name);
    if (remote === undefined) {
      measured.remove(name);
      return documents.remove(name);
    }
    let isPassed = false;
    try {
      const condition = await this.#check(remote, signal);
      isPassed = condition.status === "True";
      if (!signal.aborted) await this.#write(name, remote.uid, condition);
    } catch (error) {
      // A conflict means that a newer object exists, which is already due.
      if (!signal.aborted && !isApiError(error, "Conflict")) {
        context.log.warn("APIService not checked", { name, error });
      }
    }
    if (signal.aborted || !directory.has(name)) return;
    const intervalMs = isPassed ? passedIntervalMs : failedIntervalMs;
    this.#timers.set(
      name,
      clock.after(intervalMs, () => this.#add(name)),
    );
  }

  async #check(remote: RemoteService, signal: AbortSignal): Promise<Condition> {
    const { namespace, name } = remote.service;
    const unavailable = planAvailability(remote, {
      service: this.#find<Service>(storeKey(services, namespace, name)),
      endpoints: this.#find<Endpoints>(storeKey(endpoints, namespace, name)),
    });
    if (unavailable !== undefined) return unavailable;
    const path = `/apis/${remote.group}/${remote.version}`;
    let url = path;
    try {
      url = urlOf(targetOf(this.#deps, remote), path);
      const answer = await fetchRemote(this.#deps, remote, { path, accept: "application/json", signal });
      if (answer.status < 200 || answer.status > 299) throw new Error(`bad status from ${url}: ${answer.status}`);
      const resources = resourcesIn(answer.body);
      const { documents } = this.#deps;
      const openApi = await this.#openApi(remote, `/openapi/v3/apis/${remote.group}/${remote.version}`, signal);
      const swagger = documents.needsSwagger(remote, openApi)
        ? await this.#openApi(remote, "/openapi/v2", signal)
        : undefined;
      documents.put(remote, { resources, openApi, swagger });
      return passed;
    } catch (error) {
      return failedDiscovery(url, (error as Error).message);
    }
  }

  /** A server without this document still counts as available. */
  async #openApi(remote: RemoteService, path: string, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      const answer = await fetchRemote(this.#deps, remote, { path, accept: "application/json", signal });
      if (answer.status !== 200) return undefined;
      parseForeignJson(answer.body.toString("utf8"), openApiBudget);
      return answer.body;
    } catch {
      return undefined;
    }
  }

  #find<T extends KubeObject>(key: string): T | undefined {
    const entry = this.#deps.context.store.find(key);
    return entry === undefined ? undefined : (decodeEntry(entry) as T);
  }

  async #write(name: string, uid: string, condition: Condition): Promise<void> {
    const { context, measured } = this.#deps;
    const object = this.#find<APIService & KubeObject>(storeKey(apiServices, "", name));
    if (object === undefined || object.metadata.uid !== uid) return;
    const before = findCondition(object.status?.conditions, "Available");
    measured.checked(name, { before, now: condition });
    const isSame =
      before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
    if (isSame) return;
    const conditions = withCondition(object.status?.conditions, condition, context.clock.nowMs());
    const next = { ...object, status: { ...object.status, conditions } };
    const resource = context.registry.get(apiServices);
    await update(context, serverCall(context, resource, { method: "PUT", object: next, subresource: "status" }));
  }
}

/** Limit of the resources of one version; a longer list is cut. */
const resourcesMax = 2_000;
/** A resource has some twenty values: names, verbs, short names and categories. */
const listValuesMax = 20 * resourcesMax;

/** @throws Error for an answer that is not a list of resources. */
function resourcesIn(body: Buffer): PlainResource[] {
  const list = parseForeignJson(body.toString("utf8"), { valuesMax: listValuesMax, of: "the answer" }) as {
    resources?: unknown;
  };
  if (!Array.isArray(list.resources)) throw new Error("the response is not an APIResourceList");
  return list.resources.slice(0, resourcesMax).flatMap((each: unknown) => {
    const { name, kind } = (each ?? {}) as Partial<PlainResource>;
    return typeof name === "string" && typeof kind === "string" ? [each as PlainResource] : [];
  });
}
