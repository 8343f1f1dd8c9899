import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";
import { ObjectReference } from "../references.ts";

export const EndpointAddress = atomicObject(
  "io.k8s.api.core.v1.EndpointAddress",
  "EndpointAddress is the address of one endpoint.",
  () => ({
    ip: required(1, text, "IP address of the endpoint. Must not be a loopback or link-local address."),
    targetRef: field(2, ObjectReference, "Object that provides the endpoint, usually a pod."),
    hostname: field(3, text, "Hostname of the endpoint."),
    nodeName: field(4, text, "Name of the endpoint's node."),
  }),
);
export type EndpointAddress = z.infer<typeof EndpointAddress>;

/** Upstream's EndpointPort of core/v1; EndpointSlices have a different type of that name. */
export const EndpointsPort = atomicObject(
  "io.k8s.api.core.v1.EndpointPort",
  "EndpointPort is a port of the endpoints in a subset.",
  () => ({
    name: field(1, text, "Name of the Service's port, a DNS label. May be empty if there is only one port."),
    port: required(2, int32, "Port number of the endpoints."),
    protocol: field(3, protocol, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
    appProtocol: field(4, text, "Application protocol of the port, such as kubernetes.io/h2c."),
  }),
);
export type EndpointsPort = z.infer<typeof EndpointsPort>;

export const EndpointSubset = object(
  "io.k8s.api.core.v1.EndpointSubset",
  "EndpointSubset is a set of addresses with the same ports.",
  () => ({
    addresses: field(1, atomicList(EndpointAddress), "Addresses that are ready to receive traffic."),
    notReadyAddresses: field(2, atomicList(EndpointAddress), "Addresses that are not ready to receive traffic."),
    ports: field(3, atomicList(EndpointsPort), "Ports of all addresses in the subset."),
  }),
);
export type EndpointSubset = z.infer<typeof EndpointSubset>;

export const Endpoints = kind(
  "io.k8s.api.core.v1.Endpoints",
  "Endpoints lists all endpoints of a Service in one object. Deprecated in favor of EndpointSlice.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    subsets: field(2, atomicList(EndpointSubset), "Subsets that together contain all endpoints of the Service."),
  }),
);
export type Endpoints = z.infer<typeof Endpoints>;
