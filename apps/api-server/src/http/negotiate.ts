import { type EnabledFeature, isFeatureOn, notAcceptable } from "@kintsugi/api";
import { LruMap } from "@kintsugi/clock";

/** The encodings of answers other than JSON. */
export type Encoding = "protobuf" | "cbor";

/** The form in which a response is written: in JSON, unless an encoding is set. */
export type ResponseForm =
  | { as: "object"; encoding?: Encoding }
  | { as: "Table"; version: "v1" | "v1beta1"; include?: "None" | "Metadata" | "Object"; encoding?: "cbor" }
  | { as: "PartialObjectMetadata"; version: "v1" | "v1beta1"; encoding?: Encoding };

/** The forms of some kinds' objects other than JSON. */
interface Offer {
  /** Kinds that are only posted and answered, and never listed, have no Table. */
  readonly table: boolean;
  /** Only the metadata of a kind whose schema is data has a protobuf form. */
  readonly protobuf: "objects" | "metadata";
  readonly cbor: boolean;
}

/** The encodings that a server reads and writes, and the forms that it therefore offers. */
export interface Encodings {
  /** CBOR, for bodies and answers of every kind. */
  readonly cbor: boolean;
  readonly offers: Readonly<Record<"all" | "posted" | "custom", Offer>>;
}

function encodings(cbor: boolean): Encodings {
  return {
    cbor,
    offers: {
      all: { table: true, protobuf: "objects", cbor },
      posted: { table: false, protobuf: "objects", cbor },
      custom: { table: true, protobuf: "metadata", cbor },
    },
  };
}

const [withoutCbor, withCbor] = [encodings(false), encodings(true)];

/** The encodings by upstream's feature gate, which CBOR has (KEP-4222). */
export function encodingsOf(features: readonly EnabledFeature[]): Encodings {
  return isFeatureOn(features, "CBORServingAndStorage") ? withCbor : withoutCbor;
}

/**
 * Accept headers are few and long, and every request has one, so each is parsed once for each
 * offer.
 */
const seenMax = 500;
const seen = new Map<Offer, LruMap<string, ResponseForm>>(
  [withoutCbor, withCbor].flatMap(({ offers }) => Object.values(offers)).map((offer) => [offer, new LruMap(seenMax)]),
);
/**
 * Clients that accept every form send 400 characters; a much longer header is not worth caching.
 */
const seenLengthMax = 1024;

/**
 * Selects the form from an Accept header, in the client's order as upstream does, ignoring quality
 * values. `offer` is one of an `Encodings`.
 * @throws ApiError NotAcceptable when no form in the header can be served.
 */
export function negotiate(accept: string | undefined, offer: Offer): ResponseForm {
  if (accept === undefined || accept === "") return plain;
  const known = seen.get(offer);
  const earlier = known?.get(accept);
  if (earlier) return earlier;
  const form = pick(accept, offer);
  if (form === undefined) throw notAcceptable(acceptableTypes(offer));
  if (known === undefined || accept.length > seenLengthMax) return form;
  known.set(accept, form);
  return form;
}

/**
 * The encoding that `negotiate` selects; undefined means JSON, also where no form can be served. A
 * rejection has the encoding of posted objects, for which upstream has the same rules.
 */
export function encodingOf(accept: string | undefined, offer: Offer): Encoding | undefined {
  return accept === undefined ? undefined : pick(accept, offer)?.encoding;
}

const plain: ResponseForm = { as: "object" };

export const protobufContentType = "application/vnd.kubernetes.protobuf";
export const cborContentType = "application/cbor";

const encodingsByType: Readonly<Record<string, Encoding>> = {
  [protobufContentType]: "protobuf",
  [cborContentType]: "cbor",
};

function pick(accept: string, offer: Offer): ResponseForm | undefined {
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = Object.hasOwn(encodingsByType, type) ? encodingsByType[type] : undefined;
    if (encoding === undefined && type !== "application/json" && type !== "*/*" && type !== "application/*") continue;
    const form = formOf(parameters);
    if (form === undefined || !isOffered(offer, form, encoding)) continue;
    return encoding === undefined ? form : ({ ...form, encoding } as ResponseForm);
  }
  return undefined;
}

function isOffered(offer: Offer, { as }: ResponseForm, encoding: Encoding | undefined): boolean {
  if (as === "Table" && !offer.table) return false;
  switch (encoding) {
    case undefined:
      return true;
    case "cbor":
      return offer.cbor;
    case "protobuf":
      return as !== "Table" && (as !== "object" || offer.protobuf === "objects");
  }
}

function acceptableTypes(offer: Offer): string[] {
  return [
    "application/json",
    ...(offer.protobuf === "objects" ? [protobufContentType] : []),
    ...(offer.cbor ? [cborContentType] : []),
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
