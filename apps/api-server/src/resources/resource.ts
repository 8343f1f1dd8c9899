import { type ApiObject, describeSchema, type ResourceType, type ValidationIssue } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import type { FieldSet } from "../fields/field-set.ts";
import type { z } from "zod";
import type { ServiceAllocator } from "./cluster-ip.ts";
import type { TypeDescription } from "@kintsugi/api";

/** An object on its way through the pipeline: parsed, so of its kind's shape, and not shared with anybody. */
export type KubeObject = ApiObject & { spec?: unknown; status?: unknown };

/** What distinguishes one kind from the others. Everything else is the same for all of them and lives in verbs/. */
export interface Resource<T extends ApiObject = KubeObject> {
  readonly type: ResourceType<T>;
  readonly schema: z.ZodType<T>;
  readonly description: TypeDescription;
  readonly rules: KindRules<T>;
  /** Names of what can be reached below an object: "status", "log". */
  readonly subresources?: readonly string[];
  /** Set when this is another representation of a kind stored elsewhere: events.k8s.io/v1 of core/v1 events. */
  readonly view?: ResourceView<T>;
}

interface ResourceView<T extends ApiObject> {
  readonly of: Resource;
  /** The fields that selectors can name besides metadata, each with the name that the stored kind has for it. */
  readonly selectableFields: Readonly<Record<string, string>>;
  toStored(object: T): KubeObject;
  fromStored(stored: KubeObject): T;
}

/** All optional: a kind without a rule behaves like a ConfigMap. */
export interface KindRules<T extends ApiObject> {
  /** Brings what was sent into the form in which it is stored, before anybody is recorded as its author. */
  normalize?(object: T): void;
  prepareForCreate?(object: T, context: PrepareContext): void;
  prepareForUpdate?(object: T, before: T, update: PrepareUpdate): void;
  /** What is wrong with a new object that packages/api cannot see, because seeing it needs Node.js. */
  validateNew?(object: T): readonly ValidationIssue[];
  /** What field selectors can ask for, besides metadata.name and metadata.namespace; kept in the index of each entry. */
  selectableFields?: Readonly<Record<string, (object: T) => string | undefined>>;
  /** Kept in the index as well, for the server's own use. */
  indexedFields?: Readonly<Record<string, (object: T) => string | undefined>>;
  /** Wall time after which the object may be swept away. */
  expiresAtMs?(object: T, context: PrepareContext): number | undefined;
  /** Whether `status` is written only through its own subresource. */
  status?: boolean;
  /** Whether a create may bring the status with it. */
  statusOnCreate?: boolean;
  /** By subresource ("" is the object itself), what its strategy resets besides status or spec, so that appliers never own it. */
  resetFields?: Readonly<Record<string, FieldSet>>;
  /** Whether metadata.generation counts changes of spec. */
  generation?: boolean;
  /** Whether a PUT must say which version it replaces (upstream's AllowUnconditionalUpdate is false). */
  conditionalUpdateOnly?: boolean;
  /** Whether a PUT of an object that does not exist creates it. */
  createOnUpdate?: boolean;
  /** How many seconds a delete leaves the object, given what was asked for; absent: deletes are immediate. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
  /** Whether the answer to an immediate delete is the object (upstream's ReturnDeletedObject), not a Status. */
  returnsDeleted?: boolean;
  /** Changes the object when its deletion begins. */
  prepareForDelete?(object: T): void;
  /** Told in a Warning with every answer, because another kind has taken this one's place. */
  deprecation?: string;
  /** What else holds a deleted object back, besides metadata.finalizers. */
  heldBack?(object: T): boolean;
}

export interface PrepareContext {
  readonly nowMs: number;
  readonly reader: Pick<StoreReader, "find">;
  readonly options: KindOptions;
  /** Gives Services their addresses. */
  readonly allocator: ServiceAllocator;
}

export interface PrepareUpdate extends PrepareContext {
  /** "" for the object itself, "status" for its status. */
  readonly subresource: string;
}

/** Settings of the server that kinds look at. */
interface KindOptions {
  readonly eventTtlMs: number;
}

interface ResourceDefinition<T extends ApiObject> {
  type: ResourceType<T>;
  schema: z.ZodType<T>;
  rules: KindRules<T>;
  subresources?: readonly string[];
  view?: ResourceView<T>;
}

export function defineResource<T extends ApiObject>(definition: ResourceDefinition<T>): Resource {
  const description = describeSchema(definition.schema);
  // The pipeline hands a resource only objects that its own schema has parsed.
  return { ...definition, description } as unknown as Resource;
}
