import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int32, keyedList, oneOf, setList, text } from "../../../../schema/types.ts";
import { protocol } from "../../../../schema/words.ts";
import { EnvFromSource, EnvVar } from "./env.ts";
import { Lifecycle, Probe } from "./probe.ts";
import { ResourceRequirements } from "./resources.ts";
import { SecurityContext } from "./security-context.ts";

export const ContainerPort = object(
  "io.k8s.api.core.v1.ContainerPort",
  "A ContainerPort describes a port that a container listens on.",
  () => ({
    name: field(
      1,
      text,
      "Services and probes refer to the port by this name, which must be unique in the pod and have at most 15 characters.",
    ),
    hostPort: field(
      2,
      int32,
      "The port is also exposed at this port number of the node, from 1 to 65535; most containers do not need it.",
    ),
    containerPort: required(3, int32, "The container listens on this port number, from 1 to 65535."),
    protocol: field(4, protocol, "The protocol is TCP, UDP or SCTP; the default is TCP."),
    hostIP: field(5, text, "The host port is bound to this IP address of the node."),
  }),
);
export type ContainerPort = z.infer<typeof ContainerPort>;

export const ContainerResizePolicy = object(
  "io.k8s.api.core.v1.ContainerResizePolicy",
  "The policy decides whether a change of one resource restarts the container.",
  () => ({
    resourceName: required(1, text, "The policy applies to this resource, cpu or memory."),
    restartPolicy: required(
      2,
      oneOf("NotRequired", "RestartContainer"),
      "NotRequired, the default, resizes the container while it runs; RestartContainer restarts it.",
    ),
  }),
);
export type ContainerResizePolicy = z.infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = object(
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  "The condition compares the exit code of a container with given values.",
  () => ({
    operator: required(
      1,
      oneOf("In", "NotIn"),
      "The operator In matches if the exit code is one of the values, and NotIn if it is none of them.",
    ),
    values: field(2, setList(int32), "The exit code is compared with these values, of which there are at most 255."),
  }),
);
export type ContainerRestartRuleOnExitCodes = z.infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = object(
  "io.k8s.api.core.v1.ContainerRestartRule",
  "A rule decides what happens when a container exits.",
  () => ({
    action: required(
      1,
      oneOf("Restart", "RestartAllContainers"),
      "Restart restarts the container, and RestartAllContainers restarts all containers of the pod.",
    ),
    exitCodes: field(2, ContainerRestartRuleOnExitCodes, "The rule applies if the exit code matches this condition."),
  }),
);
export type ContainerRestartRule = z.infer<typeof ContainerRestartRule>;

export const VolumeDevice = object(
  "io.k8s.api.core.v1.VolumeDevice",
  "A VolumeDevice maps a raw block volume into a container.",
  () => ({
    name: required(1, text, "The name must match that of a persistent volume claim among the pod's volumes."),
    devicePath: required(2, text, "The device appears at this path inside the container."),
  }),
);
export type VolumeDevice = z.infer<typeof VolumeDevice>;

export const VolumeMount = object(
  "io.k8s.api.core.v1.VolumeMount",
  "A VolumeMount mounts a volume of the pod into a container.",
  () => ({
    name: required(1, text, "The name must match that of one of the pod's volumes."),
    readOnly: field(2, bool, "The mount is read-only when this is true; the default is false."),
    mountPath: required(
      3,
      text,
      "The volume is mounted at this path inside the container, which must not contain ':'.",
    ),
    subPath: field(4, text, "This path within the volume is mounted instead of the volume's root."),
    mountPropagation: field(
      5,
      oneOf("None", "HostToContainer", "Bidirectional"),
      "The value None, the default, isolates mounts, HostToContainer shows the node's later mounts, and Bidirectional also shows the container's mounts on the node.",
    ),
    subPathExpr: field(
      6,
      text,
      "This path within the volume is mounted, after $(NAME) is replaced by the container's environment variables; it excludes subPath.",
    ),
    recursiveReadOnly: field(
      7,
      oneOf("Disabled", "IfPossible", "Enabled"),
      "Mounts below a read-only mount are read-only as well: Enabled requires it, IfPossible tries it, Disabled does not.",
    ),
  }),
);
export type VolumeMount = z.infer<typeof VolumeMount>;

