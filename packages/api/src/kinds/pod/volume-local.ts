import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
import { quantity, text } from "../../schema/types.ts";

export const EmptyDirVolumeSource = object("io.k8s.api.core.v1.EmptyDirVolumeSource", {
  medium: field(1, text),
  sizeLimit: field(2, quantity),
});
export type EmptyDirVolumeSource = z.infer<typeof EmptyDirVolumeSource>;

export const HostPathVolumeSource = object("io.k8s.api.core.v1.HostPathVolumeSource", {
  path: required(1, text),
  type: field(2, text),
});
export type HostPathVolumeSource = z.infer<typeof HostPathVolumeSource>;

export const GitRepoVolumeSource = object("io.k8s.api.core.v1.GitRepoVolumeSource", {
  repository: required(1, text),
  revision: field(2, text),
  directory: field(3, text),
});
export type GitRepoVolumeSource = z.infer<typeof GitRepoVolumeSource>;

export const ImageVolumeSource = object("io.k8s.api.core.v1.ImageVolumeSource", {
  reference: field(1, text),
  pullPolicy: field(2, text),
});
export type ImageVolumeSource = z.infer<typeof ImageVolumeSource>;
