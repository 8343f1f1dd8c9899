import type { z } from "zod";
import { atomicObject, embedded, field, object, required } from "../../../../schema/fields.ts";
import { bool, quantity, text } from "../../../../schema/types.ts";

export const ConfigMapKeySelector = atomicObject(
  "io.k8s.api.core.v1.ConfigMapKeySelector",
  "One value of a ConfigMap.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    key: required(2, text),
    optional: field(3, bool),
  }),
);
export type ConfigMapKeySelector = z.infer<typeof ConfigMapKeySelector>;

export const ObjectFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ObjectFieldSelector",
  "One field of the pod itself.",
  () => ({
    apiVersion: field(1, text),
    fieldPath: required(2, text),
  }),
);
export type ObjectFieldSelector = z.infer<typeof ObjectFieldSelector>;

export const FileKeySelector = atomicObject(
  "io.k8s.api.core.v1.FileKeySelector",
  "One value in a file of variables.",
  () => ({
    volumeName: required(1, text),
    path: required(2, text),
    key: required(3, text),
    optional: field(4, bool),
  }),
);
export type FileKeySelector = z.infer<typeof FileKeySelector>;

export const ResourceFieldSelector = atomicObject(
  "io.k8s.api.core.v1.ResourceFieldSelector",
  "A request or limit of one of the pod's containers.",
  () => ({
    containerName: field(1, text),
    resource: required(2, text),
    divisor: field(3, quantity),
  }),
);
export type ResourceFieldSelector = z.infer<typeof ResourceFieldSelector>;

export const SecretKeySelector = atomicObject("io.k8s.api.core.v1.SecretKeySelector", "One value of a Secret.", () => ({
  ...embedded(1, {
    name: field(1, text),
  }),
  key: required(2, text),
  optional: field(3, bool),
}));
export type SecretKeySelector = z.infer<typeof SecretKeySelector>;

export const EnvVarSource = object("io.k8s.api.core.v1.EnvVarSource", "Where a variable's value comes from.", () => ({
  fieldRef: field(1, ObjectFieldSelector, "A field of the pod."),
  resourceFieldRef: field(2, ResourceFieldSelector, "A request or limit."),
  configMapKeyRef: field(3, ConfigMapKeySelector, "A value of a ConfigMap."),
  secretKeyRef: field(4, SecretKeySelector, "A value of a Secret."),
  fileKeyRef: field(5, FileKeySelector, "A value in a file."),
}));
export type EnvVarSource = z.infer<typeof EnvVarSource>;

export const EnvVar = object("io.k8s.api.core.v1.EnvVar", "A variable in a container's environment.", () => ({
  name: required(1, text, "The variable."),
  value: field(2, text, "Its value; $(NAME) stands for other variables."),
  valueFrom: field(3, EnvVarSource, "Where its value comes from."),
}));
export type EnvVar = z.infer<typeof EnvVar>;

export const ConfigMapEnvSource = object(
  "io.k8s.api.core.v1.ConfigMapEnvSource",
  "A ConfigMap whose values become variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    optional: field(2, bool),
  }),
);
export type ConfigMapEnvSource = z.infer<typeof ConfigMapEnvSource>;

export const SecretEnvSource = object(
  "io.k8s.api.core.v1.SecretEnvSource",
  "A Secret whose values become variables.",
  () => ({
    ...embedded(1, {
      name: field(1, text),
    }),
    optional: field(2, bool),
  }),
);
export type SecretEnvSource = z.infer<typeof SecretEnvSource>;

export const EnvFromSource = object(
  "io.k8s.api.core.v1.EnvFromSource",
  "Something whose values all become variables.",
  () => ({
    prefix: field(1, text),
    configMapRef: field(2, ConfigMapEnvSource),
    secretRef: field(3, SecretEnvSource),
  }),
);
export type EnvFromSource = z.infer<typeof EnvFromSource>;
