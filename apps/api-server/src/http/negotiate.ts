import { notAcceptable } from "@kintsugi/api";

/** How a response is to be written. */
export type ResponseForm =
  | { as: "object" }
  | { as: "Table"; version: "v1" | "v1beta1"; include?: "None" | "Metadata" | "Object" }
  | { as: "PartialObjectMetadata"; version: "v1" | "v1beta1" };

/** Accept headers are few and long, and every request has one: each is read once. */
const seen = new Map<string, ResponseForm>();
const seenMax = 500;
/** Clients that read every form there is send 400 characters; what is much longer is not worth its memory. */
const seenLengthMax = 1024;

/**
 * Picks the form from an Accept header, in the client's order as upstream does (quality values are not weighed).
 * @throws ApiError NotAcceptable when nothing in it can be served.
 */
export function negotiate(accept: string | undefined): ResponseForm {
  if (accept === undefined || accept === "") return plain;
  const known = seen.get(accept);
  if (known) return known;
  const form = pick(accept);
  if (accept.length > seenLengthMax) return form;
  if (seen.size >= seenMax) seen.clear();
  seen.set(accept, form);
  return form;
}

const plain: ResponseForm = { as: "object" };

function pick(accept: string): ResponseForm {
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    if (type !== "application/json" && type !== "*/*" && type !== "application/*") continue;
    const form = formOf(parameters);
    if (form) return form;
  }
  throw notAcceptable([
    "application/json",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  ]);
}

function formOf(parameters: readonly string[]): ResponseForm | undefined {
  const value = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  const as = value("as");
  if (as === undefined) return plain;
  const version = value("v");
  if (value("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "table") return { as: "Table", version };
  if (as === "partialobjectmetadata" || as === "partialobjectmetadatalist")
    return { as: "PartialObjectMetadata", version };
  return undefined;
}
