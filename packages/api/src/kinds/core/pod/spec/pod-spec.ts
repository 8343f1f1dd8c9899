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

export const HostAlias = object("io.k8s.api.core.v1.HostAlias", "Names for an address in a pod's hosts file.", () => ({
  ip: required(1, text),
  hostnames: field(2, atomicList(text)),
}));
export type HostAlias = z.infer<typeof HostAlias>;

export const PodDNSConfigOption = object("io.k8s.api.core.v1.PodDNSConfigOption", "An option of the resolver.", () => ({
  name: field(1, text),
  value: field(2, text),
}));
export type PodDNSConfigOption = z.infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = object("io.k8s.api.core.v1.PodDNSConfig", "How names are looked up in a pod.", () => ({
  nameservers: field(1, atomicList(text)),
  searches: field(2, atomicList(text)),
  options: field(3, atomicList(PodDNSConfigOption)),
}));
export type PodDNSConfig = z.infer<typeof PodDNSConfig>;

export const PodOS = object("io.k8s.api.core.v1.PodOS", "The operating system that a pod needs.", () => ({
  name: required(1, oneOf("linux", "windows")),
}));
export type PodOS = z.infer<typeof PodOS>;

export const PodReadinessGate = object(
  "io.k8s.api.core.v1.PodReadinessGate",
  "A further condition that has to be true for a pod to be ready.",
  () => ({
    conditionType: required(1, text),
  }),
);
export type PodReadinessGate = z.infer<typeof PodReadinessGate>;

// oxlint-disable-next-line max-lines-per-function -- a table, one line per field
export const PodSpec = object("io.k8s.api.core.v1.PodSpec", "What a pod runs, and how and where.", () => ({
  volumes: field(
    1,
    keyedList(Volume, ["name"], { patchStrategy: "merge,retainKeys" }),
    "Files that its containers can mount.",
  ),
  containers: required(2, keyedList(Container, ["name"]), "What runs in it, side by side."),
  restartPolicy: field(
    3,
    oneOf("Always", "OnFailure", "Never"),
    "When containers that ended are started again: Always, OnFailure or Never.",
  ),
  terminationGracePeriodSeconds: field(4, int64, "How long its containers have to end before they are killed."),
  activeDeadlineSeconds: field(5, int64, "How long it may run in all."),
  dnsPolicy: field(
    6,
    oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "How names are looked up in it.",
  ),
  nodeSelector: field(7, atomicMap(text), "Labels that its node has to have."),
  serviceAccountName: field(8, text, "As whom its processes speak to the API."),
  serviceAccount: field(9, text, "Older name of serviceAccountName."),
  nodeName: field(10, text, "The node it runs on; set once, by the scheduler."),
  hostNetwork: field(11, bool, "It lives in the node's network."),
  hostPID: field(12, bool, "It sees the node's processes."),
  hostIPC: field(13, bool, "It shares the node's memory segments."),
  securityContext: field(14, PodSecurityContext, "As whom and how confined its containers run."),
  imagePullSecrets: field(15, keyedList(LocalObjectReference, ["name"]), "Credentials for pulling its images."),
  hostname: field(16, text, "Its name, as it sees it."),
  subdomain: field(17, text, "Its domain, as it sees it."),
  affinity: field(18, Affinity, "Where it needs or prefers to run."),
  schedulerName: field(19, text, "Who finds a node for it."),
  initContainers: field(
    20,
    keyedList(Container, ["name"]),
    "What runs before, one after the other; with restartPolicy Always, beside the others.",
  ),
  automountServiceAccountToken: field(21, bool, "Whether it gets a token of its account."),
  tolerations: field(22, atomicList(Toleration), "Taints it can live with."),
  hostAliases: field(23, keyedList(HostAlias, ["ip"]), "Further lines for its hosts file."),
  priorityClassName: field(24, text, "How important it is, by name."),
  priority: field(25, int32, "How important it is, as a number."),
  dnsConfig: field(26, PodDNSConfig, "More about how names are looked up."),
  shareProcessNamespace: field(27, bool, "Its containers see each other's processes."),
  readinessGates: field(28, atomicList(PodReadinessGate), "Further conditions for it to be ready."),
  runtimeClassName: field(29, text, "What runs its containers."),
  enableServiceLinks: field(30, bool, "Whether Services stand in its variables."),
  preemptionPolicy: field(
    31,
    oneOf("PreemptLowerPriority", "Never"),
    "Whether less important pods may have to go for it.",
  ),
  overhead: field(32, map(quantity), "What its runtime needs besides its containers."),
  topologySpreadConstraints: field(
    33,
    keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"]),
    "How evenly it and its like are spread.",
  ),
  ephemeralContainers: field(34, keyedList(EphemeralContainer, ["name"]), "Containers added later, to look into it."),
  setHostnameAsFQDN: field(35, bool, "Its name includes its domain."),
  os: field(36, PodOS, "The operating system it needs."),
  hostUsers: field(37, bool, "False gives it users of its own."),
  schedulingGates: field(38, keyedList(PodSchedulingGate, ["name"]), "What holds it back from being scheduled."),
  resourceClaims: field(
    39,
    keyedList(PodResourceClaim, ["name"], { patchStrategy: "merge,retainKeys" }),
    "Claims on devices.",
  ),
  resources: field(40, ResourceRequirements, "What is set aside for all its containers together."),
  hostnameOverride: field(41, text, "Its name, as only it sees it."),
  schedulingGroup: field(undefined, PodSchedulingGroup, "The pods with which it is scheduled."),
}));
export type PodSpec = z.infer<typeof PodSpec>;
