// A route from the request to the pod, for Ingresses of the hosts a.example and *.b.example:
//
//   Host: a.example  GET /shop/cart ──► table "a.example" ─┬─► exact   /shop/cart: none
//                                                      └─► prefix  /shop/ ─► backend "ns:shop:80"
//   Host: x.b.example               ──► table "*.b.example"  (one label matches the star)
//   another host                    ──► table ""             (rules without a host)
//   no match in the table           ──► its default backend, else that of the controller, or 404

/** Requests of one host, by their paths. */
export interface RouteTable {
  /** "a.example", "*.b.example" for one more label, or "" for all hosts without a table. */
  readonly host: string;
  /** The names of backends by the whole path. */
  readonly exact: ReadonlyMap<string, string>;
  /** The names of backends by a path that ends with a slash; the longest match wins. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** The backend of paths without a match. */
  readonly otherwise: string | undefined;
}

export interface Backend {
  /** "namespace:service:port". */
  readonly name: string;
  /** The ready endpoints, ordered; without endpoints, requests get 503. */
  readonly servers: readonly BackendServer[];
}

export interface BackendServer {
  readonly address: string;
  readonly port: number;
}

interface ServedCertificate {
  /** "namespace/secret". */
  readonly name: string;
  /** Certificate, its chain and its key. */
  readonly pem: string;
  /** The server names (SNI) for which the certificate is served; "" is every other name. */
  readonly hosts: readonly string[];
}

/** The whole behaviour of the server in front. */
export interface RoutePlan {
  readonly tables: readonly RouteTable[];
  readonly backends: readonly Backend[];
  readonly certificates: readonly ServedCertificate[];
  /** The backend of requests without a match in a table; undefined: these requests get 404. */
  readonly defaultBackend: string | undefined;
}

/** A part of an Ingress that cannot be served, for an event about it. */
export interface RouteProblem {
  readonly namespace: string;
  readonly ingress: string;
  /** One word in upper camel case. */
  readonly reason: string;
  readonly message: string;
}

/** The backend without endpoints, for routes whose Service does not exist. */
export const noEndpoints = "unavailable";
