import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { quantity, text } from "../../../../schema/types.ts";

export const EmptyDirVolumeSource = object(
  "io.k8s.api.core.v1.EmptyDirVolumeSource",
  "The source is a directory that is empty when the pod starts and is deleted with it.",
  () => ({
    medium: field(
      1,
      text,
      "The directory is stored on the node's default medium, or in memory if the value is Memory.",
    ),
    sizeLimit: field(
      2,
      quantity,
      "The directory may hold at most this much; the pod is evicted when it exceeds the limit, and the default is no limit.",
    ),
  }),
);
export type EmptyDirVolumeSource = z.infer<typeof EmptyDirVolumeSource>;

export const HostPathVolumeSource = object(
  "io.k8s.api.core.v1.HostPathVolumeSource",
  "The source is a file or directory of the node; it exposes the node to the containers.",
  () => ({
    path: required(1, text, "The file or directory has this path on the node; a symbolic link is followed."),
    type: field(
      2,
      text,
      "The kubelet checks the path by this type, such as Directory or File, or creates it for DirectoryOrCreate and FileOrCreate; the default is no check.",
    ),
  }),
);
export type HostPathVolumeSource = z.infer<typeof HostPathVolumeSource>;

export const GitRepoVolumeSource = object(
  "io.k8s.api.core.v1.GitRepoVolumeSource",
  "The source is a clone of a Git repository; it is deprecated and no longer supported.",
  () => ({
    repository: required(1, text, "The repository has this URL."),
    revision: field(2, text, "The clone is at this commit."),
    directory: field(
      3,
      text,
      "The clone is in this directory of the volume, which must not contain or start with '..'.",
    ),
  }),
);
export type GitRepoVolumeSource = z.infer<typeof GitRepoVolumeSource>;

export const ImageVolumeSource = object(
  "io.k8s.api.core.v1.ImageVolumeSource",
  "The source is the read-only content of a container image or OCI artifact.",
  () => ({
    reference: field(1, text, "The image has this reference, such as registry.example/data:1.0."),
    pullPolicy: field(
      2,
      text,
      "The kubelet pulls the image Always, Never or IfNotPresent; the default is Always for the tag latest and IfNotPresent otherwise.",
    ),
  }),
);
export type ImageVolumeSource = z.infer<typeof ImageVolumeSource>;
