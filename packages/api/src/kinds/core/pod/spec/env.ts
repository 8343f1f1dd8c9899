import type { z } from "zod";
import { atomicObject, embedded, field, object, required } from "../../../../schema/fields.ts";
import { bool, quantity, text } from "../../../../schema/types.ts";

export const ConfigMapKeySelector = atomicObject(
  "io.k8s.api.core.v1.ConfigMapKeySelector",
  "The selector names one key of a ConfigMap.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The ConfigMap has this name."),
    }),
    key: required(2, text, "The value is stored under this key."),
    optional: field(3, bool, "The ConfigMap or its key may be missing when this is true."),
  }),
);
export type ConfigMapKeySelector = z.infer<typeof ConfigMapKeySelector>;

export const ObjectFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ObjectFieldSelector",
  "The selector names one field of the pod.",
  () => ({
    apiVersion: field(1, text, "The field path is written for this API version; the default is v1."),
    fieldPath: required(2, text, "The value is read from this field, such as metadata.name or status.podIP."),
  }),
);
export type ObjectFieldSelector = z.infer<typeof ObjectFieldSelector>;

export const FileKeySelector = atomicObject(
  "io.k8s.api.core.v1.FileKeySelector",
  "The selector names one key of a file with environment variables.",
  () => ({
    volumeName: required(1, text, "The file is in the emptyDir volume with this name."),
    path: required(2, text, "The file is at this relative path within the volume, which must not contain '..'."),
    key: required(3, text, "The value is stored under this key of the file."),
    optional: field(4, bool, "The file or its key may be missing when this is true."),
  }),
);
export type FileKeySelector = z.infer<typeof FileKeySelector>;

export const ResourceFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ResourceFieldSelector",
  "The selector names a request or limit of a container.",
  () => ({
    containerName: field(
      1,
      text,
      "The resource is that of this container; it is required in volumes and optional in environment variables.",
    ),
    resource: required(2, text, "The value is taken from this resource, such as limits.cpu or requests.memory."),
    divisor: field(3, quantity, "The value is divided by this quantity; the default is 1."),
  }),
);
export type ResourceFieldSelector = z.infer<typeof ResourceFieldSelector>;

export const SecretKeySelector = atomicObject(
  "io.k8s.api.core.v1.SecretKeySelector",
  "The selector names one key of a Secret.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The Secret has this name."),
    }),
    key: required(2, text, "The value is stored under this key."),
    optional: field(3, bool, "The Secret or its key may be missing when this is true."),
  }),
);
export type SecretKeySelector = z.infer<typeof SecretKeySelector>;

export const EnvVarSource = object(
  "io.k8s.api.core.v1.EnvVarSource",
  "The source supplies the value of an environment variable; exactly one field must be set.",
  () => ({
    fieldRef: field(1, ObjectFieldSelector, "The value comes from a field of the pod."),
    resourceFieldRef: field(2, ResourceFieldSelector, "The value comes from a request or limit of a container."),
    configMapKeyRef: field(3, ConfigMapKeySelector, "The value comes from a key of a ConfigMap."),
    secretKeyRef: field(4, SecretKeySelector, "The value comes from a key of a Secret."),
    fileKeyRef: field(5, FileKeySelector, "The value comes from a key of a file in a volume."),
  }),
);
export type EnvVarSource = z.infer<typeof EnvVarSource>;

export const EnvVar = object(
  "io.k8s.api.core.v1.EnvVar",
  "An EnvVar is one environment variable of a container.",
  () => ({
    name: required(1, text, "The variable has this name."),
    value: field(
      2,
      text,
      "The variable has this value, in which $(NAME) is replaced by earlier variables and $$ stands for one dollar sign; the default is empty.",
    ),
    valueFrom: field(3, EnvVarSource, "The value comes from this source; it excludes value."),
  }),
);
export type EnvVar = z.infer<typeof EnvVar>;

export const ConfigMapEnvSource = object(
  "io.k8s.api.core.v1.ConfigMapEnvSource",
  "The source turns all keys of a ConfigMap into environment variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The ConfigMap has this name."),
    }),
    optional: field(2, bool, "The ConfigMap may be missing when this is true."),
  }),
);
export type ConfigMapEnvSource = z.infer<typeof ConfigMapEnvSource>;

export const SecretEnvSource = object(
  "io.k8s.api.core.v1.SecretEnvSource",
  "The source turns all keys of a Secret into environment variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "The Secret has this name."),
    }),
    optional: field(2, bool, "The Secret may be missing when this is true."),
  }),
);
export type SecretEnvSource = z.infer<typeof SecretEnvSource>;

export const EnvFromSource = object(
  "io.k8s.api.core.v1.EnvFromSource",
  "The source supplies a set of environment variables.",
  () => ({
    prefix: field(1, text, "The name of each variable begins with this text."),
    configMapRef: field(2, ConfigMapEnvSource, "The variables come from this ConfigMap."),
    secretRef: field(3, SecretEnvSource, "The variables come from this Secret."),
  }),
);
export type EnvFromSource = z.infer<typeof EnvFromSource>;
