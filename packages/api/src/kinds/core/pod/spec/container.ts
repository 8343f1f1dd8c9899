import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, keyedList, oneOf, setList, text } from "../../../../schema/types.ts";
import { protocol } from "../../../../schema/words.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { ResourceRequirements } from "./resources.ts";
import { SecurityContext } from "./security-context.ts";

export const ContainerPort = object("io.k8s.api.core.v1.ContainerPort", "A port that a container listens on.", () => ({
  name: field(1, text, "By which probes and Services know it."),
  hostPort: field(2, int32, "The same on the node."),
  containerPort: required(3, int32, "The port."),
  protocol: field(4, protocol, "TCP, UDP or SCTP."),
  hostIP: field(5, text, "On which of the node's addresses."),
}));
export type ContainerPort = z.infer<typeof ContainerPort>;

export const ContainerResizePolicy = object(
  "io.k8s.api.core.v1.ContainerResizePolicy",
  "Whether a container is started anew when one of its resources changes.",
  () => ({
    resourceName: required(1, text),
    restartPolicy: required(2, oneOf("NotRequired", "RestartContainer")),
  }),
);
export type ContainerResizePolicy = z.infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = object(
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  "Which exit codes a rule is about.",
  () => ({
    operator: required(1, oneOf("In", "NotIn")),
    values: field(2, setList(int32)),
  }),
);
export type ContainerRestartRuleOnExitCodes = z.infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = object(
  "io.k8s.api.core.v1.ContainerRestartRule",
  "What is done when a container ends in a certain way.",
  () => ({
    action: required(1, oneOf("Restart", "RestartAllContainers")),
    exitCodes: field(2, ContainerRestartRuleOnExitCodes),
  }),
);
export type ContainerRestartRule = z.infer<typeof ContainerRestartRule>;

export const VolumeDevice = object(
  "io.k8s.api.core.v1.VolumeDevice",
  "A volume as a raw device in a container.",
  () => ({
    name: required(1, text),
    devicePath: required(2, text),
  }),
);
export type VolumeDevice = z.infer<typeof VolumeDevice>;

export const VolumeMount = object("io.k8s.api.core.v1.VolumeMount", "A volume as a folder in a container.", () => ({
  name: required(1, text, "The pod's volume."),
  readOnly: field(2, bool, "Not to be written to."),
  mountPath: required(3, text, "The folder in the container."),
  subPath: field(4, text, "A folder in the volume."),
  mountPropagation: field(
    5,
    oneOf("None", "HostToContainer", "Bidirectional"),
    "Whether mounts made on one side are seen on the other.",
  ),
  subPathExpr: field(6, text, "A folder in the volume, with variables."),
  recursiveReadOnly: field(
    7,
    oneOf("Disabled", "IfPossible", "Enabled"),
    "Whether mounts below are read-only as well.",
  ),
}));
export type VolumeMount = z.infer<typeof VolumeMount>;

export const Container = object(
  "io.k8s.api.core.v1.Container",
  "A process with its image, resources, files and checks.",
  () => ({
    name: required(1, text, "Unique in the pod; never changes."),
    image: field(2, text, "The image to run."),
    command: field(3, atomicList(text), "What to run, instead of the image's entrypoint."),
    args: field(4, atomicList(text), "Arguments, instead of the image's."),
    workingDir: field(5, text, "The folder it starts in."),
    ports: field(6, keyedList(ContainerPort, ["containerPort", "protocol"]), "Ports it listens on."),
    env: field(7, keyedList(EnvVar, ["name"]), "Variables."),
    resources: field(8, ResourceRequirements, "What is set aside for it, and what it may use."),
    volumeMounts: field(9, keyedList(VolumeMount, ["mountPath"]), "Volumes as folders."),
    livenessProbe: field(10, Probe, "When this fails, it is started anew."),
    readinessProbe: field(11, Probe, "While this fails, Services do not lead to it."),
    lifecycle: field(12, Lifecycle, "What is done after it starts and before it stops."),
    terminationMessagePath: field(13, text, "Where it may leave a last message."),
    imagePullPolicy: field(14, oneOf("Always", "IfNotPresent", "Never"), "Always, IfNotPresent or Never."),
    securityContext: field(15, SecurityContext, "As whom and how confined it runs."),
    stdin: field(16, bool, "Whether it can be written to."),
    stdinOnce: field(17, bool, "Its input ends when the first writer leaves."),
    tty: field(18, bool, "Whether it has a terminal."),
    envFrom: field(19, atomicList(EnvFromSource), "Where whole sets of variables come from."),
    terminationMessagePolicy: field(20, oneOf("File", "FallbackToLogsOnError"), "File, or also the end of its log."),
    volumeDevices: field(21, keyedList(VolumeDevice, ["devicePath"]), "Volumes as raw devices."),
    startupProbe: field(22, Probe, "Until this succeeds, the other probes wait."),
    resizePolicy: field(23, atomicList(ContainerResizePolicy), "Whether it is started anew when its resources change."),
    restartPolicy: field(
      24,
      oneOf("Always", "OnFailure", "Never"),
      "When it is started again, if not as the pod says.",
    ),
    restartPolicyRules: field(25, atomicList(ContainerRestartRule), "How it is started again after certain exits."),
  }),
);
export type Container = z.infer<typeof Container>;

export const EphemeralContainer = object(
  "io.k8s.api.core.v1.EphemeralContainer",
  "A container that is added to a running pod to look into it.",
  () => ({
    ...embedded(1, Container.shape),
    targetContainerName: field(2, text, "The container whose processes it sees."),
  }),
);
export type EphemeralContainer = z.infer<typeof EphemeralContainer>;
