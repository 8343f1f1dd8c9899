import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, int64, text, time } from "../../../schema/types.ts";

export const BoundObjectReference = object(
  "io.k8s.api.authentication.v1.BoundObjectReference",
  "Object whose deletion invalidates a token.",
  () => ({
    kind: field(1, text, "Kind of the object: Pod, Node or Secret."),
    apiVersion: field(2, text, "API group and version of the object."),
    name: field(3, text, "Name of the object."),
    uid: field(4, text, "UID of the object. The token is not valid for another object with the same name."),
  }),
);
export type BoundObjectReference = z.infer<typeof BoundObjectReference>;

export const TokenRequestSpec = object(
  "io.k8s.api.authentication.v1.TokenRequestSpec",
  "Properties of the token that the caller requests.",
  () => ({
    audiences: field(
      1,
      atomicList(text),
      "Intended audiences of the token. A recipient that is not one of these audiences must reject the token.",
    ),
    boundObjectRef: field(3, BoundObjectReference, "Object whose deletion invalidates the token."),
    expirationSeconds: field(
      4,
      int64,
      "Requested lifetime of the token, in seconds. The server may issue a token with a different lifetime.",
    ),
  }),
);
export type TokenRequestSpec = z.infer<typeof TokenRequestSpec>;

export const TokenRequestStatus = object(
  "io.k8s.api.authentication.v1.TokenRequestStatus",
  "Token that the server issued.",
  () => ({
    token: field(1, text, "Issued bearer token, an opaque text."),
    expirationTimestamp: field(2, time, "Time at which the token expires."),
  }),
);
export type TokenRequestStatus = z.infer<typeof TokenRequestStatus>;

export const TokenRequest = kind(
  "io.k8s.api.authentication.v1.TokenRequest",
  "A TokenRequest issues a token for a service account.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, TokenRequestSpec, "Requested audiences and lifetime of the token."),
    status: field(3, TokenRequestStatus, "Issued token and its expiry, set by the server."),
  }),
);
export type TokenRequest = z.infer<typeof TokenRequest>;
