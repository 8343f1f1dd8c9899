import * as z from "zod";

/**
 * A kind is declared like a table, one line per field:
 *
 *   export const ContainerPort = object("io.k8s.api.core.v1.ContainerPort", "A port.", () => ({
 *     containerPort: required(3, int32, "Port number of the container."),
 *     protocol: field(4, oneOf("TCP", "UDP", "SCTP"), "Protocol of the port: TCP, UDP or SCTP."),
 *   }));
 *
 * The number is the field's number in protobuf, and the text is printed by `kubectl explain`. How a
 * list is patched and applied is part of the list's type (`keyedList`, `setList`, `atomicList`).
 * All of it is stored in zod's metadata, from which `describeSchema` reads it.
 */
export interface FieldMeta {
  protoNumber: number | undefined;
  /** The field is in an embedded protobuf message with this number, while JSON has it inline. */
  protoEmbedded?: number;
  /** The embedded message is in another embedded message, with this number. */
  protoEmbeddedIn?: number;
  required: boolean;
  description?: string | undefined;
}

/** Metadata of a field's type that zod's own shape does not contain. */
export interface TypeMeta {
  /** Upstream's OpenAPI name of an object type. */
  typeName?: string;
  /** Description of an object type, one sentence. */
  description?: string | undefined;
  /** The format of a scalar: "int32", "date-time"… */
  format?: string;
  /** Accepts any JSON. */
  any?: boolean;
  /** Accepts any JSON, including values that are not objects. */
  anyForm?: true;
  /**
   * The value is an object of the first type, or has the form of the second type. Protobuf has a
   * message with both types.
   */
  either?: EitherMeta;
  /** Null members are preserved in JSON of any form, because they have a meaning for its reader. */
  keepsNulls?: boolean;
  /**
   * The values that validation accepts. Parsing accepts every text, so that the rejection lists all
   * faults at the same time.
   */
  values?: readonly string[];
  patchStrategy?: string;
  patchMergeKey?: string;
  listType?: "atomic" | "set" | "map";
  listMapKeys?: readonly string[];
  mapType?: "atomic" | "granular";
  /** The value of a key that a list's item lacks. */
  keyDefault?: string;
  /**
   * An empty value in protobuf counts as set on purpose. For other fields, it counts as absent.
   * Upstream's field is a pointer.
   */
  zeroCounts?: true;
}

export interface EitherMeta {
  readonly object: () => z.ZodType;
  readonly other: z.ZodType;
  /** The protobuf message that represents the value, and the conversions in both directions. */
  readonly message: () => z.ZodType;
  readonly ofMessage: (message: Readonly<Record<string, unknown>>) => unknown;
  readonly toMessage: (value: unknown) => Readonly<Record<string, unknown>>;
}

/** An object type. Unknown fields are dropped when parsing, as upstream prunes them. */
export function object<Shape extends z.core.$ZodLooseShape>(typeName: string, description: string, shape: () => Shape) {
  return annotate(objectOf(shape), { typeName, description });
}

/** An object type that server-side apply owns and replaces as a whole. */
export function atomicObject<Shape extends z.core.$ZodLooseShape>(
  typeName: string,
  description: string,
  shape: () => Shape,
) {
  return annotate(objectOf(shape), { typeName, description, mapType: "atomic" });
}

/** An object type that is sent by itself, and therefore has apiVersion and kind. */
export function kind<Shape extends z.core.$ZodLooseShape>(typeName: string, description: string, shape: () => Shape) {
  return object(typeName, description, () => ({ ...typeMeta(), ...shape() }));
}

/** A field that may be missing. */
export function field<T extends z.ZodType>(protoNumber: number | undefined, type: T, description?: string) {
  return annotate(z.optional(type), { protoNumber, required: false, description });
}

/**
 * A field that upstream always writes. If it is missing, parsing sets the zero value, like
 * upstream's decoder, and validation reports the zero value where it is invalid.
 */
export function required<T extends z.ZodType>(protoNumber: number | undefined, type: T, description?: string) {
  return annotate(zeroed(type), { protoNumber, required: true, description });
}

/**
 * A field that is always written, with null until its value is known, as upstream's metav1.Time
 * fields are.
 */
export function requiredNullable<T extends z.ZodType>(protoNumber: number | undefined, type: T, description?: string) {
  return annotate(z.optional(type), { protoNumber, required: true, description });
}

/** A field that clients may omit and that parsing always sets: an object's metadata. */
export function always<T extends z.ZodType>(protoNumber: number | undefined, type: T, description?: string) {
  return annotate(zeroed(type), { protoNumber, required: false, description });
}

/**
 * Fields that are inline in JSON but in an embedded message with the number `protoEmbedded` in
 * protobuf. Embedded fields may be embedded once more.
 */
export function embedded<Shape extends Record<string, z.ZodType>>(protoEmbedded: number, shape: Shape): Shape {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const meta = (schema.meta() ?? {}) as Partial<FieldMeta>;
    const place =
      meta.protoEmbedded === undefined
        ? { protoEmbedded }
        : { protoEmbedded: meta.protoEmbedded, protoEmbeddedIn: protoEmbedded };
    return [name, schema.meta({ ...meta, ...place })];
  });
  return Object.fromEntries(fields) as Shape;
}

function typeMeta() {
  return {
    apiVersion: field(undefined, z.string(), "API group and version of the object, such as v1 or apps/v1."),
    kind: field(undefined, z.string(), "Kind of the object, such as Pod."),
  };
}

function zeroed<T extends z.ZodType>(type: T): z.ZodDefault<T> {
  const zero = zeroOf(type);
  // A prefault is parsed, so that an object's own required fields appear as well.
  return (
    type instanceof z.ZodObject ? z.prefault(type, zero as never) : z._default(type, zero as never)
  ) as z.ZodDefault<T>;
}

function zeroOf(type: z.ZodType): unknown {
  if (type instanceof z.ZodNumber) return 0;
  if (type instanceof z.ZodBoolean) return false;
  if (type instanceof z.ZodArray) return () => [];
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord) return () => ({});
  if ((type.meta() as TypeMeta | undefined)?.format === "quantity") return "0";
  return "";
}

/**
 * `z.object`, except that its fields are created at their first use: zod reads an object's shape
 * when it first parses an object.
 */
function objectOf<Shape extends z.core.$ZodLooseShape>(
  fieldsOf: () => Shape,
): z.ZodObject<z.core.util.Writeable<Shape>> {
  let shape: Shape | undefined;
  const definition: z.core.$ZodObjectDef = {
    type: "object",
    get shape() {
      return (shape ??= fieldsOf());
    },
  };
  return new z.ZodObject(definition) as z.ZodObject<z.core.util.Writeable<Shape>>;
}

function annotate<T extends z.ZodType>(schema: T, meta: FieldMeta | TypeMeta): T {
  // The schema was created for this purpose, so it is annotated in place: `.meta()` would copy it
  // once more.
  z.globalRegistry.add(schema, meta as never);
  return schema;
}
