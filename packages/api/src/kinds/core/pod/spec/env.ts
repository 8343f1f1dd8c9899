import type { z } from "zod";
import { atomicObject, embedded, field, object, required } from "../../../../schema/fields.ts";
import { bool, quantity, text } from "../../../../schema/types.ts";

export const ConfigMapKeySelector = atomicObject(
  "io.k8s.api.core.v1.ConfigMapKeySelector",
  "ConfigMapKeySelector selects one key of a ConfigMap.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the ConfigMap."),
    }),
    key: required(2, text, "Key whose value is used."),
    optional: field(3, bool, "Allows the ConfigMap or its key to be missing if true."),
  }),
);
export type ConfigMapKeySelector = z.infer<typeof ConfigMapKeySelector>;

export const ObjectFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ObjectFieldSelector",
  "ObjectFieldSelector selects one field of the pod.",
  () => ({
    apiVersion: field(1, text, "API version of the field path. Defaults to v1."),
    fieldPath: required(2, text, "Path of the field, such as metadata.name or status.podIP."),
  }),
);
export type ObjectFieldSelector = z.infer<typeof ObjectFieldSelector>;

export const FileKeySelector = atomicObject(
  "io.k8s.api.core.v1.FileKeySelector",
  "FileKeySelector selects one key of a file with environment variables.",
  () => ({
    volumeName: required(1, text, "Name of the emptyDir volume that contains the file."),
    path: required(2, text, "Relative path of the file within the volume. Must not contain '..'."),
    key: required(3, text, "Key in the file whose value is used."),
    optional: field(4, bool, "Allows the file or its key to be missing if true."),
  }),
);
export type FileKeySelector = z.infer<typeof FileKeySelector>;

export const ResourceFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ResourceFieldSelector",
  "ResourceFieldSelector selects a request or limit of a container.",
  () => ({
    containerName: field(1, text, "Name of the container. Required in volumes and optional in environment variables."),
    resource: required(2, text, "Resource to select, such as limits.cpu or requests.memory."),
    divisor: field(3, quantity, "Quantity that the value is divided by. Defaults to 1."),
  }),
);
export type ResourceFieldSelector = z.infer<typeof ResourceFieldSelector>;

export const SecretKeySelector = atomicObject(
  "io.k8s.api.core.v1.SecretKeySelector",
  "SecretKeySelector selects one key of a Secret.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the Secret."),
    }),
    key: required(2, text, "Key whose value is used."),
    optional: field(3, bool, "Allows the Secret or its key to be missing if true."),
  }),
);
export type SecretKeySelector = z.infer<typeof SecretKeySelector>;

export const EnvVarSource = object(
  "io.k8s.api.core.v1.EnvVarSource",
  "EnvVarSource is the source of an environment variable's value. Exactly one field must be set.",
  () => ({
    fieldRef: field(1, ObjectFieldSelector, "Field of the pod."),
    resourceFieldRef: field(2, ResourceFieldSelector, "Request or limit of a container."),
    configMapKeyRef: field(3, ConfigMapKeySelector, "Key of a ConfigMap."),
    secretKeyRef: field(4, SecretKeySelector, "Key of a Secret."),
    fileKeyRef: field(5, FileKeySelector, "Key of a file in a volume."),
  }),
);
export type EnvVarSource = z.infer<typeof EnvVarSource>;

export const EnvVar = object("io.k8s.api.core.v1.EnvVar", "EnvVar is one environment variable of a container.", () => ({
  name: required(1, text, "Name of the variable."),
  value: field(
    2,
    text,
    "Value of the variable. $(NAME) is replaced by the earlier variable NAME, and $$ is replaced by one dollar sign. Defaults to an empty value.",
  ),
  valueFrom: field(3, EnvVarSource, "Source of the value. Cannot be combined with value."),
}));
export type EnvVar = z.infer<typeof EnvVar>;

export const ConfigMapEnvSource = object(
  "io.k8s.api.core.v1.ConfigMapEnvSource",
  "ConfigMapEnvSource turns all keys of a ConfigMap into environment variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the ConfigMap."),
    }),
    optional: field(2, bool, "Allows the ConfigMap to be missing if true."),
  }),
);
export type ConfigMapEnvSource = z.infer<typeof ConfigMapEnvSource>;

export const SecretEnvSource = object(
  "io.k8s.api.core.v1.SecretEnvSource",
  "SecretEnvSource turns all keys of a Secret into environment variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text, "Name of the Secret."),
    }),
    optional: field(2, bool, "Allows the Secret to be missing if true."),
  }),
);
export type SecretEnvSource = z.infer<typeof SecretEnvSource>;

export const EnvFromSource = object(
  "io.k8s.api.core.v1.EnvFromSource",
  "EnvFromSource is the source of a set of environment variables.",
  () => ({
    prefix: field(1, text, "Text that is placed before each key to form the variable's name."),
    configMapRef: field(2, ConfigMapEnvSource, "ConfigMap whose keys become variables."),
    secretRef: field(3, SecretEnvSource, "Secret whose keys become variables."),
  }),
);
export type EnvFromSource = z.infer<typeof EnvFromSource>;
