/** The reason why a plugin rejects a node: a code, and the values of its text. */
export type RejectionReason =
  | { readonly code: "Unschedulable" }
  | { readonly code: "TooManyPods" }
  | { readonly code: "Insufficient"; readonly resource: string }
  | { readonly code: "UntoleratedTaint"; readonly key: string; readonly value: string }
  | { readonly code: "NodeAffinity" }
  | { readonly code: "NodeName" }
  | { readonly code: "NodeOs" }
  | { readonly code: "HostPorts" }
  | { readonly code: "PodAffinity" }
  | { readonly code: "PodAntiAffinity" }
  | { readonly code: "ExistingAntiAffinity" }
  | { readonly code: "TopologySpread" }
  | { readonly code: "TopologyLabelMissing" }
  | { readonly code: "TooManyVolumes" }
  | { readonly code: "VolumeMissing" }
  | { readonly code: "VolumeElsewhere" }
  | { readonly code: "VolumeZone" }
  | { readonly code: "NoStorageSpace" }
  | { readonly code: "NoVolumeToBind" }
  | { readonly code: "VolumeInUse" }
  | { readonly code: "ClaimElsewhere" }
  | { readonly code: "ClaimsNotAllocatable" }
  /** The pod names other nodes, according to this plugin. */
  | { readonly code: "OtherNodesNamed"; readonly plugin: string }
  /** A plugin that rejects the pod for all nodes, or that cannot decide; the text is complete. */
  | { readonly code: "Fault"; readonly text: string };

/** Returns upstream's text of the reason, as in events and conditions. */
export function rejectionText(reason: RejectionReason): string {
  switch (reason.code) {
    case "Insufficient":
      return `Insufficient ${reason.resource}`;
    case "UntoleratedTaint":
      return `node(s) had untolerated taint {${reason.key}: ${reason.value}}`;
    case "OtherNodesNamed":
      return `node(s) didn't satisfy plugin(s) [${reason.plugin}]`;
    case "Fault":
      return reason.text;
    default:
      return fixedTexts[reason.code];
  }
}

type ReasonWithValues = Extract<
  RejectionReason,
  { resource: string } | { key: string } | { plugin: string } | { text: string }
>;

const fixedTexts: Readonly<Record<Exclude<RejectionReason, ReasonWithValues>["code"], string>> = {
  Unschedulable: "node(s) were unschedulable",
  TooManyPods: "Too many pods",
  NodeAffinity: "node(s) didn't match Pod's node affinity/selector",
  NodeName: "node(s) didn't match the requested node name",
  NodeOs: "node(s) had a different operating system from the pod",
  HostPorts: "node(s) didn't have free ports for the requested pod ports",
  PodAffinity: "node(s) didn't match pod affinity rules",
  PodAntiAffinity: "node(s) didn't match pod anti-affinity rules",
  ExistingAntiAffinity: "node(s) didn't satisfy existing pods anti-affinity rules",
  TopologySpread: "node(s) didn't match pod topology spread constraints",
  TopologyLabelMissing: "node(s) didn't match pod topology spread constraints (missing required label)",
  TooManyVolumes: "node(s) exceed max volume count",
  VolumeMissing: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  VolumeElsewhere: "node(s) had volume node affinity conflict",
  VolumeZone: "node(s) had no available volume zone",
  NoStorageSpace: "node(s) did not have enough free storage",
  NoVolumeToBind: "node(s) didn't find available persistent volumes to bind",
  VolumeInUse: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
  ClaimElsewhere: "resourceclaim not available on the node",
  ClaimsNotAllocatable: "cannot allocate all claims",
};
