import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, list, map, text } from "../../../schema/types.ts";

export const UserInfo = object("io.k8s.api.authentication.v1.UserInfo", "Who somebody is.", () => ({
  username: field(1, text, "The name."),
  uid: field(2, text, "The identity."),
  groups: field(3, atomicList(text), "The groups."),
  extra: field(4, map(list(text)), "What else is known."),
}));
export type UserInfo = z.infer<typeof UserInfo>;

export const SelfSubjectReviewStatus = object(
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
  "Who one is.",
  () => ({
    userInfo: field(1, UserInfo),
  }),
);
export type SelfSubjectReviewStatus = z.infer<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = kind("io.k8s.api.authentication.v1.SelfSubjectReview", "Asks who one is.", () => ({
  metadata: always(1, ObjectMeta),
  status: field(2, SelfSubjectReviewStatus),
}));
export type SelfSubjectReview = z.infer<typeof SelfSubjectReview>;
