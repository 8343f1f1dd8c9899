import type { Container } from "@kintsugi/api";
import type { ContainerSecurity, Image } from "@kintsugi/cri";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { groupsPolicy, namespacesOf, podGroups } from "./sandbox-config.ts";
import { seccompProfile } from "./seccomp.ts";
import { selinuxOptions } from "./selinux.ts";

/**
 * Paths that are hidden from containers unless they are privileged, as upstream's default procMount
 * does.
 */
const maskedPaths = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

export interface SecurityInput {
  pod: BoundPod;
  container: Pick<Container, "name" | "securityContext">;
  image: Pick<Image, "uid" | "username"> | undefined;
  /** The container whose processes are visible, for ephemeral containers with a target. */
  targetId?: string | undefined;
  node: Pick<NodeContext, "rootDirectory">;
}

/**
 * The container's security context merged over the pod's, in the runtime's form. @throws
 * ContainerConfigError
 */
export function containerSecurity({ pod, container, image, targetId, node }: SecurityInput): ContainerSecurity {
  const ofPod = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const privileged = own.privileged ?? false;
  const runAsUser = own.runAsUser ?? ofPod.runAsUser ?? image?.uid;
  const runAsGroup = own.runAsGroup ?? ofPod.runAsGroup;
  const seccomp = seccompProfile(own.seccompProfile ?? ofPod.seccompProfile, node);
  const unmasked = privileged || own.procMount === "Unmasked";
  const namespaces = namespacesOf(pod);
  return {
    addCapabilities: own.capabilities?.add ?? [],
    dropCapabilities: own.capabilities?.drop ?? [],
    privileged,
    namespaces: targetId === undefined ? namespaces : { ...namespaces, pid: "target", targetId },
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsUser === undefined && image?.username ? { runAsUsername: image.username } : {}),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    supplementalGroups: podGroups(pod),
    groupsPolicy: groupsPolicy(pod),
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : maskedPaths,
    readonlyPaths: unmasked ? [] : readonlyPaths,
    seccomp: privileged ? { type: "Unconfined" } : (seccomp ?? { type: "Unconfined" }),
    // The container's label replaces the pod's as a whole, as in upstream's
    // `DetermineEffectiveSecurityContext`.
    ...selinuxOptions(own.seLinuxOptions ?? ofPod.seLinuxOptions),
  };
}

/**
 * Returns the reason why the container may not run as its user; undefined when it may
 * (verifyRunAsNonRoot).
 */
export function rootRefusal({ pod, container, image }: Omit<SecurityInput, "node">): string | undefined {
  const nonRoot = container.securityContext?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot ?? false;
  if (!nonRoot) return undefined;
  const where = `(pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${container.name})`;
  const asked = container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser;
  if (asked !== undefined) {
    return asked === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined;
  }
  if (image?.uid !== undefined) {
    return image.uid === 0 ? `container has runAsNonRoot and image will run as root ${where}` : undefined;
  }
  if (image?.username) {
    return `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`;
  }
  return `container has runAsNonRoot and image will run as root ${where}`;
}
