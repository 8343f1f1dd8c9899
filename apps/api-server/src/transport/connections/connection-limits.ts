/** Bounds of the connections of one server, all its addresses together. */
export interface ConnectionLimits {
  /** Connections at the same time. */
  connectionsMax: number;
  /** The share of one user. */
  perUserMax: number;
  /** The share of connections whose client is not identified yet. */
  unknownMax: number;
  /** The same for one address, or one /64 network of IPv6. */
  unknownPerAddressMax: number;
  /** An unidentified connection may send this many bytes in all. */
  unknownBytesMax: number;
  /** All unidentified connections may have sent this many bytes together. */
  unknownBytesInAllMax: number;
  /**
   * Requests that unknown clients of one address may begin in 10 s, those that they reset
   * immediately included.
   */
  unknownRequestsMax: number;
  /** The time that the TLS handshake may take. */
  handshakeTimeoutMs: number;
  /** The time after which a client has to be identified. */
  unknownTimeoutMs: number;
}

/** The number of descriptors that each part of the server may hold. */
export interface DescriptorShares {
  connectionsMax: number;
  /** Connections to kubelets, for logs, exec and the like. */
  dialsMax: number;
}

const mebibyte = 2 ** 20;

/**
 * LevelDB's tables and logs (`levelFilesMax` of the store's engine), and as many again for all
 * other files.
 */
const reservedFiles = 256;
/** A server with fewer could not serve a cluster of one node. */
const sharedFilesMin = 64;
/**
 * A connection takes some 60 KB, so these take no more than 1 GB; 200 nodes with 50 watches each
 * are fewer.
 */
const connectionsCap = 16_384;
/**
 * A cluster of 200 nodes behind one address that comes back at the same time, with five connections
 * for each of them.
 */
const unknownPerAddressCap = 1_000;

/**
 * Divides the files that the process may open, so that the store always finds one.
 * @throws Error when they are too few.
 */
export function shareDescriptors(filesMax: number): DescriptorShares {
  const shared = filesMax - reservedFiles;
  if (shared < sharedFilesMin)
    throw new Error(
      `this process may open ${filesMax} files, and the server needs at least ${reservedFiles + sharedFilesMin}: raise the limit (ulimit -n)`,
    );
  const connectionsMax = Math.min(Math.floor(shared * 0.75), connectionsCap);
  // A stream of HTTP/2 that follows a log takes no descriptor on the client's side and one on the
  // kubelet's.
  return { connectionsMax, dialsMax: Math.min(shared - connectionsMax, connectionsCap) };
}

export function connectionLimits({ connectionsMax }: Pick<DescriptorShares, "connectionsMax">): ConnectionLimits {
  const unknownPerAddressMax = Math.min(Math.ceil(connectionsMax / 4), unknownPerAddressCap);
  return {
    connectionsMax,
    perUserMax: Math.ceil(connectionsMax / 2),
    unknownMax: 2 * unknownPerAddressMax,
    unknownPerAddressMax,
    // The largest body and its head: a client may send its token with it.
    unknownBytesMax: 4 * mebibyte,
    unknownBytesInAllMax: 64 * mebibyte,
    // Health checks of 200 machines behind one address, one a second. A client with a token counts
    // with its first request only.
    unknownRequestsMax: 2_000,
    handshakeTimeoutMs: 10_000,
    unknownTimeoutMs: 60_000,
  };
}
