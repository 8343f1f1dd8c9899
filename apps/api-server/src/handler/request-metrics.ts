import type { Counter, Gauge, Histogram, Labels, Metrics } from "@kintsugi/api";
import { codeLabel } from "../metrics/code-label.ts";
import { durationBuckets } from "../metrics/duration-buckets.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { InFlightLimit } from "./in-flight.ts";
import { isLongRunning } from "./long-running.ts";
import type { FindNames, NamedResource } from "./request-names.ts";

const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const requestLabels = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;

/** The labels of one kind of request with one outcome, for each of the metrics. */
interface DoneLabels {
  readonly plain: RequestLabels;
  readonly dryRun: Labels;
  readonly counted: Labels;
  readonly terminated: Labels;
}

const ofResources = ["GET", "LIST", "WATCH", "CREATE", "UPDATE", "PATCH", "DELETE", "DELETECOLLECTION"];
const ofPaths = ["CONNECT", "HEAD", "OPTIONS", "POST", "PUT"];

/**
 * The verbs and methods that have their own labels; all others share one label. HTTP/2 allows the
 * client any method.
 */
const knownVerbs = new Set([...ofResources, ...ofPaths]);

/**
 * Counts and times requests under upstream's names. Labels are words from closed lists and
 * registered names, because a client without any rights may send arbitrary names.
 */
export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #sliDuration: Histogram;
  readonly #sizes: Histogram;
  readonly #inFlight: Gauge;
  readonly #longRunning: Gauge;
  readonly #terminations: Counter;
  readonly #findNames: FindNames;
  /** One map for each resource. Its keys consist of words from closed lists. */
  readonly #labels = new WeakMap<NamedResource, Map<string, DoneLabels>>();
  readonly #open = new Map<string, number>();

  constructor(metrics: Metrics, findNames: FindNames) {
    this.#findNames = findNames;
    this.#total = metrics.counter({
      name: "apiserver_request_total",
      help: "Requests by verb, resource and HTTP code.",
      labels: [...requestLabels, "dry_run", "code"],
    });
    const duration = { labels: [...requestLabels, "dry_run"], buckets: durationBuckets };
    this.#duration = metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "Duration of requests except long-running requests (watches, logs), in seconds.",
      ...duration,
    });
    this.#sliDuration = metrics.histogram({
      name: "apiserver_request_sli_duration_seconds",
      help: "Duration of requests without the time spent outside the server, in seconds.",
      ...duration,
    });
    this.#sizes = metrics.histogram({
      name: "apiserver_response_sizes",
      help: "Sizes of answers in bytes.",
      labels: requestLabels,
      buckets: sizeBuckets,
    });
    this.#inFlight = metrics.gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests in progress.",
      labels: ["request_kind"],
    });
    this.#longRunning = metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Open watches, followed logs, and streams to containers.",
      labels: requestLabels,
    });
    this.#terminations = metrics.counter({
      name: "apiserver_request_terminations_total",
      help: "Requests refused or cut off to protect the server.",
      labels: [...requestLabels, "code"],
    });
  }

  done(info: RequestInfo, result: { status: number; bytes: number | undefined; seconds: number }): void {
    const { plain, dryRun, counted } = this.#labelsOf(info, result.status);
    this.#total.add(1, counted);
    if (isLongRunning(info)) return;
    this.#duration.observe(result.seconds, dryRun);
    this.#sliDuration.observe(result.seconds, dryRun);
    if (result.bytes !== undefined) this.#sizes.observe(result.bytes, plain);
  }

  /**
   * Returns the same object for the same kind of request, because metrics recognize their labels by
   * identity.
   */
  #labelsOf(info: RequestInfo, status: number): DoneLabels {
    const named = this.#findNames(info) ?? unnamed;
    let ofResource = this.#labels.get(named);
    if (ofResource === undefined) this.#labels.set(named, (ofResource = new Map<string, DoneLabels>()));
    const dryRun = info.query.has("dryRun") ? "All" : "";
    const [verb, subresource, scope] = [verbOf(info, named), subresourceOf(info, named), scopeOf(info, named)];
    const code = codeLabel(status);
    const key = `${verb}/${subresource}/${scope}/${dryRun}/${code}`;
    let known = ofResource.get(key);
    if (known === undefined) {
      const plain = labelsOf(info, named);
      const withDryRun = { ...plain, dry_run: dryRun };
      known = { plain, dryRun: withDryRun, counted: { ...withDryRun, code }, terminated: { ...plain, code } };
      ofResource.set(key, known);
    }
    return known;
  }

  refused(info: RequestInfo, status: number): void {
    this.#terminations.add(1, this.#labelsOf(info, status).terminated);
  }

  /** Set when the metrics are read, not with each request. */
  setInFlight(limit: InFlightLimit): void {
    this.#inFlight.set(limit.count("readOnly"), { request_kind: "readOnly" });
    this.#inFlight.set(limit.count("mutating"), { request_kind: "mutating" });
  }

  /** Counts an open stream until the returned function is called. */
  longRunning(info: RequestInfo): () => void {
    const labels = labelsOf(info, this.#findNames(info) ?? unnamed);
    const key = Object.values(labels).join("/");
    const count = (change: 1 | -1) => {
      const open = (this.#open.get(key) ?? 0) + change;
      this.#open.set(key, open);
      this.#longRunning.set(open, labels);
    };
    count(1);
    return () => count(-1);
  }
}

type RequestLabels = Readonly<Record<(typeof requestLabels)[number], string>>;

/** Requests that do not name a resource, or whose names are not registered. */
const unnamed: NamedResource = { labels: { group: "", version: "", resource: "" }, subresources: new Set() };

function labelsOf(info: RequestInfo, named: NamedResource): RequestLabels {
  return {
    verb: verbOf(info, named),
    ...named.labels,
    subresource: subresourceOf(info, named),
    scope: scopeOf(info, named),
    component: "apiserver",
  };
}

function verbOf({ verb, method }: RequestInfo, named: NamedResource): string {
  const text = named === unnamed ? method : verb.toUpperCase();
  return knownVerbs.has(text) ? text : "other";
}

/**
 * The registry does not find a resource if the request names a subresource that the resource does
 * not have.
 */
function subresourceOf({ subresource }: RequestInfo, named: NamedResource): string {
  return named.subresources.has(subresource) ? subresource : "";
}

function scopeOf({ name, namespace }: RequestInfo, named: NamedResource): string {
  if (named === unnamed) return "";
  if (name !== "") return "resource";
  return namespace !== "" ? "namespace" : "cluster";
}
