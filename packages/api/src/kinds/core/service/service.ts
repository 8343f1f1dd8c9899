import type { z } from "zod";
import { Condition } from "../../../meta/condition-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, atomicMap, bool, int32, intOrString, keyedList, oneOf, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";

export const ServicePort = object("io.k8s.api.core.v1.ServicePort", "ServicePort is one port of a Service.", () => ({
  name: field(
    1,
    text,
    "Name of the port, a DNS label that is unique in the Service. Required if the Service has more than one port.",
  ),
  protocol: field(2, protocol, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
  port: required(3, int32, "Port number of the Service."),
  targetPort: field(
    4,
    intOrString,
    "Port of the pods, a number or the name of a container port. Defaults to the value of port.",
  ),
  nodePort: field(
    5,
    int32,
    "Port number on every node, for the types NodePort and LoadBalancer. If unset, the server allocates a port.",
  ),
  appProtocol: field(6, text, "Application protocol of the port, such as kubernetes.io/h2c."),
}));
export type ServicePort = z.infer<typeof ServicePort>;

export const ClientIPConfig = object(
  "io.k8s.api.core.v1.ClientIPConfig",
  "ClientIPConfig configures session affinity by the client's IP address.",
  () => ({
    timeoutSeconds: field(
      1,
      int32,
      "Number of seconds for which the connections of a client are sent to the same pod, from 1 to 86400. Defaults to 10800 (3 hours).",
    ),
  }),
);
export type ClientIPConfig = z.infer<typeof ClientIPConfig>;

export const SessionAffinityConfig = object(
  "io.k8s.api.core.v1.SessionAffinityConfig",
  "SessionAffinityConfig configures the session affinity of a Service.",
  () => ({
    clientIP: field(1, ClientIPConfig, "Settings for affinity by the client's IP address."),
  }),
);
export type SessionAffinityConfig = z.infer<typeof SessionAffinityConfig>;

/** The values of trafficDistribution. PreferClose is an older name of PreferSameZone. */
export const trafficDistributions: readonly string[] = ["PreferClose", "PreferSameNode", "PreferSameZone"];

export const ServiceSpec = object(
  "io.k8s.api.core.v1.ServiceSpec",
  "Desired state of a Service: its pods, ports and addresses.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    ports: field(1, keyedList(ServicePort, ["port", "protocol"]), "Ports of the Service."),
    selector: field(
      2,
      atomicMap(text),
      "Labels of the pods that receive the traffic. Without a selector, the author of the Service must maintain the endpoints.",
    ),
    clusterIP: field(
      3,
      text,
      "IP address of the Service in the cluster. None makes the Service headless. If unset, the server allocates an address.",
    ),
    type: field(
      4,
      oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      "Type of the Service: ClusterIP is reachable only inside the cluster, NodePort adds a port on every node, LoadBalancer adds a load balancer, and ExternalName is an alias for a DNS name. Defaults to ClusterIP.",
    ),
    externalIPs: field(
      5,
      atomicList(text),
      "Additional IP addresses at which nodes accept traffic for the Service. The cluster does not manage these addresses.",
    ),
    sessionAffinity: field(
      7,
      oneOf("None", "ClientIP"),
      "Session affinity: ClientIP sends the connections of a client to the same pod, None to any pod. Defaults to None.",
    ),
    loadBalancerIP: field(8, text, "Deprecated. Requested IP address of the load balancer."),
    loadBalancerSourceRanges: field(9, atomicList(text), "IP ranges of the clients that the load balancer accepts."),
    externalName: field(10, text, "DNS name that a Service of the type ExternalName is an alias for."),
    externalTrafficPolicy: field(
      11,
      text,
      "Routing of external traffic: Cluster uses all endpoints, Local uses only the endpoints on the receiving node and preserves the client's IP address. Defaults to Cluster.",
    ),
    healthCheckNodePort: field(
      12,
      int32,
      "Node port at which a load balancer can check whether the node has endpoints, if externalTrafficPolicy is Local. If unset, the server allocates a port.",
    ),
    publishNotReadyAddresses: field(
      13,
      bool,
      "Publishes pods as endpoints and in DNS before they are ready if true. Defaults to false.",
    ),
    sessionAffinityConfig: field(14, SessionAffinityConfig, "Settings of the session affinity."),
    ipFamilyPolicy: field(
      17,
      text,
      "IP families of the Service: SingleStack, PreferDualStack or RequireDualStack. Defaults to SingleStack.",
    ),
    clusterIPs: field(
      18,
      atomicList(text),
      "IP addresses of the Service in the cluster, at most one per IP family. The first address equals clusterIP.",
    ),
    ipFamilies: field(19, atomicList(text), "IP families of the Service in order of preference: IPv4 or IPv6."),
    allocateLoadBalancerNodePorts: field(
      20,
      bool,
      "Allocates node ports for a Service of the type LoadBalancer unless false.",
    ),
    loadBalancerClass: field(21, text, "Name of the load balancer's implementation. Immutable once set."),
    internalTrafficPolicy: field(
      22,
      text,
      "Routing of traffic from inside the cluster: Cluster uses all endpoints, Local uses only the endpoints on the client's node. Defaults to Cluster.",
    ),
    trafficDistribution: field(
      23,
      text,
      "Preference for endpoints near the client, such as PreferSameZone or PreferSameNode.",
    ),
  }),
);
export type ServiceSpec = z.infer<typeof ServiceSpec>;

export const PortStatus = object(
  "io.k8s.api.core.v1.PortStatus",
  "PortStatus reports the state of one port of a load balancer.",
  () => ({
    port: required(1, int32, "Port number of the Service."),
    protocol: required(2, protocol, "Protocol of the port: TCP, UDP or SCTP."),
    error: field(3, text, "Error that prevents the load balancer from serving the port."),
  }),
);
export type PortStatus = z.infer<typeof PortStatus>;

export const LoadBalancerIngress = object(
  "io.k8s.api.core.v1.LoadBalancerIngress",
  "LoadBalancerIngress is one entry point of a load balancer.",
  () => ({
    ip: field(1, text, "IP address of the entry point."),
    hostname: field(2, text, "Hostname of the entry point."),
    ipMode: field(
      3,
      text,
      "Destination address of packets from the load balancer: VIP is the address of the load balancer, Proxy is the address of the node or pod. Defaults to VIP.",
    ),
    ports: field(4, atomicList(PortStatus), "State of each port."),
  }),
);
export type LoadBalancerIngress = z.infer<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = object(
  "io.k8s.api.core.v1.LoadBalancerStatus",
  "LoadBalancerStatus lists the entry points of a load balancer.",
  () => ({
    ingress: field(1, atomicList(LoadBalancerIngress), "Entry points of the traffic."),
  }),
);
export type LoadBalancerStatus = z.infer<typeof LoadBalancerStatus>;

export const ServiceStatus = object("io.k8s.api.core.v1.ServiceStatus", "Observed state of a Service.", () => ({
  loadBalancer: field(1, LoadBalancerStatus, "Entry points of the load balancer, if there is one."),
  conditions: field(2, keyedList(Condition, ["type"]), "Observed conditions of the object, one of each type."),
}));
export type ServiceStatus = z.infer<typeof ServiceStatus>;

export const Service = kind(
  "io.k8s.api.core.v1.Service",
  "A Service gives a changing set of pods a stable address and name.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, ServiceSpec, "Desired state of the Service: its pods, ports and addresses."),
    status: field(3, ServiceStatus, "Observed state of the load balancer."),
  }),
);
export type Service = z.infer<typeof Service>;
