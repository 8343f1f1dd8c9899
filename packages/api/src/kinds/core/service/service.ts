import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, atomicMap, bool, int32, intOrString, keyedList, oneOf, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";

export const ServicePort = object(
  "io.k8s.api.core.v1.ServicePort",
  "A ServicePort describes one port of a Service.",
  () => ({
    name: field(
      1,
      text,
      "The name identifies the port within the Service; it must be a DNS label and is required if there are several ports.",
    ),
    protocol: field(2, protocol, "The protocol is TCP, UDP or SCTP; the default is TCP."),
    port: required(3, int32, "The Service listens on this port number."),
    targetPort: field(
      4,
      intOrString,
      "Traffic goes to this port of the pods, a number or the name of a container port; the default is the value of port.",
    ),
    nodePort: field(
      5,
      int32,
      "The Service is reached at this port of every node, for the types NodePort and LoadBalancer; the server picks one if it is unset.",
    ),
    appProtocol: field(6, text, "The application protocol on the port has this name, such as kubernetes.io/h2c."),
  }),
);
export type ServicePort = z.infer<typeof ServicePort>;

export const ClientIPConfig = object(
  "io.k8s.api.core.v1.ClientIPConfig",
  "The settings apply to session affinity by the client's IP address.",
  () => ({
    timeoutSeconds: field(
      1,
      int32,
      "A client stays with its pod for this many seconds, from 1 to 86400; the default is 10800 (3 hours).",
    ),
  }),
);
export type ClientIPConfig = z.infer<typeof ClientIPConfig>;

export const SessionAffinityConfig = object(
  "io.k8s.api.core.v1.SessionAffinityConfig",
  "The settings apply to the session affinity of a Service.",
  () => ({
    clientIP: field(1, ClientIPConfig, "These settings apply to affinity by the client's IP address."),
  }),
);
export type SessionAffinityConfig = z.infer<typeof SessionAffinityConfig>;

/** The values of trafficDistribution. PreferClose is an older name of PreferSameZone. */
export const trafficDistributions: readonly string[] = ["PreferClose", "PreferSameNode", "PreferSameZone"];

export const ServiceSpec = object(
  "io.k8s.api.core.v1.ServiceSpec",
  "The spec describes the pods behind a Service and the ways to reach them.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    ports: field(1, keyedList(ServicePort, ["port", "protocol"]), "The Service exposes these ports."),
    selector: field(
      2,
      atomicMap(text),
      "Traffic goes to pods with these labels; a Service without a selector has endpoints that its owner maintains.",
    ),
    clusterIP: field(
      3,
      text,
      "The Service has this IP address in the cluster; None makes it headless, and the server picks an address if the field is unset.",
    ),
    type: field(
      4,
      oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      "ClusterIP, the default, is reached in the cluster only, NodePort at every node, LoadBalancer through a load balancer, and ExternalName is an alias.",
    ),
    externalIPs: field(
      5,
      atomicList(text),
      "Nodes also accept traffic for the Service at these IP addresses, which the cluster does not manage.",
    ),
    sessionAffinity: field(
      7,
      oneOf("None", "ClientIP"),
      "ClientIP sends the requests of one client to the same pod; the default is None.",
    ),
    loadBalancerIP: field(
      8,
      text,
      "This field is deprecated: the load balancer should be created with this IP address.",
    ),
    loadBalancerSourceRanges: field(
      9,
      atomicList(text),
      "The load balancer accepts only clients with addresses in these ranges.",
    ),
    externalName: field(10, text, "DNS returns this name as an alias for a Service of the type ExternalName."),
    externalTrafficPolicy: field(
      11,
      text,
      "Cluster, the default, spreads external traffic over all endpoints; Local keeps it on the node that received it and preserves the client's address.",
    ),
    healthCheckNodePort: field(
      12,
      int32,
      "Load balancers check at this port whether a node has endpoints, if externalTrafficPolicy is Local; the server picks a port if it is unset.",
    ),
    publishNotReadyAddresses: field(
      13,
      bool,
      "DNS and the endpoints include pods that are not ready when this is true.",
    ),
    sessionAffinityConfig: field(14, SessionAffinityConfig, "These settings apply to the session affinity."),
    ipFamilyPolicy: field(
      17,
      text,
      "The Service requests addresses by SingleStack, PreferDualStack or RequireDualStack; the default is SingleStack.",
    ),
    clusterIPs: field(
      18,
      atomicList(text),
      "The Service has these IP addresses in the cluster, at most one per IP family; the first equals clusterIP.",
    ),
    ipFamilies: field(
      19,
      atomicList(text),
      "The Service uses these IP families, IPv4 or IPv6, in order of preference.",
    ),
    allocateLoadBalancerNodePorts: field(
      20,
      bool,
      "The server allocates node ports for a Service of the type LoadBalancer unless this is false.",
    ),
    loadBalancerClass: field(
      21,
      text,
      "The load balancer is provided by the implementation with this name; it cannot be changed once set.",
    ),
    internalTrafficPolicy: field(
      22,
      text,
      "Cluster, the default, spreads traffic from inside the cluster over all endpoints; Local keeps it on the client's node.",
    ),
    trafficDistribution: field(
      23,
      text,
      "The Service prefers endpoints near the client, such as PreferSameZone or PreferSameNode.",
    ),
  }),
);
export type ServiceSpec = z.infer<typeof ServiceSpec>;

export const PortStatus = object(
  "io.k8s.api.core.v1.PortStatus",
  "A PortStatus reports the state of one port of a load balancer.",
  () => ({
    port: required(1, int32, "The status is about this port of the Service."),
    protocol: required(2, protocol, "The protocol of the port is TCP, UDP or SCTP."),
    error: field(3, text, "The load balancer cannot serve the port because of this error."),
  }),
);
export type PortStatus = z.infer<typeof PortStatus>;

export const LoadBalancerIngress = object(
  "io.k8s.api.core.v1.LoadBalancerIngress",
  "A LoadBalancerIngress is one entry point of a load balancer.",
  () => ({
    ip: field(1, text, "The entry point has this IP address."),
    hostname: field(2, text, "The entry point has this hostname."),
    ipMode: field(
      3,
      text,
      "VIP, the default, delivers packets with the load balancer's address as destination; Proxy delivers them with an address of the node or pod.",
    ),
    ports: field(4, atomicList(PortStatus), "The load balancer reports the state of these ports."),
  }),
);
export type LoadBalancerIngress = z.infer<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = object(
  "io.k8s.api.core.v1.LoadBalancerStatus",
  "The status reports the entry points of a load balancer.",
  () => ({
    ingress: field(1, atomicList(LoadBalancerIngress), "Traffic for the Service enters at these points."),
  }),
);
export type LoadBalancerStatus = z.infer<typeof LoadBalancerStatus>;

export const ServiceStatus = object(
  "io.k8s.api.core.v1.ServiceStatus",
  "The status reports the state of a Service's load balancer.",
  () => ({
    loadBalancer: field(
      1,
      LoadBalancerStatus,
      "The status holds the entry points of the load balancer, if there is one.",
    ),
    conditions: field(
      2,
      keyedList(Condition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
  }),
);
export type ServiceStatus = z.infer<typeof ServiceStatus>;

export const Service = kind(
  "io.k8s.api.core.v1.Service",
  "A Service gives a changing set of pods one stable address and name.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, ServiceSpec, "The spec describes the pods behind the Service and the ways to reach them."),
    status: field(3, ServiceStatus, "The status reports the state of the load balancer."),
  }),
);
export type Service = z.infer<typeof Service>;
