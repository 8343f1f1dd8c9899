import type { RejectionReason } from "@kintsugi/scheduling";
import { singleLine } from "../words/phrases.ts";

/** Explains a rejection as a predicate of one node: "is cordoned". */
export function rejectionOfNode(reason: RejectionReason): string {
  return singleLine(predicateOf(reason));
}

function predicateOf(reason: RejectionReason): string {
  switch (reason.code) {
    case "Insufficient":
      return `has too little ${reason.resource} free`;
    case "UntoleratedTaint": {
      const taint = reason.value === "" ? reason.key : `${reason.key}=${reason.value}`;
      return `has the taint ${taint}, which the pod does not tolerate`;
    }
    case "OtherNodesNamed":
      return `didn't satisfy plugin(s) [${reason.plugin}]`;
    case "Fault":
      return reason.text;
    default:
      return predicates[reason.code];
  }
}

type ReasonWithValues = Extract<
  RejectionReason,
  { resource: string } | { key: string } | { plugin: string } | { text: string }
>;

const predicates: Readonly<Record<Exclude<RejectionReason, ReasonWithValues>["code"], string>> = {
  Unschedulable: "is cordoned",
  TooManyPods: "already runs its maximum number of pods",
  NodeAffinity: "does not match the pod's nodeSelector or node affinity",
  NodeName: "is not the node that the pod names",
  NodeOs: "has an operating system other than the pod's",
  HostPorts: "has a pod that uses the same host port",
  PodAffinity: "does not satisfy the pod's pod affinity",
  PodAntiAffinity: "runs a pod that the pod's anti-affinity excludes",
  ExistingAntiAffinity: "runs a pod whose anti-affinity excludes this pod",
  TopologySpread: "already has more of these pods than its spread constraint allows",
  TopologyLabelMissing: "lacks the label of a spread constraint",
  TooManyVolumes: "has the maximum number of the driver's volumes",
  VolumeMissing: "unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  VolumeElsewhere: "had volume node affinity conflict",
  VolumeZone: "had no available volume zone",
  NoStorageSpace: "did not have enough free storage",
  NoVolumeToBind: "didn't find available persistent volumes to bind",
  VolumeInUse: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
  ClaimElsewhere: "resourceclaim not available on the node",
  ClaimsNotAllocatable: "cannot allocate all claims",
};
