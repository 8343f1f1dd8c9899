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
      "Port number of the node on which the port is exposed, from 1 to 65535. Most containers do not need a host port.",
    ),
    containerPort: required(3, int32, "Port number of the container, from 1 to 65535."),
    protocol: field(4, protocol, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
    hostIP: field(5, text, "IP address of the node that the host port is bound to."),
  }),
);
export type ContainerPort = z.infer<typeof ContainerPort>;

export const ContainerResizePolicy = object(
  "io.k8s.api.core.v1.ContainerResizePolicy",
  "ContainerResizePolicy determines whether the container is restarted when a resource is resized.",
  () => ({
    resourceName: required(1, text, "Resource that the policy applies to: cpu or memory."),
    restartPolicy: required(
      2,
      oneOf("NotRequired", "RestartContainer"),
      "Restart of the container for the resize: NotRequired resizes the running container, RestartContainer restarts the container. Defaults to NotRequired.",
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
      "Operator of the comparison: In matches an exit code in the list, NotIn matches an exit code that is not in the list.",
    ),
    values: field(2, setList(int32), "Exit codes to compare with, at most 255."),
  }),
);
export type ContainerRestartRuleOnExitCodes = z.infer<typeof ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = object(
  "io.k8s.api.core.v1.ContainerRestartRule",
  "ContainerRestartRule determines the action after a container exits.",
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
    name: required(1, text, "Name of the pod's volume, which must be a persistent volume claim."),
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
    subPath: field(4, text, "Path within the volume of the file or directory to mount. Defaults to the volume's root."),
    mountPropagation: field(
      5,
      oneOf("None", "HostToContainer", "Bidirectional"),
      "Propagation of mounts: None isolates them, HostToContainer propagates the node's later mounts to the container, Bidirectional also propagates the container's mounts to the node. Defaults to None.",
    ),
    subPathExpr: field(
      6,
      text,
      "Path within the volume of the file or directory to mount. $(NAME) is replaced by the container's environment variable NAME. Cannot be combined with subPath.",
    ),
    recursiveReadOnly: field(
      7,
      oneOf("Disabled", "IfPossible", "Enabled"),
      "Handling of mounts below a read-only mount: Enabled makes these mounts read-only, IfPossible makes them read-only if the runtime supports it, Disabled leaves them unchanged. Defaults to Disabled.",
    ),
  }),
);
export type VolumeMount = z.infer<typeof VolumeMount>;

export const Container = object(
  "io.k8s.api.core.v1.Container",
  "Container runs an image in a pod, with the given command, resources, volume mounts and probes.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    name: required(1, text, "Name of the container, a DNS label that is unique in the pod. Immutable."),
    image: field(2, text, "Image of the container."),
    command: field(
      3,
      atomicList(text),
      "Command of the container. Defaults to the image's entrypoint. $(NAME) is replaced by the environment variable NAME. The command does not run in a shell.",
    ),
    args: field(
      4,
      atomicList(text),
      "Arguments of the command. Defaults to the image's arguments. $(NAME) is replaced by the environment variable NAME.",
    ),
    workingDir: field(5, text, "Working directory of the process. Defaults to the working directory of the image."),
    ports: field(
      6,
      keyedList(ContainerPort, ["containerPort", "protocol"]),
      "Ports that the container exposes. The list is informational, because ports that are not listed are also reachable.",
    ),
    env: field(7, keyedList(EnvVar, ["name"]), "Environment variables of the container. Immutable."),
    resources: field(8, ResourceRequirements, "Compute resources that the container requires and may use."),
    volumeMounts: field(
      9,
      keyedList(VolumeMount, ["mountPath"]),
      "Volumes of the pod that are mounted into the container.",
    ),
    livenessProbe: field(
      10,
      Probe,
      "Probe of the container's health. The kubelet restarts the container if the probe fails.",
    ),
    readinessProbe: field(
      11,
      Probe,
      "Probe of the container's readiness. Services do not send traffic to the pod while the probe fails.",
    ),
    lifecycle: field(12, Lifecycle, "Actions that the kubelet runs after the container starts and before it stops."),
    terminationMessagePath: field(
      13,
      text,
      "Path of the file to which the container may write its termination message. Defaults to /dev/termination-log.",
    ),
    imagePullPolicy: field(
      14,
      oneOf("Always", "IfNotPresent", "Never"),
      "Policy for pulling the image: Always, IfNotPresent or Never. Defaults to Always for the tag latest, and to IfNotPresent in all other cases.",
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
      "Sources of environment variables. Each key of a source becomes a variable. Variables in env take precedence.",
    ),
    terminationMessagePolicy: field(
      20,
      oneOf("File", "FallbackToLogsOnError"),
      "Source of the termination message: File reads terminationMessagePath, FallbackToLogsOnError uses the end of the log if the file is empty and the container failed. Defaults to File.",
    ),
    volumeDevices: field(
      21,
      keyedList(VolumeDevice, ["devicePath"]),
      "Raw block volumes that are mapped into the container.",
    ),
    startupProbe: field(
      22,
      Probe,
      "Probe of the container's startup. The other probes start after the startup probe succeeds. The kubelet restarts the container if the startup probe fails.",
    ),
    resizePolicy: field(
      23,
      atomicList(ContainerResizePolicy),
      "Policies that determine whether the container is restarted when its resources are resized.",
    ),
    restartPolicy: field(
      24,
      oneOf("Always", "OnFailure", "Never"),
      "Restart policy of the container: Always, OnFailure or Never. An init container with Always runs for the lifetime of the pod.",
    ),
    restartPolicyRules: field(
      25,
      atomicList(ContainerRestartRule),
      "Rules for restarts by exit code. The first matching rule determines the action. If no rule matches, restartPolicy applies.",
    ),
  }),
);
export type Container = z.infer<typeof Container>;

export const EphemeralContainer = object(
  "io.k8s.api.core.v1.EphemeralContainer",
  "EphemeralContainer is a temporary container that is added to a running pod for debugging. It has no guaranteed resources and is never restarted.",
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
