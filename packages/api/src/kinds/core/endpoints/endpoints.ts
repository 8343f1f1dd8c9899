import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, text } from "../../../schema/types.ts";
import { protocol } from "../../../schema/words.ts";
import { ObjectReference } from "../references.ts";

export const EndpointAddress = atomicObject("io.k8s.api.core.v1.EndpointAddress", "Where one backend is.", () => ({
  ip: required(1, text, "Its address."),
  targetRef: field(2, ObjectReference, "The pod behind it."),
  hostname: field(3, text, "Its name."),
  nodeName: field(4, text, "The node it is on."),
}));
export type EndpointAddress = z.infer<typeof EndpointAddress>;

/** Upstream's EndpointPort of core/v1; slices have another of that name. */
export const EndpointsPort = atomicObject(
  "io.k8s.api.core.v1.EndpointPort",
  "A port of all addresses in a subset.",
  () => ({
    name: field(1, text, "The Service's name for it."),
    port: required(2, int32, "The port."),
    protocol: field(3, protocol, "TCP, UDP or SCTP."),
    appProtocol: field(4, text, "What is spoken on it."),
  }),
);
export type EndpointsPort = z.infer<typeof EndpointsPort>;

export const EndpointSubset = object("io.k8s.api.core.v1.EndpointSubset", "Backends with the same ports.", () => ({
  addresses: field(1, atomicList(EndpointAddress), "Those that can be used."),
  notReadyAddresses: field(2, atomicList(EndpointAddress), "Those that cannot be used now."),
  ports: field(3, atomicList(EndpointsPort), "Their ports."),
}));
export type EndpointSubset = z.infer<typeof EndpointSubset>;

export const Endpoints = kind(
  "io.k8s.api.core.v1.Endpoints",
  "The backends of a Service, all in one object; EndpointSlices have taken its place.",
  () => ({
    metadata: always(1, ObjectMeta),
    subsets: field(2, atomicList(EndpointSubset), "The backends, by their ports."),
  }),
);
export type Endpoints = z.infer<typeof Endpoints>;
