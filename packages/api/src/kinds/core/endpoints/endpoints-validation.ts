import type { EndpointAddress, Endpoints, EndpointsPort } from "./endpoints.ts";
import { checkLabel1123, checkPortNumber, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkAddress, checkNotSpecial } from "../../../values/ip-address.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export function validateEndpoints({ subsets = [] }: Endpoints, faults: Faults): void {
  for (const [index, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const path = `subsets[${index}]`;
    if (addresses.length + notReadyAddresses.length === 0)
      faults.required(path, "must specify `addresses` or `notReadyAddresses`");
    for (const [at, address] of addresses.entries()) validateAddress(address, `${path}.addresses[${at}]`, faults);
    for (const [at, address] of notReadyAddresses.entries())
      validateAddress(address, `${path}.notReadyAddresses[${at}]`, faults);
    for (const [at, port] of ports.entries())
      validatePort(port, { path: `${path}.ports[${at}]`, isOneOfMany: ports.length > 1 }, faults);
  }
}

function validateAddress({ ip, hostname = "", nodeName }: EndpointAddress, path: string, faults: Faults): void {
  const problems = checkAddress(ip);
  faults.invalidEach(`${path}.ip`, ip, problems.length > 0 ? problems : checkNotSpecial(ip));
  if (hostname !== "") faults.invalidEach(`${path}.hostname`, hostname, checkLabel1123(hostname));
  if (nodeName !== undefined) faults.invalidEach(`${path}.nodeName`, nodeName, checkSubdomain1123(nodeName));
}

function validatePort(
  { name = "", port, protocol }: EndpointsPort,
  { path, isOneOfMany }: { path: string; isOneOfMany: boolean },
  faults: Faults,
): void {
  if (name !== "") faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
  else if (isOneOfMany) faults.required(`${path}.name`);
  faults.invalidEach(`${path}.port`, port, checkPortNumber(port));
  faults.oneOf(`${path}.protocol`, protocol, protocols);
}
