import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
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
} from "../../schema/types.ts";
import { LocalObjectReference } from "../core/references.ts";
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
import { Volume } from "./volume.ts";

export const HostAlias = object("io.k8s.api.core.v1.HostAlias", {
  ip: required(1, text),
  hostnames: field(2, atomicList(text)),
});
export type HostAlias = z.infer<typeof HostAlias>;

export const PodDNSConfigOption = object("io.k8s.api.core.v1.PodDNSConfigOption", {
  name: field(1, text),
  value: field(2, text),
});
export type PodDNSConfigOption = z.infer<typeof PodDNSConfigOption>;

export const PodDNSConfig = object("io.k8s.api.core.v1.PodDNSConfig", {
  nameservers: field(1, atomicList(text)),
  searches: field(2, atomicList(text)),
  options: field(3, atomicList(PodDNSConfigOption)),
});
export type PodDNSConfig = z.infer<typeof PodDNSConfig>;

export const PodOS = object("io.k8s.api.core.v1.PodOS", {
  name: required(1, oneOf("linux", "windows")),
});
export type PodOS = z.infer<typeof PodOS>;

export const PodReadinessGate = object("io.k8s.api.core.v1.PodReadinessGate", {
  conditionType: required(1, text),
});
export type PodReadinessGate = z.infer<typeof PodReadinessGate>;

export const PodSpec = object("io.k8s.api.core.v1.PodSpec", {
  volumes: field(1, keyedList(Volume, ["name"], { patchStrategy: "merge,retainKeys" })),
  containers: required(2, keyedList(Container, ["name"])),
  restartPolicy: field(3, oneOf("Always", "OnFailure", "Never")),
  terminationGracePeriodSeconds: field(4, int64),
  activeDeadlineSeconds: field(5, int64),
  dnsPolicy: field(6, oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")),
  nodeSelector: field(7, atomicMap(text)),
  serviceAccountName: field(8, text),
  serviceAccount: field(9, text),
  nodeName: field(10, text),
  hostNetwork: field(11, bool),
  hostPID: field(12, bool),
  hostIPC: field(13, bool),
  securityContext: field(14, PodSecurityContext),
  imagePullSecrets: field(15, keyedList(LocalObjectReference, ["name"])),
  hostname: field(16, text),
  subdomain: field(17, text),
  affinity: field(18, Affinity),
  schedulerName: field(19, text),
  initContainers: field(20, keyedList(Container, ["name"])),
  automountServiceAccountToken: field(21, bool),
  tolerations: field(22, atomicList(Toleration)),
  hostAliases: field(23, keyedList(HostAlias, ["ip"])),
  priorityClassName: field(24, text),
  priority: field(25, int32),
  dnsConfig: field(26, PodDNSConfig),
  shareProcessNamespace: field(27, bool),
  readinessGates: field(28, atomicList(PodReadinessGate)),
  runtimeClassName: field(29, text),
  enableServiceLinks: field(30, bool),
  preemptionPolicy: field(31, oneOf("PreemptLowerPriority", "Never")),
  overhead: field(32, map(quantity)),
  topologySpreadConstraints: field(33, keyedList(TopologySpreadConstraint, ["topologyKey", "whenUnsatisfiable"])),
  ephemeralContainers: field(34, keyedList(EphemeralContainer, ["name"])),
  setHostnameAsFQDN: field(35, bool),
  os: field(36, PodOS),
  hostUsers: field(37, bool),
  schedulingGates: field(38, keyedList(PodSchedulingGate, ["name"])),
  resourceClaims: field(39, keyedList(PodResourceClaim, ["name"], { patchStrategy: "merge,retainKeys" })),
  resources: field(40, ResourceRequirements),
  hostnameOverride: field(41, text),
  schedulingGroup: field(undefined, PodSchedulingGroup),
});
export type PodSpec = z.infer<typeof PodSpec>;
