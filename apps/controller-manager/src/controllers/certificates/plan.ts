import {
  type CertificateSigningRequest,
  type Lease,
  type Pod,
  nodeUserPrefix,
  instantOf,
  isPodTerminal,
} from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";
import { type ClusterNames, servingFault } from "./serving-fault.ts";

export const clientSigner = "kubernetes.io/kube-apiserver-client-kubelet";
export const servingSigner = "kubernetes.io/kubelet-serving";
/** The signer of users and programs. An approval of such a request gives the user its identity. */
export const userSigner = "kubernetes.io/kube-apiserver-client";
const nodeGroup = "system:nodes";

type Usage = "client" | "server";
export type SigningPlan = { usage: Usage } | { refused: string };
type Spec = CertificateSigningRequest["spec"];

/**
 * Plans the signing of a request by one of this controller's signers, or its refusal in upstream's
 * words; undefined for another signer's request.
 */
export function planSigning(spec: Spec, asked: SigningRequest): SigningPlan | undefined {
  const signed = (usage: Usage, refused: string | undefined) => (refused === undefined ? { usage } : { refused });
  switch (spec.signerName) {
    case clientSigner:
      return signed("client", kubeletClientFault(spec, asked));
    case servingSigner:
      return signed("server", kubeletServingFault(spec, asked));
    case userSigner:
      return signed("client", userFault(spec));
    default:
      return undefined;
  }
}

function kubeletClientFault(spec: Spec, asked: SigningRequest): string | undefined {
  if (asked.organizations.join() !== nodeGroup) return "subject organization is not system:nodes";
  if (asked.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (asked.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (asked.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (asked.uris.length > 0) return "URI subjectAltNames are not allowed";
  return nodeNameFault(asked) ?? usagesFault(spec, "client auth");
}

function kubeletServingFault(spec: Spec, asked: SigningRequest): string | undefined {
  if (asked.organizations.join() !== nodeGroup) return "subject organization is not system:nodes";
  if (asked.dnsNames.length + asked.ipAddresses.length === 0) return "DNS or IP subjectAltName is required";
  if (asked.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (asked.uris.length > 0) return "URI subjectAltNames are not allowed";
  const fault = usagesFault(spec, "server auth") ?? nodeNameFault(asked);
  if (fault !== undefined) return fault;
  // Upstream leaves this check to the approvers; here this controller is the approver.
  return spec.username === asked.commonName ? undefined : "subject common name is not the requesting node";
}

function nodeNameFault({ commonName }: SigningRequest): string | undefined {
  const names = commonName.startsWith(nodeUserPrefix) && commonName.length > nodeUserPrefix.length;
  return names ? undefined : "subject common name does not begin with system:node:";
}

/** Upstream's sets: signing, the purpose, and key encipherment for key types that support it. */
function usagesFault(spec: Spec, purpose: string): string | undefined {
  const given = new Set(spec.usages ?? []);
  given.delete("key encipherment");
  if (given.size === 2 && given.has("digital signature") && given.has(purpose)) return undefined;
  return `usages did not match [${[purpose, "digital signature", "key encipherment"].sort().join(" ")}]`;
}

function userFault({ usages = [] }: Spec): string | undefined {
  const other = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

export type Approval =
  /**
   * Approved if the requestor has this permission on certificatesigningrequests. With `denied`, the
   * request is denied instead.
   */
  | {
      approve: "if-allowed";
      subresource: "nodeclient" | "selfnodeclient";
      message: string;
      denied?: Denial | undefined;
    }
  | { approve: "yes"; message: string }
  /** A human may still approve the request. */
  | { approve: "no"; because?: string | undefined };

interface Denial {
  readonly reason: string;
  readonly message: string;
}

/** The Node whose identity the request claims, and all other objects with names and addresses. */
export interface ObservedCluster extends ClusterNames {
  readonly lease: Lease | undefined;
  /** Pods that are bound to the Node's name, whether or not the Node exists. */
  readonly boundPods: readonly Pod[];
}

/**
 * Decides which requests are approved without a human. Client certificates of kubelets are approved
 * as by upstream's csrapproving, but never for a node that exists already. Serving certificates,
 * which upstream leaves to humans, are approved if their names and addresses belong only to the
 * node; without these certificates, logs could not be read.
 */
export function planApproval(spec: Spec, asked: SigningRequest, observed: ObservedCluster): Approval {
  const plan = planSigning(spec, asked);
  if (plan === undefined || "refused" in plan || spec.signerName === userSigner) return { approve: "no" };
  if (plan.usage === "server") return planServing(asked, observed);
  if (spec.username === asked.commonName)
    return {
      approve: "if-allowed",
      subresource: "selfnodeclient",
      message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    };
  const denied = takeoverOf(observed);
  const leftover = denied === undefined ? leftoverOf(observed) : undefined;
  if (leftover !== undefined) return { approve: "no", because: leftover };
  return {
    approve: "if-allowed",
    subresource: "nodeclient",
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    denied,
  };
}

/**
 * The pods of a node outlive its Node by the pod garbage collector's quarantine, and the name alone
 * is enough to read their Secrets.
 */
function leftoverOf({ boundPods }: ObservedCluster): string | undefined {
  // Only a kubelet reports the start of a pod. A user who binds a pod to a name therefore cannot
  // prevent a machine from joining under that name.
  const pod = boundPods.find((pod) => pod.status?.startTime !== undefined && !isPodTerminal(pod));
  if (pod === undefined) return undefined;
  return `pod ${pod.metadata.namespace}/${pod.metadata.name} of an earlier node of that name still exists; it is removed within a minute or two of the deletion of its Node`;
}

/**
 * This project's rule: a bootstrap token adds only new nodes. Upstream lets its holder take the
 * identity of any node, and so read the Secrets of that node's pods.
 */
function takeoverOf({ node, lease }: ObservedCluster): Denial | undefined {
  const hasRun = lease !== undefined || (node?.status?.nodeInfo?.kubeletVersion ?? "") !== "";
  if (node === undefined || !hasRun) return undefined;
  const { name = "" } = node.metadata;
  return {
    reason: "NodeExists",
    message: `there is a node ${JSON.stringify(name)} already, whose kubelet has an identity: to replace it, stop its kubelet, delete it (kubectl delete node ${name}), and join again; or join under another --node-name`,
  };
}

function planServing(asked: SigningRequest, observed: ObservedCluster): Approval {
  const because = servingFault(asked, observed);
  return because === undefined
    ? {
        approve: "yes",
        message: "Auto approving kubelet serving certificate for the node's own name and addresses.",
      }
    : { approve: "no", because };
}

/** Upstream's csrcleaner. */
const keptMs = { pending: 24 * 3_600_000, decided: 3_600_000 };

/**
 * Returns the time at which a request is deleted: an hour after it was approved or denied, or a day
 * after its creation. kubectl writes the approval's time by its own clock, which may be behind the
 * cluster's, so an approval never counts as older than its request.
 */
export function endOfRequestMs(request: CertificateSigningRequest): number {
  const createdMs = instantOf(request.metadata.creationTimestamp) ?? 0;
  const verdicts = (request.status?.conditions ?? []).map((condition) => instantOf(condition.lastUpdateTime) ?? 0);
  return verdicts.length > 0 ? Math.max(createdMs, ...verdicts) + keptMs.decided : createdMs + keptMs.pending;
}
