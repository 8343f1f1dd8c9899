import type { ResourceType } from "../../../meta/resource-type.ts";
import type { SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview } from "./access-review.ts";

export const subjectAccessReviews: ResourceType<SubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "subjectaccessreviews",
  singular: "subjectaccessreview",
  kind: "SubjectAccessReview",
  namespaced: false,
  shortNames: [],
  categories: [],
};

export const localSubjectAccessReviews: ResourceType<LocalSubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "localsubjectaccessreviews",
  singular: "localsubjectaccessreview",
  kind: "LocalSubjectAccessReview",
  namespaced: true,
  shortNames: [],
  categories: [],
};

export const selfSubjectAccessReviews: ResourceType<SelfSubjectAccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
  shortNames: [],
  categories: [],
};
