import { notAcceptable } from "@kintsugi/api";

/** The form in which a response is written. */
export type ResponseForm =
  | { as: "object" }
  | { as: "Table"; version: "v1" | "v1beta1"; include?: "None" | "Metadata" | "Object" }
  | { as: "PartialObjectMetadata"; version: "v1" | "v1beta1" };

/**
 * Accept headers are few and long, and every request has one: each is read once, for kinds with a
 * Table and for those without.
 */
const seen = { withTable: new Map<string, ResponseForm>(), withoutTable: new Map<string, ResponseForm>() };
const seenMax = 500;
/**
 * Clients that accept every form send 400 characters; a much longer header is not worth its memory.
 */
const seenLengthMax = 1024;

/**
 * Picks the form from an Accept header, in the client's order as upstream does (quality values are
 * not weighed). Kinds that are posted and answered, and never listed, have no Table (`hasTable`
 * false).
 * @throws ApiError NotAcceptable when nothing in it can be served.
 */
export function negotiate(accept: string | undefined, hasTable = true): ResponseForm {
  if (accept === undefined || accept === "") return plain;
  const known = hasTable ? seen.withTable : seen.withoutTable;
  const earlier = known.get(accept);
  if (earlier) return earlier;
  const form = pick(accept, hasTable);
  if (accept.length > seenLengthMax) return form;
  if (known.size >= seenMax) known.clear();
  known.set(accept, form);
  return form;
}

const plain: ResponseForm = { as: "object" };

function pick(accept: string, hasTable: boolean): ResponseForm {
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    if (type !== "application/json" && type !== "*/*" && type !== "application/*") continue;
    const form = formOf(parameters);
    if (form !== undefined && (hasTable || form.as !== "Table")) return form;
  }
  throw notAcceptable([
    "application/json",
    ...(hasTable ? ["application/json;as=Table;g=meta.k8s.io;v=v1"] : []),
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
