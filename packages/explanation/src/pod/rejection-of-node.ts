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
  TooManyPods: "has as many pods as it may",
  NodeAffinity: "is not chosen by the pod's nodeSelector or node affinity",
  NodeName: "is not the node that the pod names",
  NodeOs: "has another operating system than the pod names",
  HostPorts: "has a pod that uses the same host port",
  PodAffinity: "has no pod that the pod wants to be near",
  PodAntiAffinity: "has a pod that the pod must not be near",
  ExistingAntiAffinity: "has a pod that does not want it near",
  TopologySpread: "has more of these pods already than its spread constraint allows",
  TopologyLabelMissing: "lacks the label of a spread constraint",
  TooManyVolumes: "has as many volumes of the driver as it can have",
  VolumeMissing: "unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  VolumeElsewhere: "had volume node affinity conflict",
  VolumeZone: "had no available volume zone",
  NoStorageSpace: "did not have enough free storage",
  NoVolumeToBind: "didn't find available persistent volumes to bind",
  VolumeInUse: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
  ClaimElsewhere: "resourceclaim not available on the node",
  ClaimsNotAllocatable: "cannot allocate all claims",
};
