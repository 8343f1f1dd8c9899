import * as z from "zod";
import { canonicalDuration } from "../values/duration.ts";
import { canonicalQuantity, QuantityError } from "../values/quantity.ts";
import { canonicalMicroTime, canonicalTimestamp } from "../values/timestamp.ts";
import type { EitherMeta, TypeMeta } from "./fields.ts";
import { canonicalBase64, isInt32, isInt64 } from "./scalars.ts";

/** The scalar, list and map types of which fields consist. */

export const text = z.string();

export const bool = z.boolean();

export const int32 = z
  .number()
  .refine(isInt32)
  .meta({ format: "int32" } satisfies TypeMeta);

export const int64 = z
  .number()
  .refine(isInt64)
  .meta({ format: "int64" } satisfies TypeMeta);

/** Base64 in JSON, bytes in protobuf. */
export const bytes = z
  .string()
  .check(rewrite(canonicalBase64, "illegal base64 data"))
  .meta({ format: "byte" } satisfies TypeMeta);

/** A point in time to the second, RFC 3339 in UTC. */
export const time = z
  .string()
  .check(rewrite(canonicalTimestamp, 'cannot parse as "2006-01-02T15:04:05Z07:00"'))
  .meta({ format: "date-time" } satisfies TypeMeta);

/** A point in time to the microsecond, RFC 3339 in UTC. */
export const microTime = z
  .string()
  .check(rewrite(canonicalMicroTime, 'cannot parse as "2006-01-02T15:04:05.000000Z07:00"'))
  .meta({ format: "micro-time" } satisfies TypeMeta);

/** A duration such as `15s` or `1m30s`; in protobuf, nanoseconds in a message of their own. */
export const duration = z
  .string()
  .check(rewrite(canonicalDuration, "is not a duration such as 15s or 1m30s"))
  .meta({ format: "duration" } satisfies TypeMeta);

/**
 * An exact amount such as `100m` or `1Gi`, in its canonical form. JSON numbers are accepted and
 * become text.
 */
export const quantity = z
  .union([z.string(), z.number()])
  .transform((value, context) => {
    try {
      return canonicalQuantity(typeof value === "string" ? value.trim() : value);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      context.issues.push({ code: "custom", input: value, message: error.message });
      return z.NEVER;
    }
  })
  .meta({ format: "quantity" } satisfies TypeMeta) as unknown as z.ZodType<string, string>;

/** A number, or a name or percentage. */
export const intOrString = z
  .union([z.number().refine(isInt32), z.string()])
  .meta({ format: "int-or-string" } satisfies TypeMeta);

/** Any JSON object, stored unchanged. */
export const anyObject = z.record(z.string(), z.unknown()).meta({ any: true } satisfies TypeMeta);

/**
 * A JSON object that the server stores for a client unchanged and does not interpret: upstream's
 * RawExtension.
 */
export const rawObject = z.record(z.string(), z.unknown()).meta({ any: true, keepsNulls: true } satisfies TypeMeta);

/** JSON of any form: a schema's default, an item of its enumeration. */
export const json = z.unknown().meta({ any: true, anyForm: true, keepsNulls: true } satisfies TypeMeta);

/** The type of values that are objects of one type, or have another form. */
export function either(meta: EitherMeta) {
  return z.union([z.lazy(meta.object), meta.other]).meta({ either: meta } satisfies TypeMeta);
}

/** A number with a fraction. */
export const double = z.number().meta({ format: "double" } satisfies TypeMeta);

/**
 * The type of strings that are one of these words. Parsing accepts any text; validation rejects
 * other strings, together with all other faults.
 */
export function oneOf<const Value extends string>(...values: readonly Value[]): z.ZodType<Value, Value> {
  return z.string().meta({ values } satisfies TypeMeta) as unknown as z.ZodType<Value, Value>;
}

/** A list that patches replace and that does not declare a list type for server-side apply. */
export function list<T extends z.ZodType>(item: T) {
  return z.array(item);
}

/** A list that is owned and replaced as a whole. */
export function atomicList<T extends z.ZodType>(item: T) {
  return z.array(item).meta({ listType: "atomic" } satisfies TypeMeta);
}

/** A list without order or duplicates. */
export function setList<T extends z.ZodType>(item: T, how: Pick<TypeMeta, "patchStrategy"> = {}) {
  return z.array(item).meta({ listType: "set", ...how } satisfies TypeMeta);
}

/** A list whose items are identified by `keys`; patches merge by the first key. */
export function keyedList<T extends z.ZodType>(
  item: T,
  keys: readonly string[],
  how: Pick<TypeMeta, "patchStrategy"> = {},
) {
  const patchMergeKey = keys[0] as string;
  return z
    .array(item)
    .meta({ listType: "map", listMapKeys: keys, patchMergeKey, patchStrategy: "merge", ...how } satisfies TypeMeta);
}

/** The same as `keyedList`, but a strategic merge patch replaces the whole list. */
export function keyedListReplaced<T extends z.ZodType>(item: T, keys: readonly string[]) {
  return z.array(item).meta({ listType: "map", listMapKeys: keys } satisfies TypeMeta);
}

/** A list replaced as a whole by server-side apply, merged by `key` by strategic merge patches. */
export function atomicListMergedBy<T extends z.ZodType>(item: T, key: string) {
  return z.array(item).meta({ listType: "atomic", patchMergeKey: key, patchStrategy: "merge" } satisfies TypeMeta);
}

/** An object with arbitrary keys. */
export function map<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value);
}

/** A map that is owned and replaced as a whole. */
export function atomicMap<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value).meta({ mapType: "atomic" } satisfies TypeMeta);
}

/** Replaces a string by its canonical form, or rejects it. */
function rewrite(canonical: (text: string) => string | undefined, refusal: string): z.core.CheckFn<string> {
  return (payload) => {
    const rewritten = canonical(payload.value);
    if (rewritten !== undefined) payload.value = rewritten;
    else payload.issues.push({ code: "custom", input: payload.value, message: refusal });
  };
}

/**
 * An object whose remaining keys are listed in clients' strategic merge patches (`$retainKeys`).
 */
export function retainingKeys<T extends z.ZodType>(type: T): T {
  return type.meta({ ...type.meta(), patchStrategy: "retainKeys" } satisfies TypeMeta);
}

/** An object that a strategic merge patch replaces as a whole. */
export function replaced<T extends z.ZodType>(type: T): T {
  return type.meta({ ...type.meta(), patchStrategy: "replace" } satisfies TypeMeta);
}

/** An optional key of a list's items, whose default for server-side apply is `value`. */
export function keyDefault<T extends z.ZodType>(type: T, value: string): T {
  return type.meta({ ...type.meta(), keyDefault: value } satisfies TypeMeta);
}

/**
 * A value that is preserved when it is empty, because an empty value differs from an absent value.
 */
export function zeroCounts<T extends z.ZodType>(type: T): T {
  return type.meta({ ...type.meta(), zeroCounts: true } satisfies TypeMeta);
}
