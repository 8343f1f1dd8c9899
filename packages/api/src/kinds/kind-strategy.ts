import type { ApiObject } from "../meta/api-object.ts";
import type { ValidationIssue } from "../validation/faults.ts";
import type { CustomResourceDefinition } from "./apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { CertificateSigningRequestSpec } from "./certificates/certificate-signing-request/certificate-signing-request.ts";
import type { Service } from "./core/service/service.ts";
import type { ExpressionSet } from "./expression-set.ts";

/**
 * The API server's handling of one kind's objects. Each part is optional: by default, a kind is
 * handled like a ConfigMap.
 */
export interface KindStrategy<T extends ApiObject = ApiObject> {
  prepareForCreate?(object: T, context: PrepareContext): void;
  /**
   * Restores the parts that a write through this subresource cannot change, except the status, from
   * `before`. It preserves the managers of fields, and replaces values instead of modifying them.
   */
  keepOtherParts?(object: T, before: T, subresource: string): void;
  prepareForUpdate?(object: T, before: T, update: PrepareUpdate): void;
  /** Faults of a new object that only the server can find. */
  validateNew?(object: T, context: PrepareContext): readonly ValidationIssue[];
  /** Faults of a changed object that only the server can find; `before` is the stored object. */
  validateChanged?(object: T, before: T, context: PrepareUpdate): readonly ValidationIssue[];
  /**
   * Set if these two functions compile expressions of the object: the server compiles the
   * expressions beforehand, in several turns of its event loop.
   */
  readonly hasExpressions?: boolean;
  /** Work that validation would otherwise do in one turn of the event loop. */
  readonly preparation?: ExpressionPreparation;
  /** Wall time after which the object may be removed by the sweep. */
  expiresAtMs?(object: T, context: PrepareContext): number | undefined;
  /** True if `status` is written only through its own subresource. */
  readonly status?: boolean;
  /** True if a create may contain the status. */
  readonly statusOnCreate?: boolean;
  /**
   * Each subresource ("" is the object itself) resets these fields in addition to status or spec,
   * so that appliers never own them.
   */
  readonly resetFields?: Readonly<Record<string, FieldPaths>>;
  /**
   * Part of the object whose changes metadata.generation counts: spec, template, or content, which
   * is everything except metadata and, if it has its own subresource, status.
   */
  readonly generation?: boolean | "template" | "content";
  /**
   * A PUT must name the version that it replaces (upstream's AllowUnconditionalUpdate is false).
   */
  readonly conditionalUpdateOnly?: boolean;
  /** True if a PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /**
   * Returns the grace period of a delete in seconds, given the requested grace period; deletes of a
   * kind without this function are immediate.
   */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
  /**
   * True if a delete that does not name a propagation policy orphans the dependents (upstream's
   * OrphanDependents); otherwise they are deleted.
   */
  readonly orphansDependents?: boolean;
  /**
   * True if the response to an immediate delete is the object (upstream's ReturnDeletedObject)
   * instead of a Status.
   */
  readonly returnsDeleted?: boolean;
  /** Changes the object when its deletion begins. */
  prepareForDelete?(object: T, nowMs: number): void;
  /**
   * Reports whether something other than metadata.finalizers delays the removal of a deleted
   * object.
   */
  heldBack?(object: T): boolean;
  /**
   * Returns the warnings about values that are valid but usually mistakes; the response contains
   * them. `before` is the object before an update.
   */
  warnings?(object: T, before: T | undefined): readonly string[];
  /** Sent as a Warning with every response, because another kind has replaced this kind. */
  readonly deprecation?: string;
}

/** Work in steps, between which the event loop serves other requests. */
export interface ExpressionPreparation {
  isDone(): boolean;
  steps(): Iterable<void>;
}

/** Fields as metadata.managedFields writes them: `{ "f:status": {} }`. */
export interface FieldPaths {
  [path: string]: FieldPaths;
}

export interface PrepareContext {
  readonly nowMs: number;
  readonly options: KindOptions;
  /** Reports whether the server has a feature (`--feature-gates`, `--emulated-version`). */
  isFeatureOn(name: string): boolean;
  readonly allocator: ServiceAllocation;
  /** Faults of the schemas of a definition, compared with the definition's previous schemas. */
  checkDefinition(
    definition: CustomResourceDefinition,
    before: CustomResourceDefinition | undefined,
  ): readonly ValidationIssue[];
  /** Errors of CEL expressions about requests that cannot be compiled. */
  checkExpressions(expressions: ExpressionSet): readonly ValidationIssue[];
  /** Explains why a certificate request cannot be parsed; undefined when it can. */
  explainSigningRequest(spec: CertificateSigningRequestSpec): string | undefined;
  /** Explains why a string is not a bundle of CA certificates; empty when it is. */
  explainTrustBundle(text: string): readonly string[];
}

export interface PrepareUpdate extends PrepareContext {
  /** "" for the object itself, "status" for its status. */
  readonly subresource: string;
}

/** Server settings that kinds read. */
export interface KindOptions {
  readonly eventTtlMs: number;
}

export interface ServiceAllocation {
  /**
   * Assigns addresses and node ports to a Service, which keeps the addresses and node ports of
   * `before`. @throws ApiError
   */
  allocate(service: Service, before?: Service): void;
}
