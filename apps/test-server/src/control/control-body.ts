import { badRequest, parseDurationMs } from "@kintsugi/api";
import { type ApiRequest, type ApiResponse, parseJson } from "@kintsugi/api-server/factory";

// The resources by which a test steers its cluster: their group, and the parsing of their bodies.

export const group = "kintsugi.dev";
export const controlVersion = "v1alpha1";
export const apiVersion = `${group}/${controlVersion}`;

export type Fields = Readonly<Record<string, unknown>>;

/** The maximum length of a body of these resources. */
const bodyBytesMax = 64 * 1024;

/** @throws ApiError BadRequest unless the body is a JSON object with only known fields. */
export function bodyFields({ body }: Pick<ApiRequest, "body">, known: readonly string[]): Fields {
  if (body === undefined || body.length === 0) throw badRequest("a JSON body is required");
  if (body.length > bodyBytesMax) throw badRequest(`the body is longer than ${bodyBytesMax} bytes`);
  return knownFields(parseJson(body), "the body", known);
}

/** @throws ApiError BadRequest unless the value is an object with only known fields. */
export function knownFields(value: unknown, where: string, known: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest(`${where} must be an object with ${known.join(", ")}`);
  const all = ["apiVersion", "kind", "metadata", ...known];
  const unknown = Object.keys(value).find((key) => !all.includes(key));
  if (unknown !== undefined)
    throw badRequest(`${where} has no field ${JSON.stringify(unknown)}; it has ${known.join(", ")}`);
  return value as Fields;
}

/** @throws ApiError BadRequest when the value is present and not a string. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || (typeof value === "string" && value !== "")) return value as string | undefined;
  throw badRequest(`${name} must be a non-empty text`);
}

/** @throws ApiError BadRequest when the value is present and not a duration up to `maxMs`. */
export function durationIn(fields: Fields, name: string, maxMs: number): number | undefined {
  const text = textIn(fields, name);
  if (text === undefined) return undefined;
  let ms: number;
  try {
    ms = parseDurationMs(text);
  } catch (error) {
    throw badRequest(`${name}: ${(error as Error).message}`);
  }
  if (ms < 0 || ms > maxMs)
    throw badRequest(`${name} must be between 0s and ${Math.floor(maxMs / 3_600_000)}h, not ${text}`);
  return ms;
}

/**
 * @throws ApiError BadRequest when the value is present and not a number between `min` and `max`.
 */
export function bodyNumber(
  fields: Fields,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value) && value >= min && value <= max) return value;
  throw badRequest(`${name} must be a number between ${min} and ${max}`);
}

/**
 * An answer that begins immediately and whose body arrives when the work is done, so time limits do
 * not apply to it.
 */
export function answerLater(work: () => Promise<object>): ApiResponse {
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(JSON.stringify(await work()));
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: body() };
}
