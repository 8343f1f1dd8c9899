import {
  alreadyExists,
  applyDefaults,
  completeStatus,
  formatTimestamp,
  invalid,
  type ManagedFieldsEntry,
  validateCreate,
  ApiError,
  customResourceDefinitions,
} from "@kintsugi/api";
import type { Entry, StoreReader } from "@kintsugi/store";
import { requestedBy } from "../admission/requested-by.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { fieldsOfNew } from "../fields/managed-fields.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { WriteOptions } from "../request/write-options.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { assertMayGrow } from "../resources/object-size.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { adoptObject } from "./adopt-object.ts";
import { type Decision, prepareContext } from "./commit.ts";
import type { PlannedWrite } from "./commit-admitted.ts";
import { assertNamespaceActive } from "./namespace-active.ts";
import { addWarnings } from "./add-warnings.ts";
import { expressionsChecked } from "./settle-in-turns.ts";
import { fillNewMetadata } from "./system-metadata.ts";
import { pathNotFound } from "../http/refusals.ts";
import { storeKey } from "../resources/keys.ts";

export interface NewObject {
  call: ResourceCall;
  options: WriteOptions;
  /** The object as sent, in the stored form. It becomes the stored object. */
  object: KubeObject;
  /** The owners of the fields, where they have already been decided. */
  managedFields?: ManagedFieldsEntry[];
}

/** A new object before it is stored. */
export class ObjectCreation implements PlannedWrite<{ created: boolean }> {
  request: AdmissionRequest;
  readonly #context: ServerContext;
  readonly #created: NewObject;

  constructor(context: ServerContext, created: NewObject, reader: Pick<StoreReader, "find">) {
    const { call, options, object } = created;
    const resource = storedResource(call.resource);
    const { strategy } = resource.kind;
    applyDefaults(resource.kind, object);
    if (strategy.status === true && strategy.statusOnCreate !== true) delete object.status;
    assertMayGrow(resource, object, undefined);
    // The creator owns the fields that it sent and the defaults inside these fields. Admission
    // receives these owners, and the fields that admission adds have no owner.
    const owners = created.managedFields ?? ownersOf(context, created);
    if (owners === undefined || owners.length === 0) delete object.metadata.managedFields;
    else object.metadata.managedFields = owners;
    this.#context = context;
    this.#created = created;
    this.request = {
      operation: "create",
      ...requestedBy(call),
      ...(call.isServers === true && { isServers: true }),
      resource,
      subresource: "",
      namespace: call.info.namespace,
      name: object.metadata.name ?? "",
      object,
      before: undefined,
      dryRun: options.dryRun,
      reader,
    };
  }

  adopt(object: KubeObject): KubeObject {
    return adoptObject(this.request, object);
  }

  /** Sets the server's metadata, runs the kind's own preparation, and validates. */
  settle(): void {
    const { resource } = this.request;
    const object = this.request.object as KubeObject;
    const context = this.#context;
    const { strategy } = resource.kind;
    assertMayGrow(resource, object, undefined);
    fillNewMetadata(context, object, resource);
    const prepare = prepareContext(context);
    strategy.prepareForCreate?.(object, prepare);
    completeStatus(resource.type, object);
    const ofServer = strategy.validateNew?.(object, prepare) ?? [];
    const issues = [...validateCreate(resource.kind, object), ...ofServer];
    if (issues.length > 0) throw invalid(resource.type, object.metadata.name ?? "", issues);
    addWarnings(this.#created.call, strategy.warnings?.(object, undefined));
  }

  expressions(): readonly string[] {
    const { object, resource } = this.request;
    const { strategy } = resource.kind;
    if (strategy.hasExpressions !== true) return [];
    return expressionsChecked(prepareContext(this.#context), (prepare) =>
      strategy.validateNew?.(object as KubeObject, prepare),
    );
  }

  decide(current: Entry | undefined, reader: StoreReader): Decision<{ created: boolean }> {
    const { resource, namespace, name } = this.request;
    if (namespace !== "") assertNamespaceActive(reader, namespace, { type: resource.type, name });
    assertDefinitionOpen(reader, resource);
    this.#context.admission.judge(this.request, reader);
    if (current !== undefined) throw alreadyExists(resource.type, name);
    return { action: "put", object: this.request.object as KubeObject, result: { created: true } };
  }
}

/** The owners are recorded in the version of the request. */
function ownersOf(context: ServerContext, { call, options, object }: NewObject): ManagedFieldsEntry[] | undefined {
  const { resource } = call;
  const time = formatTimestamp(context.clock.nowMs());
  const sent = resource.view?.fromStored(object) ?? object;
  return fieldsOfNew(resource, sent, { manager: options.fieldManager, subresource: "", time });
}

/**
 * Rejects a new object of a kind whose definition is being deleted, or has been replaced. The
 * definition is looked up inside the write's own batch, so no object outlives its definition.
 * @throws ApiError
 */
function assertDefinitionOpen(reader: Pick<StoreReader, "find">, { kind }: Pick<Resource, "kind">): void {
  const { definition } = kind.storedForm ?? {};
  if (definition === undefined) return;
  const entry = reader.find(storeKey(customResourceDefinitions, "", definition.name));
  if (entry === undefined || entry.index.uid !== definition.uid) throw pathNotFound();
  if (entry.index.deleting !== true) return;
  const { group, resource } = kind.type;
  const message = "create not allowed while custom resource definition is terminating";
  throw new ApiError("MethodNotAllowed", message, { details: { group, kind: resource } });
}
