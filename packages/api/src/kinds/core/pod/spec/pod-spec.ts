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
  "HostAlias adds one line to the hosts file of a pod.",
  () => ({
    ip: required(1, text, "IP address of the line."),
    hostnames: field(2, atomicList(text), "Hostnames of the address."),
  }),
);
export type HostAlias = z.infer<typeof HostAlias>;

export const PodDNSConfigOption = object(
  "io.k8s.api.core.v1.PodDNSConfigOption",
  "PodDNSConfigOption is an option of a pod's DNS resolver.",
  () => ({
    name: field(1, text, "Name of the option, such as ndots."),
    value: field(2, text, "Value of the option. Some options do not have a value."),
  }),
);
export type PodDNSConfigOption = z.infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = object(
  "io.k8s.api.core.v1.PodDNSConfig",
  "PodDNSConfig extends the DNS settings that dnsPolicy generates.",
  () => ({
    nameservers: field(1, atomicList(text), "IP addresses of additional name servers."),
    searches: field(2, atomicList(text), "Additional search domains of the resolver."),
    options: field(
      3,
      atomicList(PodDNSConfigOption),
      "Options of the resolver, which replace generated options with the same name.",
    ),
  }),
);
export type PodDNSConfig = z.infer<typeof PodDNSConfig>;

export const PodOS = object("io.k8s.api.core.v1.PodOS", "PodOS is the operating system of a pod.", () => ({
  name: required(1, oneOf("linux", "windows"), "Name of the operating system: linux or windows."),
}));
export type PodOS = z.infer<typeof PodOS>;

export const PodReadinessGate = object(
  "io.k8s.api.core.v1.PodReadinessGate",
  "PodReadinessGate adds a condition to the readiness of a pod.",
  () => ({
    conditionType: required(1, text, "Type of the condition that must be True for the pod to be ready."),
  }),
);
export type PodReadinessGate = z.infer<typeof PodReadinessGate>;

