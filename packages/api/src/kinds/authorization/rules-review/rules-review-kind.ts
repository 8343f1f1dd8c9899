import { defineKind } from "../../define-kind.ts";
import { selfSubjectRulesReviews } from "./rules-review-type.ts";
import { SelfSubjectRulesReview } from "./rules-review.ts";

export const selfSubjectRulesReviewKind = defineKind<SelfSubjectRulesReview>({
  type: selfSubjectRulesReviews,
  schema: SelfSubjectRulesReview,
  verbs: ["create"],
  answered: true,
});
