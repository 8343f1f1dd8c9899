import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, intOrString, text } from "../../../schema/types.ts";

export const NetworkPolicyPort = object(
  "io.k8s.api.networking.v1.NetworkPolicyPort",
  "NetworkPolicyPort is a port or range of ports to which traffic is allowed.",
  () => ({
    protocol: field(1, text, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
    port: field(2, intOrString, "Port number, or name of the port in the pod. Defaults to all ports."),
    endPort: field(3, int32, "Last port of a range. The field port must be the first port of the range, as a number."),
  }),
);
export type NetworkPolicyPort = z.infer<typeof NetworkPolicyPort>;

export const IPBlock = object(
  "io.k8s.api.networking.v1.IPBlock",
  "IPBlock is a range of addresses with optional exceptions.",
  () => ({
    cidr: required(1, text, "Range of addresses, such as 192.168.1.0/24 or 2001:db8::/64."),
    except: field(2, atomicList(text), "Ranges of addresses that are excluded from the block."),
  }),
);
export type IPBlock = z.infer<typeof IPBlock>;

export const NetworkPolicyPeer = object(
  "io.k8s.api.networking.v1.NetworkPolicyPeer",
  "NetworkPolicyPeer selects pods or addresses with which traffic is allowed.",
  () => ({
    podSelector: field(1, LabelSelector, "Label selector of the pods. An empty selector matches all pods."),
    namespaceSelector: field(
      2,
      LabelSelector,
      "Label selector of the namespaces. Defaults to the policy's own namespace.",
    ),
    ipBlock: field(3, IPBlock, "Block of addresses. Cannot be combined with the selectors."),
  }),
);
export type NetworkPolicyPeer = z.infer<typeof NetworkPolicyPeer>;

export const NetworkPolicyIngressRule = object(
  "io.k8s.api.networking.v1.NetworkPolicyIngressRule",
  "NetworkPolicyIngressRule allows traffic to the pods of the policy.",
  () => ({
    ports: field(1, atomicList(NetworkPolicyPort), "Ports to which traffic is allowed. Defaults to all ports."),
    from: field(2, atomicList(NetworkPolicyPeer), "Sources from which traffic is allowed. Defaults to all sources."),
  }),
);

export const NetworkPolicyEgressRule = object(
  "io.k8s.api.networking.v1.NetworkPolicyEgressRule",
  "NetworkPolicyEgressRule allows traffic from the pods of the policy.",
  () => ({
    ports: field(1, atomicList(NetworkPolicyPort), "Ports to which traffic is allowed. Defaults to all ports."),
    to: field(
      2,
      atomicList(NetworkPolicyPeer),
      "Destinations to which traffic is allowed. Defaults to all destinations.",
    ),
  }),
);

export const NetworkPolicySpec = object(
  "io.k8s.api.networking.v1.NetworkPolicySpec",
  "Pods that a policy applies to, and the allowed traffic.",
  () => ({
    podSelector: field(
      1,
      LabelSelector,
      "Label selector of the pods that the policy applies to. An empty selector matches all pods of the namespace.",
    ),
    ingress: field(
      2,
      atomicList(NetworkPolicyIngressRule),
      "Rules for traffic to the pods. Traffic is allowed if a rule of any policy allows the traffic. An empty list does not allow any traffic.",
    ),
    egress: field(
      3,
      atomicList(NetworkPolicyEgressRule),
      "Rules for traffic from the pods. Traffic is allowed if a rule of any policy allows the traffic. An empty list does not allow any traffic.",
    ),
    policyTypes: field(
      4,
      atomicList(text),
      "Directions that the policy applies to: Ingress, Egress or both. Defaults to Ingress, and to both if there are egress rules.",
    ),
  }),
);
export type NetworkPolicySpec = z.infer<typeof NetworkPolicySpec>;

export const NetworkPolicy = kind(
  "io.k8s.api.networking.v1.NetworkPolicy",
  "A NetworkPolicy restricts the traffic of pods. The policy takes effect only if the cluster's network enforces network policies.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, NetworkPolicySpec, "Pods that the policy applies to, and the allowed traffic."),
  }),
);
export type NetworkPolicy = z.infer<typeof NetworkPolicy>;
