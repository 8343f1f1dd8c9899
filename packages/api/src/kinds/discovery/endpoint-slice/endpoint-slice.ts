import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, map, oneOf, setList, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";
import { ObjectReference } from "../../core/references.ts";

/** Label of a slice with the name of its Service. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** Label of a slice, or of Endpoints, whose Service has no address, so that proxies ignore it. */
export const headlessLabel = "service.kubernetes.io/headless";

/**
 * Annotation of a slice or of Endpoints with the time of the change that caused its last write.
 * Monitors measure the network programming latency from this time.
 */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

export const EndpointConditions = object(
  "io.k8s.api.discovery.v1.EndpointConditions",
  "EndpointConditions reports whether an endpoint may receive traffic.",
  () => ({
    ready: field(
      1,
      bool,
      "True or unset if the endpoint may receive traffic. False for a terminating endpoint unless the Service sets publishNotReadyAddresses.",
    ),
    serving: field(2, bool, "True if the endpoint can serve traffic, even while it is terminating."),
    terminating: field(3, bool, "True if the endpoint is terminating."),
  }),
);
export type EndpointConditions = z.infer<typeof EndpointConditions>;

export const ForNode = object(
  "io.k8s.api.discovery.v1.ForNode",
  "ForNode names a node whose clients should use an endpoint.",
  () => ({
    name: required(1, text, "Name of the node."),
  }),
);
export type ForNode = z.infer<typeof ForNode>;

export const ForZone = object(
  "io.k8s.api.discovery.v1.ForZone",
  "ForZone names a zone whose clients should use an endpoint.",
  () => ({
    name: required(1, text, "Name of the zone."),
  }),
);
export type ForZone = z.infer<typeof ForZone>;

export const EndpointHints = object(
  "io.k8s.api.discovery.v1.EndpointHints",
  "EndpointHints lists the zones and nodes whose clients should use an endpoint.",
  () => ({
    forZones: field(1, atomicList(ForZone), "Zones whose clients should use the endpoint, at most 8."),
    forNodes: field(2, atomicList(ForNode), "Nodes whose clients should use the endpoint, at most 8."),
  }),
);
export type EndpointHints = z.infer<typeof EndpointHints>;

export const Endpoint = object("io.k8s.api.discovery.v1.Endpoint", "Endpoint is one backend of a Service.", () => ({
  addresses: required(
    1,
    setList(text),
    "Addresses of the endpoint. Their type is the slice's addressType. Clients use the first address.",
  ),
  conditions: field(2, EndpointConditions, "Conditions that report whether the endpoint may receive traffic."),
  hostname: field(3, text, "Hostname of the endpoint."),
  targetRef: field(4, ObjectReference, "Object that provides the endpoint, usually a pod."),
  deprecatedTopology: field(5, map(text), "Deprecated. Replaced by nodeName and zone."),
  nodeName: field(6, text, "Name of the endpoint's node."),
  zone: field(7, text, "Zone of the endpoint."),
  hints: field(8, EndpointHints, "Zones and nodes whose clients should use the endpoint."),
}));
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointPort = atomicObject(
  "io.k8s.api.discovery.v1.EndpointPort",
  "EndpointPort is one port of all endpoints in a slice.",
  () => ({
    name: field(1, text, "Name of the port in the Service, unique in the slice."),
    protocol: field(2, protocol, "Protocol of the port: TCP, UDP or SCTP. Defaults to TCP."),
    port: field(3, int32, "Port number of the endpoints."),
    appProtocol: field(4, text, "Application protocol of the port, such as kubernetes.io/h2c."),
  }),
);
export type EndpointPort = z.infer<typeof EndpointPort>;

export const EndpointSlice = kind(
  "io.k8s.api.discovery.v1.EndpointSlice",
  "An EndpointSlice lists some of the endpoints of a Service. All of its endpoints have the same ports.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    endpoints: field(2, atomicList(Endpoint), "Endpoints of the slice, at most 1000."),
    ports: field(3, atomicList(EndpointPort), "Ports of all endpoints in the slice, at most 100."),
    addressType: required(4, oneOf("IPv4", "IPv6", "FQDN"), "Type of the addresses: IPv4, IPv6 or FQDN. Immutable."),
  }),
);
export type EndpointSlice = z.infer<typeof EndpointSlice>;
