/** The credentials that a process needs to connect: the servers, and a token for its own key. */
export interface BusCredentials {
  /** "tls://10.64.0.1:4222". */
  servers: readonly string[];
  jwt: string;
  /** The name of the cluster on the bus. */
  cluster: string;
}

/** A call of the API, as `Client.call` makes it. */
export type ApiCall = (request: {
  method: "POST";
  path: string;
  body: unknown;
  signal?: AbortSignal;
}) => Promise<unknown>;

const apiVersion = "kintsugi.dev/v1alpha1";
const path = `/apis/${apiVersion}/buscredentials`;

/**
 * Requests a token for `publicKey` from the API server.
 * @throws ApiError as the call does; Error when the answer has no credentials.
 */
export async function requestBusCredentials(
  call: ApiCall,
  publicKey: string,
  signal?: AbortSignal,
): Promise<BusCredentials> {
  const body = { apiVersion, kind: "BusCredentials", spec: { publicKey } };
  const answer = (await call({ method: "POST", path, body, ...(signal === undefined ? {} : { signal }) })) as {
    status?: Partial<BusCredentials>;
  };
  const { servers, jwt, cluster } = answer.status ?? {};
  if (!Array.isArray(servers) || typeof jwt !== "string" || typeof cluster !== "string") {
    throw new Error(`the API server answered ${path} without servers, jwt and cluster`);
  }
  return { servers: servers as string[], jwt, cluster };
}
