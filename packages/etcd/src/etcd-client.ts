import { strict as assert } from "node:assert";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { type Metrics, silentMetrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { EtcdMetrics } from "./etcd-metrics.ts";
import { type EtcdStatus, spaceAlarmText } from "./etcd-room.ts";
import { LogUnreachable } from "@kintsugi/store";
import { kvService, maintenanceService, type StatusResponse, watchService, type WatchResponse } from "./etcd-proto.ts";

/** The CA certificate of etcd's members, and the client's own certificate, PEM. */
export interface EtcdTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface EtcdClientOptions {
  /** Addresses as `host:port`, the nearest first. */
  endpoints: readonly string[];
  /** Default: no TLS, for an etcd on the loopback interface. */
  tls?: EtcdTls | undefined;
  /** Default: calls are not measured. */
  metrics?: Metrics | undefined;
}

/**
 * A call that takes longer is tried at another member: a leader is replaced within 1 to 2 s, and a
 * follower does not answer in the meantime.
 */
const callTimeoutMs = 2_000;
/** A transaction has at most 1.5 MiB, but a page of a read has up to 500 objects of that size. */
const messageBytesMax = 2 ** 30;

/** The outcomes that may succeed at another member, or at the same member later. */
const passing: ReadonlySet<status> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
]);

const hostOf = (endpoint: string) => endpoint.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");

function credentialsFor(endpoint: string, tls: EtcdTls | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const host = hostOf(endpoint);
  return credentials.createSsl(tls.ca, tls.key, tls.cert, {
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  });
}

/**
 * Returns the name that is indicated to a member at an address. grpc-js would indicate the address,
 * which Node.js 26 rejects (RFC 6066, section 3). The certificate is compared with the address.
 */
function nameFor(endpoint: string): { "grpc.ssl_target_name_override"?: string } {
  return isIP(hostOf(endpoint)) === 0 ? {} : { "grpc.ssl_target_name_override": "etcd" };
}

/** The connections to the members of one etcd; calls are sent to one of them while it answers. */
export class EtcdClient {
  readonly #clock: Clock;
  readonly metrics: EtcdMetrics;
  readonly #clients: readonly Client[];
  #current = 0;

