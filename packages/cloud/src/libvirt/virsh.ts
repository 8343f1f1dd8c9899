import { spawn } from "node:child_process";
import { CloudError } from "../cloud-error.ts";

/**
 * Runs one command of virsh to its end. @throws CloudError "Unavailable" if it did not end
 * normally.
 */
export type Virsh = (args: readonly string[], signal?: AbortSignal) => Promise<VirshAnswer>;

export interface VirshAnswer {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

export interface VirshOptions {
  /** "qemu:///system", or another connection URI of libvirt. */
  readonly uri: string;
  /** The program; default "virsh", from the environment's PATH. */
  readonly program?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time that one command may take. */
  readonly callTimeoutMs: number;
}

/** The list of a thousand domains has 300 KiB with the longest names. */
const outputBytesMax = 4 * 1024 * 1024;
/** Limit on an error's text, which is a sentence or two. */
const errorsBytesMax = 64 * 1024;

/**
 * Uses libvirt through its own program, because its protocol has no maintained JavaScript library,
 * and virsh supports every transport (sockets, TLS, ssh). Commands run without a shell, and their
 * arguments are never names from outside: commands identify domains by UUID.
 */
export function virshAt({ uri, program = "virsh", environment, callTimeoutMs }: VirshOptions): Virsh {
  // The messages of errors are parsed, so they have to be English.
  const env = { ...environment, LC_ALL: "C" };
  return (args, given) => {
    const limit = AbortSignal.timeout(callTimeoutMs);
    const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
    return new Promise((resolve, reject) => {
      // virsh has its own process group, so that ssh, if the URI uses it, ends with virsh.
      const child = spawn(program, ["--quiet", `--connect=${uri}`, ...args], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      const fail = (why: string, cause?: unknown) => {
        if (child.pid !== undefined) killGroup(child.pid);
        reject(new CloudError("Unavailable", `libvirt at ${uri} cannot be queried: ${why}`, { cause }));
      };
      const onAbort = () =>
        fail(limit.aborted ? `virsh did not end within ${callTimeoutMs} ms` : "the call was aborted", signal.reason);
      const collected = [child.stdout, child.stderr].map((stream, index) => {
        const bytesMax = index === 0 ? outputBytesMax : errorsBytesMax;
        const chunks: Buffer[] = [];
        let bytes = 0;
        stream.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > bytesMax) fail(`virsh printed more than ${bytesMax} bytes`);
          else chunks.push(chunk);
        });
        return () => Buffer.concat(chunks).toString("utf8");
      });
      child.once("error", (error: NodeJS.ErrnoException) =>
        fail(
          error.code === "ENOENT"
            ? `there is no program ${program}; on Debian it is in the package libvirt-clients`
            : error.message,
          error,
        ),
      );
      child.once("close", (exitCode, killedBy) => {
        signal.removeEventListener("abort", onAbort);
        const [output = "", errors = ""] = collected.map((text) => text());
        if (exitCode === null) fail(`virsh was ended by ${killedBy}`);
        else resolve({ exitCode, output, errors });
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has ended in the meantime.
  }
}
