import type { Counter, Gauge, Histogram, Metrics } from "@kintsugi/api";

export type IpamMetrics = ReturnType<typeof ipamMetrics>;

/** Upstream's names, including its misspelling `cirdset`. */
export function ipamMetrics({ metrics }: { metrics: Metrics }, clusterCIDR: string) {
  const labels = { clusterCIDR };
  const define = (name: string, help: string) => ({
    name: `node_ipam_controller_${name}`,
    help,
    labels: Object.keys(labels),
  });
  const allocations: Counter = metrics.counter(
    define("cidrset_cidrs_allocations_total", "Counter measuring total number of CIDR allocations."),
  );
  const releases: Counter = metrics.counter(
    define("cidrset_cidrs_releases_total", "Counter measuring total number of CIDR releases."),
  );
  const maximum: Gauge = metrics.gauge(define("cirdset_max_cidrs", "Maximum number of CIDRs that can be allocated."));
  const usage: Gauge = metrics.gauge(define("cidrset_usage_cidrs", "Gauge measuring percentage of allocated CIDRs."));
  const tries: Histogram = metrics.histogram({
    ...define("cidrset_allocation_tries_per_request", "Number of ranges that were tried for each allocation."),
    buckets: [1, 5, 25, 125, 625],
  });
  return {
    allocated: (tried: number) => {
      allocations.add(1, labels);
      // Upstream counts the ranges that were in use.
      tries.observe(tried - 1, labels);
    },
    releases: (count: number) => releases.add(count, labels),
    maximum: (count: number) => maximum.set(count, labels),
    usage: (share: number) => usage.set(share, labels),
  };
}
