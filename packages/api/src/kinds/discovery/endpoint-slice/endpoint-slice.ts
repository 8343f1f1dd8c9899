import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, map, oneOf, setList, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";
import { ObjectReference } from "../../core/references.ts";

/** On a slice: of which Service it is. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** On a slice, or Endpoints: its Service has no address, so no proxy leads there. */
export const headlessLabel = "service.kubernetes.io/headless";

/** On a slice, or Endpoints: when what it says last changed in the world, for who measures how long the network took to follow. */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

export const EndpointConditions = object(
  "io.k8s.api.discovery.v1.EndpointConditions",
  "Whether an endpoint can be used.",
  () => ({
    ready: field(1, bool, "It may be used."),
    serving: field(2, bool, "It would be ready, were it not ending."),
    terminating: field(3, bool, "It is ending."),
  }),
);
export type EndpointConditions = z.infer<typeof EndpointConditions>;

export const ForNode = object("io.k8s.api.discovery.v1.ForNode", "A node that should use an endpoint.", () => ({
  name: required(1, text),
}));
export type ForNode = z.infer<typeof ForNode>;

export const ForZone = object("io.k8s.api.discovery.v1.ForZone", "A zone that should use an endpoint.", () => ({
  name: required(1, text),
}));
export type ForZone = z.infer<typeof ForZone>;

export const EndpointHints = object(
  "io.k8s.api.discovery.v1.EndpointHints",
  "From where an endpoint should be used.",
  () => ({
    forZones: field(1, atomicList(ForZone)),
    forNodes: field(2, atomicList(ForNode)),
  }),
);
export type EndpointHints = z.infer<typeof EndpointHints>;

export const Endpoint = object("io.k8s.api.discovery.v1.Endpoint", "One backend of a Service.", () => ({
  addresses: required(1, setList(text), "Where it is reached."),
  conditions: field(2, EndpointConditions, "Whether it can be used."),
  hostname: field(3, text, "Its name."),
  targetRef: field(4, ObjectReference, "The pod behind it."),
  deprecatedTopology: field(5, map(text), "No longer used."),
  nodeName: field(6, text, "The node it is on."),
  zone: field(7, text, "The zone it is in."),
  hints: field(8, EndpointHints, "From where it should be used."),
}));
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointPort = atomicObject(
  "io.k8s.api.discovery.v1.EndpointPort",
  "A port of all endpoints in a slice.",
  () => ({
    name: field(1, text, "The Service's name for it."),
    protocol: field(2, protocol, "TCP, UDP or SCTP."),
    port: field(3, int32, "The port."),
    appProtocol: field(4, text, "What is spoken on it."),
  }),
);
export type EndpointPort = z.infer<typeof EndpointPort>;

export const EndpointSlice = kind("io.k8s.api.discovery.v1.EndpointSlice", "Some of a Service's backends.", () => ({
  metadata: always(1, ObjectMeta),
  endpoints: field(2, atomicList(Endpoint), "The backends."),
  ports: field(3, atomicList(EndpointPort), "Their ports."),
  addressType: required(4, oneOf("IPv4", "IPv6", "FQDN"), "IPv4, IPv6 or FQDN; never changes."),
}));
export type EndpointSlice = z.infer<typeof EndpointSlice>;
