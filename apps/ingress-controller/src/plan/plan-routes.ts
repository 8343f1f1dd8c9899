import type { HTTPIngressPath, Ingress, IngressBackend, Secret } from "@kintsugi/api";
import type { CheckedCertificate } from "./check-certificate.ts";
import { Places, wantedCertificates, wantedRoutes } from "./path-shares.ts";
import { findBackend, type ServiceView } from "./find-backend.ts";
import { type Backend, noEndpoints, type RoutePlan, type RouteProblem, type RouteTable } from "./route-plan.ts";

/**
 * Limit of the routes and certificates of all Ingresses, because each uses some memory of the
 * server in front. Namespaces share it, and the oldest Ingresses of a namespace get its share.
 */
const placesMax = { paths: 20_000, certificates: 2_000 } as const;
const placeReasons = { paths: "TooManyPaths", certificates: "TooManyCertificates" } as const;
/**
 * Clients cannot send a longer path, because the server's buffer for a request's line is 16 KiB.
 */
const pathLengthMax = 2048;

export interface ObservedRoutes extends ServiceView {
  /** The Ingresses of this controller, in the order of their claims. */
  readonly ingresses: readonly Ingress[];
  findSecret(namespace: string, name: string): Secret | undefined;
  checkCertificate(secret: Secret): CheckedCertificate;
}

export interface PlannedRoutes {
  readonly plan: RoutePlan;
  readonly problems: readonly RouteProblem[];
}

interface OpenTable {
  readonly host: string;
  readonly exact: Map<string, string>;
  readonly prefixes: Map<string, string>;
  otherwise: string | undefined;
}

/**
 * Plans the route of every request to ready endpoints, by the rules of the Ingress API: exact hosts
 * before wildcards, exact paths before prefixes of whole elements, the longest path first. Of two
 * Ingresses with the same host and path the first in order gets it. A route whose Service does not
 * exist remains and answers 503, so that its requests do not reach another backend.
 */
export function planRoutes(observed: ObservedRoutes): PlannedRoutes {
  const planner = new Planner(observed);
  for (const ingress of observed.ingresses) planner.add(ingress);
  return planner.result();
}

class Planner {
  readonly #observed: ObservedRoutes;
  readonly #tables = new Map<string, OpenTable>();
  readonly #backends = new Map<string, Backend>();
  readonly #certificates = new Map<string, { name: string; pem: string; hosts: string[] }>();
  readonly #certified = new Map<string, string>();
  readonly #problems: RouteProblem[] = [];
  #defaultBackend: string | undefined;
  readonly #places: Record<"paths" | "certificates", Places>;
  /** Ingresses with an omitted route or certificate. One message for each is enough. */
  readonly #cut = { paths: new Set<Ingress>(), certificates: new Set<Ingress>() };

