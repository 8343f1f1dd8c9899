import {
  collectFaults,
  countValues,
  jsonDepthMax,
  type JsonObject,
  jsonValuesMax,
  parseForeignJson,
  sameJson,
  validateObjectMetaLabels,
} from "@kintsugi/api";
import * as z from "zod";

const apiVersion = "apiextensions.k8s.io/v1";
const kind = "ConversionReview";

export interface ConversionRequest {
  readonly uid: string;
  readonly desired: string;
  readonly objects: readonly JsonObject[];
}

/**
 * The body for a webhook. @throws Error when the webhook supports no version in which reviews are
 * sent.
 */
export function conversionReview({ uid, desired, objects }: ConversionRequest, versions: readonly string[]): object {
  if (!versions.includes("v1")) throw new Error("no supported conversion review versions");
  return { kind, apiVersion, request: { uid, desiredAPIVersion: desired, objects } };
}

const Review = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  response: z
    .object({
      uid: z.string().optional(),
      result: z.object({ status: z.string().nullish(), message: z.string().nullish() }).optional(),
      convertedObjects: z.array(z.record(z.string(), z.unknown())).nullish(),
    })
    .nullish(),
});

/**
 * Parses the answer of a webhook: the sent objects in the same order.
 * @throws Error with upstream's words after `failed: ` or the type.
 */
export function readConverted(body: string, request: ConversionRequest): JsonObject[] {
  const { response, ...type } = parse(body, request);
  if (type.apiVersion !== apiVersion || type.kind !== kind) {
    const got = `${type.apiVersion ?? ""}, Kind=${type.kind ?? ""}`;
    throw new Error(`failed: expected webhook response of ${apiVersion}, Kind=${kind}, got ${got}`);
  }
  if (response === undefined || response === null) throw new Error("failed: no response provided");
  const { uid = "", result, convertedObjects } = response;
  if (uid !== request.uid) {
    throw new Error(`failed: expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}`);
  }
  const { status, message } = result ?? {};
  if (status !== "Success") {
    const because = (message ?? "") === "" ? `response.result.status was '${status ?? ""}', not 'Success'` : message;
    throw new Error(`failed: ${because}`);
  }
  const objects = (convertedObjects ?? []) as JsonObject[];
  if (objects.length !== request.objects.length) {
    throw new Error(`returned ${objects.length} objects, expected ${request.objects.length}`);
  }
  return objects.map((converted, index) =>
    restored(request.objects[index] as JsonObject, converted, { index, request }),
  );
}

/** The objects of a review are in `response.convertedObjects`. */
const depthOfReview = 3;

/** Objects of another version have fields with other names, but not many times as many fields. */
function valuesMaxOf({ objects }: ConversionRequest): number {
  return 2 * countValues(objects) + jsonValuesMax;
}

function parse(body: string, request: ConversionRequest): z.infer<typeof Review> {
  let json: unknown;
  try {
    json = parseForeignJson(body, {
      valuesMax: valuesMaxOf(request),
      depthMax: jsonDepthMax + depthOfReview,
      of: "the answer",
    });
  } catch (error) {
    throw new Error(`failed: couldn't parse the ConversionReview: ${(error as Error).message}`, { cause: error });
  }
  const parsed = Review.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path = [], message = "" } = parsed.error.issues[0] ?? {};
  throw new Error(`failed: couldn't parse the ConversionReview: ${path.join(".")}: ${message}`);
}

interface Place {
  readonly index: number;
  readonly request: ConversionRequest;
}

/** A conversion changes only the labels and annotations of the metadata. */
function restored(original: JsonObject, converted: JsonObject, { index, request }: Place): JsonObject {
  const invalid = (why: string) => new Error(`returned invalid converted object at index ${index}: ${why}`);
  const [expected, got] = [request.desired, textOf(converted["apiVersion"])];
  if (got !== expected) throw invalid(`invalid groupVersion (expected ${expected}, received ${got})`);
  const [kindBefore, kindNow] = [textOf(original["kind"]), textOf(converted["kind"])];
  if (kindNow !== kindBefore) throw invalid(`invalid kind (expected ${kindBefore}, received ${kindNow})`);
  const before = (original["metadata"] ?? {}) as JsonObject;
  const now = converted["metadata"];
  if (typeof now !== "object" || now === null || Array.isArray(now)) {
    throw new Error(`returned invalid metadata in object at index ${index}: missing metadata in converted object`);
  }
  for (const [field, word] of sameFields) {
    const [was, is] = [textOf(before[field]), textOf(now[field])];
    if (was !== is) throw invalid(`must have the same ${word}: ${was} != ${is}`);
  }
  const metadata: JsonObject = { ...before };
  for (const field of ["labels", "annotations"]) {
    const value = now[field];
    if (value === undefined || value === null) delete metadata[field];
    else if (!sameJson(value, before[field])) metadata[field] = textsOf(value, { field, index });
  }
  const issues = collectFaults((faults) => validateObjectMetaLabels(metadata, faults));
  if (issues.length > 0) {
    const why = issues.map(({ field, message }) => `${field}: ${message}`).join(", ");
    throw new Error(`returned invalid metadata in object at index ${index}: ${why}`);
  }
  return { ...converted, metadata };
}

const sameFields = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown, { field, index }: { field: string; index: number }): JsonObject {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMap && Object.values(value).every((each) => typeof each === "string")) return value as JsonObject;
  throw new Error(
    `returned invalid metadata in object at index ${index}: invalid metadata.${field} in converted object`,
  );
}
