import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import {
  atomicList,
  atomicMap,
  bool,
  int32,
  int64,
  keyedList,
  map,
  oneOf,
  quantity,
  text,
} from "../../../../schema/types.ts";
import { LocalObjectReference } from "../../references.ts";
import { Affinity } from "./affinity.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { ResourceRequirements } from "./resources.ts";
import {
  PodResourceClaim,
  PodSchedulingGate,
  PodSchedulingGroup,
  Toleration,
  TopologySpreadConstraint,
} from "./scheduling.ts";
import { PodSecurityContext } from "./security-context.ts";
import { Volume } from "../volumes/volume.ts";

export const HostAlias = object(
  "io.k8s.api.core.v1.HostAlias",
  "A HostAlias adds one line to the hosts file of a pod.",
  () => ({
    ip: required(1, text, "The line maps this IP address."),
    hostnames: field(2, atomicList(text), "The address is known by these hostnames."),
  }),
);
export type HostAlias = z.infer<typeof HostAlias>;

export const PodDNSConfigOption = object(
  "io.k8s.api.core.v1.PodDNSConfigOption",
  "The option configures the DNS resolver of a pod.",
  () => ({
    name: field(1, text, "The option has this name, such as ndots."),
    value: field(2, text, "The option has this value; some options have none."),
  }),
);
export type PodDNSConfigOption = z.infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = object(
  "io.k8s.api.core.v1.PodDNSConfig",
  "The DNS settings are added to those that dnsPolicy generates.",
  () => ({
    nameservers: field(1, atomicList(text), "The resolver also uses these IP addresses of name servers."),
    searches: field(2, atomicList(text), "The resolver also searches these domains."),
    options: field(
      3,
      atomicList(PodDNSConfigOption),
      "The resolver uses these options, which replace generated ones of the same name.",
    ),
  }),
);
export type PodDNSConfig = z.infer<typeof PodDNSConfig>;

export const PodOS = object("io.k8s.api.core.v1.PodOS", "PodOS names the operating system of a pod.", () => ({
  name: required(1, oneOf("linux", "windows"), "The operating system is linux or windows."),
}));
export type PodOS = z.infer<typeof PodOS>;

export const PodReadinessGate = object(
  "io.k8s.api.core.v1.PodReadinessGate",
  "A readiness gate adds a condition to the readiness of a pod.",
  () => ({
    conditionType: required(1, text, "The pod is ready only if its condition of this type is True."),
  }),
);
export type PodReadinessGate = z.infer<typeof PodReadinessGate>;

