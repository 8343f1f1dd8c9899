import type { Server } from "node:net";

export interface ListenAddress {
  readonly address: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** The advice when another process uses the port: "choose another port with --secure-port". */
  readonly otherwise: string;
}

/**
 * Resolves when the server listens.
 * @throws Error that names the remedy when the port is in use.
 */
export function listen(server: Server, at: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explainListening(error, at)));
    server.listen(at.port, at.address, resolve);
  });
}

/** The error of a server that could not listen, with a message that helps. */
export function explainListening(error: unknown, { address, port, otherwise }: ListenAddress): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new Error(`port ${port} on ${address} is in use: ${otherwise}`, { cause: error });
    case "EACCES":
      return new Error(`port ${port} on ${address} is only for root: ${otherwise}`, { cause: error });
    case "EADDRNOTAVAIL":
      return new Error(`this host has no address ${address}: choose another address with --bind-address`, {
        cause: error,
      });
    default:
      return error;
  }
}
