import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object } from "../../schema/fields.ts";
import { atomicList, int64, text, time } from "../../schema/types.ts";

export const BoundObjectReference = object("io.k8s.api.authentication.v1.BoundObjectReference", {
  kind: field(1, text),
  apiVersion: field(2, text),
  name: field(3, text),
  uid: field(4, text),
});
export type BoundObjectReference = z.infer<typeof BoundObjectReference>;

export const TokenRequestSpec = object("io.k8s.api.authentication.v1.TokenRequestSpec", {
  audiences: field(1, atomicList(text)),
  boundObjectRef: field(3, BoundObjectReference),
  expirationSeconds: field(4, int64),
});
export type TokenRequestSpec = z.infer<typeof TokenRequestSpec>;

export const TokenRequestStatus = object("io.k8s.api.authentication.v1.TokenRequestStatus", {
  token: field(1, text),
  expirationTimestamp: field(2, time),
});
export type TokenRequestStatus = z.infer<typeof TokenRequestStatus>;

export const TokenRequest = kind("io.k8s.api.authentication.v1.TokenRequest", {
  metadata: always(1, ObjectMeta),
  spec: field(2, TokenRequestSpec),
  status: field(3, TokenRequestStatus),
});
export type TokenRequest = z.infer<typeof TokenRequest>;
