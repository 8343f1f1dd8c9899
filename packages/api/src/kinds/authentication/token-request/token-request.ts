import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, int64, text, time } from "../../../schema/types.ts";

export const BoundObjectReference = object(
  "io.k8s.api.authentication.v1.BoundObjectReference",
  "The object with which a token becomes invalid.",
  () => ({
    kind: field(1, text),
    apiVersion: field(2, text),
    name: field(3, text),
    uid: field(4, text),
  }),
);
export type BoundObjectReference = z.infer<typeof BoundObjectReference>;

export const TokenRequestSpec = object(
  "io.k8s.api.authentication.v1.TokenRequestSpec",
  "For whom a token is good, and how long.",
  () => ({
    audiences: field(1, atomicList(text), "For whom the token is good."),
    boundObjectRef: field(3, BoundObjectReference, "With which object it becomes invalid."),
    expirationSeconds: field(4, int64, "For how long."),
  }),
);
export type TokenRequestSpec = z.infer<typeof TokenRequestSpec>;

export const TokenRequestStatus = object("io.k8s.api.authentication.v1.TokenRequestStatus", "The token.", () => ({
  token: field(1, text, "The token."),
  expirationTimestamp: field(2, time, "Until when it is good."),
}));
export type TokenRequestStatus = z.infer<typeof TokenRequestStatus>;

export const TokenRequest = kind(
  "io.k8s.api.authentication.v1.TokenRequest",
  "Asks for a token of a service account.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, TokenRequestSpec),
    status: field(3, TokenRequestStatus),
  }),
);
export type TokenRequest = z.infer<typeof TokenRequest>;
