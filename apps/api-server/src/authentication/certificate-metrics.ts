import type { Metrics } from "@kintsugi/api";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Records the remaining validity of the certificate of a request's client, which the alert
 * KubeClientCertificateExpiration reads.
 */
export function createCertificateMetrics(metrics: Metrics): (secondsLeft: number) => void {
  const left = metrics.histogram({
    name: "apiserver_client_certificate_expiration_seconds",
    help: "Distribution of the remaining lifetime on the certificate used to authenticate a request.",
    // Upstream's.
    // prettier-ignore
    buckets: [
      0, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day,
    ],
  });
  return (secondsLeft) => left.observe(secondsLeft);
}
