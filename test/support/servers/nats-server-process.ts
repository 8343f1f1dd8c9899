import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority } from "@kintsugi/pki";
import { findProgram } from "@kintsugi/daemon";
import {
  type BusAuthority,
  createBusAuthority,
  createBusSeeds,
  natsServerConfig,
  trustOf,
  userJwt,
} from "@kintsugi/watch-stream";
import { freePort } from "../free-port.ts";
import { endWithThis, eventually } from "../run-program.ts";

/** A real nats-server with the cluster's authentication, on loopback. */
export interface NatsServerProcess extends AsyncDisposable {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly authority: BusAuthority;
  /** The account's seed, for tests that sign their own tokens. */
  readonly accountSeed: string;
  /** Signs tokens of users with all rights, for tests of the bus itself. */
  readonly unlimited: BusAuthority;
  start(): Promise<void>;
  /** Kills the process with -9. It does not store data on disk, so a restarted process is empty. */
  kill(): Promise<void>;
  /** Pauses the process: connections stay open and nothing is answered. */
  freeze(): void;
  thaw(): void;
  log(): string;
}

export const natsServerProgram = findProgram("nats-server", process.env["PATH"] ?? "");

export async function prepareNatsServer(cluster: string): Promise<NatsServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-nats-"));
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "kubernetes");
  const serving = await authority.issue({ commonName: "nats", usages: ["server"], ipAddresses: ["127.0.0.1"] });
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const seeds = createBusSeeds();
  const port = await freePort();
  const config = file(
    "nats.conf",
    natsServerConfig({
      host: "127.0.0.1",
      port,
      certFile: file("server.crt", serving.certificate),
      keyFile: file("server.key", serving.key),
      caFile: file("ca.crt", authority.certificate),
      trust: trustOf(seeds, systemClock.nowMs()),
    }),
  );
  const logFile = join(directory, "nats.log");
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  const read = () => {
    try {
      return readFileSync(logFile, "utf8");
    } catch {
      return "";
    }
  };
  return {
    url: `tls://127.0.0.1:${port}`,
    ca: authority.certificate,
    accountSeed: seeds.accountSeed,
    authority: createBusAuthority({ clock: systemClock }, { accountSeed: seeds.accountSeed, cluster }),
    unlimited: unlimitedAuthority(seeds.accountSeed),
    async start() {
      rmSync(logFile, { force: true });
      child = endWithThis(
        spawn(natsServerProgram ?? "nats-server", ["-c", config, "-l", logFile], { stdio: "ignore" }),
      );
      await eventually("nats-server is ready", async () => read().includes("Server is ready"), 10_000);
    },
    kill,
    freeze: () => child?.kill("SIGSTOP"),
    thaw: () => child?.kill("SIGCONT"),
    log: read,
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function unlimitedAuthority(accountSeed: string): BusAuthority {
  const permissions = { publish: [">"], subscribe: [">"] };
  const jwt = (publicKey: string) =>
    userJwt(accountSeed, { publicKey, name: "test", permissions }, { issuedAtMs: systemClock.nowMs() });
  return { issue: (_, publicKey) => ({ jwt: jwt(publicKey) }), issuePublisher: jwt };
}
