import { type CertificateSigningRequest, type Node, parseTimestamp } from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";

export const clientSigner = "kubernetes.io/kube-apiserver-client-kubelet";
export const servingSigner = "kubernetes.io/kubelet-serving";
const nodePrefix = "system:node:";
const nodeGroup = "system:nodes";

export type Usage = "client" | "server";

/** What a signer of ours makes of a request; `undefined` when the request is not one that it may sign. */
export function usageFor(spec: CertificateSigningRequest["spec"], asked: SigningRequest): Usage | undefined {
  const isOfNode = asked.commonName.startsWith(nodePrefix) && asked.commonName.length > nodePrefix.length;
  if (!isOfNode || asked.organizations.join() !== nodeGroup) return undefined;
  if (asked.emailAddresses.length + asked.uris.length > 0) return undefined;
  const names = asked.dnsNames.length + asked.ipAddresses.length;
  switch (spec.signerName) {
    case clientSigner:
      return names === 0 && usesAre(spec, "client auth") ? "client" : undefined;
    case servingSigner:
      return names > 0 && spec.username === asked.commonName && usesAre(spec, "server auth") ? "server" : undefined;
    default:
      return undefined;
  }
}

/** Upstream's sets: signing, the purpose, and key encipherment for keys that can do that. */
function usesAre(spec: CertificateSigningRequest["spec"], purpose: string): boolean {
  const given = new Set(spec.usages ?? []);
  given.delete("key encipherment");
  return given.size === 2 && given.has("digital signature") && given.has(purpose);
}

export type Approval =
  /** If whoever asks may do this to certificatesigningrequests. */
  | { approve: "if-allowed"; subresource: "nodeclient" | "selfnodeclient"; message: string }
  | { approve: "yes"; message: string }
  | { approve: "no" };

/**
 * Who is approved without a human. Client certificates as upstream's csrapproving; serving certificates, which upstream leaves to
 * humans, for the node's own name and for addresses that its Node does not contradict: without them no log could be read.
 */
export function planApproval(
  spec: CertificateSigningRequest["spec"],
  asked: SigningRequest,
  node: Node | undefined,
): Approval {
  const usage = usageFor(spec, asked);
  if (usage === undefined) return { approve: "no" };
  if (usage === "client") {
    const isSelf = spec.username === asked.commonName;
    return isSelf
      ? {
          approve: "if-allowed",
          subresource: "selfnodeclient",
          message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
        }
      : {
          approve: "if-allowed",
          subresource: "nodeclient",
          message: "Auto approving kubelet client certificate after SubjectAccessReview.",
        };
  }
  const nodeName = asked.commonName.slice(nodePrefix.length);
  const known = (node?.status?.addresses ?? []).map(({ address }) => address);
  const isOwnName = asked.dnsNames.every((name) => name === nodeName || known.includes(name));
  const isOwnAddress = known.length === 0 || asked.ipAddresses.every((address) => known.includes(address));
  if (!isOwnName || !isOwnAddress) return { approve: "no" };
  return {
    approve: "yes",
    message: "Auto approving kubelet serving certificate for the node's own name and addresses.",
  };
}

/** Upstream's csrcleaner. */
const keptMs = { pending: 24 * 3_600_000, decided: 3_600_000 };

/** When a request has served its purpose and goes: an hour after the verdict, a day without one. */
export function endOfRequestMs(request: CertificateSigningRequest): number {
  const verdicts = (request.status?.conditions ?? []).map((condition) => instantOf(condition.lastUpdateTime));
  if (verdicts.length > 0) return Math.max(...verdicts) + keptMs.decided;
  return instantOf(request.metadata.creationTimestamp) + keptMs.pending;
}

function instantOf(timestamp: string | null | undefined): number {
  return timestamp ? parseTimestamp(timestamp) : 0;
}
