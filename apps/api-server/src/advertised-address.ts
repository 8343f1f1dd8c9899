import { isIPv4 } from "node:net";

export interface ServedAddresses {
  /** As the command line says; undefined leaves it to where the server serves. */
  readonly asked: string | undefined;
  readonly bindAddresses: readonly string[];
  /**
   * All that this machine has; asked only where all are served on, for a confined service may not
   * be allowed to know.
   */
  readonly ofMachine: () => readonly {
    readonly family: string;
    readonly internal: boolean;
    readonly address: string;
  }[];
}

/**
 * Where pods reach the server: IPv4, and undefined where nothing outside this machine can reach it.
 */
export function advertisedAddress({ asked, bindAddresses, ofMachine }: ServedAddresses): string | undefined {
  if (asked !== undefined) return asked;
  const outward = () => ofMachine().find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  return bindAddresses
    .map((address) => (address === "0.0.0.0" ? outward() : address))
    .find((address) => address !== undefined && isIPv4(address) && !address.startsWith("127."));
}
