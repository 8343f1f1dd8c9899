import type { Endpoint, EndpointSlice } from "./endpoint-slice.ts";
import { checkLabel1123, checkPortNumber, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { addressFamily, checkAddress, checkNotSpecial } from "../../../values/ip-address.ts";

/** Upstream's limits: a slice is sent to every node whenever one of its endpoints changes. */
const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;
const zoneHintsMax = 8;

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];

export function validateEndpointSlice(slice: EndpointSlice, faults: Faults): void {
  const type: string = slice.addressType;
  if (type === "") faults.required("addressType");
  else if (!addressTypes.includes(type)) faults.notSupported("addressType", type, addressTypes);
  const { endpoints = [] } = slice;
  if (endpoints.length > endpointsMax) faults.tooMany("endpoints", endpoints.length, endpointsMax);
  for (const [index, endpoint] of endpoints.entries()) {
    validateEndpoint(endpoint, { path: `endpoints[${index}]`, type }, faults);
  }
  validatePorts(slice.ports ?? [], faults);
}

export function validateEndpointSliceUpdate(after: EndpointSlice, before: EndpointSlice, faults: Faults): void {
  faults.immutable("addressType", after.addressType, after.addressType === before.addressType);
}

function validateEndpoint(endpoint: Endpoint, { path, type }: { path: string; type: string }, faults: Faults): void {
  const { addresses, nodeName, hostname, hints } = endpoint;
  if (addresses.length === 0) faults.required(`${path}.addresses`, "must contain at least 1 address");
  if (addresses.length > addressesMax) faults.tooMany(`${path}.addresses`, addresses.length, addressesMax);
  for (const [index, address] of addresses.entries()) {
    faults.invalidEach(`${path}.addresses[${index}]`, address, checkEndpointAddress(address, type));
  }
  if (nodeName !== undefined) faults.invalidEach(`${path}.nodeName`, nodeName, checkSubdomain1123(nodeName));
  if (hostname !== undefined) faults.invalidEach(`${path}.hostname`, hostname, checkLabel1123(hostname));
  const zones = hints?.forZones ?? [];
  if (zones.length > zoneHintsMax) faults.tooMany(`${path}.hints.forZones`, zones.length, zoneHintsMax);
  for (const [index, { name }] of zones.entries()) {
    if (name === "") faults.required(`${path}.hints.forZones[${index}].name`);
    if (zones.findIndex((zone) => zone.name === name) !== index) {
      faults.duplicate(`${path}.hints.forZones[${index}].name`, name);
    }
  }
}

function checkEndpointAddress(address: string, type: string): string[] {
  if (type === "FQDN") return checkSubdomain1123(address);
  const problems = checkAddress(address);
  if (problems.length > 0) return problems;
  if (addressTypes.includes(type) && addressFamily(address) !== type) return [`must be an ${type} address`];
  return checkNotSpecial(address);
}

function validatePorts(ports: NonNullable<EndpointSlice["ports"]>, faults: Faults): void {
  if (ports.length > portsMax) faults.tooMany("ports", ports.length, portsMax);
  const names = new Set<string>();
  for (const [index, { name = "", protocol, port }] of ports.entries()) {
    const path = `ports[${index}]`;
    if (name !== "") faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
    if (names.has(name)) faults.duplicate(`${path}.name`, name);
    names.add(name);
    faults.oneOf(`${path}.protocol`, protocol, protocols);
    if (port !== undefined) faults.invalidEach(`${path}.port`, port, checkPortNumber(port));
  }
}
