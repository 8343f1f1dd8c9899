import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, intOrString, text } from "../../../schema/types.ts";

export const NetworkPolicyPort = object(
  "io.k8s.api.networking.v1.NetworkPolicyPort",
  "A port, or a range of ports, to which traffic is allowed.",
  () => ({
    protocol: field(1, text, "The protocol is TCP, which is the default, UDP or SCTP."),
    port: field(2, intOrString, "The port has this number, or this name in the pod; the default is every port."),
    endPort: field(3, int32, "All ports from port to this one are allowed; port is then a number."),
  }),
);
export type NetworkPolicyPort = z.infer<typeof NetworkPolicyPort>;

export const IPBlock = object(
  "io.k8s.api.networking.v1.IPBlock",
  "A range of addresses without some smaller ranges.",
  () => ({
    cidr: required(1, text, "The block is this range, such as 192.168.1.0/24 or 2001:db8::/64."),
    except: field(2, atomicList(text), "Addresses in these ranges do not belong to the block."),
  }),
);
export type IPBlock = z.infer<typeof IPBlock>;

export const NetworkPolicyPeer = object(
  "io.k8s.api.networking.v1.NetworkPolicyPeer",
  "Pods or addresses with which traffic is allowed.",
  () => ({
    podSelector: field(1, LabelSelector, "The peers are the pods that match this selector; an empty one matches all."),
    namespaceSelector: field(
      2,
      LabelSelector,
      "The peers are in the namespaces that match this selector; the default is the policy's own namespace.",
    ),
    ipBlock: field(3, IPBlock, "The peers have addresses of this block; the selectors are then missing."),
  }),
);
export type NetworkPolicyPeer = z.infer<typeof NetworkPolicyPeer>;

export const NetworkPolicyIngressRule = object(
  "io.k8s.api.networking.v1.NetworkPolicyIngressRule",
  "A rule allows traffic to the pods of the policy.",
  () => ({
    ports: field(1, atomicList(NetworkPolicyPort), "Traffic to these ports is allowed; the default is every port."),
    from: field(2, atomicList(NetworkPolicyPeer), "Traffic from these peers is allowed; the default is every source."),
  }),
);

export const NetworkPolicyEgressRule = object(
  "io.k8s.api.networking.v1.NetworkPolicyEgressRule",
  "A rule allows traffic from the pods of the policy.",
  () => ({
    ports: field(1, atomicList(NetworkPolicyPort), "Traffic to these ports is allowed; the default is every port."),
    to: field(2, atomicList(NetworkPolicyPeer), "Traffic to these peers is allowed; the default is every destination."),
  }),
);

export const NetworkPolicySpec = object(
  "io.k8s.api.networking.v1.NetworkPolicySpec",
  "The spec states the pods and the traffic that is allowed.",
  () => ({
    podSelector: field(
      1,
      LabelSelector,
      "The policy is for the pods of its namespace that match; an empty selector matches all.",
    ),
    ingress: field(
      2,
      atomicList(NetworkPolicyIngressRule),
      "Traffic to the pods is allowed if a rule of some policy allows it; an empty list allows none.",
    ),
    egress: field(
      3,
      atomicList(NetworkPolicyEgressRule),
      "Traffic from the pods is allowed if a rule of some policy allows it; an empty list allows none.",
    ),
    policyTypes: field(
      4,
      atomicList(text),
      "The policy is about Ingress, Egress or both; the default is Ingress, and Egress too where there are egress rules.",
    ),
  }),
);
export type NetworkPolicySpec = z.infer<typeof NetworkPolicySpec>;

export const NetworkPolicy = kind(
  "io.k8s.api.networking.v1.NetworkPolicy",
  "A NetworkPolicy states which traffic pods may have; it needs a network that enforces it.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, NetworkPolicySpec, "The spec states the pods and the allowed traffic."),
  }),
);
export type NetworkPolicy = z.infer<typeof NetworkPolicy>;
