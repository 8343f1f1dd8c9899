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
  "ContainerPort is a port that a container listens on.",
  () => ({
    name: field(1, text, "Name of the port for Services and probes, unique in the pod and at most 15 characters long."),
    hostPort: field(
      2,
      int32,
      "Port number of the node on which the port is exposed, from 1 to 65535. Most containers do not need it.",
    ),
    containerPort: required(3, int32, "Port number of the container, from 1 to 65535."),
    protocol: field(4, protocol, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
    hostIP: field(5, text, "IP address of the node that the host port is bound to."),
  }),
);
export type ContainerPort = z.infer<typeof ContainerPort>;

export const ContainerResizePolicy = object(
  "io.k8s.api.core.v1.ContainerResizePolicy",
  "ContainerResizePolicy decides whether a change of a resource restarts the container.",
  () => ({
    resourceName: required(1, text, "Resource that the policy applies to: cpu or memory."),
    restartPolicy: required(
      2,
      oneOf("NotRequired", "RestartContainer"),
      "Restart of the container: NotRequired resizes the running container, RestartContainer restarts it. Defaults to NotRequired.",
    ),
  }),
);
export type ContainerResizePolicy = z.infer<typeof ContainerResizePolicy>;

export const ContainerRestartRuleOnExitCodes = object(
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  "ContainerRestartRuleOnExitCodes compares the exit code of a container with values.",
  () => ({
    operator: required(
      1,
      oneOf("In", "NotIn"),
      "Operator of the comparison: In matches an exit code in the list, NotIn an exit code outside the list.",
    ),
    values: field(2, setList(int32), "Exit codes to compare with, at most 255."),
  }),
);
export type ContainerRestartRuleOnExitCodes = z.infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = object(
  "io.k8s.api.core.v1.ContainerRestartRule",
  "ContainerRestartRule decides what happens when a container exits.",
  () => ({
    action: required(
      1,
      oneOf("Restart", "RestartAllContainers"),
      "Action of the rule: Restart restarts the container, RestartAllContainers restarts all containers of the pod.",
    ),
    exitCodes: field(2, ContainerRestartRuleOnExitCodes, "Exit codes that the rule applies to."),
  }),
);
export type ContainerRestartRule = z.infer<typeof ContainerRestartRule>;

export const VolumeDevice = object(
  "io.k8s.api.core.v1.VolumeDevice",
  "VolumeDevice maps a raw block volume into a container.",
  () => ({
    name: required(1, text, "Name of a volume of the pod that is a persistent volume claim."),
    devicePath: required(2, text, "Path of the device inside the container."),
  }),
);
export type VolumeDevice = z.infer<typeof VolumeDevice>;

export const VolumeMount = object(
  "io.k8s.api.core.v1.VolumeMount",
  "VolumeMount mounts a volume of the pod into a container.",
  () => ({
    name: required(1, text, "Name of the pod's volume."),
    readOnly: field(2, bool, "Mounts the volume read-only if true. Defaults to false."),
    mountPath: required(3, text, "Path of the mount inside the container. Must not contain ':'."),
    subPath: field(4, text, "Path within the volume to mount. Defaults to the volume's root."),
    mountPropagation: field(
      5,
      oneOf("None", "HostToContainer", "Bidirectional"),
      "Propagation of mounts: None isolates them, HostToContainer propagates the node's later mounts to the container, Bidirectional also propagates the container's mounts to the node. Defaults to None.",
    ),
    subPathExpr: field(
      6,
      text,
      "Path within the volume to mount, in which $(NAME) is replaced by the container's environment variables. Cannot be combined with subPath.",
    ),
    recursiveReadOnly: field(
      7,
      oneOf("Disabled", "IfPossible", "Enabled"),
      "Read-only mode of mounts below a read-only mount: Enabled requires it, IfPossible tries it, Disabled omits it. Defaults to Disabled.",
    ),
  }),
);
export type VolumeMount = z.infer<typeof VolumeMount>;

