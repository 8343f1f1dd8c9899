import { isIPv4 } from "node:net";

export interface ServedAddresses {
  /** The address of the command line; undefined: it is derived from the listening addresses. */
  readonly asked: string | undefined;
  readonly bindAddresses: readonly string[];
  /**
   * Lists all addresses of this machine. It is called only where the server listens on all of them,
   * because a sandboxed service may not be allowed to list them.
   */
  readonly ofMachine: () => readonly {
    readonly family: string;
    readonly internal: boolean;
    readonly address: string;
  }[];
}

/**
 * Returns the IPv4 address at which pods reach the server; undefined where only this machine can
 * reach it.
 */
export function advertisedAddress({ asked, bindAddresses, ofMachine }: ServedAddresses): string | undefined {
  if (asked !== undefined) return asked;
  const outward = () => ofMachine().find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  return bindAddresses
    .map((address) => (address === "0.0.0.0" ? outward() : address))
    .find((address) => address !== undefined && isIPv4(address) && !address.startsWith("127."));
}
