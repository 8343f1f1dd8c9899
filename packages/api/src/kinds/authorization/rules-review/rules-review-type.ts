import type { ResourceType } from "../../../meta/resource-type.ts";
import type { SelfSubjectRulesReview } from "./rules-review.ts";

export const selfSubjectRulesReviews: ResourceType<SelfSubjectRulesReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectrulesreviews",
  singular: "selfsubjectrulesreview",
  kind: "SelfSubjectRulesReview",
  namespaced: false,
  shortNames: [],
  categories: [],
};
