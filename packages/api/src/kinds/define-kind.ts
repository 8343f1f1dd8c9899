import type { z } from "zod";
import type { ApiObject } from "../meta/api-object.ts";
import type { ObjectKey, ResourceType } from "../meta/resource-type.ts";
import { describeObject, type ObjectDescription, type TypeDescription } from "../schema/describe-schema.ts";
import type { KindTable } from "../table/columns.ts";
import type { DefinitionWebhook } from "./apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { KindStrategy } from "./kind-strategy.ts";
import type { KindValidation } from "../validation/kind-validation.ts";

/** A schema whose type is an API object. */
export type ObjectSchema<T extends ApiObject = ApiObject> = z.ZodObject & z.ZodType<T>;

// One kind as one value with everything that distinguishes it from other kinds. The API server
// serves the kinds in its registry: `builtInKinds`, and kinds that are added while it runs. Generic
// code reads the value and never compares names.
//
//   <kind>-type.ts   the ResourceType: names only, so that a client loads no schema with it
//   <kind>.ts        the schema, from which TypeScript type, OpenAPI, patches and protobuf follow
//   <kind>-kind.ts   the value: defaults, validation, strategy, subresources, table

/** The fields that a kind's author writes; all except type and schema are optional. */
export interface KindDefinition<T extends ApiObject = ApiObject> {
  readonly type: ResourceType<T>;
  readonly schema: ObjectSchema<T>;
  /** Sets the defaults of fields that an author may omit, in place and idempotently. */
  defaults?(object: T): void;
  readonly validation?: KindValidation<T>;
  readonly strategy?: KindStrategy<T>;
  /**
   * Names of subresources: "status", "scale", "log". The API server has one table of all
   * subresources.
   */
  readonly subresources?: readonly string[];
  /** The size of an object, for its subresource `scale`. */
  readonly scale?: ScaleAccess<T>;
  /**
   * Fields that field selectors may name, in addition to metadata.name and metadata.namespace;
   * stored in the index of each entry.
   */
  readonly selectable?: Readonly<Record<string, FieldOf<T>>>;
  /** Additional fields that are stored in the index for the server's own use. */
  readonly indexed?: Readonly<Record<string, FieldOf<T>>>;
  /** The columns of `kubectl get`; name and creation time when absent. */
  readonly table?: KindTable<T>;
  /** All of `kindVerbs` when absent. */
  readonly verbs?: readonly KindVerb[];
  /**
   * Replaces the schema for reading bodies of a kind whose schema is data. The body has the right
   * apiVersion and kind.
   * @throws ApiError BadRequest
   */
  decode?(body: Readonly<Record<string, unknown>>): T;
  /** The shape of objects, if it does not follow from the schema. */
  readonly description?: ObjectDescription;
  /** Set if the stored form of objects may differ from the served form. */
  readonly storedForm?: StoredForm<T>;
  /**
   * Set for another representation of a kind that is stored already: events.k8s.io/v1 of core/v1
   * events.
   */
  readonly view?: KindView<T>;
  /** Set for a kind that is served by a route of its own and never stored. */
  readonly answered?: true;
  readonly exceptions?: KindExceptions<T>;
}

/** A kind whose optional parts have their defaults. */
export interface Kind<T extends ApiObject = ApiObject> extends KindDefinition<T> {
  readonly description: ObjectDescription;
  readonly validation: KindValidation<T>;
  readonly strategy: KindStrategy<T>;
  readonly subresources: readonly string[];
  readonly verbs: readonly KindVerb[];
  readonly exceptions: KindExceptions<T>;
}

/** The order of the discovery document. */
export const kindVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"] as const;
export type KindVerb = (typeof kindVerbs)[number];

/** Declared as a method, so that a kind of pods is assignable to a kind of objects. */
type FieldOf<T extends ApiObject> = { read(object: T): string | undefined }["read"];

export interface ScaleAccess<T extends ApiObject> {
  read(object: T): { wanted: number; actual: number; selector: string };
  /** Sets the size of an object, in place. */
  write(object: T, wanted: number): void;
}

