import type { z } from "zod";
import { embedded, field, object, required } from "../../schema/fields.ts";
import { atomicList, bool, int32, keyedList, oneOf, setList, text } from "../../schema/types.ts";
import { protocol } from "../../schema/words.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { ResourceRequirements } from "./resources.ts";
import { SecurityContext } from "./security-context.ts";

export const ContainerPort = object("io.k8s.api.core.v1.ContainerPort", {
  name: field(1, text),
  hostPort: field(2, int32),
  containerPort: required(3, int32),
  protocol: field(4, protocol),
  hostIP: field(5, text),
});
export type ContainerPort = z.infer<typeof ContainerPort>;

export const ContainerResizePolicy = object("io.k8s.api.core.v1.ContainerResizePolicy", {
  resourceName: required(1, text),
  restartPolicy: required(2, oneOf("NotRequired", "RestartContainer")),
});
export type ContainerResizePolicy = z.infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = object("io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes", {
  operator: required(1, oneOf("In", "NotIn")),
  values: field(2, setList(int32)),
});
export type ContainerRestartRuleOnExitCodes = z.infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = object("io.k8s.api.core.v1.ContainerRestartRule", {
  action: required(1, oneOf("Restart", "RestartAllContainers")),
  exitCodes: field(2, ContainerRestartRuleOnExitCodes),
});
export type ContainerRestartRule = z.infer<typeof ContainerRestartRule>;

export const VolumeDevice = object("io.k8s.api.core.v1.VolumeDevice", {
  name: required(1, text),
  devicePath: required(2, text),
});
export type VolumeDevice = z.infer<typeof VolumeDevice>;

export const VolumeMount = object("io.k8s.api.core.v1.VolumeMount", {
  name: required(1, text),
  readOnly: field(2, bool),
  mountPath: required(3, text),
  subPath: field(4, text),
  mountPropagation: field(5, oneOf("None", "HostToContainer", "Bidirectional")),
  subPathExpr: field(6, text),
  recursiveReadOnly: field(7, oneOf("Disabled", "IfPossible", "Enabled")),
});
export type VolumeMount = z.infer<typeof VolumeMount>;

export const Container = object("io.k8s.api.core.v1.Container", {
  name: required(1, text),
  image: field(2, text),
  command: field(3, atomicList(text)),
  args: field(4, atomicList(text)),
  workingDir: field(5, text),
  ports: field(6, keyedList(ContainerPort, ["containerPort", "protocol"])),
  env: field(7, keyedList(EnvVar, ["name"])),
  resources: field(8, ResourceRequirements),
  volumeMounts: field(9, keyedList(VolumeMount, ["mountPath"])),
  livenessProbe: field(10, Probe),
  readinessProbe: field(11, Probe),
  lifecycle: field(12, Lifecycle),
  terminationMessagePath: field(13, text),
  imagePullPolicy: field(14, oneOf("Always", "IfNotPresent", "Never")),
  securityContext: field(15, SecurityContext),
  stdin: field(16, bool),
  stdinOnce: field(17, bool),
  tty: field(18, bool),
  envFrom: field(19, atomicList(EnvFromSource)),
  terminationMessagePolicy: field(20, oneOf("File", "FallbackToLogsOnError")),
  volumeDevices: field(21, keyedList(VolumeDevice, ["devicePath"])),
  startupProbe: field(22, Probe),
  resizePolicy: field(23, atomicList(ContainerResizePolicy)),
  restartPolicy: field(24, oneOf("Always", "OnFailure", "Never")),
  restartPolicyRules: field(25, atomicList(ContainerRestartRule)),
});
export type Container = z.infer<typeof Container>;

export const EphemeralContainer = object("io.k8s.api.core.v1.EphemeralContainer", {
  ...embedded(1, Container.shape),
  targetContainerName: field(2, text),
});
export type EphemeralContainer = z.infer<typeof EphemeralContainer>;
