import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";

export const NonResourceRule = object(
  "io.k8s.api.authorization.v1.NonResourceRule",
  "NonResourceRule lists verbs that are allowed for paths that are not resources of the API.",
  () => ({
    verbs: required(1, atomicList(text), "Allowed HTTP verbs in lower case, or * for all verbs."),
    nonResourceURLs: field(2, atomicList(text), "Paths that the rule applies to. The last segment of a path may be *."),
  }),
);
export type NonResourceRule = z.infer<typeof NonResourceRule>;

export const ResourceRule = object(
  "io.k8s.api.authorization.v1.ResourceRule",
  "ResourceRule lists verbs that are allowed for resources of the API.",
  () => ({
    verbs: required(1, atomicList(text), "Allowed verbs, such as get and list, or * for all verbs."),
    apiGroups: field(2, atomicList(text), "API groups that the rule applies to, or * for all groups."),
    resources: field(3, atomicList(text), "Resources that the rule applies to, or * for all resources of the groups."),
    resourceNames: field(
      4,
      atomicList(text),
      "Names of the objects that the rule applies to. An empty list means all objects.",
    ),
  }),
);
export type ResourceRule = z.infer<typeof ResourceRule>;

export const SubjectRulesReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
  "Actions that the caller may perform.",
  () => ({
    resourceRules: required(1, atomicList(ResourceRule), "Rules for actions on resources, in any order."),
    nonResourceRules: required(2, atomicList(NonResourceRule), "Rules for actions on other paths, in any order."),
    incomplete: required(3, bool, "True if the lists are incomplete because an authorizer cannot list its rules."),
    evaluationError: field(4, text, "Error that occurred while the rules were collected."),
  }),
);
export type SubjectRulesReviewStatus = z.infer<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
  "Namespace of the review.",
  () => ({
    namespace: field(1, text, "Namespace for which the actions are listed. Required."),
  }),
);
export type SelfSubjectRulesReviewSpec = z.infer<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReview",
  "A SelfSubjectRulesReview lists the actions that the caller may perform in a namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata of the review, which is not stored."),
    spec: required(2, SelfSubjectRulesReviewSpec, "Namespace of the review."),
    status: field(3, SubjectRulesReviewStatus, "Actions that the caller may perform, set by the server."),
  }),
);
export type SelfSubjectRulesReview = z.infer<typeof SelfSubjectRulesReview>;