  constructor(observed: ObservedRoutes) {
    this.#observed = observed;
    this.#places = {
      paths: new Places(wantedRoutes(observed.ingresses), placesMax.paths),
      certificates: new Places(wantedCertificates(observed.ingresses), placesMax.certificates),
    };
  }

  add(ingress: Ingress): void {
    const { rules = [], defaultBackend } = ingress.spec ?? {};
    const otherwise = defaultBackend && this.#backend(ingress, defaultBackend);
    for (const { host = "", http } of rules) {
      const paths = http?.paths ?? [];
      const known = this.#tables.get(host.toLowerCase());
      // A host without a route gets a table only if a slot is left, because the table uses a slot.
      if (paths.length === 0 && known === undefined && !this.#hasPlace(ingress, "paths")) continue;
      const table = this.#table(host.toLowerCase());
      for (const path of paths) this.#addPath(ingress, table, path);
      // A rule without paths directs its whole host to the default backend.
      table.otherwise ??= otherwise;
    }
    if (rules.length === 0) this.#defaultBackend ??= otherwise;
    this.#addCertificates(ingress);
  }

  result(): PlannedRoutes {
    const byName = <T extends { name: string }>(a: T, b: T) => (a.name < b.name ? -1 : 1);
    return {
      plan: {
        tables: [...this.#tables.values()].toSorted((a, b) => (a.host < b.host ? -1 : 1)) satisfies RouteTable[],
        backends: [...this.#backends.values()].toSorted(byName),
        certificates: [...this.#certificates.values()].toSorted(byName),
        defaultBackend: this.#defaultBackend,
      },
      problems: this.#problems,
    };
  }

  #addPath(ingress: Ingress, table: OpenTable, { path = "", pathType, backend }: HTTPIngressPath): void {
    if (path.length > pathLengthMax)
      return this.#report(ingress, "PathTooLong", `a path of ${path.length} characters: ${pathLengthMax} are served`);
    const isExact = pathType === "Exact";
    const [routes, key] = isExact ? [table.exact, encodePath(path)] : [table.prefixes, prefixOf(path)];
    const taken = routes.get(key);
    if (taken === undefined && !this.#hasPlace(ingress, "paths")) return;
    const name = this.#backend(ingress, backend);
    if (taken === undefined) routes.set(key, name);
    else if (taken !== name) {
      const where = `${table.host === "" ? "every host" : table.host}${path}`;
      this.#report(ingress, "PathTaken", `an older rule routes ${where} to another backend`);
    }
  }

  /** Uses a slot of the Ingress's namespace; false where none is left. */
  #hasPlace(ingress: Ingress, what: keyof typeof placesMax): boolean {
    const { namespace = "" } = ingress.metadata;
    if (this.#places[what].take(namespace)) return true;
    if (!this.#cut[what].has(ingress)) {
      this.#cut[what].add(ingress);
      const share = `${this.#places[what].shareOf(namespace)} are for the namespace ${namespace}`;
      const message = `this controller serves ${placesMax[what]} ${what}, of which ${share}, and older Ingresses use this share`;
      this.#report(ingress, placeReasons[what], message);
    }
    return false;
  }

  #table(host: string): OpenTable {
    const known = this.#tables.get(host);
    if (known !== undefined) return known;
    const table: OpenTable = { host, exact: new Map(), prefixes: new Map(), otherwise: undefined };
    this.#tables.set(host, table);
    return table;
  }

  /** Returns the name of the backend. A missing backend has no endpoints. */
  #backend(ingress: Ingress, backend: IngressBackend): string {
    const found = findBackend(this.#observed, ingress.metadata.namespace ?? "", backend);
    if ("reason" in found) {
      this.#report(ingress, found.reason, found.message);
      this.#backends.set(noEndpoints, { name: noEndpoints, servers: [] });
      return noEndpoints;
    }
    this.#backends.set(found.name, found);
    return found.name;
  }

  #addCertificates(ingress: Ingress): void {
    const namespace = ingress.metadata.namespace ?? "";
    for (const { hosts = [], secretName = "" } of ingress.spec?.tls ?? []) {
      // The controller's own certificate is served for an entry without a Secret.
      if (secretName === "") continue;
      const secret = this.#observed.findSecret(namespace, secretName);
      const because = "there is no such Secret of type kubernetes.io/tls";
      const certificate = secret === undefined ? { because } : this.#observed.checkCertificate(secret);
      if ("because" in certificate) {
        this.#report(ingress, "InvalidCertificate", `Secret "${secretName}" is not served: ${certificate.because}`);
        continue;
      }
      const name = `${namespace}/${secretName}`;
      if (!this.#certificates.has(name) && !this.#hasPlace(ingress, "certificates")) continue;
      const served = this.#certificates.get(name) ?? { name, pem: certificate.pem, hosts: [] };
      for (const host of certifiedHosts(ingress, hosts)) {
        const owner = this.#certified.get(host) ?? name;
        if (owner !== name)
          this.#report(ingress, "HostTaken", `an older Ingress has the certificate of ${host || "all other hosts"}`);
        else if (!this.#certified.has(host)) {
          this.#certified.set(host, name);
          served.hosts.push(host);
        }
      }
      if (served.hosts.length > 0) this.#certificates.set(name, served);
    }
  }

  #report({ metadata }: Ingress, reason: string, message: string): void {
    this.#problems.push({ namespace: metadata.namespace ?? "", ingress: metadata.name ?? "", reason, message });
  }
}

/**
 * The hosts of a certificate: the hosts that its entry lists, or else the hosts of the rules. The
 * names inside the certificate are ignored, because a tenant may write any name there.
 */
function certifiedHosts({ spec }: Ingress, hosts: readonly string[]): string[] {
  const wanted = hosts.length > 0 ? hosts : (spec?.rules ?? []).map(({ host = "" }) => host);
  return [...new Set((wanted.length > 0 ? wanted : [""]).map((host) => host.toLowerCase()))];
}

/** "/shop", "/shop/" and, at the top, "" and "/" each have one normal form: "/shop/", "/". */
function prefixOf(path: string): string {
  return `${encodePath(path).replace(/\/+$/, "")}/`;
}

/** A client encodes all other characters, so a path with them would never match. */
function encodePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9/._~!$&'()*+,;=:@%-]/gu, percentEncoded);
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");
}
