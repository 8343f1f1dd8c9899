import type { z } from "zod";
import { Condition } from "../../meta/condition.ts";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { atomicList, atomicMap, bool, int32, intOrString, keyedList, oneOf, text } from "../../schema/types.ts";
import { protocol } from "../../schema/words.ts";

export const ServicePort = object("io.k8s.api.core.v1.ServicePort", {
  name: field(1, text),
  protocol: field(2, protocol),
  port: required(3, int32),
  targetPort: field(4, intOrString),
  nodePort: field(5, int32),
  appProtocol: field(6, text),
});
export type ServicePort = z.infer<typeof ServicePort>;

export const ClientIPConfig = object("io.k8s.api.core.v1.ClientIPConfig", {
  timeoutSeconds: field(1, int32),
});
export type ClientIPConfig = z.infer<typeof ClientIPConfig>;

export const SessionAffinityConfig = object("io.k8s.api.core.v1.SessionAffinityConfig", {
  clientIP: field(1, ClientIPConfig),
});
export type SessionAffinityConfig = z.infer<typeof SessionAffinityConfig>;

export const ServiceSpec = object("io.k8s.api.core.v1.ServiceSpec", {
  ports: field(1, keyedList(ServicePort, ["port", "protocol"])),
  selector: field(2, atomicMap(text)),
  clusterIP: field(3, text),
  type: field(4, oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
  externalIPs: field(5, atomicList(text)),
  sessionAffinity: field(7, oneOf("None", "ClientIP")),
  loadBalancerIP: field(8, text),
  loadBalancerSourceRanges: field(9, atomicList(text)),
  externalName: field(10, text),
  externalTrafficPolicy: field(11, text),
  healthCheckNodePort: field(12, int32),
  publishNotReadyAddresses: field(13, bool),
  sessionAffinityConfig: field(14, SessionAffinityConfig),
  ipFamilyPolicy: field(17, text),
  clusterIPs: field(18, atomicList(text)),
  ipFamilies: field(19, atomicList(text)),
  allocateLoadBalancerNodePorts: field(20, bool),
  loadBalancerClass: field(21, text),
  internalTrafficPolicy: field(22, text),
  trafficDistribution: field(23, text),
});
export type ServiceSpec = z.infer<typeof ServiceSpec>;

export const PortStatus = object("io.k8s.api.core.v1.PortStatus", {
  port: required(1, int32),
  protocol: required(2, protocol),
  error: field(3, text),
});
export type PortStatus = z.infer<typeof PortStatus>;

export const LoadBalancerIngress = object("io.k8s.api.core.v1.LoadBalancerIngress", {
  ip: field(1, text),
  hostname: field(2, text),
  ipMode: field(3, text),
  ports: field(4, atomicList(PortStatus)),
});
export type LoadBalancerIngress = z.infer<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = object("io.k8s.api.core.v1.LoadBalancerStatus", {
  ingress: field(1, atomicList(LoadBalancerIngress)),
});
export type LoadBalancerStatus = z.infer<typeof LoadBalancerStatus>;

export const ServiceStatus = object("io.k8s.api.core.v1.ServiceStatus", {
  loadBalancer: field(1, LoadBalancerStatus),
  conditions: field(2, keyedList(Condition, ["type"])),
});
export type ServiceStatus = z.infer<typeof ServiceStatus>;

export const Service = kind("io.k8s.api.core.v1.Service", {
  metadata: always(1, ObjectMeta),
  spec: field(2, ServiceSpec),
  status: field(3, ServiceStatus),
});
export type Service = z.infer<typeof Service>;
