import { flag, option, type OptionValues } from "@kintsugi/daemon";
import { findRangeProblem, readServiceRange, serviceRangeOptions } from "../../shared/service-range.ts";

export const certificateOptions = {
  clusterSigningCertFile: option(
    "cluster-signing-cert-file",
    flag.path({
      help: "Authority that signs the certificates of kubelets, PEM; without it machines cannot join by themselves",
      example: "/etc/kintsugi/pki/ca.crt",
    }),
  ),
  clusterSigningKeyFile: option(
    "cluster-signing-key-file",
    flag.path({ help: "Private key of the certificate, PEM", example: "/etc/kintsugi/pki/ca.key" }),
  ),
  clusterSigningDurationMs: option(
    "cluster-signing-duration",
    flag.durationMs({ help: "Longest validity of a signed certificate", fallback: 365 * 24 * 3_600_000 }),
  ),
  ...serviceRangeOptions,
};

export function findSigningProblem(options: OptionValues<typeof certificateOptions>): string | undefined {
  const isWhole = (options.clusterSigningCertFile === undefined) === (options.clusterSigningKeyFile === undefined);
  if (!isWhole) return "--cluster-signing-cert-file and --cluster-signing-key-file must be set together";
  return options.clusterSigningCertFile === undefined ? undefined : findRangeProblem(() => readServiceRange(options));
}
