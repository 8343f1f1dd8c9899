import { readFileSync } from "node:fs";
import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  makeDirectory,
  runService,
  version,
} from "@kintsugi/daemon";
import { createAuthority } from "@kintsugi/pki";
import { type IngressControllerConfig, readConfig } from "./config.ts";
import { HaproxyGateway } from "./haproxy/haproxy-gateway.ts";
import { HaproxyProcess } from "./haproxy/haproxy-process.ts";
import { createIngressController } from "./ingress-controller.ts";

void runService({ name: "ingress-controller", configure: readConfig, start });

async function start(config: IngressControllerConfig, log: Logger): Promise<readonly Loop[]> {
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
}

/** Makes a certificate that no client trusts, for hosts without one. */
async function ownCertificate(): Promise<string> {
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "kintsugi-ingress");
  const { certificate, key } = await authority.issue({
    commonName: "ingress.invalid",
    usages: ["server"],
    dnsNames: ["ingress.invalid"],
  });
  return `${certificate.trim()}\n${key.trim()}\n`;
}

/** Debian's package has a user for the workers, which read what clients send. */
function unprivilegedUser(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const names = new Set(
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":")[0]),
  );
  return ["haproxy", "nobody"].find((name) => names.has(name));
}
