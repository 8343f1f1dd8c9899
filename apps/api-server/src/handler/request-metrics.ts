import type { Counter, Gauge, Histogram, Labels, Metrics } from "@kintsugi/api";
import { durationBuckets } from "../metrics/duration-buckets.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { InFlightLimit } from "./in-flight.ts";
import { isLongRunning } from "./long-running.ts";

const sizeBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const requestLabels = ["verb", "group", "version", "resource", "subresource", "scope", "component"] as const;

/** The labels of one kind of request with one outcome, for each of the metrics. */
interface DoneLabels {
  readonly plain: RequestLabels;
  readonly dryRun: Labels;
  readonly counted: Labels;
}

/** Kept at most; some 30 resources, 10 verbs and the usual statuses are fewer. */
const labelsMax = 5_000;

/** Counts and times requests under upstream's names. */
export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #sliDuration: Histogram;
  readonly #sizes: Histogram;
  readonly #inFlight: Gauge;
  readonly #longRunning: Gauge;
  readonly #terminations: Counter;
  readonly #labels = new Map<string, DoneLabels>();
  readonly #open = new Map<string, number>();

  constructor(metrics: Metrics) {
    this.#total = metrics.counter({
      name: "apiserver_request_total",
      help: "Requests by verb, resource and HTTP code.",
      labels: [...requestLabels, "dry_run", "code"],
    });
    const duration = { labels: [...requestLabels, "dry_run"], buckets: durationBuckets };
    this.#duration = metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "How long requests took, other than those that last (watches, logs).",
      ...duration,
    });
    this.#sliDuration = metrics.histogram({
      name: "apiserver_request_sli_duration_seconds",
      help: "How long requests took, without the time spent outside of the server.",
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
      help: "Requests being worked on.",
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

  /** The same objects for the same kind of request: metrics know their labels again by identity. */
  #labelsOf(info: RequestInfo, status: number): DoneLabels {
    const plain = labelsOf(info);
    const dryRun = info.query.has("dryRun") ? "All" : "";
    const { verb, group, version, resource, subresource, scope } = plain;
    // No path segment has a slash in it, so no two kinds of request share a key.
    const key = `${verb}/${group}/${version}/${resource}/${subresource}/${scope}/${dryRun}/${status}`;
    let known = this.#labels.get(key);
    if (known === undefined) {
      const withDryRun = { ...plain, dry_run: dryRun };
      known = { plain, dryRun: withDryRun, counted: { ...withDryRun, code: String(status) } };
      if (this.#labels.size >= labelsMax) this.#labels.clear();
      this.#labels.set(key, known);
    }
    return known;
  }

  refused(info: RequestInfo, status: number): void {
    this.#terminations.add(1, { ...labelsOf(info), code: String(status) });
  }

  /** Set when the metrics are read, not with each request. */
  setInFlight(limit: InFlightLimit): void {
    this.#inFlight.set(limit.count("readOnly"), { request_kind: "readOnly" });
    this.#inFlight.set(limit.count("mutating"), { request_kind: "mutating" });
  }

  /** Adds an open stream when it begins (+1) and removes it when it ends (-1). */
  longRunning(info: RequestInfo, change: 1 | -1): void {
    const labels = labelsOf(info);
    const key = Object.values(labels).join("/");
    const open = (this.#open.get(key) ?? 0) + change;
    this.#open.set(key, open);
    this.#longRunning.set(open, labels);
  }
}

type RequestLabels = Readonly<Record<(typeof requestLabels)[number], string>>;

function labelsOf(info: RequestInfo): RequestLabels {
  if (!info.isResource) return { ...noResource, verb: info.method };
  return {
    verb: info.verb.toUpperCase(),
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope: info.name !== "" ? "resource" : info.namespace !== "" ? "namespace" : "cluster",
    component: "apiserver",
  };
}

const noResource = { group: "", version: "", resource: "", subresource: "", scope: "", component: "apiserver" };
