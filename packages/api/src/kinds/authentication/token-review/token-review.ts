import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";
import { UserInfo } from "../self-subject-review/self-subject-review.ts";

export const TokenReviewSpec = object(
  "io.k8s.api.authentication.v1.TokenReviewSpec",
  "The token that is asked about.",
  () => ({
    token: required(1, text, "The token."),
    audiences: field(2, atomicList(text), "Whom it was shown to: it has to be good for one of them."),
  }),
);
export type TokenReviewSpec = z.infer<typeof TokenReviewSpec>;

export const TokenReviewStatus = object(
  "io.k8s.api.authentication.v1.TokenReviewStatus",
  "Whom a token speaks for.",
  () => ({
    authenticated: field(1, bool, "Whether it is good."),
    user: field(2, UserInfo, "Whom it speaks for."),
    error: field(3, text, "Why it could not be checked."),
    audiences: field(4, atomicList(text), "For whom of those that were asked for it is good."),
  }),
);
export type TokenReviewStatus = z.infer<typeof TokenReviewStatus>;

export const TokenReview = kind("io.k8s.api.authentication.v1.TokenReview", "Asks whom a token speaks for.", () => ({
  metadata: always(1, ObjectMeta),
  spec: required(2, TokenReviewSpec),
  status: field(3, TokenReviewStatus),
}));
export type TokenReview = z.infer<typeof TokenReview>;
