import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";

export const NonResourceRule = object(
  "io.k8s.api.authorization.v1.NonResourceRule",
  "A rule lists verbs that are allowed for paths outside the resources of the API.",
  () => ({
    verbs: required(1, atomicList(text), "The rule allows these HTTP verbs in lower case; * means all verbs."),
    nonResourceURLs: field(
      2,
      atomicList(text),
      "The rule applies to these paths; * may stand as the full last step of a path.",
    ),
  }),
);
export type NonResourceRule = z.infer<typeof NonResourceRule>;

export const ResourceRule = object(
  "io.k8s.api.authorization.v1.ResourceRule",
  "A rule lists verbs that are allowed for resources of the API.",
  () => ({
    verbs: required(1, atomicList(text), "The rule allows these verbs, such as get and list; * means all verbs."),
    apiGroups: field(2, atomicList(text), "The rule applies to resources of these API groups; * means all groups."),
    resources: field(3, atomicList(text), "The rule applies to these resources; * means all resources of the groups."),
    resourceNames: field(
      4,
      atomicList(text),
      "The rule applies only to objects with these names; an empty list means all objects.",
    ),
  }),
);
export type ResourceRule = z.infer<typeof ResourceRule>;

export const SubjectRulesReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
  "The status lists the actions that the caller may perform.",
  () => ({
    resourceRules: required(
      1,
      atomicList(ResourceRule),
      "These rules list the allowed actions on resources; their order means nothing.",
    ),
    nonResourceRules: required(
      2,
      atomicList(NonResourceRule),
      "These rules list the allowed actions on other paths; their order means nothing.",
    ),
    incomplete: required(
      3,
      bool,
      "The lists are incomplete when this is true, because an authorizer cannot enumerate its rules.",
    ),
    evaluationError: field(4, text, "An error occurred while the rules were collected."),
  }),
);
export type SubjectRulesReviewStatus = z.infer<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
  "The spec names the namespace of the review.",
  () => ({
    namespace: field(1, text, "The review covers this namespace and must name one."),
  }),
);
export type SelfSubjectRulesReviewSpec = z.infer<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReview",
  "A SelfSubjectRulesReview lists the actions that the caller may perform in a namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, SelfSubjectRulesReviewSpec, "The spec names the namespace."),
    status: field(3, SubjectRulesReviewStatus, "The server fills in the allowed actions."),
  }),
);
export type SelfSubjectRulesReview = z.infer<typeof SelfSubjectRulesReview>;
