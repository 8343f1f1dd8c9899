import type { GroupsPolicy, PodSandboxConfig } from "@kintsugi/cri";
import { type NodeContext, podLogDirectory } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { podRestartAnnotations, type PodRestarts } from "../../model/escalation.ts";
import { podCgroup } from "../cgroups/pod-cgroup-paths.ts";
import { annotationNames, labelNames } from "../../model/labels.ts";
import { selinuxOptions } from "./selinux.ts";

export interface SandboxLife {
  attempt: number;
  /**
   * Consecutive restarts of the whole pod, because its containers failed, that preceded this
   * sandbox.
   */
  podRestarts: PodRestarts;
}

/** The kernel's limit of a host name. */
const hostnameMax = 64;

/**
 * Returns the reason why a sandbox cannot be created for the pod, in upstream's words; undefined
 * when it can.
 */
export function sandboxRefusal(pod: BoundPod, node: NodeContext): string | undefined {
  const hostname = podHostname(pod, node);
  if (!pod.spec.setHostnameAsFQDN || hostname.length <= hostnameMax) return undefined;
  return `Failed to construct FQDN from Pod hostname and cluster domain, FQDN ${hostname} is too long (${hostnameMax} characters is the max, ${hostname.length} characters requested)`;
}

/**
 * Converts a pod's spec to the runtime's sandbox configuration (kuberuntime_sandbox.go
 * generatePodSandboxConfig). Its name servers come from `SandboxDns`.
 */
export function sandboxConfig(pod: BoundPod, life: SandboxLife, node: NodeContext): PodSandboxConfig {
  const { uid, name, namespace } = pod.metadata;
  const { spec } = pod;
  const context = spec.securityContext ?? {};
  return {
    metadata: { name, uid, namespace, attempt: life.attempt },
    // A pod on the node's network has the node's name; runtimes reject a configured host name.
    hostname: spec.hostNetwork ? "" : podHostname(pod, node),
    logDirectory: podLogDirectory(node, { namespace, name, uid }),
    portMappings: portMappings(pod),
    labels: {
      ...pod.metadata.labels,
      [labelNames.podName]: name,
      [labelNames.podNamespace]: namespace,
      [labelNames.podUid]: uid,
    },
    annotations: sandboxAnnotations(pod, life),
    linux: {
      cgroupParent: podCgroup(pod, node),
      sysctls: Object.fromEntries((context.sysctls ?? []).map(({ name: key, value }) => [key, value])),
      namespaces: namespacesOf(pod),
      ...(context.runAsUser === undefined ? {} : { runAsUser: context.runAsUser }),
      ...(context.runAsGroup === undefined ? {} : { runAsGroup: context.runAsGroup }),
      supplementalGroups: podGroups(pod),
      groupsPolicy: groupsPolicy(pod),
      readonlyRootfs: false,
      privileged: spec.containers.some(({ securityContext }) => securityContext?.privileged === true),
      // Every pod's sandbox has this profile, as in upstream's `generatePodSandboxLinuxConfig`: a
      // profile for the pod's program may not allow the sandbox's own program to run.
      seccomp: { type: "RuntimeDefault" },
      ...selinuxOptions(context.seLinuxOptions),
    },
    runtimeHandler: "",
  };
}

/**
 * Returns the pod's annotations, with the history that led to this sandbox, which only the kubelet
 * may write.
 */
function sandboxAnnotations({ metadata }: BoundPod, { podRestarts }: SandboxLife): Record<string, string> {
  const { [annotationNames.podRestarts]: _, ...annotations } = metadata.annotations ?? {};
  return { ...annotations, ...podRestartAnnotations(podRestarts) };
}

export function namespacesOf(pod: BoundPod): PodSandboxConfig["linux"]["namespaces"] {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod.spec;
  return {
    network: hostNetwork ? "node" : "pod",
    pid: hostPID ? "node" : shareProcessNamespace ? "pod" : "container",
    ipc: hostIPC ? "node" : "pod",
  };
}

export function podGroups(pod: BoundPod): number[] {
  const { fsGroup, supplementalGroups = [] } = pod.spec.securityContext ?? {};
  return fsGroup === undefined ? [...supplementalGroups] : [...new Set([fsGroup, ...supplementalGroups])];
}

/** Admission rejects pods with Strict if the runtime does not implement the policy. */
export function groupsPolicy(pod: BoundPod): GroupsPolicy {
  return pod.spec.securityContext?.supplementalGroupsPolicy === "Strict" ? "Strict" : "Merge";
}

/** A host name has at most 63 characters and does not end in a dash or a dot. */
export function podHostname(pod: BoundPod, node: NodeContext): string {
  if (pod.spec.hostNetwork) return node.nodeName;
  // The whole name without a domain (GeneratePodHostNameAndDomain).
  if (pod.spec.hostnameOverride !== undefined) return pod.spec.hostnameOverride;
  const short = (pod.spec.hostname ?? pod.metadata.name).slice(0, 63).replace(/[-.]+$/, "");
  return pod.spec.setHostnameAsFQDN ? podFqdn(pod, node, short) : short;
}

/**
 * `<hostname>.<subdomain>.<namespace>.svc.<domain>`, or the host name alone without a subdomain.
 */
export function podFqdn(pod: BoundPod, node: NodeContext, hostname: string): string {
  const { subdomain } = pod.spec;
  if (subdomain === undefined || subdomain === "") return hostname;
  return `${hostname}.${subdomain}.${pod.metadata.namespace}.svc.${node.clusterDomain}`;
}

function portMappings(pod: BoundPod): PodSandboxConfig["portMappings"] {
  if (pod.spec.hostNetwork) return [];
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ protocol = "TCP", containerPort, hostPort = 0, hostIP = "" }) => ({
        protocol: protocol as "TCP",
        containerPort,
        hostPort,
        hostIp: hostIP,
      })),
  );
}
