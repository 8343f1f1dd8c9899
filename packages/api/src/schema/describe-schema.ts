import * as z from "zod";
import type { EitherMeta, FieldMeta, TypeMeta } from "./fields.ts";

/**
 * A zod schema as a plain tree, for code that works on objects of any kind: patches, OpenAPI,
 * protobuf, pruning.
 */
export type TypeDescription = ObjectDescription | ListDescription | MapDescription | ScalarDescription;

export interface ObjectDescription {
  readonly type: "object";
  /** Upstream's OpenAPI name: "io.k8s.api.core.v1.PodSpec". */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldDescription>;
  /** The meaning of the type, in a sentence. */
  readonly description?: string;
  /** "atomic" when server-side apply replaces the whole object. */
  readonly mapType?: string;
  /**
   * The object does not exist until a client sets it, so its first manager owns the object itself.
   */
  readonly optional?: true;
  /** The schema for OpenAPI documents, of a type whose schema is data. */
  readonly openApi?: (version: 2 | 3) => Readonly<Record<string, unknown>>;
}

export interface ListDescription {
  readonly type: "list";
  readonly items: TypeDescription;
}

export interface MapDescription {
  readonly type: "map";
  readonly values: TypeDescription;
}

export interface ScalarDescription {
  /** "any" is JSON of any form, which is stored unchanged. */
  readonly type: "string" | "integer" | "number" | "boolean" | "any";
  readonly format?: ScalarFormat;
  /** The members of "any" are owned individually, depending on their values. */
  readonly deduced?: true;
  /** This "any" also represents values that are not objects. */
  readonly anyForm?: true;
  /** This "any" is an object of the first type, or has the form of the second type. */
  readonly either?: EitherDescription;
  /** The values that validation accepts. */
  readonly values?: readonly string[];
  /** An empty value in protobuf counts as set. */
  readonly zeroCounts?: true;
}

interface EitherDescription {
  readonly object: () => TypeDescription;
  readonly other: TypeDescription;
  readonly message: () => TypeDescription;
  readonly ofMessage: (message: Readonly<Record<string, unknown>>) => unknown;
  readonly toMessage: (value: unknown) => Readonly<Record<string, unknown>>;
}

export type ScalarFormat =
  | "int32"
  | "int64"
  | "double"
  | "byte"
  | "date-time"
  | "micro-time"
  | "duration"
  | "quantity"
  | "int-or-string";

export interface FieldDescription {
  readonly name: string;
  readonly type: TypeDescription;
  readonly required: boolean;
  readonly protoNumber?: number;
  /** The field is inside an embedded message with this number. */
  readonly protoEmbedded?: number;
  /** That message is inside another embedded message, with this number. */
  readonly protoEmbeddedIn?: number;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  /** The value of a key that a list's item lacks. */
  readonly keyDefault?: string | number | boolean;
  readonly description?: string;
}

/**
 * Describes a type. The same schema always has the same description, even if types refer to
 * themselves.
 */
export function describeSchema(schema: z.ZodType): TypeDescription {
  const known = descriptions.get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodObject) return describeObject(schema);
  const description = describeOther(schema);
  descriptions.set(schema, description);
  return description;
}

/** The same as `describeSchema`, for a schema that is known to be an object. */
export function describeObject(schema: z.ZodObject): ObjectDescription {
  const known = descriptions.get(schema);
  if (known?.type === "object") return known;
  const { typeName = "", mapType, description: about = "" } = typeMeta(schema);
  let fields: ReadonlyMap<string, FieldDescription> | undefined;
  const description: ObjectDescription = {
    type: "object",
    name: typeName,
    // The fields are described at their first use, like the schema itself: discovery needs the type
    // at the start, but its fields only later.
    get fields() {
      return (fields ??= describeFields(schema));
    },
    ...(mapType && { mapType }),
    ...(about !== "" && { description: about }),
  };
  descriptions.set(schema, description);
  return description;
}

function describeFields(schema: z.ZodObject): ReadonlyMap<string, FieldDescription> {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  return new Map(fields.map(([name, field]) => [name, describeField(name, field)]));
}

const descriptions = new WeakMap<z.ZodType, TypeDescription>();

function describeField(name: string, schema: z.ZodType): FieldDescription {
  const { required, protoNumber, protoEmbedded, protoEmbeddedIn, description } = (schema.meta() ?? {
    required: false,
  }) as unknown as FieldMeta;
  const inner = unwrap(schema);
  const { patchStrategy, patchMergeKey, listType, listMapKeys, mapType, keyDefault } = typeMeta(inner);
  return {
    name,
    type: describeSchema(inner),
    required,
    ...(protoNumber !== undefined && { protoNumber }),
    ...(protoEmbedded !== undefined && { protoEmbedded }),
    ...(protoEmbeddedIn !== undefined && { protoEmbeddedIn }),
    ...(patchStrategy !== undefined && { patchStrategy }),
    ...(patchMergeKey !== undefined && { patchMergeKey }),
    ...(listType !== undefined && { listType }),
    ...(listMapKeys !== undefined && { listMapKeys }),
    ...(mapType !== undefined && { mapType }),
    ...(keyDefault !== undefined && { keyDefault }),
    ...(description !== undefined && { description }),
  };
}

function describeOther(schema: z.ZodType): TypeDescription {
  const meta = typeMeta(schema);
  if (schema instanceof z.ZodLazy) return describeSchema(schema.unwrap() as z.ZodType);
  if (meta.either !== undefined) return { type: "any", anyForm: true, either: describeEither(meta.either) };
  if (meta.any === true) return { type: "any", ...(meta.anyForm === true && { anyForm: meta.anyForm }) };
  if (schema instanceof z.ZodArray) return { type: "list", items: describeSchema(unwrap(schema.element as z.ZodType)) };
  if (schema instanceof z.ZodRecord)
    return { type: "map", values: describeSchema(unwrap(schema.valueType as z.ZodType)) };
  const format = meta.format as ScalarFormat | undefined;
  const described = {
    ...(format !== undefined && { format }),
    ...(meta.values !== undefined && { values: meta.values }),
    ...(meta.zeroCounts && { zeroCounts: meta.zeroCounts }),
  };
  if (schema instanceof z.ZodBoolean) return { type: "boolean", ...described };
  if (schema instanceof z.ZodNumber) return { type: format === "double" ? "number" : "integer", ...described };
  return { type: "string", ...described };
}

function describeEither({ object, other, message, ofMessage, toMessage }: EitherMeta): EitherDescription {
  return {
    object: () => describeSchema(object()),
    other: describeSchema(other),
    message: () => describeSchema(message()),
    ofMessage,
    toMessage,
  };
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema;
}

function typeMeta(schema: z.ZodType): TypeMeta {
  return (schema.meta() ?? {}) as TypeMeta;
}
