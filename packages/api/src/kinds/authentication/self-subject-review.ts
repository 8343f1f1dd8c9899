import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object } from "../../schema/fields.ts";
import { atomicList, list, map, text } from "../../schema/types.ts";

export const UserInfo = object("io.k8s.api.authentication.v1.UserInfo", {
  username: field(1, text),
  uid: field(2, text),
  groups: field(3, atomicList(text)),
  extra: field(4, map(list(text))),
});
export type UserInfo = z.infer<typeof UserInfo>;

export const SelfSubjectReviewStatus = object("io.k8s.api.authentication.v1.SelfSubjectReviewStatus", {
  userInfo: field(1, UserInfo),
});
export type SelfSubjectReviewStatus = z.infer<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = kind("io.k8s.api.authentication.v1.SelfSubjectReview", {
  metadata: always(1, ObjectMeta),
  status: field(2, SelfSubjectReviewStatus),
});
export type SelfSubjectReview = z.infer<typeof SelfSubjectReview>;
