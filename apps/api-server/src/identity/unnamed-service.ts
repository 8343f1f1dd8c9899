import { X509Certificate } from "node:crypto";
import type { Logger } from "@kintsugi/api";

/**
 * Pods reach the API at the cluster IP of the Service `kubernetes`, and reject a server whose
 * certificate does not name it. @param certificate PEM; of several certificates the first is the
 * server's.
 */
export function warnOfUnnamedService(
  certificate: string,
  { serviceIp, log }: { serviceIp: string; log: Pick<Logger, "warn"> },
): void {
  if (new X509Certificate(certificate).checkIP(serviceIp) !== undefined) return;
  log.warn("the serving certificate does not name the Service kubernetes: pods will refuse it", {
    serviceIp,
    remedy: `add IP:${serviceIp} to its subjectAltName, or start kubelets with --node-has-proxy=false`,
  });
}
