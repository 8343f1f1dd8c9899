import { notAcceptable } from "@kintsugi/api";

/** The form in which a response is written: JSON, or protobuf where that is set. */
export type ResponseForm =
  | { as: "object"; protobuf?: true }
  | { as: "Table"; version: "v1" | "v1beta1"; include?: "None" | "Metadata" | "Object"; protobuf?: never }
  | { as: "PartialObjectMetadata"; version: "v1" | "v1beta1"; protobuf?: true };

/** The forms that there are of some kinds' objects, besides JSON. */
interface Offer {
  /** Kinds that are posted and answered, and never listed, have no Table. */
  readonly table: boolean;
  /** A kind whose schema is data has only its metadata in protobuf. */
  readonly protobuf: "objects" | "metadata";
}

export const offers = {
  all: { table: true, protobuf: "objects" },
  posted: { table: false, protobuf: "objects" },
  custom: { table: true, protobuf: "metadata" },
} as const satisfies Readonly<Record<string, Offer>>;

/**
 * Accept headers are few and long, and every request has one: each is read once for each offer.
 */
const seen = new Map<Offer, Map<string, ResponseForm>>(Object.values(offers).map((offer) => [offer, new Map()]));
const seenMax = 500;
/**
 * Clients that accept every form send 400 characters; a much longer header is not worth its memory.
 */
const seenLengthMax = 1024;

/**
 * Picks the form from an Accept header, in the client's order as upstream does (quality values are
 * not weighed). `offer` is one of `offers`.
 * @throws ApiError NotAcceptable when nothing in it can be served.
 */
export function negotiate(accept: string | undefined, offer: Offer = offers.all): ResponseForm {
  if (accept === undefined || accept === "") return plain;
  const known = seen.get(offer);
  const earlier = known?.get(accept);
  if (earlier) return earlier;
  const form = pick(accept, offer);
  if (form === undefined) throw notAcceptable(acceptableTypes(offer));
  if (known === undefined || accept.length > seenLengthMax) return form;
  if (known.size >= seenMax) known.clear();
  known.set(accept, form);
  return form;
}

/** Reports whether a refusal is written as protobuf, for which upstream has the same rules. */
export function prefersProtobuf(accept: string | undefined): boolean {
  return accept !== undefined && pick(accept, offers.posted)?.protobuf === true;
}

const plain: ResponseForm = { as: "object" };

export const protobufContentType = "application/vnd.kubernetes.protobuf";

function pick(accept: string, offer: Offer): ResponseForm | undefined {
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const isProtobuf = type === protobufContentType;
    if (!isProtobuf && type !== "application/json" && type !== "*/*" && type !== "application/*") continue;
    const form = formOf(parameters);
    if (form === undefined || (form.as === "Table" && (!offer.table || isProtobuf))) continue;
    if (!isProtobuf) return form;
    if (offer.protobuf === "metadata" && form.as === "object") continue;
    return { ...form, protobuf: true } as ResponseForm;
  }
  return undefined;
}

function acceptableTypes(offer: Offer): string[] {
  return [
    "application/json",
    ...(offer.protobuf === "objects" ? [protobufContentType] : []),
    ...(offer.table ? ["application/json;as=Table;g=meta.k8s.io;v=v1"] : []),
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    `${protobufContentType};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  ];
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
