import { conflict, sameJson } from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { AdmissionOperation } from "../admission/chain/admission-metrics.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { FieldVersions } from "../fields/field-versions.ts";
import { parseStoreKey } from "../resources/keys.ts";
import { isConverted, oneToServed } from "../resources/conversions.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type CommitTarget, type Decision } from "./commit.ts";
import { type Settled, settleInTurns, takesTurns } from "./settle-in-turns.ts";
import { keepOwners } from "./owners/keep-owners.ts";
import { ObjectVersions, planInVersions } from "./owners/object-versions.ts";

// The parts of a write, with admission between them:
//
//   begin    parse the body against the stored object, check preconditions, set defaults
//   ▸ mutating steps
//   settle   set the server's own fields, then validate
//   ▸ validating steps
//   decide   put, delete or keep
//
// All of it is one call inside the write's batch where no step is asynchronous. In other cases:
//
//   before the batch   over the object at revision 7:
//                      begin ▸ all mutating steps ▸ settle ▸ all validating steps
//   inside the batch   still at revision 7: synchronous validating steps ▸ decide
//                      now at revision 9: nothing is written, and everything is repeated over 9

interface Admissible extends Settled {
  /** The request in the view of steps; an asynchronous step may replace its object. */
  request: AdmissionRequest;
  /**
   * Converts the object that an asynchronous step produced to the kind.
   * @throws ApiError when that is impossible.
   */
  adopt(object: KubeObject): KubeObject;
}

/** The result of one request's body over one stored object. */
export interface PlannedWrite<R> extends Admissible {
  /**
   * Reads only the state that the batch sees, and leaves the request unchanged, because it is
   * called again when another writer committed first.
   * @throws ApiError
   */
  decide(current: Entry | undefined, reader: StoreReader): Decision<R>;
}

export interface AdmittedWrite<R> {
  call: Pick<ResourceCall, "request" | "deadlineMs" | "warnings" | "isServers">;
  target: CommitTarget;
  /** All operations that the write may become: an apply creates or updates. */
  operations: readonly AdmissionOperation[];
  subresource: string;
  /** Set where `decide` rejects an existing object, so that admitting again over it is useless. */
  createsOnly?: true;
  /**
   * @throws ApiError. The function may be called several times when asynchronous steps handle the
   * write, so the body must not change.
   */
  begin(current: Entry | undefined, reader: Pick<StoreReader, "find">, versions: FieldVersions): PlannedWrite<R>;
}

type Handled = Pick<AdmittedWrite<unknown>, "call" | "target" | "operations" | "subresource">;

/** True where asynchronous steps handle the write, as far as is known before its object is read. */
export function isAdmittedAsync({ admission }: ServerContext, write: Handled): boolean {
  const { call, target, operations, subresource } = write;
  if (isConverted(target.resource)) return true;
  if (call.isServers === true) return false;
  if (takesTurns(target.resource, subresource)) return true;
  return operations.some((operation) => admission.isAsync({ operation, resource: target.resource, subresource }));
}

/**
 * Admits and commits. @throws ApiError as `commit` does, or Conflict when the object changes
 * faster than it can be admitted.
 */
export function commitAdmitted<R>(
  context: ServerContext,
  write: AdmittedWrite<R>,
): Promise<{ result: R; entry: Entry | undefined }> {
  if (isAdmittedAsync(context, write)) return commitAfterWaiting(context, write);
  const { warnings } = write.call;
  const warned = warnings.length;
  return commit(context, write.target, (current, reader) => {
    // A body that is parsed again has the same warnings again.
    warnings.length = warned;
    const versions = new ObjectVersions(context, write.target.resource);
    return admitNow(context, write.begin(current, reader, versions)).decide(current, reader);
  });
}

/** Runs the synchronous steps before and after `settle`. @throws ApiError */
export function admitNow<W extends Admissible>({ admission }: ServerContext, planned: W): W {
  const owners = planned.request.object?.metadata.managedFields;
  planned.request = admission.mutate(planned.request, (left) => planned.adopt(left));
  keepOwners(planned.request, owners);
  planned.settle();
  admission.validate(planned.request);
  return planned;
}

/**
 * Number of times that a write retries over a changed object. Upstream retries until the request's
 * timeout, which lets a slow writer call its webhooks forever.
 */
const triesMax = 5;

const changed = Symbol("the object has changed since it was admitted");