export const Container = object(
  "io.k8s.api.core.v1.Container",
  "A Container is one process image that runs in a pod, with its resources, mounts and probes.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    name: required(1, text, "The name is a DNS label that is unique in the pod; it cannot be changed."),
    image: field(2, text, "The container runs this image."),
    command: field(
      3,
      atomicList(text),
      "The container runs this command instead of the image's entrypoint; $(NAME) is replaced by environment variables, and no shell is involved.",
    ),
    args: field(
      4,
      atomicList(text),
      "The entrypoint receives these arguments instead of the image's own; $(NAME) is replaced by environment variables.",
    ),
    workingDir: field(5, text, "The process starts in this directory; the default is that of the image."),
    ports: field(
      6,
      keyedList(ContainerPort, ["containerPort", "protocol"]),
      "The container exposes these ports; the list is informative, and ports that it omits are reachable as well.",
    ),
    env: field(
      7,
      keyedList(EnvVar, ["name"]),
      "The container has these environment variables; the list cannot be changed.",
    ),
    resources: field(8, ResourceRequirements, "The container requires and may use these compute resources."),
    volumeMounts: field(
      9,
      keyedList(VolumeMount, ["mountPath"]),
      "These volumes of the pod are mounted into the container.",
    ),
    livenessProbe: field(10, Probe, "The kubelet restarts the container when this probe fails."),
    readinessProbe: field(11, Probe, "The pod's Services send it no traffic while this probe fails."),
    lifecycle: field(12, Lifecycle, "The kubelet runs these actions after the container starts and before it stops."),
    terminationMessagePath: field(
      13,
      text,
      "The container may write its last message to this file; the default is /dev/termination-log.",
    ),
    imagePullPolicy: field(
      14,
      oneOf("Always", "IfNotPresent", "Never"),
      "The kubelet pulls the image Always, Never or IfNotPresent; the default is Always for the tag latest and IfNotPresent otherwise.",
    ),
    securityContext: field(
      15,
      SecurityContext,
      "These security options apply to the container and take precedence over those of the pod.",
    ),
    stdin: field(
      16,
      bool,
      "The runtime keeps a buffer for standard input when this is true; otherwise reads return end of file.",
    ),
    stdinOnce: field(17, bool, "The runtime closes standard input after the first client detaches when this is true."),
    tty: field(18, bool, "The container has a terminal when this is true; stdin must be true as well."),
    envFrom: field(
      19,
      atomicList(EnvFromSource),
      "All keys of these sources become environment variables; a variable in env takes precedence.",
    ),
    terminationMessagePolicy: field(
      20,
      oneOf("File", "FallbackToLogsOnError"),
      "File, the default, reads the last message from terminationMessagePath; FallbackToLogsOnError uses the end of the log if that file is empty and the container failed.",
    ),
    volumeDevices: field(
      21,
      keyedList(VolumeDevice, ["devicePath"]),
      "These raw block volumes are mapped into the container.",
    ),
    startupProbe: field(
      22,
      Probe,
      "The other probes start only after this probe has succeeded; the kubelet restarts the container when it fails.",
    ),
    resizePolicy: field(
      23,
      atomicList(ContainerResizePolicy),
      "These policies decide whether a change of resources restarts the container.",
    ),
    restartPolicy: field(
      24,
      oneOf("Always", "OnFailure", "Never"),
      "The restart behaviour of this container is Always, OnFailure or Never; an init container with Always runs beside the others.",
    ),
    restartPolicyRules: field(
      25,
      atomicList(ContainerRestartRule),
      "The first rule that matches the exit code decides whether the container restarts; without a match, restartPolicy does.",
    ),
  }),
);
export type Container = z.infer<typeof Container>;

export const EphemeralContainer = object(
  "io.k8s.api.core.v1.EphemeralContainer",
  "An EphemeralContainer is added to a running pod for debugging; it has no guarantees of resources and is never restarted.",
  () => ({
    ...embedded(1, Container.shape),
    targetContainerName: field(2, text, "The ephemeral container joins the process namespace of this container."),
  }),
);
export type EphemeralContainer = z.infer<typeof EphemeralContainer>;
