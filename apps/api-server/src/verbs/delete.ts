import { notFound, preconditionFailed } from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { type ApiResponse, jsonResponse } from "../http/api-request.ts";
import { successStatus } from "../http/status.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { decodeStored, storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { commit, type Decision } from "../writes/commit.ts";
import { commitAdmitted, type PlannedWrite } from "../writes/commit-admitted.ts";
import { type DeleteRequest, readDeleteRequest } from "./delete-options.ts";
import { entryResponse } from "../answers/object-response.ts";
import { planDelete } from "./plan-delete.ts";

/** DELETE of one object. */
export async function deleteObject(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const request = readDeleteRequest(context, call);
  const { entry, gone } = await deleteOne(context, call, request);
  const { type, kind } = storedResource(call.resource);
  if (!gone || kind.strategy.returnsDeleted === true) return entryResponse(context, call, { status: 200, entry });
  const group = type.group === "" ? {} : { group: type.group };
  return jsonResponse(
    200,
    successStatus({ name: call.info.name, ...group, kind: type.resource, uid: entry.index.uid }),
  );
}

export interface WantedDelete extends DeleteRequest {
  /** Makes the object's last state in the same write; undefined when it does not change. */
  annotate?: (stored: KubeObject) => KubeObject | undefined;
  /** Set where the request was admitted as another object: an eviction. */
  isAdmitted?: true;
}

const deleteOperations = ["delete"] as const;

/**
 * Deletes the object, or marks it as deleted; `gone` distinguishes the two.
 * @throws ApiError
 */
export async function deleteOne(
  context: ServerContext,
  call: ResourceCall,
  request: WantedDelete,
): Promise<{ entry: Entry; gone: boolean }> {
  const resource = storedResource(call.resource);
  const { name, namespace } = call.info;
  const target = {
    key: storeKey(resource.type, namespace, name),
    resource,
    dryRun: request.dryRun,
    important: true,
  };
  const begin = (current: Entry | undefined, reader: Pick<StoreReader, "find">) => {
    if (current === undefined) throw notFound(resource.type, name);
    checkPreconditions(resource, current, { name, request });
    return new ObjectDeletion(context, { call, request }, { current, reader });
  };
  const { entry, result } =
    request.isAdmitted === true
      ? await commit(context, target, (current, reader) => begin(current, reader).decide())
      : await commitAdmitted(context, { call, target, operations: deleteOperations, subresource: "", begin });
  if (entry === undefined) throw notFound(resource.type, name);
  return { entry, gone: result.gone };
}

/** Reports whether each delete of a collection waits for other servers. */
export function isDeletedAsync({ admission }: ServerContext, call: ResourceCall): boolean {
  return admission.isAsync({ operation: "delete", resource: storedResource(call.resource), subresource: "" });
}

class ObjectDeletion implements PlannedWrite<{ gone: boolean }> {
  request: AdmissionRequest;
  readonly #context: ServerContext;
  readonly #wanted: WantedDelete;
  readonly #current: Entry;
  /** The stored object until a decision changes it. */
  #stored: KubeObject | undefined;

  constructor(
    context: ServerContext,
    { call, request }: { call: ResourceCall; request: WantedDelete },
    { current, reader }: { current: Entry; reader: Pick<StoreReader, "find"> },
  ) {
    const { name, namespace } = call.info;
    this.#context = context;
    this.#wanted = request;
    this.#current = current;
    this.#stored = decodeStored(storedResource(call.resource), current);
    this.request = {
      operation: "delete",
      ...requestedBy(call),
      resource: storedResource(call.resource),
      subresource: "",
      namespace,
      name,
      object: undefined,
      before: this.#stored,
      dryRun: request.dryRun,
      reader,
    };
  }

  /** A delete has no object, so steps can only reject it. */
  adopt(): never {
    throw new Error("a delete has no object to change");
  }

  settle(): void {}

  decide(): Decision<{ gone: boolean }> {
    const { resource } = this.request;
    // Each decision changes the object, and another writer may make a second decision necessary.
    const stored = this.#stored ?? decodeStored(resource, this.#current);
    this.#stored = undefined;
    const annotated = this.#wanted.annotate?.(stored);
    const now = { request: this.#wanted, nowMs: this.#context.clock.nowMs() };
    const plan = planDelete(resource, annotated ?? stored, now);
    if (plan.action === "keep" && !annotated) return { action: "keep", result: { gone: false } };
    const action = plan.action === "delete" ? "delete" : "put";
    return { action, object: plan.object, result: { gone: action === "delete" } };
  }
}

function checkPreconditions(
  resource: Resource,
  current: Entry,
  deletion: { name: string; request: DeleteRequest },
): void {
  const { uid, resourceVersion } = deletion.request.preconditions;
  if (uid !== undefined && uid !== current.index.uid) {
    throw preconditionFailed(resource.type, deletion.name, { field: "UID", expected: uid, actual: current.index.uid });
  }
  const actual = String(current.revision);
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== actual) {
    throw preconditionFailed(resource.type, deletion.name, {
      field: "ResourceVersion",
      expected: resourceVersion,
      actual,
    });
  }
}