function commitAfterWaiting<R>(
  context: ServerContext,
  write: AdmittedWrite<R>,
): Promise<{ result: R; entry: Entry | undefined }> {
  const { call, target } = write;
  const warned = call.warnings.length;
  return context.waitingRequests.run({ signal: call.request.signal, deadlineMs: call.deadlineMs }, async (signal) => {
    for (let tries = 1; tries <= triesMax; tries++) {
      const seen = context.store.find(target.key);
      const { resource } = target;
      const current = await served(context, { resource, seen, signal });
      const versions = new ObjectVersions(context, resource);
      const planned = await planInVersions(context, { versions, resource, signal }, () => {
        // A body that is parsed again has the same warnings again.
        call.warnings.length = warned;
        return write.begin(current, context.store, versions);
      });
      await admitWaiting(context, planned, signal);
      const converted = await storedForm(context, { planned, resource: target.resource, signal });
      const { result, entry } = await commit<R | typeof changed>(
        context,
        { ...target, ...converted },
        (current, reader) => {
          const isSame = current?.revision === seen?.revision;
          if (!isSame && write.createsOnly !== true) return { action: "keep", result: changed };
          // Validating steps depend on the store's state, which may also have changed.
          context.admission.validate({ ...planned.request, reader });
          return planned.decide(current, reader);
        },
      );
      if (result !== changed) return { result, entry };
    }
    throw conflict(target.resource.type, parseStoreKey(target.key).name);
  });
}

/** Returns the stored object in the version of the request. @throws ApiError */
function served(
  { conversions }: ServerContext,
  { resource, seen, signal }: { resource: Resource; seen: Entry | undefined; signal: AbortSignal },
): Entry | undefined | Promise<Entry> {
  return seen === undefined ? undefined : oneToServed(conversions, resource, { entry: seen, signal });
}

/**
 * Converts the object to be stored before the write's batch is formed, because the batch may change
 * only the object's metadata. @throws ApiError
 */
async function storedForm(
  { conversions }: ServerContext,
  from: { planned: Admissible; resource: Resource; signal: AbortSignal },
): Promise<Pick<CommitTarget, "stored">> {
  const { planned, resource, signal } = from;
  const conversion = resource.kind.storedForm?.conversion;
  if (conversion === undefined || conversion.own === conversion.stored) return {};
  // The only object of a delete is the object before the delete.
  const object = planned.request.object ?? planned.request.before;
  if (object === undefined) return {};
  const { metadata: sent } = object;
  const converted = await conversions.toStored(resource, structuredClone(object), signal);
  const { labels, annotations } = converted.metadata;
  return {
    stored: ({ metadata }) => ({
      ...converted,
      metadata: {
        ...metadata,
        ...(sameJson(labels, sent.labels) ? {} : { labels }),
        ...(sameJson(annotations, sent.annotations) ? {} : { annotations }),
      },
    }),
  };
}

/** Runs all steps before and after `settle`. @throws ApiError */
async function admitWaiting(context: ServerContext, planned: Admissible, signal: AbortSignal): Promise<void> {
  const { admission } = context;
  const owners = planned.request.object?.metadata.managedFields;
  const object = await admission.mutateAsync(planned.request, signal, (left) => planned.adopt(left));
  if (object !== planned.request.object) planned.request = { ...planned.request, object };
  keepOwners(planned.request, owners);
  await settleInTurns(context, planned, signal);
  await admission.validateAsync(planned.request, signal);
  // Nothing is written for a client that has received a timeout or has disconnected.
  signal.throwIfAborted();
}

/**
 * Admits a request that is not a write of an object: a connection, a token, an eviction. It is
 * admitted immediately, unless asynchronous steps handle it. The admitted request has the object
 * that the steps produced.
 */
export function admitRequest(
  context: ServerContext,
  call: Pick<ResourceCall, "request" | "deadlineMs">,
  unadmitted: { request: AdmissionRequest; adopt: (object: KubeObject) => KubeObject },
): AdmissionRequest | Promise<AdmissionRequest> {
  const { request, adopt } = unadmitted;
  const planned = { request, adopt, settle: () => {} };
  if (!context.admission.isAsync(request)) return admitNow(context, planned).request;
  return context.waitingRequests.run({ signal: call.request.signal, deadlineMs: call.deadlineMs }, async (signal) => {
    await admitWaiting(context, planned, signal);
    return planned.request;
  });
}