/**
 * The form in which the versions of one resource are stored. Kinds of the same definition share
 * their stored objects.
 */
export interface StoredForm<T extends ApiObject> {
  /** The definition from which all versions are derived. */
  readonly definition: { readonly name: string; readonly uid: string };
  /** Set if every stored object is served unchanged. */
  readonly isServed: boolean;
  /** Set if a webhook converts between the versions; then `read` and `write` do not convert. */
  readonly conversion?: StoredConversion;
  /** Converts a stored object, which it may change, to the served form. */
  read(stored: ApiObject): T;
  /**
   * Describes the objects of any version of the definition; undefined if the definition lacks the
   * version.
   */
  describeVersion(apiVersion: string): TypeDescription | undefined;
  /** Converts an object to its stored form; the object itself is not modified. */
  write(object: T): ApiObject;
}

/** The conversion of one version of a definition by a webhook. */
interface StoredConversion {
  /** The name of the definition. */
  readonly definition: string;
  /** The apiVersion in which objects are served. */
  readonly own: string;
  /** The apiVersion in which objects will be stored. */
  readonly stored: string;
  readonly webhook: DefinitionWebhook;
}

export interface KindView<T extends ApiObject> {
  /** The kind whose objects are stored. */
  readonly of: ResourceType;
  toStored(object: T): ApiObject;
  fromStored(stored: ApiObject): T;
  /**
   * The stored field that corresponds to `field` of a field selector; undefined if the view does
   * not have the field.
   */
  storedField?(field: string): string | undefined;
}

/** Special properties of a kind that generic code respects. */
interface KindExceptions<T extends ApiObject> {
  /**
   * The kind's objects are namespaces, so a URL inside a namespace may refer to the object itself.
   */
  readonly isNamespace?: true;
  /**
   * The kind's schema is data and not one of upstream's Go types, so neither protobuf bodies nor
   * strategic merge patches are supported.
   */
  readonly schemaIsData?: true;
  /**
   * The kind's objects keep nodes and leaders alive: their requests are never limited, and they are
   * written even to a nearly full disk.
   */
  readonly keepsAlive?: true;
  /**
   * The kind's objects only report what happened to other objects, and components never depend on
   * them: their writes may be batched for a few milliseconds, after other writes.
   */
  readonly isReport?: true;
  /**
   * The kind's objects contain secrets: the bus only announces their changes, and readers fetch
   * them from the API server.
   */
  readonly isSecret?: true;
  /**
   * The maximum number of values (members, items, objects and lists) in an object, if the kind
   * needs more than other kinds.
   */
  readonly valuesMax?: number;
  /**
   * The node that an object concerns, or "": changes are published for each node separately. The
   * node of a pod is the node to which the pod is bound.
   */
  nodeOf?(place: IndexedPlace): string;
  /**
   * The node whose heartbeat a renewal of the object is, or "": the response contains the node's
   * revisions.
   */
  heartbeatOf?(key: ObjectKey): string;
  /**
   * The ServiceAccount for which a create waits a moment, because a controller may be creating it;
   * undefined if the create does not wait.
   */
  awaitedServiceAccount?(object: T): string | undefined;
}

/** An object's address and the fields of its index, which are known without parsing it. */
export interface IndexedPlace extends ObjectKey {
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** Makes the value of a kind. */
export function defineKind<T extends ApiObject>(definition: KindDefinition<T>): Kind<T> {
  const { validation = {}, strategy = {}, subresources = [], verbs = kindVerbs, exceptions = {} } = definition;
  const { description = describeObject(definition.schema) } = definition;
  return { ...definition, description, validation, strategy, subresources, verbs, exceptions };
}

/** Fills in an object's defaults, in place, and returns it. */
export function applyDefaults<T extends ApiObject>(kind: Pick<Kind<T>, "defaults">, object: NoInfer<T>): T {
  kind.defaults?.(object);
  return object;
}
