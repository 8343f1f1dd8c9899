import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, embedded, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, text } from "../../../schema/types.ts";
import { TypedLocalObjectReference } from "../../core/references.ts";

const name = (part: string) => `io.k8s.api.networking.v1.${part}`;

export const ServiceBackendPort = atomicObject(
  name("ServiceBackendPort"),
  "A port of a Service, by its name or its number.",
  () => ({
    name: field(1, text, "The port of the Service has this name; it excludes number."),
    number: field(2, int32, "The Service has this port number; it excludes name."),
  }),
);

export const IngressServiceBackend = object(
  name("IngressServiceBackend"),
  "The backend is a port of a Service in the namespace of the Ingress.",
  () => ({
    name: required(1, text, "The Service has this name."),
    port: field(2, ServiceBackendPort, "The backend is this port of the Service."),
  }),
);

export const IngressBackend = object(
  name("IngressBackend"),
  "A backend receives traffic; it is a Service or another resource.",
  () => ({
    resource: field(
      3,
      TypedLocalObjectReference,
      "The backend is this resource of the namespace; it excludes service.",
    ),
    service: field(4, IngressServiceBackend, "The backend is this Service; it excludes resource."),
  }),
);
export type IngressBackend = z.infer<typeof IngressBackend>;

export const IngressTLS = object(name("IngressTLS"), "The certificate for some hosts of an Ingress.", () => ({
  hosts: field(
    1,
    atomicList(text),
    "The certificate holds for these hosts; the default is every host of the controller.",
  ),
  secretName: field(2, text, "The Secret of this name has the certificate and its key."),
}));

export const HTTPIngressPath = object(name("HTTPIngressPath"), "A path leads requests to a backend.", () => ({
  path: field(1, text, "The path of a request is compared with this one, which begins with a slash."),
  backend: required(2, IngressBackend, "Requests that match go to this backend."),
  pathType: required(
    3,
    text,
    "Exact compares the whole path, Prefix its elements, and ImplementationSpecific leaves it to the controller.",
  ),
}));
export type HTTPIngressPath = z.infer<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = object(
  name("HTTPIngressRuleValue"),
  "The rule lists the backends of HTTP requests by their paths.",
  () => ({ paths: required(1, atomicList(HTTPIngressPath), "Each path leads to a backend.") }),
);

export const IngressRule = object(name("IngressRule"), "A rule leads requests for a host to backends.", () => ({
  host: field(1, text, "The rule is for this host, which may begin with a wildcard; the default is every host."),
  ...embedded(2, { http: field(1, HTTPIngressRuleValue, "HTTP requests are led by their paths.") }),
}));
export type IngressRule = z.infer<typeof IngressRule>;

export const IngressSpec = object(name("IngressSpec"), "The spec states the wanted way of requests.", () => ({
  defaultBackend: field(1, IngressBackend, "Requests that match no rule go to this backend."),
  tls: field(2, atomicList(IngressTLS), "The controller serves these certificates on port 443."),
  rules: field(3, atomicList(IngressRule), "Requests that match none of these rules go to the default backend."),
  ingressClassName: field(
    4,
    text,
    "The controller of the IngressClass with this name serves the Ingress; the default is the class that is marked as default.",
  ),
}));
export type IngressSpec = z.infer<typeof IngressSpec>;

export const IngressPortStatus = object(name("IngressPortStatus"), "The state of one port of a load balancer.", () => ({
  port: required(1, int32, "The load balancer has this port."),
  protocol: required(2, text, "The protocol of the port is TCP, UDP or SCTP."),
  error: field(3, text, "The port has this fault; a reason of a provider begins with a domain."),
}));

export const IngressLoadBalancerIngress = object(
  name("IngressLoadBalancerIngress"),
  "One point at which a load balancer receives traffic.",
  () => ({
    ip: field(1, text, "The point has this IP address."),
    hostname: field(2, text, "The point has this DNS name."),
    ports: field(4, atomicList(IngressPortStatus), "The load balancer reports the state of these ports."),
  }),
);

export const IngressLoadBalancerStatus = object(
  name("IngressLoadBalancerStatus"),
  "The state of the load balancer of an Ingress.",
  () => ({
    ingress: field(1, atomicList(IngressLoadBalancerIngress), "The load balancer receives traffic at these points."),
  }),
);

export const IngressStatus = object(name("IngressStatus"), "The observed state of an Ingress.", () => ({
  loadBalancer: field(1, IngressLoadBalancerStatus, "The load balancer has this state."),
}));
export type IngressStatus = z.infer<typeof IngressStatus>;

export const Ingress = kind(
  name("Ingress"),
  "An Ingress leads HTTP requests from outside of the cluster to Services; a controller of its class serves it.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, IngressSpec, "The spec states the wanted way of requests."),
    status: field(3, IngressStatus, "The status reports the state of the load balancer."),
  }),
);
export type Ingress = z.infer<typeof Ingress>;
