import type { ApiError, ApiObject, ExpressionPreparation, ResourceType } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import type { AuditTrail } from "../http/audit-trail.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import type { AdmissionOperation } from "./chain/admission-metrics.ts";

/**
 * A request in the view of admission. Steps may change `object` when the request creates it or
 * updates its spec.
 */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly user: UserInfo;
  /** The type that the client named: `resource` or another version of it. */
  readonly requested: ResourceType;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * The object as it would be stored, or the body of a subresource (Binding, Eviction,
   * PodExecOptions); absent for deletes.
   */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  /** Set for a dry run: nothing is stored, and a step must not have side effects. */
  readonly dryRun: boolean;
  /** Messages for the client's Warning headers; steps add to them. */
  readonly warnings: string[];
  /** The audit record of the request; absent where the request is not recorded. */
  readonly trail?: AuditTrail | undefined;
  /** Set where the server itself writes objects that it requires. */
  readonly isServers?: true;
  readonly reader: Pick<StoreReader, "find">;
}

/** The part of a request that is known before its object is read. It decides which steps run. */
export type AdmissionTarget = Pick<AdmissionRequest, "operation" | "resource" | "subresource">;

/** The requests that a step handles. */
interface Handled {
  readonly operations: readonly AdmissionOperation[];
  /** Absent: the step handles every kind. */
  readonly resources?: readonly Pick<ResourceType, "group" | "resource">[];
  /** Names of subresources, "" for the object itself. Absent: the object and every subresource. */
  readonly subresources?: readonly string[];
}

/**
 * A rule that needs only the request and the store. It runs while a write's batch is formed, so it
 * is synchronous.
 */
export interface AdmissionStep {
  /** Upstream's name of the plugin. */
  readonly name: string;
  readonly handles: Handled;
  /**
   * Narrows `handles` by rules that change while the server runs. Absent: every request that the
   * step handles.
   */
  concerns?(target: AdmissionTarget): boolean;
  /** Work that must finish before a request that the step handles. It yields to other requests. */
  readonly preparation?: ExpressionPreparation;
  /** Changes `request.object`. @throws ApiError when the step rejects the request. */
  mutate?(request: AdmissionRequest): void;
  /**
   * Replaces `mutate` in a step that makes a new object. The step passes the new object to
   * `pass.adopt`, and returns undefined where the object is unchanged.
   * @throws ApiError when the step rejects the request.
   */
  replace?(request: AdmissionRequest, pass: MutationPass): KubeObject | undefined;
  validate?(request: AdmissionRequest): ApiError | undefined;
  /** Checks the request again where its write is decided, after all validating steps. */
  readonly atCommit?: CommitJudge;
}

/**
 * A rule about all objects together, such as a quota. It has to see exactly the state that the
 * write changes, including the writes that precede it in the same batch.
 */
interface CommitJudge {
  /** Every write calls this method, so the method has to be cheap. */
  concerns(request: AdmissionRequest, reader: StoreReader): boolean;
  judge(request: AdmissionRequest, reader: StoreReader): ApiError | undefined;
}

/**
 * A rule that waits for another server or for a write of its own. It runs before the write's batch
 * is formed, and again when the object has changed in the meantime, so its external actions have to
 * be idempotent.
 */
export interface AsyncAdmissionStep {
  readonly name: string;
  readonly handles: Handled;
  /** A step that takes longer fails the request, unless `request` ends first. */
  readonly timeoutMs: number;
  /**
   * Narrows `handles` by rules that change while the server runs. Absent: every request that the
   * step handles.
   */
  concerns?(target: AdmissionTarget): boolean;
  /** Work that must finish before a request that the step handles. It yields to other requests. */
  readonly preparation?: ExpressionPreparation;
  /**
   * Changes `request.object`, which is the step's own copy, or resolves with the object that
   * replaces it.
   * @throws ApiError when the step rejects the request; any other error is a fault of the step.
   */
  mutateAsync?(request: AdmissionRequest, signal: AbortSignal, pass: MutationPass): Promise<KubeObject | undefined>;
  /** @throws an error that is a fault of the step. */
  validateAsync?(request: AdmissionRequest, signal: AbortSignal): Promise<ApiError | undefined>;
}

/** One of at most two passes over all mutating steps of a request. */
export interface MutationPass {
  /** An object that both passes share. */
  readonly reinvocation: {
    readonly isSecond: boolean;
    /** Set by a step whose change earlier steps have to see. All steps then run again. */
    isWanted: boolean;
  };
  /** Converts a changed object to the kind. @throws an error when that is impossible. */
  adopt(object: KubeObject): KubeObject;
}

export type AnyAdmissionStep = AdmissionStep | AsyncAdmissionStep;

/**
 * Returns the object that the request creates if it is of this type. A subresource does not create
 * an object of its own.
 */
export function createdObject<T extends ApiObject>(request: AdmissionRequest, type: ResourceType<T>): T | undefined {
  const { operation, resource, subresource, object } = request;
  if (operation !== "create" || resource.type.kind !== type.kind || subresource !== "") return undefined;
  return object as T | undefined;
}
