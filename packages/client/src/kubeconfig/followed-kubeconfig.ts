import { createSecureContext } from "node:tls";
import { ClientCredentials } from "../http/client-credentials.ts";
import { type ClusterAccess, loadKubeconfig } from "./kubeconfig.ts";

/**
 * A kubeconfig whose certificates are read again while a service runs. The server's address does
 * not change after the start.
 */
export interface FollowedKubeconfig {
  readonly access: ClusterAccess;
  readonly credentials: ClientCredentials;
  /** The files to read again when they change. */
  readonly followed: {
    readonly what: string;
    readonly files: readonly string[];
    readonly initial: ClusterAccess;
    read(): ClusterAccess;
    apply(access: ClusterAccess): void;
  };
}

/** @throws Error that names the file and its fault. */
export function openKubeconfig(file: string): FollowedKubeconfig {
  const access = loadKubeconfig(file);
  const credentials = new ClientCredentials(access);
  return {
    access,
    credentials,
    followed: {
      what: "kubeconfig",
      files: [file],
      initial: access,
      read: () => {
        const next = loadKubeconfig(file);
        const { ca, cert, key } = next;
        // Rejects a certificate with another certificate's key, a state that exists while both
        // files are being written.
        createSecureContext({ ca, cert, key });
        return next;
      },
      apply: (next) => credentials.replace(next),
    },
  };
}
