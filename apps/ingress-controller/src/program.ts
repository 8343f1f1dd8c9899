import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkSubdomain1123, profileNames } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  createHealthServer,
  createMetrics,
  defineService,
  flag,
  FlagError,
  followFiles,
  healthServerConfig,
  healthServerFlags,
  makeDirectory,
  ownFileKind,
  version,
} from "@kintsugi/daemon";
import { createAuthority } from "@kintsugi/pki";
import { HaproxyGateway } from "./haproxy/haproxy-gateway.ts";
import { HaproxyProcess } from "./haproxy/haproxy-process.ts";
import { createIngressController } from "./ingress-controller.ts";

/**
 * A socket's path has at most 107 characters, and the directory of its routes uses 20 characters.
 */
const directoryLengthMax = 80;

export const program = defineService({
  name: "ingress-controller",
  description: "Serves Ingresses of its classes with an HAProxy that it runs.",
  file: ownFileKind("ingress-controller"),
  options: {
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
  },
  read(given) {
    const address = given["serve-address"];
    if (isIP(address) === 0)
      throw new FlagError(`--serve-address must be an IP address, such as 192.0.2.11, not ${JSON.stringify(address)}.`);
    const publishAddress = given["publish-address"] || address;
    if (isIP(publishAddress) === 0) {
      const [because] = checkSubdomain1123(publishAddress);
      if (because !== undefined) throw new FlagError(`--publish-address ${JSON.stringify(publishAddress)}: ${because}`);
    }
    if (given.directory.length > directoryLengthMax)
      throw new FlagError(
        `--directory may have ${directoryLengthMax} characters, because it contains sockets, not ${given.directory.length}.`,
      );
    if (given["http-port"] === given["https-port"])
      throw new FlagError(
        `--http-port and --https-port are both ${given["http-port"]}: give each flag a port of its own.`,
      );
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
    };
  },
  async start(config, log) {
    const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
    const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
    const client = createHttpClient(
      { clock, random, metrics },
      { ...access, credentials, userAgent: `kintsugi-ingress-controller/v${version}` },
    );
    const { directory, address, publishAddress, minSyncPeriodMs } = config;
    await makeDirectory(directory, { flag: "--directory", mode: 0o700 });
    const gateway = new HaproxyGateway(
      { clock, log, process: new HaproxyProcess({ clock, log }, { program: config.haproxy, directory }) },
      {
        directory,
        http: { address, port: config.httpPort },
        https: { address, port: config.httpsPort },
        ownCertificate: await ownCertificate(),
        user: unprivilegedUser(),
      },
    );
    const controller = createIngressController(
      { client, clock, random, log, metrics, gateway },
      { publishAddress, minSyncPeriodMs },
    );
    const checks = {
      ping: () => {},
      routes: () => {
        if (!controller.serves) throw new Error("no routes are served yet");
      },
    };
    return [
      createHealthServer({ clock, log, metrics, checks }, config.health),
      followFiles({ clock, log }, followed),
      { name: "ingress-controller", run: (signal) => controller.run(signal) },
    ];
  },
});

/** Makes a self-signed certificate, which clients do not trust, for hosts without a certificate. */
async function ownCertificate(): Promise<string> {
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "kintsugi-ingress");
  const { certificate, key } = await authority.issue({
    commonName: "ingress.invalid",
    usages: ["server"],
    dnsNames: ["ingress.invalid"],
  });
  return `${certificate.trim()}\n${key.trim()}\n`;
}

/** Debian's package has a user for the workers, which parse clients' data. */
function unprivilegedUser(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const names = new Set(
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":")[0]),
  );
  return ["haproxy", "nobody"].find((name) => names.has(name));
}
