import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { quantity, text } from "../../../../schema/types.ts";

export const EmptyDirVolumeSource = object(
  "io.k8s.api.core.v1.EmptyDirVolumeSource",
  "EmptyDirVolumeSource is a directory that is empty when the pod starts and is deleted with the pod.",
  () => ({
    medium: field(1, text, "Storage medium: empty for the node's default medium, or Memory."),
    sizeLimit: field(
      2,
      quantity,
      "Maximum size of the directory. A pod whose directory exceeds the size is evicted. Defaults to no limit.",
    ),
  }),
);
export type EmptyDirVolumeSource = z.infer<typeof EmptyDirVolumeSource>;

export const HostPathVolumeSource = object(
  "io.k8s.api.core.v1.HostPathVolumeSource",
  "HostPathVolumeSource is a file or directory of the node. Such a volume exposes the node to the containers.",
  () => ({
    path: required(1, text, "Path of the file or directory on the node. Symbolic links are followed."),
    type: field(
      2,
      text,
      "Type that the path must have, such as Directory or File. DirectoryOrCreate and FileOrCreate create a missing directory or file. Defaults to no check.",
    ),
  }),
);
export type HostPathVolumeSource = z.infer<typeof HostPathVolumeSource>;

export const GitRepoVolumeSource = object(
  "io.k8s.api.core.v1.GitRepoVolumeSource",
  "GitRepoVolumeSource is a clone of a Git repository. Deprecated and no longer supported.",
  () => ({
    repository: required(1, text, "URL of the repository."),
    revision: field(2, text, "Commit of the clone."),
    directory: field(3, text, "Directory of the clone in the volume. Must not contain or start with '..'."),
  }),
);
export type GitRepoVolumeSource = z.infer<typeof GitRepoVolumeSource>;

export const ImageVolumeSource = object(
  "io.k8s.api.core.v1.ImageVolumeSource",
  "ImageVolumeSource is the read-only content of a container image or OCI artifact.",
  () => ({
    reference: field(1, text, "Reference of the image, such as registry.example/data:1.0."),
    pullPolicy: field(
      2,
      text,
      "Policy for pulling the image: Always, IfNotPresent or Never. Defaults to Always for the tag latest, and to IfNotPresent in all other cases.",
    ),
  }),
);
export type ImageVolumeSource = z.infer<typeof ImageVolumeSource>;