// oxlint-disable-next-line max-lines-per-function -- a table, one line per field
export const PodSpec = object(
  "io.k8s.api.core.v1.PodSpec",
  "The spec describes the containers of a pod, its volumes, and its placement.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    volumes: field(
      1,
      keyedList(Volume, ["name"], { patchStrategy: "merge,retainKeys" }),
      "Containers of the pod can mount these volumes.",
    ),
    containers: required(
      2,
      keyedList(Container, ["name"]),
      "The pod runs these containers, of which there must be at least one.",
    ),
    restartPolicy: field(
      3,
      oneOf("Always", "OnFailure", "Never"),
      "The kubelet restarts containers Always, OnFailure or Never; the default is Always.",
    ),
    terminationGracePeriodSeconds: field(
      4,
      int64,
      "The processes have this many seconds from the stop signal to the kill signal; the default is 30, and 0 kills at once.",
    ),
    activeDeadlineSeconds: field(5, int64, "The pod fails after it has been active on its node for this many seconds."),
    dnsPolicy: field(
      6,
      oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
      "The DNS policy is ClusterFirst, the default, ClusterFirstWithHostNet, Default or None.",
    ),
    nodeSelector: field(7, atomicMap(text), "The pod runs only on nodes that have all of these labels."),
    serviceAccountName: field(8, text, "The pod runs under the ServiceAccount with this name; the default is default."),
    serviceAccount: field(9, text, "This field is deprecated in favour of serviceAccountName."),
    nodeName: field(
      10,
      text,
      "The pod is bound to this node; the scheduler sets it, and the pod is pending while it is empty.",
    ),
    hostNetwork: field(
      11,
      bool,
      "The pod uses the network namespace of the node when this is true; the default is false.",
    ),
    hostPID: field(12, bool, "The pod uses the process namespace of the node when this is true; the default is false."),
    hostIPC: field(13, bool, "The pod uses the IPC namespace of the node when this is true; the default is false."),
    securityContext: field(
      14,
      PodSecurityContext,
      "These security options apply to the pod and all of its containers.",
    ),
    imagePullSecrets: field(
      15,
      keyedList(LocalObjectReference, ["name"]),
      "The kubelet pulls the pod's images with these credentials.",
    ),
    hostname: field(16, text, "The pod has this hostname; the default is the name of the pod."),
    subdomain: field(
      17,
      text,
      "The pod's fully qualified name becomes <hostname>.<subdomain>.<namespace>.svc.<cluster domain>.",
    ),
    affinity: field(18, Affinity, "These scheduling constraints apply to the pod."),
    schedulerName: field(19, text, "The scheduler with this name places the pod; the default is default-scheduler."),
    initContainers: field(
      20,
      keyedList(Container, ["name"]),
      "These containers run one after the other before the others start; those with restartPolicy Always keep running beside them.",
    ),
    automountServiceAccountToken: field(
      21,
      bool,
      "The pod receives an API token of its service account unless this is false.",
    ),
    tolerations: field(
      22,
      atomicList(Toleration),
      "The pod may run on nodes with taints that these tolerations match.",
    ),
    hostAliases: field(
      23,
      keyedList(HostAlias, ["ip"]),
      "The hosts file of the containers contains these additional lines.",
    ),
    priorityClassName: field(
      24,
      text,
      "The pod has the priority of the PriorityClass with this name; system-node-critical and system-cluster-critical are the highest.",
    ),
    priority: field(
      25,
      int32,
      "The scheduler places pods with a higher value first; admission fills it in from priorityClassName.",
    ),
    dnsConfig: field(26, PodDNSConfig, "These DNS settings are added to those that dnsPolicy generates."),
    shareProcessNamespace: field(
      27,
      bool,
      "All containers of the pod share one process namespace when this is true; the default is false.",
    ),
    readinessGates: field(
      28,
      atomicList(PodReadinessGate),
      "The pod is ready only if its containers are ready and all of these conditions are True.",
    ),
    runtimeClassName: field(
      29,
      text,
      "The pod runs with the RuntimeClass of this name; an empty value means the default runtime.",
    ),
    enableServiceLinks: field(
      30,
      bool,
      "The environment of the containers describes the Services of the namespace unless this is false.",
    ),
    preemptionPolicy: field(
      31,
      oneOf("PreemptLowerPriority", "Never"),
      "PreemptLowerPriority, the default, lets the scheduler evict pods of lower priority for this pod; Never does not.",
    ),
    overhead: field(
      32,
      map(quantity),
      "The pod needs these resources in addition to those of its containers; admission fills it in from the RuntimeClass.",
    ),
    topologySpreadConstraints: field(
      33,
      keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"]),
      "The scheduler spreads the pod and similar ones over topologies by these constraints, all of which must hold.",
    ),
    ephemeralContainers: field(
      34,
      keyedList(EphemeralContainer, ["name"]),
      "These containers were added to the running pod for debugging; they can be added only through the ephemeralcontainers subresource.",
    ),
    setHostnameAsFQDN: field(
      35,
      bool,
      "The hostname of the pod is its fully qualified name when this is true; the default is false.",
    ),
    os: field(36, PodOS, "The pod requires this operating system, which limits the fields that may be set."),
    hostUsers: field(37, bool, "The pod runs in a user namespace of its own when this is false; the default is true."),
    schedulingGates: field(
      38,
      keyedList(PodSchedulingGate, ["name"]),
      "The scheduler ignores the pod until all of these gates are removed; they can be set only on creation.",
    ),
    resourceClaims: field(
      39,
      keyedList(PodResourceClaim, ["name"], { patchStrategy: "merge,retainKeys" }),
      "The pod needs these resource claims to be allocated and reserved before it may start.",
    ),
    resources: field(
      40,
      ResourceRequirements,
      "The pod as a whole requires and may use these resources, shared by its containers.",
    ),
    hostnameOverride: field(
      41,
      text,
      "The pod's processes see this hostname, regardless of hostname and subdomain; DNS does not publish it.",
    ),
    schedulingGroup: field(undefined, PodSchedulingGroup, "The pod is scheduled together with this group of pods."),
  }),
);
export type PodSpec = z.infer<typeof PodSpec>;
