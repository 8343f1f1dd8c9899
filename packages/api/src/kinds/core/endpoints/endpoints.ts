import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";
import { ObjectReference } from "../references.ts";

export const EndpointAddress = atomicObject(
  "io.k8s.api.core.v1.EndpointAddress",
  "An EndpointAddress describes the address of one endpoint.",
  () => ({
    ip: required(1, text, "The endpoint has this IP address, which may not be a loopback or link-local one."),
    targetRef: field(2, ObjectReference, "The endpoint is provided by this object, usually a pod."),
    hostname: field(3, text, "The endpoint has this hostname."),
    nodeName: field(4, text, "The endpoint runs on this node."),
  }),
);
export type EndpointAddress = z.infer<typeof EndpointAddress>;

/** Upstream's EndpointPort of core/v1; EndpointSlices have a different type of that name. */
export const EndpointsPort = atomicObject(
  "io.k8s.api.core.v1.EndpointPort",
  "An EndpointPort describes one port of the endpoints in a subset.",
  () => ({
    name: field(
      1,
      text,
      "The name matches that of the port in the Service and must be a DNS label; it may be empty if there is one port only.",
    ),
    port: required(2, int32, "The endpoints listen on this port number."),
    protocol: field(3, protocol, "The protocol is TCP, UDP or SCTP; the default is TCP."),
    appProtocol: field(4, text, "The application protocol on the port has this name, such as kubernetes.io/h2c."),
  }),
);
export type EndpointsPort = z.infer<typeof EndpointsPort>;

export const EndpointSubset = object(
  "io.k8s.api.core.v1.EndpointSubset",
  "A subset lists addresses that serve the same ports.",
  () => ({
    addresses: field(1, atomicList(EndpointAddress), "These addresses are ready and may receive traffic."),
    notReadyAddresses: field(
      2,
      atomicList(EndpointAddress),
      "These addresses are not ready and should receive no traffic.",
    ),
    ports: field(3, atomicList(EndpointsPort), "Every address of the subset serves these ports."),
  }),
);
export type EndpointSubset = z.infer<typeof EndpointSubset>;

export const Endpoints = kind(
  "io.k8s.api.core.v1.Endpoints",
  "Endpoints lists all endpoints of a Service in one object; it is deprecated in favour of EndpointSlices.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    subsets: field(2, atomicList(EndpointSubset), "The endpoints of the Service are the union of these subsets."),
  }),
);
export type Endpoints = z.infer<typeof Endpoints>;
