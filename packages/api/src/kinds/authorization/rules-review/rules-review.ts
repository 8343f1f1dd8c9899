import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, text } from "../../../schema/types.ts";

export const NonResourceRule = object(
  "io.k8s.api.authorization.v1.NonResourceRule",
  "What may be done with which paths.",
  () => ({
    verbs: required(1, atomicList(text)),
    nonResourceURLs: field(2, atomicList(text)),
  }),
);
export type NonResourceRule = z.infer<typeof NonResourceRule>;

export const ResourceRule = object(
  "io.k8s.api.authorization.v1.ResourceRule",
  "What may be done with which resources.",
  () => ({
    verbs: required(1, atomicList(text)),
    apiGroups: field(2, atomicList(text)),
    resources: field(3, atomicList(text)),
    resourceNames: field(4, atomicList(text)),
  }),
);
export type ResourceRule = z.infer<typeof ResourceRule>;

export const SubjectRulesReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
  "All that is allowed.",
  () => ({
    resourceRules: required(1, atomicList(ResourceRule)),
    nonResourceRules: required(2, atomicList(NonResourceRule)),
    incomplete: required(3, bool),
    evaluationError: field(4, text),
  }),
);
export type SubjectRulesReviewStatus = z.infer<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
  "Which namespace is asked about.",
  () => ({
    namespace: field(1, text),
  }),
);
export type SelfSubjectRulesReviewSpec = z.infer<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReview",
  "Asks what one may do in a namespace.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: required(2, SelfSubjectRulesReviewSpec),
    status: field(3, SubjectRulesReviewStatus),
  }),
);
export type SelfSubjectRulesReview = z.infer<typeof SelfSubjectRulesReview>;
