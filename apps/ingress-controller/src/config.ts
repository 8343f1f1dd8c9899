import { isIP } from "node:net";
import { checkSubdomain1123, profileNames } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  FlagError,
  type HealthServerOptions,
  healthServerConfig,
  healthServerFlags,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";

/** The command line of the service, completed. */
export interface IngressControllerConfig {
  kubeconfig: string;
  /** The directory of the server's files; its keys are in it. */
  directory: string;
  /** The address on which requests are served. */
  address: string;
  httpPort: number;
  httpsPort: number;
  publishAddress: string;
  haproxy: string;
  minSyncPeriodMs: number;
  health: HealthServerOptions;
  logLevel: LogLevel;
}

const program: ConfiguredProgram = {
  name: "ingress-controller",
  description: "Serves Ingresses of its classes by an HAProxy that it runs.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "IngressControllerConfiguration" },
};

/** A socket's path has 107 characters at most, and the directory of its routes takes 20 of them. */
const directoryLengthMax = 80;

const flags = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/ingress-controller.kubeconfig",
  }),
  "serve-address": flag.text({
    help: "IP address to serve requests on",
    required: true,
    example: "192.0.2.11",
    placeholder: "address",
  }),
  "http-port": flag.port({ help: "Port to serve HTTP on", fallback: 80 }),
  "https-port": flag.port({ help: "Port to serve HTTPS on", fallback: 443 }),
  "publish-address": flag.text({
    help: "IP address or name that the status of Ingresses reports (default: --serve-address)",
    fallback: "",
  }),
  directory: flag.path({
    help: "Directory of the server's configuration, certificates and keys",
    fallback: "/run/kintsugi/ingress",
  }),
  haproxy: flag.path({ help: "Path of the program haproxy", fallback: "/usr/sbin/haproxy" }),
  "min-sync-period": flag.durationMs({
    help: "Shortest interval between two changes of the routes",
    fallback: 500,
  }),
  ...healthServerFlags({ name: "ingress-controller", port: 10262 }),
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): IngressControllerConfig {
  const given = readFlags(program, flags, argv);
  const address = given["serve-address"];
  if (isIP(address) === 0)
    throw new FlagError(`--serve-address must be an IP address, as 192.0.2.11, not ${JSON.stringify(address)}.`);
  const publishAddress = given["publish-address"] || address;
  if (isIP(publishAddress) === 0) {
    const [because] = checkSubdomain1123(publishAddress);
    if (because !== undefined) throw new FlagError(`--publish-address ${JSON.stringify(publishAddress)}: ${because}`);
  }
  if (given.directory.length > directoryLengthMax)
    throw new FlagError(
      `--directory may have ${directoryLengthMax} characters, because sockets lie in it, not ${given.directory.length}.`,
    );
  if (given["http-port"] === given["https-port"])
    throw new FlagError(`--http-port and --https-port are both ${given["http-port"]}: give each its own.`);
  return {
    kubeconfig: given.kubeconfig,
    directory: given.directory,
    address,
    httpPort: given["http-port"],
    httpsPort: given["https-port"],
    publishAddress,
    haproxy: given.haproxy,
    minSyncPeriodMs: given["min-sync-period"],
    health: healthServerConfig(given),
    logLevel: given["log-level"],
  };
}
