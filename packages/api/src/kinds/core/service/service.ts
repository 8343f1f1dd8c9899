import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, atomicMap, bool, int32, intOrString, keyedList, oneOf, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";

export const ServicePort = object(
  "io.k8s.api.core.v1.ServicePort",
  "One port of a Service, and the pods' port behind it.",
  () => ({
    name: field(1, text, "Tells the ports of a Service apart."),
    protocol: field(2, protocol, "TCP, UDP or SCTP."),
    port: required(3, int32, "The port of the Service."),
    targetPort: field(4, intOrString, "The pods' port, as a number or a name."),
    nodePort: field(5, int32, "The port on every node, for NodePort and LoadBalancer."),
    appProtocol: field(6, text, "What is spoken on the port."),
  }),
);
export type ServicePort = z.infer<typeof ServicePort>;

export const ClientIPConfig = object(
  "io.k8s.api.core.v1.ClientIPConfig",
  "How long a client stays with the same pod.",
  () => ({
    timeoutSeconds: field(1, int32),
  }),
);
export type ClientIPConfig = z.infer<typeof ClientIPConfig>;

export const SessionAffinityConfig = object(
  "io.k8s.api.core.v1.SessionAffinityConfig",
  "How clients are kept with their pods.",
  () => ({
    clientIP: field(1, ClientIPConfig),
  }),
);
export type SessionAffinityConfig = z.infer<typeof SessionAffinityConfig>;

export const ServiceSpec = object(
  "io.k8s.api.core.v1.ServiceSpec",
  "Which pods a Service stands for, and how it is reached.",
  () => ({
    ports: field(1, keyedList(ServicePort, ["port", "protocol"]), "The ports it is reached at."),
    selector: field(2, atomicMap(text), "Labels of the pods it stands for."),
    clusterIP: field(3, text, "Its address in the cluster; None for no address of its own."),
    type: field(
      4,
      oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      "ClusterIP, NodePort, LoadBalancer or ExternalName.",
    ),
    externalIPs: field(5, atomicList(text), "Further addresses that lead to it."),
    sessionAffinity: field(7, oneOf("None", "ClientIP"), "ClientIP keeps a client with its pod."),
    loadBalancerIP: field(8, text, "The address a load balancer should have."),
    loadBalancerSourceRanges: field(9, atomicList(text), "From where the load balancer may be reached."),
    externalName: field(10, text, "The name it stands for, when it is only a name."),
    externalTrafficPolicy: field(11, text, "Local sends traffic from outside only to pods on the same node."),
    healthCheckNodePort: field(12, int32, "Where load balancers ask whether a node has pods."),
    publishNotReadyAddresses: field(13, bool, "Lead to pods that are not ready as well."),
    sessionAffinityConfig: field(14, SessionAffinityConfig, "How clients are kept with their pods."),
    ipFamilyPolicy: field(17, text, "Whether it has addresses of one or both families."),
    clusterIPs: field(18, atomicList(text), "Its addresses in the cluster, one per family."),
    ipFamilies: field(19, atomicList(text), "IPv4 and IPv6, in order of preference."),
    allocateLoadBalancerNodePorts: field(20, bool, "Whether a load balancer gets ports on the nodes."),
    loadBalancerClass: field(21, text, "Which implementation makes the load balancer."),
    internalTrafficPolicy: field(22, text, "Local sends traffic from inside only to pods on the same node."),
    trafficDistribution: field(23, text, "Which pods are preferred."),
  }),
);
export type ServiceSpec = z.infer<typeof ServiceSpec>;

export const PortStatus = object("io.k8s.api.core.v1.PortStatus", "Whether a load balancer serves a port.", () => ({
  port: required(1, int32),
  protocol: required(2, protocol),
  error: field(3, text),
}));
export type PortStatus = z.infer<typeof PortStatus>;

export const LoadBalancerIngress = object(
  "io.k8s.api.core.v1.LoadBalancerIngress",
  "One way into a load balancer.",
  () => ({
    ip: field(1, text),
    hostname: field(2, text),
    ipMode: field(3, text),
    ports: field(4, atomicList(PortStatus)),
  }),
);
export type LoadBalancerIngress = z.infer<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = object(
  "io.k8s.api.core.v1.LoadBalancerStatus",
  "How a load balancer is reached.",
  () => ({
    ingress: field(1, atomicList(LoadBalancerIngress)),
  }),
);
export type LoadBalancerStatus = z.infer<typeof LoadBalancerStatus>;

export const ServiceStatus = object(
  "io.k8s.api.core.v1.ServiceStatus",
  "What is known of a Service's load balancer.",
  () => ({
    loadBalancer: field(1, LoadBalancerStatus),
    conditions: field(2, keyedList(Condition, ["type"])),
  }),
);
export type ServiceStatus = z.infer<typeof ServiceStatus>;

export const Service = kind("io.k8s.api.core.v1.Service", "A lasting address for a changing set of pods.", () => ({
  metadata: always(1, ObjectMeta),
  spec: field(2, ServiceSpec, "Which pods it stands for, and how it is reached."),
  status: field(3, ServiceStatus, "What is known of its load balancer."),
}));
export type Service = z.infer<typeof Service>;
