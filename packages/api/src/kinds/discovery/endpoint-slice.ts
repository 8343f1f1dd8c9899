import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../schema/fields.ts";
import { atomicList, bool, int32, map, oneOf, setList, text } from "../../schema/types.ts";
import { protocol } from "../../schema/words.ts";
import { ObjectReference } from "../core/references.ts";

export const EndpointConditions = object("io.k8s.api.discovery.v1.EndpointConditions", {
  ready: field(1, bool),
  serving: field(2, bool),
  terminating: field(3, bool),
});
export type EndpointConditions = z.infer<typeof EndpointConditions>;

export const ForNode = object("io.k8s.api.discovery.v1.ForNode", {
  name: required(1, text),
});
export type ForNode = z.infer<typeof ForNode>;

export const ForZone = object("io.k8s.api.discovery.v1.ForZone", {
  name: required(1, text),
});
export type ForZone = z.infer<typeof ForZone>;

export const EndpointHints = object("io.k8s.api.discovery.v1.EndpointHints", {
  forZones: field(1, atomicList(ForZone)),
  forNodes: field(2, atomicList(ForNode)),
});
export type EndpointHints = z.infer<typeof EndpointHints>;

export const Endpoint = object("io.k8s.api.discovery.v1.Endpoint", {
  addresses: required(1, setList(text)),
  conditions: field(2, EndpointConditions),
  hostname: field(3, text),
  targetRef: field(4, ObjectReference),
  deprecatedTopology: field(5, map(text)),
  nodeName: field(6, text),
  zone: field(7, text),
  hints: field(8, EndpointHints),
});
export type Endpoint = z.infer<typeof Endpoint>;

export const EndpointPort = atomicObject("io.k8s.api.discovery.v1.EndpointPort", {
  name: field(1, text),
  protocol: field(2, protocol),
  port: field(3, int32),
  appProtocol: field(4, text),
});
export type EndpointPort = z.infer<typeof EndpointPort>;

export const EndpointSlice = kind("io.k8s.api.discovery.v1.EndpointSlice", {
  metadata: always(1, ObjectMeta),
  endpoints: field(2, atomicList(Endpoint)),
  ports: field(3, atomicList(EndpointPort)),
  addressType: required(4, oneOf("IPv4", "IPv6", "FQDN")),
});
export type EndpointSlice = z.infer<typeof EndpointSlice>;
