import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, list, map, text } from "../../../schema/types.ts";
import { NonResourceAttributes, ResourceAttributes } from "../attributes.ts";

export const SubjectAccessReviewStatus = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
  "Whether it is allowed.",
  () => ({
    allowed: required(1, bool, "It is allowed."),
    reason: field(2, text, "Why."),
    evaluationError: field(3, text, "What went wrong in finding out."),
    denied: field(4, bool, "It is forbidden for certain."),
  }),
);
export type SubjectAccessReviewStatus = z.infer<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
  "Who wants to do what.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes),
    nonResourceAttributes: field(2, NonResourceAttributes),
    user: field(3, text),
    groups: field(4, atomicList(text)),
    extra: field(5, map(list(text))),
    uid: field(6, text),
  }),
);
export type SubjectAccessReviewSpec = z.infer<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SubjectAccessReview",
  "Asks whether somebody may do something.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: required(2, SubjectAccessReviewSpec),
    status: field(3, SubjectAccessReviewStatus),
  }),
);
export type SubjectAccessReview = z.infer<typeof SubjectAccessReview>;

export const LocalSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.LocalSubjectAccessReview",
  "Asks whether somebody may do something in one namespace.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: required(2, SubjectAccessReviewSpec),
    status: field(3, SubjectAccessReviewStatus),
  }),
);
export type LocalSubjectAccessReview = z.infer<typeof LocalSubjectAccessReview>;

export const SelfSubjectAccessReviewSpec = object(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
  "What one wants to do.",
  () => ({
    resourceAttributes: field(1, ResourceAttributes),
    nonResourceAttributes: field(2, NonResourceAttributes),
  }),
);
export type SelfSubjectAccessReviewSpec = z.infer<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = kind(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReview",
  "Asks whether one may do something oneself.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: required(2, SelfSubjectAccessReviewSpec),
    status: field(3, SubjectAccessReviewStatus),
  }),
);
export type SelfSubjectAccessReview = z.infer<typeof SelfSubjectAccessReview>;
