import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, int64, text, time } from "../../../schema/types.ts";

export const BoundObjectReference = object(
  "io.k8s.api.authentication.v1.BoundObjectReference",
  "The reference names the object whose deletion makes a token invalid.",
  () => ({
    kind: field(1, text, "The kind of the object is Pod, Node or Secret."),
    apiVersion: field(2, text, "The object belongs to this API group and version."),
    name: field(3, text, "The object has this name."),
    uid: field(4, text, "The object has this UID; the token does not hold for another object of the same name."),
  }),
);
export type BoundObjectReference = z.infer<typeof BoundObjectReference>;

export const TokenRequestSpec = object(
  "io.k8s.api.authentication.v1.TokenRequestSpec",
  "The spec describes the token that the caller requests.",
  () => ({
    audiences: field(
      1,
      atomicList(text),
      "Recipients accept the token only when they identify themselves as one of these audiences.",
    ),
    boundObjectRef: field(3, BoundObjectReference, "The token becomes invalid when this object is deleted."),
    expirationSeconds: field(
      4,
      int64,
      "The caller requests a token that is valid for this many seconds; the server may return another duration.",
    ),
  }),
);
export type TokenRequestSpec = z.infer<typeof TokenRequestSpec>;

export const TokenRequestStatus = object(
  "io.k8s.api.authentication.v1.TokenRequestStatus",
  "The status holds the issued token.",
  () => ({
    token: field(1, text, "The server issued this opaque bearer token."),
    expirationTimestamp: field(2, time, "The token expires at this time."),
  }),
);
export type TokenRequestStatus = z.infer<typeof TokenRequestStatus>;

export const TokenRequest = kind(
  "io.k8s.api.authentication.v1.TokenRequest",
  "A TokenRequest issues a token for a service account.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, TokenRequestSpec, "The spec describes the requested token."),
    status: field(3, TokenRequestStatus, "The server fills in the token and its time of expiry."),
  }),
);
export type TokenRequest = z.infer<typeof TokenRequest>;
