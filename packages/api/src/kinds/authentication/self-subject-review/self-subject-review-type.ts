import type { ResourceType } from "../../../meta/resource-type.ts";
import type { SelfSubjectReview } from "./self-subject-review.ts";

export const selfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  resource: "selfsubjectreviews",
  singular: "selfsubjectreview",
  kind: "SelfSubjectReview",
  namespaced: false,
  shortNames: [],
  categories: [],
};
