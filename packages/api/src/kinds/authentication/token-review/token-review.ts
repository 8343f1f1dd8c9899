import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";
import { UserInfo } from "../self-subject-review/self-subject-review.ts";

export const TokenReviewSpec = object("io.k8s.api.authentication.v1.TokenReviewSpec", "Token to review.", () => ({
  token: required(1, text, "Bearer token to review, an opaque text."),
  audiences: field(
    2,
    atomicList(text),
    "Accepted audiences. The token must have at least one of these audiences. Defaults to the audience of the API server.",
  ),
}));
export type TokenReviewSpec = z.infer<typeof TokenReviewSpec>;

export const TokenReviewStatus = object(
  "io.k8s.api.authentication.v1.TokenReviewStatus",
  "Result of the review.",
  () => ({
    authenticated: field(1, bool, "True if the token is valid and belongs to a known user."),
    user: field(2, UserInfo, "User that the token belongs to."),
    error: field(3, text, "Error that prevented the review of the token."),
    audiences: field(4, atomicList(text), "Audiences in the spec for which the token is valid."),
  }),
);
export type TokenReviewStatus = z.infer<typeof TokenReviewStatus>;

export const TokenReview = kind(
  "io.k8s.api.authentication.v1.TokenReview",
  "A TokenReview authenticates a token and returns the user that the token belongs to.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    spec: required(2, TokenReviewSpec, "Token to review and its audiences."),
    status: field(3, TokenReviewStatus, "Result of the review, set by the server."),
  }),
);
export type TokenReview = z.infer<typeof TokenReview>;
