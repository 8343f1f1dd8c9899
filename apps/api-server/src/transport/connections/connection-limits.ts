/** Limits of the connections of one server, over all its addresses. */
export interface ConnectionLimits {
  /** Concurrent connections. */
  connectionsMax: number;
  /** The share of one user. */
  perUserMax: number;
  /** The share of connections whose client is not yet authenticated. */
  unknownMax: number;
  /** The share of unauthenticated connections of one address, or of one /64 network of IPv6. */
  unknownPerAddressMax: number;
  /** Bytes that an unauthenticated connection may send in total. */
  unknownBytesMax: number;
  /** Bytes that all unauthenticated connections together may send. */
  unknownBytesInAllMax: number;
  /**
   * Requests that unauthenticated clients of one address may begin in 10 s, including requests that
   * they reset immediately.
   */
  unknownRequestsMax: number;
  /** The time limit of the TLS handshake. */
  handshakeTimeoutMs: number;
  /** The time after which a client has to be authenticated. */
  unknownTimeoutMs: number;
}

/** The number of file descriptors that each part of the server may use. */
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
/** A server with fewer file descriptors could not serve a cluster of one node. */
const sharedFilesMin = 64;
/**
 * A connection uses about 60 KB, so these use at most 1 GB; 200 nodes with 50 watches each have
 * fewer connections.
 */
const connectionsCap = 16_384;
/**
 * A cluster of 200 nodes behind one address that reconnects at the same time, with five connections
 * per node.
 */
const unknownPerAddressCap = 1_000;

/**
 * Divides the files that the process may open, so that the store always has enough.
 * @throws Error when there are too few.
 */
export function shareDescriptors(filesMax: number): DescriptorShares {
  const shared = filesMax - reservedFiles;
  if (shared < sharedFilesMin)
    throw new Error(
      `this process may open ${filesMax} files, and the server needs at least ${reservedFiles + sharedFilesMin}: raise the limit (ulimit -n)`,
    );
  const connectionsMax = Math.min(Math.floor(shared * 0.75), connectionsCap);
  // A stream of HTTP/2 that follows a log uses no descriptor on the client's side and one on the
  // kubelet's.
  return { connectionsMax, dialsMax: Math.min(shared - connectionsMax, connectionsCap) };
}

/**
 * The limits of one process that accepts connections. Several processes of a server divide its
 * connections evenly, and so its limits.
 * @param connectionsMax of all processes together.
 */
export function connectionLimits({
  connectionsMax,
  processes = 1,
}: Pick<DescriptorShares, "connectionsMax"> & { processes?: number }): ConnectionLimits {
  const share = (limit: number) => Math.ceil(limit / processes);
  const unknownPerAddressMax = share(Math.min(Math.ceil(connectionsMax / 4), unknownPerAddressCap));
  return {
    connectionsMax: share(connectionsMax),
    perUserMax: share(Math.ceil(connectionsMax / 2)),
    unknownMax: 2 * unknownPerAddressMax,
    unknownPerAddressMax,
    // The largest body and its head, because a client may send its token with it.
    unknownBytesMax: 4 * mebibyte,
    unknownBytesInAllMax: share(64 * mebibyte),
    // Health checks of 200 machines behind one address, one a second. For a client with a token
    // only its first request counts.
    unknownRequestsMax: share(2_000),
    handshakeTimeoutMs: 10_000,
    unknownTimeoutMs: 60_000,
  };
}
