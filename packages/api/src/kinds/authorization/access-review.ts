import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { atomicList, bool, list, map, text } from "../../schema/types.ts";
import { NonResourceAttributes, ResourceAttributes } from "./attributes.ts";

export const SubjectAccessReviewStatus = object("io.k8s.api.authorization.v1.SubjectAccessReviewStatus", {
  allowed: required(1, bool),
  reason: field(2, text),
  evaluationError: field(3, text),
  denied: field(4, bool),
});
export type SubjectAccessReviewStatus = z.infer<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReviewSpec = object("io.k8s.api.authorization.v1.SubjectAccessReviewSpec", {
  resourceAttributes: field(1, ResourceAttributes),
  nonResourceAttributes: field(2, NonResourceAttributes),
  user: field(3, text),
  groups: field(4, atomicList(text)),
  extra: field(5, map(list(text))),
  uid: field(6, text),
});
export type SubjectAccessReviewSpec = z.infer<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReview = kind("io.k8s.api.authorization.v1.SubjectAccessReview", {
  metadata: always(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: field(3, SubjectAccessReviewStatus),
});
export type SubjectAccessReview = z.infer<typeof SubjectAccessReview>;

export const LocalSubjectAccessReview = kind("io.k8s.api.authorization.v1.LocalSubjectAccessReview", {
  metadata: always(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: field(3, SubjectAccessReviewStatus),
});
export type LocalSubjectAccessReview = z.infer<typeof LocalSubjectAccessReview>;

export const SelfSubjectAccessReviewSpec = object("io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec", {
  resourceAttributes: field(1, ResourceAttributes),
  nonResourceAttributes: field(2, NonResourceAttributes),
});
export type SelfSubjectAccessReviewSpec = z.infer<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = kind("io.k8s.api.authorization.v1.SelfSubjectAccessReview", {
  metadata: always(1, ObjectMeta),
  spec: required(2, SelfSubjectAccessReviewSpec),
  status: field(3, SubjectAccessReviewStatus),
});
export type SelfSubjectAccessReview = z.infer<typeof SelfSubjectAccessReview>;
