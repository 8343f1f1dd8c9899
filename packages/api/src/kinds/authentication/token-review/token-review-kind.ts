import { defineKind } from "../../define-kind.ts";
import { tokenReviews } from "./token-review-type.ts";
import { TokenReview } from "./token-review.ts";

export const tokenReviewKind = defineKind<TokenReview>({
  type: tokenReviews,
  schema: TokenReview,
  verbs: ["create"],
  answered: true,
});
