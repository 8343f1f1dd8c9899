import type { ApiObject } from "../meta/api-object.ts";
import type { ValidationIssue } from "../validation/faults.ts";
import type { CustomResourceDefinition } from "./apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { CertificateSigningRequestSpec } from "./certificates/certificate-signing-request/certificate-signing-request.ts";
import type { Service } from "./core/service/service.ts";
import type { ExpressionSet } from "./expression-set.ts";

/**
 * The API server's handling of one kind's objects. Each part is optional: without any, a kind is
 * handled like a ConfigMap.
 */
export interface KindStrategy<T extends ApiObject = ApiObject> {
  prepareForCreate?(object: T, context: PrepareContext): void;
  /**
   * Restores the parts that a write through this subresource cannot change, except the status, from
   * `before`. It keeps the owners of fields, and replaces values instead of modifying them.
   */
  keepOtherParts?(object: T, before: T, subresource: string): void;
  prepareForUpdate?(object: T, before: T, update: PrepareUpdate): void;
  /** Faults of a new object that only the server can find. */
  validateNew?(object: T, context: PrepareContext): readonly ValidationIssue[];
  /** Faults of a changed object that only the server can find; `before` is the stored object. */
  validateChanged?(object: T, before: T, context: PrepareUpdate): readonly ValidationIssue[];
  /**
   * True where these two compile expressions of the object: the server compiles them before, in
   * several turns of its event loop.
   */
  readonly hasExpressions?: boolean;
  /** Work that validation would otherwise do in one turn. */
  readonly preparation?: ExpressionPreparation;
  /** Wall time after which the object may be swept away. */
  expiresAtMs?(object: T, context: PrepareContext): number | undefined;
  /** Writes of `status` go only through its own subresource. */
  readonly status?: boolean;
  /** A create may bring the status with it. */
  readonly statusOnCreate?: boolean;
  /**
   * Each subresource ("" is the object itself) resets these fields besides status or spec, so that
   * appliers never own them.
   */
  readonly resetFields?: Readonly<Record<string, FieldPaths>>;
  /**
   * metadata.generation counts changes of spec, or of the template, or of the content: all that is
   * neither metadata nor, where it has its own subresource, status.
   */
  readonly generation?: boolean | "template" | "content";
  /**
   * A PUT must name the version that it replaces (upstream's AllowUnconditionalUpdate is false).
   */
  readonly conditionalUpdateOnly?: boolean;
  /** A PUT of an object that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /**
   * Returns the seconds that a delete leaves the object, given the seconds of the request; deletes
   * of a kind without this function are immediate.
   */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
  /**
   * A delete that names no propagation leaves the dependents behind (upstream's OrphanDependents);
   * they are deleted otherwise.
   */
  readonly orphansDependents?: boolean;
  /**
   * The answer to an immediate delete is the object (upstream's ReturnDeletedObject), not a Status.
   */
  readonly returnsDeleted?: boolean;
  /** Changes the object when its deletion begins. */
  prepareForDelete?(object: T, nowMs: number): void;
  /** Holds a deleted object back, besides metadata.finalizers. */
  heldBack?(object: T): boolean;
  /**
   * Returns the warnings about values that are valid and are mistakes most of the time; the answer
   * carries them. `before` is the object that an update changes.
   */
  warnings?(object: T, before: T | undefined): readonly string[];
  /** Sent as a Warning with every answer, because another kind has taken this one's place. */
  readonly deprecation?: string;
}

/** Work of the event loop in steps, between which other requests have their turn. */
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
  /** Faults of the schemas of a definition, compared with those that it had before. */
  checkDefinition(
    definition: CustomResourceDefinition,
    before: CustomResourceDefinition | undefined,
  ): readonly ValidationIssue[];
  /** Faults of CEL expressions about requests: those that cannot be compiled. */
  checkExpressions(expressions: ExpressionSet): readonly ValidationIssue[];
  /** Explains why a request for a certificate cannot be understood; undefined when it can. */
  explainSigningRequest(spec: CertificateSigningRequestSpec): string | undefined;
  /** Explains why a text is no bundle of certificates of authorities; empty when it is one. */
  explainTrustBundle(text: string): readonly string[];
}

export interface PrepareUpdate extends PrepareContext {
  /** "" for the object itself, "status" for its status. */
  readonly subresource: string;
}

/** Settings of the server that kinds read. */
export interface KindOptions {
  readonly eventTtlMs: number;
}

export interface ServiceAllocation {
  /**
   * Gives a Service its addresses and node ports; those of `before` stay its own. @throws ApiError
   */
  allocate(service: Service, before?: Service): void;
}
