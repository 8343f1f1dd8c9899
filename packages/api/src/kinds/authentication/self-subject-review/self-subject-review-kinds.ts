import { defineKind } from "../../define-kind.ts";
import { selfSubjectReviews } from "./self-subject-review-type.ts";
import { SelfSubjectReview } from "./self-subject-review.ts";

export const selfSubjectReviewKind = defineKind<SelfSubjectReview>({
  type: selfSubjectReviews,
  schema: SelfSubjectReview,
  verbs: ["create"],
  answered: true,
});

/** kubectl 1.27 supports only this version. */
export const selfSubjectReviewV1beta1Kind = defineKind<SelfSubjectReview>({
  type: { ...selfSubjectReviews, version: "v1beta1" },
  schema: SelfSubjectReview,
  verbs: ["create"],
  answered: true,
});
