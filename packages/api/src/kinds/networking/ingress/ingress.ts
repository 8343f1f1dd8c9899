import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, embedded, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, text } from "../../../schema/types.ts";
import { TypedLocalObjectReference } from "../../core/references.ts";

const name = (part: string) => `io.k8s.api.networking.v1.${part}`;

export const ServiceBackendPort = atomicObject(
  name("ServiceBackendPort"),
  "Port of a Service, by its name or number.",
  () => ({
    name: field(1, text, "Name of the port. Cannot be combined with number."),
    number: field(2, int32, "Number of the port. Cannot be combined with name."),
  }),
);

export const IngressServiceBackend = object(
  name("IngressServiceBackend"),
  "IngressServiceBackend is a port of a Service in the namespace of the Ingress.",
  () => ({
    name: required(1, text, "Name of the Service."),
    port: field(2, ServiceBackendPort, "Port of the Service."),
  }),
);

export const IngressBackend = object(
  name("IngressBackend"),
  "IngressBackend is the target of requests, a Service or another resource.",
  () => ({
    resource: field(3, TypedLocalObjectReference, "Resource in the same namespace. Cannot be combined with service."),
    service: field(4, IngressServiceBackend, "Service in the same namespace. Cannot be combined with resource."),
  }),
);
export type IngressBackend = z.infer<typeof IngressBackend>;

export const IngressTLS = object(
  name("IngressTLS"),
  "IngressTLS is the certificate for some hosts of an Ingress.",
  () => ({
    hosts: field(1, atomicList(text), "Hosts that the certificate covers. Defaults to all hosts of the controller."),
    secretName: field(2, text, "Name of the Secret with the certificate and its key."),
  }),
);

export const HTTPIngressPath = object(name("HTTPIngressPath"), "HTTPIngressPath maps a path to a backend.", () => ({
  path: field(1, text, "URL path that a request must match. Must begin with a slash."),
  backend: required(2, IngressBackend, "Backend for matching requests."),
  pathType: required(
    3,
    text,
    "Type of the match: Exact matches the same path, Prefix matches paths that begin with the same path elements, ImplementationSpecific depends on the controller.",
  ),
}));
export type HTTPIngressPath = z.infer<typeof HTTPIngressPath>;

export const HTTPIngressRuleValue = object(
  name("HTTPIngressRuleValue"),
  "HTTPIngressRuleValue maps the paths of HTTP requests to backends.",
  () => ({ paths: required(1, atomicList(HTTPIngressPath), "Paths and their backends.") }),
);

export const IngressRule = object(name("IngressRule"), "IngressRule maps the requests for a host to backends.", () => ({
  host: field(1, text, "Host of the rule, which may begin with a wildcard. Defaults to all hosts."),
  ...embedded(2, { http: field(1, HTTPIngressRuleValue, "Paths of HTTP requests and their backends.") }),
}));
export type IngressRule = z.infer<typeof IngressRule>;

export const IngressSpec = object(name("IngressSpec"), "Desired state of an Ingress.", () => ({
  defaultBackend: field(1, IngressBackend, "Backend for requests that do not match any rule."),
  tls: field(2, atomicList(IngressTLS), "Certificates that the controller serves on port 443."),
  rules: field(
    3,
    atomicList(IngressRule),
    "Rules of the Ingress. Requests that do not match any rule are sent to the default backend.",
  ),
  ingressClassName: field(
    4,
    text,
    "Name of the IngressClass whose controller serves the Ingress. Defaults to the class that is marked as default.",
  ),
}));
export type IngressSpec = z.infer<typeof IngressSpec>;

export const IngressPortStatus = object(
  name("IngressPortStatus"),
  "IngressPortStatus is the state of one port of a load balancer.",
  () => ({
    port: required(1, int32, "Port number of the load balancer."),
    protocol: required(2, text, "Protocol of the port: TCP, UDP or SCTP."),
    error: field(
      3,
      text,
      "Error of the port, one CamelCase word. The error of a cloud provider has the form example.com/CamelCase.",
    ),
  }),
);

export const IngressLoadBalancerIngress = object(
  name("IngressLoadBalancerIngress"),
  "IngressLoadBalancerIngress is one entry point of a load balancer.",
  () => ({
    ip: field(1, text, "IP address of the entry point."),
    hostname: field(2, text, "DNS name of the entry point."),
    ports: field(4, atomicList(IngressPortStatus), "State of each port."),
  }),
);

export const IngressLoadBalancerStatus = object(
  name("IngressLoadBalancerStatus"),
  "Observed state of an Ingress's load balancer.",
  () => ({
    ingress: field(1, atomicList(IngressLoadBalancerIngress), "Entry points of the load balancer."),
  }),
);

export const IngressStatus = object(name("IngressStatus"), "Observed state of an Ingress.", () => ({
  loadBalancer: field(1, IngressLoadBalancerStatus, "Observed state of the load balancer."),
}));
export type IngressStatus = z.infer<typeof IngressStatus>;

export const Ingress = kind(
  name("Ingress"),
  "An Ingress routes HTTP requests from outside the cluster to Services. The controller of the IngressClass serves the Ingress.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, IngressSpec, "Desired state of the Ingress."),
    status: field(3, IngressStatus, "Observed state of the load balancer."),
  }),
);
export type Ingress = z.infer<typeof Ingress>;