// oxlint-disable-next-line max-lines-per-function -- a table, one line per field
export const PodSpec = object(
  "io.k8s.api.core.v1.PodSpec",
  "Desired state of a pod: its containers, volumes and placement.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    volumes: field(
      1,
      keyedList(Volume, ["name"], { patchStrategy: "merge,retainKeys" }),
      "Volumes that the containers of the pod can mount.",
    ),
    containers: required(
      2,
      keyedList(Container, ["name"]),
      "Containers of the pod. At least one container is required.",
    ),
    restartPolicy: field(
      3,
      oneOf("Always", "OnFailure", "Never"),
      "Restart policy of the containers: Always, OnFailure or Never. Defaults to Always.",
    ),
    terminationGracePeriodSeconds: field(
      4,
      int64,
      "Time between the stop signal and the kill signal, in seconds. Defaults to 30. 0 kills the processes immediately.",
    ),
    activeDeadlineSeconds: field(5, int64, "Maximum number of seconds that the pod may be active before it fails."),
    dnsPolicy: field(
      6,
      oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
      "DNS policy of the pod: ClusterFirst, ClusterFirstWithHostNet, Default or None. Defaults to ClusterFirst.",
    ),
    nodeSelector: field(7, atomicMap(text), "Labels that a node must have for the pod to run on it."),
    serviceAccountName: field(8, text, "Name of the pod's ServiceAccount. Defaults to default."),
    serviceAccount: field(9, text, "Deprecated in favor of serviceAccountName."),
    nodeName: field(
      10,
      text,
      "Name of the node that the pod is bound to, set by the scheduler. The pod is pending while the name is empty.",
    ),
    hostNetwork: field(11, bool, "Uses the network namespace of the node if true. Defaults to false."),
    hostPID: field(12, bool, "Uses the process namespace of the node if true. Defaults to false."),
    hostIPC: field(13, bool, "Uses the IPC namespace of the node if true. Defaults to false."),
    securityContext: field(14, PodSecurityContext, "Security options of the pod and all of its containers."),
    imagePullSecrets: field(
      15,
      keyedList(LocalObjectReference, ["name"]),
      "Secrets with the credentials for pulling the pod's images.",
    ),
    hostname: field(16, text, "Hostname of the pod. Defaults to the name of the pod."),
    subdomain: field(
      17,
      text,
      "Subdomain of the pod. The pod's fully qualified name is <hostname>.<subdomain>.<namespace>.svc.<cluster domain>.",
    ),
    affinity: field(18, Affinity, "Scheduling constraints of the pod."),
    schedulerName: field(19, text, "Name of the scheduler that places the pod. Defaults to default-scheduler."),
    initContainers: field(
      20,
      keyedList(Container, ["name"]),
      "Containers that run one after another before the other containers start. Init containers with restartPolicy Always keep running.",
    ),
    automountServiceAccountToken: field(
      21,
      bool,
      "Mounts an API token of the service account into the containers unless false.",
    ),
    tolerations: field(
      22,
      atomicList(Toleration),
      "Tolerations of the pod. The pod may run on nodes whose taints match the tolerations.",
    ),
    hostAliases: field(23, keyedList(HostAlias, ["ip"]), "Additional lines for the hosts file of each container."),
    priorityClassName: field(
      24,
      text,
      "Name of the pod's PriorityClass. The highest classes are system-node-critical and system-cluster-critical.",
    ),
    priority: field(
      25,
      int32,
      "Priority of the pod, set by admission from priorityClassName. The scheduler places pods with a higher priority first.",
    ),
    dnsConfig: field(26, PodDNSConfig, "DNS settings in addition to the settings that dnsPolicy generates."),
    shareProcessNamespace: field(
      27,
      bool,
      "Shares one process namespace among all containers of the pod if true. Defaults to false.",
    ),
    readinessGates: field(
      28,
      atomicList(PodReadinessGate),
      "Conditions that must be True for the pod to be ready, in addition to the readiness of its containers.",
    ),
    runtimeClassName: field(29, text, "Name of the pod's RuntimeClass. An empty value means the default runtime."),
    enableServiceLinks: field(
      30,
      bool,
      "Adds environment variables for the Services of the namespace to the containers unless false.",
    ),
    preemptionPolicy: field(
      31,
      oneOf("PreemptLowerPriority", "Never"),
      "Preemption of pods with a lower priority: PreemptLowerPriority allows the scheduler to evict such pods in favor of this pod, Never does not. Defaults to PreemptLowerPriority.",
    ),
    overhead: field(
      32,
      map(quantity),
      "Resources that the pod needs in addition to its containers' resources, set by admission from the RuntimeClass.",
    ),
    topologySpreadConstraints: field(
      33,
      keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"]),
      "Constraints that spread matching pods over topologies, such as zones. All constraints must hold.",
    ),
    ephemeralContainers: field(
      34,
      keyedList(EphemeralContainer, ["name"]),
      "Containers that were added to the running pod for debugging. Such containers can be added only through the ephemeralcontainers subresource.",
    ),
    setHostnameAsFQDN: field(
      35,
      bool,
      "Uses the pod's fully qualified name as its hostname if true. Defaults to false.",
    ),
    os: field(
      36,
      PodOS,
      "Operating system that the pod requires. Fields that do not apply to the operating system must be unset.",
    ),
    hostUsers: field(
      37,
      bool,
      "Uses the user namespace of the node. If false, the pod runs in its own user namespace. Defaults to true.",
    ),
    schedulingGates: field(
      38,
      keyedList(PodSchedulingGate, ["name"]),
      "Gates that block the scheduling of the pod until all gates are removed. Gates can be set only when the pod is created.",
    ),
    resourceClaims: field(
      39,
      keyedList(PodResourceClaim, ["name"], { patchStrategy: "merge,retainKeys" }),
      "Resource claims that must be allocated and reserved before the pod may start.",
    ),
    resources: field(
      40,
      ResourceRequirements,
      "Compute resources that the pod as a whole requires and may use. The pod's containers share the resources.",
    ),
    hostnameOverride: field(
      41,
      text,
      "Hostname inside the pod, which takes precedence over hostname and subdomain. The hostname is not published in DNS.",
    ),
    schedulingGroup: field(undefined, PodSchedulingGroup, "Group of pods that are scheduled together with the pod."),
  }),
);
export type PodSpec = z.infer<typeof PodSpec>;
