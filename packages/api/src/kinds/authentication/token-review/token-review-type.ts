import type { ResourceType } from "../../../meta/resource-type.ts";
import type { TokenReview } from "./token-review.ts";

export const tokenReviews: ResourceType<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  resource: "tokenreviews",
  singular: "tokenreview",
  kind: "TokenReview",
  namespaced: false,
  shortNames: [],
  categories: [],
};
