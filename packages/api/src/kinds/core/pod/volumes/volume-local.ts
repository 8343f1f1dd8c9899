import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { quantity, text } from "../../../../schema/types.ts";

export const EmptyDirVolumeSource = object(
  "io.k8s.api.core.v1.EmptyDirVolumeSource",
  "An empty folder that lives as long as the pod.",
  () => ({
    medium: field(1, text, "Memory to keep it there."),
    sizeLimit: field(2, quantity, "How large it may grow."),
  }),
);
export type EmptyDirVolumeSource = z.infer<typeof EmptyDirVolumeSource>;

export const HostPathVolumeSource = object(
  "io.k8s.api.core.v1.HostPathVolumeSource",
  "A file or folder of the node.",
  () => ({
    path: required(1, text, "The path on the node."),
    type: field(2, text, "What has to be there, or is made."),
  }),
);
export type HostPathVolumeSource = z.infer<typeof HostPathVolumeSource>;

export const GitRepoVolumeSource = object(
  "io.k8s.api.core.v1.GitRepoVolumeSource",
  "A clone of a repository. No longer supported.",
  () => ({
    repository: required(1, text),
    revision: field(2, text),
    directory: field(3, text),
  }),
);
export type GitRepoVolumeSource = z.infer<typeof GitRepoVolumeSource>;

export const ImageVolumeSource = object("io.k8s.api.core.v1.ImageVolumeSource", "The files of an image.", () => ({
  reference: field(1, text),
  pullPolicy: field(2, text),
}));
export type ImageVolumeSource = z.infer<typeof ImageVolumeSource>;
