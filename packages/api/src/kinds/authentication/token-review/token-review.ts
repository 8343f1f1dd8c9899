import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";
import { UserInfo } from "../self-subject-review/self-subject-review.ts";

export const TokenReviewSpec = object(
  "io.k8s.api.authentication.v1.TokenReviewSpec",
  "The spec holds the token to review.",
  () => ({
    token: required(1, text, "The server checks this opaque bearer token."),
    audiences: field(
      2,
      atomicList(text),
      "The token must be intended for at least one of these audiences; the default is the audience of the API server.",
    ),
  }),
);
export type TokenReviewSpec = z.infer<typeof TokenReviewSpec>;

export const TokenReviewStatus = object(
  "io.k8s.api.authentication.v1.TokenReviewStatus",
  "The status reports the outcome of the review.",
  () => ({
    authenticated: field(1, bool, "The token is valid and belongs to a known user when this is true."),
    user: field(2, UserInfo, "The token belongs to this user."),
    error: field(3, text, "The token could not be checked because of this error."),
    audiences: field(4, atomicList(text), "The token is valid for these of the audiences in the spec."),
  }),
);
export type TokenReviewStatus = z.infer<typeof TokenReviewStatus>;

export const TokenReview = kind(
  "io.k8s.api.authentication.v1.TokenReview",
  "A TokenReview checks a token and returns the user that it belongs to.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, TokenReviewSpec, "The spec holds the token to check."),
    status: field(3, TokenReviewStatus, "The server fills in the outcome of the check."),
  }),
);
export type TokenReview = z.infer<typeof TokenReview>;
