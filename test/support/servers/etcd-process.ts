import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "@kintsugi/daemon";
import { freePort } from "../free-port.ts";
import { endWithThis, eventually } from "../run-program.ts";

export const etcdProgram = findProgram("etcd", process.env["PATH"] ?? "");

/** Real etcd members on loopback, each with its own directory. */
export interface EtcdProcesses extends AsyncDisposable {
  /** The addresses of the members' clients, as `host:port`. */
  readonly endpoints: readonly string[];
  /** Sends kill -9 to a member. */
  kill(member: number): Promise<void>;
  /** Restarts a killed member with its data. */
  start(member: number): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly clientPort: number;
  /** Health is served here without TLS. */
  readonly metricsPort: number;
  readonly peerUrl: string;
  child: ChildProcess | undefined;
}

export interface EtcdProcessOptions {
  /** Files of the members' certificate, and of the authority of their clients; default no TLS. */
  tls?: { certFile: string; keyFile: string; caFile: string };
  /** The size of the database at which writes are rejected. */
  quotaBytes?: number;
}

export async function startEtcd(memberCount: number, options: EtcdProcessOptions = {}): Promise<EtcdProcesses> {
  const { tls, quotaBytes } = options;
  const scheme = tls === undefined ? "http" : "https";
  const security =
    tls === undefined
      ? []
      : [
          `--cert-file=${tls.certFile}`,
          `--key-file=${tls.keyFile}`,
          `--trusted-ca-file=${tls.caFile}`,
          "--client-cert-auth",
        ];
  if (etcdProgram === undefined) throw new Error("there is no etcd; on Debian: apt-get install etcd-server");
  const program = etcdProgram;
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-etcd-"));
  const members: Member[] = [];
  for (let i = 0; i < memberCount; i++) {
    const [clientPort, peerPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
    members.push({ name: `m${i}`, clientPort, metricsPort, peerUrl: `http://127.0.0.1:${peerPort}`, child: undefined });
  }
  const cluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
  const logOf = ({ name }: Member) => join(directory, `${name}.log`);
  const launch = (member: Member): void => {
    const client = `${scheme}://127.0.0.1:${member.clientPort}`;
    const output = openSync(logOf(member), "a");
    member.child = spawn(
      program,
      [
        `--name=${member.name}`,
        `--data-dir=${join(directory, member.name)}`,
        "--logger=zap",
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${member.peerUrl}`,
        `--initial-advertise-peer-urls=${member.peerUrl}`,
        `--initial-cluster=${cluster}`,
        `--listen-metrics-urls=http://127.0.0.1:${member.metricsPort}`,
        ...security,
        ...(quotaBytes === undefined ? [] : [`--quota-backend-bytes=${quotaBytes}`]),
      ],
      { stdio: ["ignore", output, output] },
    );
    endWithThis(member.child);
  };
  const serving = (member: Member) =>
    eventually(`etcd ${member.name} serves`, async () => {
      const response = await fetch(`http://127.0.0.1:${member.metricsPort}/health`);
      const { health } = (await response.json()) as { health: string };
      if (health !== "true") throw new Error(readFileSync(logOf(member), "utf8").slice(-2000));
      return true;
    });
  const memberAt = (index: number): Member => {
    const member = members[index];
    if (member === undefined) throw new Error(`there is no member ${index}`);
    return member;
  };
  const kill = async ({ child }: Member): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  for (const member of members) launch(member);
  for (const member of members) await serving(member);
  return {
    endpoints: members.map(({ clientPort }) => `127.0.0.1:${clientPort}`),
    kill: (index) => kill(memberAt(index)),
    start: async (index) => {
      launch(memberAt(index));
      await serving(memberAt(index));
    },
    [Symbol.asyncDispose]: async () => {
      for (const member of members) await kill(member);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
