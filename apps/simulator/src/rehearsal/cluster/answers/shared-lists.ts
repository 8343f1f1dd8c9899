import type { ApiObject } from "@kintsugi/api";
import {
  type HandlerRequest,
  type HandlerResponse,
  metadataMediaType,
  type RequestHandler,
  dropManagedFields,
} from "@kintsugi/client";
import type { StartState } from "@kintsugi/rehearsal";
import { type CommittedStore, parseValue } from "@kintsugi/simulation";
import type { Entry } from "@kintsugi/store";
import { startEntries } from "../start-entries.ts";

export interface SharedListsDeps {
  readonly server: RequestHandler;
  readonly store: Pick<CommittedStore, "list">;
  readonly start: StartState;
  /** Reports whether the server responds now, and its responses are not affected by a fault. */
  readonly isServing: () => boolean;
}

/** `/api/v1/pods?limit=500`, or `/apis/apps/v1/deployments?limit=500`. */
const wholeListPath = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/([^/?]+)\?limit=\d+$/;
const sharedForms = new Set(["application/json", metadataMediaType]);
const ok = 200;

/**
 * Answers the first lists of informers with objects that all services share, and that all runs of
 * the process share as long as the objects have not changed since the start. The server would write
 * each list as JSON, and each informer would parse it again: a fifth of the first seconds of a run.
 */
export function sharedLists({ server, store, start, isServing }: SharedListsDeps): RequestHandler {
  const objects = objectsOf(start);
  const answer = (request: HandlerRequest): HandlerResponse | undefined => {
    const [, group = "", version = "", resource = ""] = wholeListPath.exec(request.path) ?? [];
    if (request.method !== "GET" || resource === "" || !sharedForms.has(request.headers["accept"] ?? ""))
      return undefined;
    const { entries, revision } = store.list(`${group || "core"}/${resource}/`);
    const items = entries.map((entry) => objects.read(entry));
    const served = group === "" ? version : `${group}/${version}`;
    // The server converts objects that are stored in another version.
    if (items.some(({ apiVersion }) => apiVersion !== served)) return undefined;
    const list = { metadata: { resourceVersion: String(revision) }, items };
    return { status: ok, headers: { "content-type": "application/json" }, body: new Uint8Array(), parsed: list };
  };
  return {
    handle: (request) => {
      const shared = isServing() ? answer(request) : undefined;
      return shared === undefined ? server.handle(request) : Promise.resolve(shared);
    },
  };
}

const objectsByStart = new WeakMap<StartState, SharedObjects>();

function objectsOf(start: StartState): SharedObjects {
  const objects = objectsByStart.get(start) ?? new SharedObjects(start);
  objectsByStart.set(start, objects);
  return objects;
}

/** The objects of a start, each parsed once for all runs. */
class SharedObjects {
  readonly #parsed = new Map<Entry, ApiObject | undefined>();

  constructor(start: StartState) {
    for (const entry of startEntries(start)) this.#parsed.set(entry, undefined);
  }

  /** Returns the object without the record of its fields' managers, which informers drop. */
  read(entry: Entry): ApiObject {
    if (!this.#parsed.has(entry)) return parse(entry);
    const object = this.#parsed.get(entry) ?? parse(entry);
    this.#parsed.set(entry, object);
    return object;
  }
}

function parse({ value }: Entry): ApiObject {
  return dropManagedFields(parseValue<ApiObject>(value));
}
