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
 * Annotation of a slice, or of Endpoints: the time of the last change behind it, from which a
 * monitor measures the network's delay.
 */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

export const EndpointConditions = object(
  "io.k8s.api.discovery.v1.EndpointConditions",
  "The conditions report whether an endpoint may receive traffic.",
  () => ({
    ready: field(
      1,
      bool,
      "The endpoint may receive traffic when this is true or unset; it is false for terminating endpoints unless the Service publishes addresses that are not ready.",
    ),
    serving: field(2, bool, "The endpoint can serve traffic when this is true, even while it is terminating."),
    terminating: field(3, bool, "The endpoint is terminating when this is true."),
  }),
);
export type EndpointConditions = z.infer<typeof EndpointConditions>;

export const ForNode = object(
  "io.k8s.api.discovery.v1.ForNode",
  "The hint names a node that should use an endpoint.",
  () => ({
    name: required(1, text, "The node has this name."),
  }),
);
export type ForNode = z.infer<typeof ForNode>;

export const ForZone = object(
  "io.k8s.api.discovery.v1.ForZone",
  "The hint names a zone that should use an endpoint.",
  () => ({
    name: required(1, text, "The zone has this name."),
  }),
);
export type ForZone = z.infer<typeof ForZone>;

export const EndpointHints = object(
  "io.k8s.api.discovery.v1.EndpointHints",
  "The hints name the clients that should use an endpoint.",
  () => ({
    forZones: field(1, atomicList(ForZone), "Clients in these zones should use the endpoint; there are at most 8."),
    forNodes: field(2, atomicList(ForNode), "Clients on these nodes should use the endpoint; there are at most 8."),
  }),
);
export type EndpointHints = z.infer<typeof EndpointHints>;

export const Endpoint = object(
  "io.k8s.api.discovery.v1.Endpoint",
  "An Endpoint describes one backend of a Service.",
  () => ({
    addresses: required(
      1,
      setList(text),
      "The endpoint is reached at these addresses of the slice's addressType; clients use the first.",
    ),
    conditions: field(2, EndpointConditions, "The conditions report whether the endpoint may receive traffic."),
    hostname: field(3, text, "The endpoint has this hostname."),
    targetRef: field(4, ObjectReference, "The endpoint is provided by this object, usually a pod."),
    deprecatedTopology: field(5, map(text), "This field is deprecated; nodeName and zone hold its values."),
    nodeName: field(6, text, "The endpoint runs on this node."),
    zone: field(7, text, "The endpoint is in this zone."),
    hints: field(8, EndpointHints, "The hints name the clients that should use the endpoint."),
  }),
);
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointPort = atomicObject(
  "io.k8s.api.discovery.v1.EndpointPort",
  "An EndpointPort describes one port of all endpoints in a slice.",
  () => ({
    name: field(1, text, "The name matches that of the port in the Service and is unique in the slice."),
    protocol: field(2, protocol, "The protocol is TCP, UDP or SCTP; the default is TCP."),
    port: field(3, int32, "The endpoints listen on this port number."),
    appProtocol: field(4, text, "The application protocol on the port has this name, such as kubernetes.io/h2c."),
  }),
);
export type EndpointPort = z.infer<typeof EndpointPort>;

export const EndpointSlice = kind(
  "io.k8s.api.discovery.v1.EndpointSlice",
  "An EndpointSlice lists some of the endpoints of a Service; all its endpoints share the same ports.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    endpoints: field(2, atomicList(Endpoint), "The slice lists these endpoints, of which there are at most 1000."),
    ports: field(
      3,
      atomicList(EndpointPort),
      "Every endpoint of the slice serves these ports, of which there are at most 100.",
    ),
    addressType: required(
      4,
      oneOf("IPv4", "IPv6", "FQDN"),
      "The addresses of the slice are of the type IPv4, IPv6 or FQDN; it cannot be changed.",
    ),
  }),
);
export type EndpointSlice = z.infer<typeof EndpointSlice>;