export const Container = object(
  "io.k8s.api.core.v1.Container",
  "Container is a process that runs in a pod from an image, with its resources, mounts and probes.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    name: required(1, text, "Name of the container, a DNS label that is unique in the pod. Immutable."),
    image: field(2, text, "Image of the container."),
    command: field(
      3,
      atomicList(text),
      "Command of the container. Defaults to the image's entrypoint. $(NAME) is replaced by environment variables. The command does not run in a shell.",
    ),
    args: field(
      4,
      atomicList(text),
      "Arguments of the command. Defaults to the image's arguments. $(NAME) is replaced by environment variables.",
    ),
    workingDir: field(5, text, "Working directory of the process. Defaults to the image's."),
    ports: field(
      6,
      keyedList(ContainerPort, ["containerPort", "protocol"]),
      "Ports that the container exposes. The list is informative: other ports are reachable too.",
    ),
    env: field(7, keyedList(EnvVar, ["name"]), "Environment variables of the container. Immutable."),
    resources: field(8, ResourceRequirements, "Compute resources that the container requires and may use."),
    volumeMounts: field(
      9,
      keyedList(VolumeMount, ["mountPath"]),
      "Volumes of the pod that are mounted into the container.",
    ),
    livenessProbe: field(10, Probe, "Probe of the container's health. The kubelet restarts the container if it fails."),
    readinessProbe: field(
      11,
      Probe,
      "Probe of the container's readiness. Services do not send traffic to the pod while it fails.",
    ),
    lifecycle: field(12, Lifecycle, "Actions that the kubelet runs after the container starts and before it stops."),
    terminationMessagePath: field(
      13,
      text,
      "File to which the container may write its last message. Defaults to /dev/termination-log.",
    ),
    imagePullPolicy: field(
      14,
      oneOf("Always", "IfNotPresent", "Never"),
      "Time at which the kubelet pulls the image: Always, IfNotPresent or Never. Defaults to Always for the tag latest, and otherwise to IfNotPresent.",
    ),
    securityContext: field(
      15,
      SecurityContext,
      "Security options of the container. They take precedence over the pod's options.",
    ),
    stdin: field(
      16,
      bool,
      "Allocates a buffer for standard input if true. By default, reads from standard input return end of file.",
    ),
    stdinOnce: field(17, bool, "Closes standard input after the first client detaches if true."),
    tty: field(18, bool, "Allocates a terminal for the container if true. Requires stdin."),
    envFrom: field(
      19,
      atomicList(EnvFromSource),
      "Sources whose keys all become environment variables. Variables in env take precedence.",
    ),
    terminationMessagePolicy: field(
      20,
      oneOf("File", "FallbackToLogsOnError"),
      "Source of the last message: File reads terminationMessagePath, FallbackToLogsOnError uses the end of the log if the file is empty and the container failed. Defaults to File.",
    ),
    volumeDevices: field(
      21,
      keyedList(VolumeDevice, ["devicePath"]),
      "Raw block volumes that are mapped into the container.",
    ),
    startupProbe: field(
      22,
      Probe,
      "Probe of the container's startup. Other probes begin after it succeeds. The kubelet restarts the container if it fails.",
    ),
    resizePolicy: field(
      23,
      atomicList(ContainerResizePolicy),
      "Policies that decide whether a change of resources restarts the container.",
    ),
    restartPolicy: field(
      24,
      oneOf("Always", "OnFailure", "Never"),
      "Restart policy of the container: Always, OnFailure or Never. An init container with Always runs for the lifetime of the pod.",
    ),
    restartPolicyRules: field(
      25,
      atomicList(ContainerRestartRule),
      "Rules for restarts by exit code. The first matching rule decides. If no rule matches, restartPolicy applies.",
    ),
  }),
);
export type Container = z.infer<typeof Container>;

export const EphemeralContainer = object(
  "io.k8s.api.core.v1.EphemeralContainer",
  "EphemeralContainer is added to a running pod for debugging. Its resources are not guaranteed, and it is never restarted.",
  () => ({
    ...embedded(1, Container.shape),
    targetContainerName: field(
      2,
      text,
      "Name of the container whose process namespace the ephemeral container shares.",
    ),
  }),
);
export type EphemeralContainer = z.infer<typeof EphemeralContainer>;
