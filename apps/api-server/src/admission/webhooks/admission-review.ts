import {
  ApiError,
  type JsonBudget,
  jsonDepthMax,
  jsonValuesMax,
  parseForeignJson,
  statusCodeByReason,
  type StatusDetails,
  type StatusReason,
} from "@kintsugi/api";
import * as z from "zod";
import type { Resource } from "../../resources/resource.ts";
import type { AdmissionRequest } from "../admission.ts";
import { describeRequest } from "../expressions/describe-request.ts";
import { shownAs } from "../matching/shown-object.ts";

/** The versions of a review that webhooks may request. */
type ReviewVersion = "v1" | "v1beta1";

/** Returns the first version of the webhook's list that this server supports. */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion {
  return versions.find((version) => version === "v1" || version === "v1beta1") ?? "v1";
}

/** A review that was sent. Its answer is checked against the review. */
export interface AskedReview {
  readonly uid: string;
  readonly mutating: boolean;
  readonly version: ReviewVersion;
  /** The values of the review. An answer may repeat them, and a patch may replace them. */
  readonly values: number;
}

const group = "admission.k8s.io";
const kind = "AdmissionReview";

/** Describes a request to a webhook. */
export function reviewOf(
  request: AdmissionRequest,
  shown: { uid: string; resource: Resource; version: ReviewVersion },
): object {
  const { subresource, object, before } = request;
  const [newObject, oldObject] = [object, before].map((each) => shownAs(shown.resource, each, subresource));
  const described = describeRequest(request, shown.resource);
  return {
    kind,
    apiVersion: `${group}/${shown.version}`,
    request: { uid: shown.uid, ...described, object: newObject ?? null, oldObject: oldObject ?? null },
  };
}

const Cause = z.object({
  reason: z.string().optional(),
  message: z.string().optional(),
  field: z.string().optional(),
});
const Result = z.object({
  message: z.string().nullish(),
  reason: z.string().nullish(),
  code: z.number().nullish(),
  details: z
    .object({
      name: z.string().optional(),
      group: z.string().optional(),
      kind: z.string().optional(),
      causes: z.array(Cause).optional(),
    })
    .nullish(),
});
const Response = z.object({
  uid: z.string().nullish(),
  allowed: z.boolean().default(false),
  status: Result.nullish(),
  patch: z.base64().nullish(),
  patchType: z.string().nullish(),
  warnings: z.array(z.string()).nullish(),
  auditAnnotations: z.record(z.string(), z.string()).nullish(),
});
const Review = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  response: Response.nullish(),
});

export interface ReviewVerdict {
  readonly allowed: boolean;
  readonly result: z.infer<typeof Result> | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** The operations of a JSON patch, unchecked; undefined when the object is unchanged. */
  readonly patch: unknown;
}

/**
 * Parses the answer to the review with this UID.
 * @throws Error with upstream's words.
 */
export function readVerdict(body: string, asked: AskedReview): ReviewVerdict {
  const { response, ...type } = parseReview(body, asked);
  if (response === undefined || response === null) throw new Error("webhook response was absent");
  const { allowed, status, warnings, auditAnnotations } = response;
  const rest = {
    allowed,
    result: status ?? undefined,
    warnings: warnings ?? [],
    auditAnnotations: auditAnnotations ?? {},
  };
  // Upstream checks neither the UID nor the type of the patch in answers of the older version.
  if (asked.version === "v1beta1") {
    const patch = (response.patch ?? "") === "" ? {} : { patchType: "JSONPatch" };
    return {
      ...rest,
      patch: asked.mutating ? readPatch({ ...response, patchType: undefined, ...patch }, asked) : undefined,
    };
  }
  const uid = response.uid ?? "";
  if (uid !== asked.uid) {
    throw new Error(`expected response.uid=${JSON.stringify(asked.uid)}, got ${JSON.stringify(uid)}`);
  }
  const apiVersion = `${group}/${asked.version}`;
  if (type.apiVersion !== apiVersion || type.kind !== kind) {
    const got = `${type.apiVersion ?? ""}, Kind=${type.kind ?? ""}`;
    throw new Error(`expected webhook response of ${apiVersion}, Kind=${kind}, got ${got}`);
  }
  return { ...rest, patch: asked.mutating ? readPatch(response, asked) : refusePatch(response) };
}

function parseReview(body: string, asked: AskedReview): z.infer<typeof Review> {
  let json: unknown;
  try {
    json = parseForeignJson(body, budgetOf(asked));
  } catch (error) {
    throw new Error(`couldn't parse the AdmissionReview: ${(error as Error).message}`, { cause: error });
  }
  const parsed = Review.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path = [], message = "" } = parsed.error.issues[0] ?? {};
  throw new Error(`couldn't parse the AdmissionReview: ${path.join(".")}: ${message}`);
}

/**
 * Limit of the values in an answer, which may repeat the review's values in addition to the values
 * of an ordinary body.
 */
function budgetOf({ values }: AskedReview): JsonBudget {
  return { valuesMax: values + jsonValuesMax, depthMax: jsonDepthMax + depthOfReview, of: "the answer" };
}

/**
 * A patch may have 10,000 operations. Each has five values in addition to the values that it sets.
 */
function patchBudgetOf(asked: AskedReview): JsonBudget {
  return { ...budgetOf(asked), valuesMax: asked.values + 60_000, of: "the patch" };
}

/** The object of a review is in `request.object`. */
const depthOfReview = 2;

function refusePatch({ patch, patchType }: z.infer<typeof Response>): undefined {
  if ((patch ?? "") !== "") throw new Error("validating webhook may not return response.patch");
  if (typeof patchType === "string") throw new Error("validating webhook may not return response.patchType");
}

function readPatch({ patch, patchType, allowed }: z.infer<typeof Response>, asked: AskedReview): unknown {
  const hasPatch = (patch ?? "") !== "";
  const hasType = typeof patchType === "string";
  if (hasPatch && !hasType) throw new Error("webhook returned response.patch but not response.patchType");
  if (!hasPatch && hasType) throw new Error("webhook returned response.patchType but not response.patch");
  if (!hasPatch || !allowed) return undefined;
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
  if (patchType !== "JSONPatch") throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`);
  try {
    const text = Buffer.from(patch ?? "", "base64").toString("utf8");
    const operations = parseForeignJson(text, patchBudgetOf(asked));
    return Array.isArray(operations) && operations.length === 0 ? undefined : (operations ?? undefined);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`received undecodable patch in webhook response: ${why}`, { cause: error });
  }
}

/** Upstream's ToStatusErr. */
export function denialOf(name: string, result: ReviewVerdict["result"]): ApiError {
  const { message, reason, code, details } = result ?? {};
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const because = [message, reason].find((text) => typeof text === "string" && text !== "");
  const text = because === undefined ? `${deniedBy} without explanation` : `${deniedBy}: ${because}`;
  const known = typeof reason === "string" && Object.hasOwn(statusCodeByReason, reason);
  return new ApiError(known ? (reason as StatusReason) : "Unknown", text, {
    code: refusalCode(code ?? 0),
    ...(details === undefined || details === null ? {} : { details: details as StatusDetails }),
  });
}

/** A success code is invalid in a rejection, and other numbers are not HTTP status codes. */
function refusalCode(code: number): number {
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : 400;
}
