import { defineKind } from "../../define-kind.ts";
import { localSubjectAccessReviews, selfSubjectAccessReviews, subjectAccessReviews } from "./access-review-types.ts";
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "./access-review-validation.ts";
import { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from "./access-review.ts";

export const localSubjectAccessReviewKind = defineKind<LocalSubjectAccessReview>({
  type: localSubjectAccessReviews,
  schema: LocalSubjectAccessReview,
  validation: { validate: validateLocalSubjectAccessReview },
  verbs: ["create"],
  answered: true,
});

export const selfSubjectAccessReviewKind = defineKind<SelfSubjectAccessReview>({
  type: selfSubjectAccessReviews,
  schema: SelfSubjectAccessReview,
  validation: { validate: validateSelfSubjectAccessReview },
  verbs: ["create"],
  answered: true,
});

export const subjectAccessReviewKind = defineKind<SubjectAccessReview>({
  type: subjectAccessReviews,
  schema: SubjectAccessReview,
  validation: { validate: validateSubjectAccessReview },
  verbs: ["create"],
  answered: true,
});