  constructor(clock: Clock, { endpoints, tls, metrics = silentMetrics }: EtcdClientOptions) {
    assert(endpoints.length > 0, "an etcd has members");
    this.metrics = new EtcdMetrics(metrics);
    this.#clock = clock;
    this.#clients = endpoints.map(
      (endpoint) =>
        new Client(endpoint, credentialsFor(endpoint, tls), {
          ...nameFor(endpoint),
          "grpc.max_receive_message_length": messageBytesMax,
          "grpc.max_send_message_length": messageBytesMax,
          "grpc.initial_reconnect_backoff_ms": 100,
          "grpc.max_reconnect_backoff_ms": 1_000,
          // A connection whose peer disappears silently is detected as dead within 15 s. etcd
          // rejects pings that are sent more often than every 5 s.
          "grpc.keepalive_time_ms": 10_000,
          "grpc.keepalive_timeout_ms": 5_000,
          "grpc.enable_http_proxy": 0,
          "grpc.use_local_subchannel_pool": 1,
        }),
    );
  }

  /**
   * One request of the service KV with one answer.
   * @throws LogUnreachable when an answer did not arrive; the call may still have taken effect.
   */
  call<Response>(name: "Range" | "Txn" | "Compact", request: object): Promise<Response> {
    return this.#call(definitionOf(kvService, name), name, request);
  }

  /**
   * The version of the member that answers, and the room in its database.
   * @throws LogUnreachable
   */
  async status(): Promise<EtcdStatus> {
    const definition = definitionOf(maintenanceService, "Status");
    const { version, dbSize, dbSizeInUse, errors } = await this.#call<StatusResponse>(definition, "Status", {});
    const found = { version, databaseBytes: Number(dbSize), usedBytes: Number(dbSizeInUse), errors };
    this.metrics.seen(found);
    return found;
  }

  #call<Response>(definition: MethodDefinition<object, object>, name: string, request: object): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = definition;
    const member = this.#current;
    const startedMs = this.#clock.monotonicMs();
    return new Promise((resolve, reject) => {
      const call = this.#clientAt(member).makeUnaryRequest<object, object>(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        needsLeader(),
        (error: ServiceError | null, response?: object) => {
          timer.cancel();
          this.metrics.ended(name, (this.#clock.monotonicMs() - startedMs) / 1_000);
          if (!error) {
            resolve(response as Response);
            return;
          }
          this.metrics.failed(name, error.code);
          if (isOutOfSpace(error)) {
            reject(new EtcdOutOfSpace(spaceAlarmText, { cause: error }));
            return;
          }
          if (!passing.has(error.code)) {
            reject(new Error(`etcd refuses ${name}: ${error.details}`, { cause: error }));
            return;
          }
          this.#leave(member);
          reject(new LogUnreachable(`etcd does not respond to ${name}: ${explain(error)}`, { cause: error }));
        },
      );
      const timer = this.#clock.after(callTimeoutMs, () => call.cancel());
    });
  }

  /**
   * Watches until the returned function is called. `ended` is called once, when the member or the
   * connection ends the watch.
   */
  watch(create: object, on: { response(response: WatchResponse): void; ended(reason: string): void }): () => void {
    const { path, requestSerialize, responseDeserialize } = definitionOf(watchService, "Watch");
    const member = this.#current;
    const call: ClientDuplexStream<object, object> = this.#clientAt(member).makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      needsLeader(),
    );
    let isOver = false;
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      this.#leave(member);
      call.cancel();
      on.ended(reason);
    };
    call.on("data", (response: WatchResponse) => {
      if (isOver) return;
      if (response.canceled && response.compactRevision === "0") end(response.cancelReason);
      else on.response(response);
    });
    call.on("error", (error: ServiceError) => end(error.details));
    call.on("end", () => end("the member ended the watch"));
    call.write({ createRequest: create });
    return () => {
      isOver = true;
      call.cancel();
    };
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  #clientAt(member: number): Client {
    const client = this.#clients[member];
    assert(client, `there is a member ${member}`);
    return client;
  }

  /** The next call uses the next member; calls that failed together switch members only once. */
  #leave(member: number): void {
    if (this.#current === member) this.#current = (member + 1) % this.#clients.length;
  }
}

/** etcd has reached its quota, and rejects puts. */
export class EtcdOutOfSpace extends Error {
  override readonly name = "EtcdOutOfSpace";
}

function isOutOfSpace({ code, details }: ServiceError): boolean {
  return code === status.RESOURCE_EXHAUSTED && details.includes("database space exceeded");
}

/** An invalid certificate on either side looks like a member that does not exist. */
function explain({ details }: ServiceError): string {
  const isAboutTls = /certificate|self-signed|altname|EPROTO|ssl|tls|alert/i.test(details);
  return isAboutTls
    ? `${details}; the certificates of --etcd-cafile, --etcd-certfile and --etcd-keyfile, or the member's certificates, do not match`
    : details;
}

/** A member without a leader rejects such calls, and ends such watches, instead of being silent. */
function needsLeader(): Metadata {
  const metadata = new Metadata();
  metadata.set("hasleader", "true");
  return metadata;
}

function definitionOf(service: ServiceDefinition, name: string): MethodDefinition<object, object> {
  const definition = service[name];
  assert(definition, `the service has a call ${name}`);
  return definition;
}

/**
 * Reads the values of `--etcd-servers`: URLs, all http or all https.
 * @throws Error with a sentence.
 */
export function readEtcdEndpoints(urls: readonly string[]): { endpoints: string[]; isSecure: boolean } {
  const parsed = urls.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isUrl = url !== undefined && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
    if (!isUrl) throw new Error(`${JSON.stringify(text)} is not a URL like https://192.0.2.10:2379`);
    return url;
  });
  const isSecure = parsed[0]?.protocol === "https:";
  if (parsed.some(({ protocol }) => (protocol === "https:") !== isSecure)) {
    throw new Error("the URLs of etcd's members must all be http or all be https");
  }
  const defaultPort = isSecure ? "443" : "80";
  return { endpoints: parsed.map(({ hostname, port }) => `${hostname}:${port === "" ? defaultPort : port}`), isSecure };
}
